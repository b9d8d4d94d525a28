//! Random changes of a project: after each, a run with everything that earlier runs kept has the same output as a run without it.

use std::fs;
use std::path::{Path, PathBuf};

use toolc_codegen::cli::capture;
use toolc_tests::random::Random;
use toolc_tests::{fixture, synth};

/// Manifests that other files depend on.
const MANIFESTS: &str = r#"
--- toolc.toml
dialects = ["openai"]
--- manifests/facts.toml
[facts.off]
default = false
description = "Whether the service is off."
--- manifests/env.toml
[env.KEY]
description = "The key of the service."
--- manifests/toolsets/service.toml
name = "service"
description = "The service."
[requires]
env = ["KEY"]
--- manifests/tools/check_service.toml
name = "check_service"
toolset = "service"
description = "Check the service{% if tools.read_service %} after `read_service`{% endif %}, and say how it is."
--- manifests/tools/read_service.toml
name = "read_service"
toolset = "service"
description = "Read the state of the service. Use `check_service` to check it."
[requires]
when = "not facts.off"
[params.kind]
type = "string"
description = "The kind of the state."
[dialect.openai]
name = "read_state"
--- manifests/tools/stop_service.toml
name = "stop_service"
toolset = "service"
description = "Stop the service, and lose what it has not saved."
[params.id]
type = "string"
description = "Which service."
required = true
[requires]
tools = ["read_service"]
"#;

const SETTINGS: [&str; 6] = [
    "dialects = [\"openai\"]\n",
    "dialects = [\"openai\", \"gemini\"]\n",
    "dialects = [\"anthropic\"]\n",
    "dialects = [\"openai\"]\n[lint]\nparameter-description-missing = \"off\"\n",
    "dialects = [\"openai\"]\n[budgets]\ntokens = 100\ntools = 3\n",
    "dialects = [\"opneai\"]\n",
];

const COMMANDS: &[&[&str]] = &[&["gen"], &["gen"], &["lint"], &["lint", "--all"], &["gen", "--check"]];

/// The number of changes; more with `cargo xtask soak unchanged`.
fn changes() -> usize {
    std::env::var("TOOLC_TRIES").ok().and_then(|tries| tries.parse().ok()).unwrap_or(30)
}

#[test]
fn a_run_with_what_earlier_runs_kept_has_the_output_of_a_fresh_run() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let mut random = Random(41);
    let mut project = Project { root: folder.path().join("kept"), earlier: Vec::new() };
    let fresh = folder.path().join("anew");
    project.reset();
    fs::create_dir(project.root.join("target")).expect("failed to make a folder");
    let mut done = Vec::new();
    for number in 0..changes() {
        if number > 0 {
            // Otherwise, the project would soon have errors in each run.
            if random.one_in(2) {
                project.reset();
                done.push("all manifests as at first".to_owned());
            }
            for _ in 0..=random.below(2) {
                done.push(project.change(&mut random));
            }
        }
        let command = *random.pick(COMMANDS);
        let _ = fs::remove_dir_all(&fresh);
        copy(&project.root, &fresh);
        let [kept, expected] = [&project.root, &fresh].map(|root| run(root, command));
        let what = || format!("change {number}, `{command:?}` after {:#?}", &done[done.len().saturating_sub(6)..]);
        assert_eq!(kept, expected, "{}", what());
        let [kept, expected] = [&project.root, &fresh].map(|root| files(&root.join("generated")));
        assert!(kept == expected, "generated files: {}", what());
    }
}

struct Project {
    root: PathBuf,
    /// Kept files as they were before.
    earlier: Vec<(PathBuf, Vec<u8>)>,
}

impl Project {
    /// Writes all manifests as they are at first, and removes others.
    fn reset(&self) {
        let _ = fs::remove_dir_all(self.root.join("manifests"));
        for (path, text) in fixture::owned_files(MANIFESTS).chain(synth::project(8, 3)) {
            write(&self.root.join(path), text.as_bytes());
        }
    }

