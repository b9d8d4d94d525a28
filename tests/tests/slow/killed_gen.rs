//! gen can be killed at any moment: every file that it leaves is complete, and the next run writes the rest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use toolc_codegen::cli::capture;

/// The environment variable with the project's folder, which is set in the process that is killed.
const PROJECT: &str = "TOOLC_TEST_GEN_IN";
const ROUNDS: u64 = 200;

/// Runs gen in the process that is killed; does nothing otherwise.
#[test]
fn runs_gen_in_the_process_to_kill() {
    if let Some(root) = std::env::var_os(PROJECT) {
        let root = PathBuf::from(root);
        capture([Path::new("--root"), &root, Path::new("gen")]);
    }
}

fn write(root: &Path, version: u64) {
    for index in 0..12 {
        let tool = format!("tool_{index}");
        let text = format!("name = \"{tool}\"\ntoolset = \"all_of_them\"\ndescription = \"Version {version}.\"\n");
        fs::write(root.join(format!("manifests/tools/{tool}.toml")), text).expect("failed to write");
    }
    // Every second version has one more tool, whose files must be removed again.
    let more = root.join("manifests/tools/more.toml");
    if version.is_multiple_of(2) {
        let text = "name = \"more\"\ntoolset = \"all_of_them\"\ndescription = \"One more.\"\n";
        fs::write(more, text).expect("failed to write");
    } else {
        let _ = fs::remove_file(more);
    }
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).expect("failed to read");
            found.insert(path, bytes);
        }
    }
    found
}

fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

#[test]
fn a_killed_gen_leaves_no_partial_file_and_the_next_run_repairs_the_rest() {
    let project = tempfile::tempdir().expect("failed to make a folder");
    let root = project.path();
    let generated = root.join("generated");
    for folder in ["manifests/tools", "manifests/toolsets"] {
        fs::create_dir_all(root.join(folder)).expect("failed to make a folder");
    }
    let toolset = "name = \"all_of_them\"\ndescription = \"All.\"\n";
    fs::write(root.join("manifests/toolsets/all_of_them.toml"), toolset).expect("failed to write");

    let complete = |version: u64| {
        write(root, version);
        let (status, out, err) = capture([Path::new("--root"), root, Path::new("gen")]);
        assert_eq!(status, 0, "{out}{err}");
        files(&generated)
    };
    // A file may have its text of any version so far.
    let mut known = vec![complete(0)];
    let mut interrupted = 0;
    for round in 1..=ROUNDS {
        write(root, round);
        let before = &known[known.len() - 1];
        let mut process = Command::new(std::env::current_exe().expect("this is a program"))
            .args(["killed_gen::runs_gen_in_the_process_to_kill", "--exact", "--quiet"])
            .env(PROJECT, root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("failed to start");
        // gen writes the README first. Most rounds wait for that, then kill gen after a varying time.
        let readme = generated.join("README.md");
        let begun = |process: &mut Child| fs::read(&readme).ok().as_ref() != before.get(&readme) || has_ended(process);
        while round % 10 != 0 && !begun(&mut process) {
            sleep(Duration::from_micros(50));
        }
        sleep(Duration::from_micros(round * 7_919 % 6_000));
        let _ = process.kill();
        let _ = process.wait();
        let left = files(&generated);
        known.push(complete(round));
        interrupted += u64::from(left != known[known.len() - 1] && left != known[known.len() - 2]);
        for (path, bytes) in left {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_complete = known.iter().any(|version| version.get(&path) == Some(&bytes));
            assert!(is_complete || name.starts_with(".toolc-"), "{} is not complete, in round {round}", path.display());
        }
    }
    println!("{interrupted} of {ROUNDS} runs were killed between the first file and the last");
}