    /// Makes a random change, and describes it.
    fn change(&mut self, random: &mut Random) -> String {
        let manifests = paths(&self.root.join("manifests"));
        let kept = paths(&self.root.join("target"));
        self.earlier.extend(kept.iter().filter_map(|path| Some((path.clone(), fs::read(path).ok()?))));
        let path = random.pick(&manifests).clone();
        let name = path.file_name().expect("it is a file").to_string_lossy().into_owned();
        match random.below(10) {
            0 => {
                fs::remove_file(&path).expect("failed to remove");
                format!("removed {name}")
            }
            1 => {
                fs::rename(&path, path.with_file_name(format!("x{name}"))).expect("failed to rename");
                format!("renamed {name}")
            }
            2 => {
                let count = synth::project(8, 3).len();
                let (path, text) = synth::project(8, 3).swap_remove(random.below(count));
                write(&self.root.join(&path), text.as_bytes());
                format!("restored {path}")
            }
            3 => {
                let (path, text) = fixture::owned_files(MANIFESTS).nth(random.below(7)).expect("there are seven");
                write(&self.root.join(&path), text.as_bytes());
                format!("restored {path}")
            }
            4 => {
                let text = *random.pick(&SETTINGS);
                write(&self.root.join("toolc.toml"), text.as_bytes());
                format!("settings: {text}")
            }
            5 if !kept.is_empty() => {
                let path = random.pick(&kept);
                let what = damage(path, &self.earlier, random);
                format!("{what} {}", path.display())
            }
            6 => match paths(&self.root.join("generated")).as_slice() {
                [] => "nothing".to_owned(),
                all => {
                    let path = random.pick(all);
                    write(path, b"other");
                    format!("wrote {}", path.display())
                }
            },
            7 => {
                let modified = fs::metadata(&path).and_then(|about| about.modified()).expect("failed to ask");
                let text = fs::read_to_string(&path).expect("failed to read").replacen("the", "thy", 1);
                write(&path, text.as_bytes());
                let file = fs::File::options().append(true).open(&path).expect("failed to open");
                file.set_modified(modified).expect("failed to set when it was modified");
                format!("changed {name}, and set its time back")
            }
            _ => {
                let text = fs::read_to_string(&path).expect("failed to read");
                let (text, what) = edited(&text, random);
                write(&path, text.as_bytes());
                format!("{what} in {name}")
            }
        }
    }
}

/// Damages a kept file.
fn damage(path: &Path, earlier: &[(PathBuf, Vec<u8>)], random: &mut Random) -> &'static str {
    let mut bytes = fs::read(path).expect("failed to read");
    let at = random.below(bytes.len().max(1));
    let what = match random.below(5) {
        0 => {
            bytes.truncate(at);
            "truncated"
        }
        1 if !bytes.is_empty() => {
            bytes[at] ^= 1 << random.below(8);
            "flipped a bit of"
        }
        2 if bytes.starts_with(b"1") || bytes.starts_with(b"2") => {
            bytes[0] ^= 3;
            "set another version in"
        }
        3 => {
            bytes.clone_from(&random.pick(earlier).1);
            "replaced, by another file,"
        }
        _ => {
            let of_this = earlier.iter().filter(|(other, _)| other == path);
            bytes = of_this.map(|(_, bytes)| bytes.clone()).next().unwrap_or_default();
            "restored the first state of"
        }
    };
    write(path, &bytes);
    what
}

/// Changes a line or a word of a manifest.
fn edited(text: &str, random: &mut Random) -> (String, String) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return (text.to_owned(), "nothing".to_owned());
    }
    let at = random.below(lines.len());
    let what = match random.below(5) {
        0 => format!("removed {:?}", lines.remove(at)),
        1 => {
            lines.insert(at, "# A comment.".to_owned());
            format!("a comment before line {at}")
        }
        2 => {
            lines.insert(at, lines[at].clone());
            format!("line {at} twice")
        }
        _ => {
            let words =
                ["Now. ", "{% if facts.off %}Off. {% endif %}", "Use `stop_service`. ", "{name} ", "\\u007bx} "];
            lines[at] = lines[at].replacen("= \"", &format!("= \"{}", random.pick(&words)), 1);
            lines[at].clone()
        }
    };
    (lines.join("\n") + "\n", what)
}

/// Runs a command on a project. Returns its status and its output, without the folder of the project and the number of files that were
/// written.
fn run(root: &Path, command: &[&str]) -> (u8, String) {
    let root = root.to_str().expect("text");
    let (status, out, err) = capture(["--root", root].iter().chain(command).copied());
    let is_count = |line: &&str| line.contains(" written, ");
    let lines: Vec<&str> = out.lines().filter(|line| !is_count(line)).collect();
    (status, (lines.join("\n") + &err).replace(root, "ROOT"))
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("the path has a folder")).expect("failed to make a folder");
    fs::write(path, bytes).expect("failed to write");
}

/// Returns the files below a folder, sorted.
fn paths(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.map(|entry| entry.expect("failed to read a folder").path());
    let mut all: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { paths(&path) } else { vec![path] }).collect();
    all.sort();
    all
}

/// Returns the path and the content of each file below a folder.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let relative = |path: &PathBuf| path.strip_prefix(folder).expect("it is below").to_owned();
    paths(folder).iter().map(|path| (relative(path), fs::read(path).expect("failed to read"))).collect()
}

/// Copies a project without its target folder.
fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from).into_iter().filter(|(path, _)| !path.starts_with("target")) {
        write(&to.join(path), &bytes);
    }
}
