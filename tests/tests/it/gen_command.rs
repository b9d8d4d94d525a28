//! gen and the other commands, on copies of the golden project: which files they change, and their exit status.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;
use tempfile::TempDir;

/// A copy of the golden project, or of a part of it.
pub(crate) struct Project(TempDir);

impl Project {
    pub(crate) fn golden() -> Self {
        let project = Self::manifests();
        copy(&Self::source().join("generated"), &project.path("generated"));
        // Its digest is in a generated file.
        fs::copy(Self::source().join("toolc.toml"), project.path("toolc.toml")).expect("failed to copy");
        project
    }

    /// Copies the manifests without generated files.
    pub(crate) fn manifests() -> Self {
        let project = Self::empty();
        copy(&Self::source().join("manifests"), &project.path("manifests"));
        project.write_settings("");
        project
    }

    /// Copies the manifests and the settings of the shipped tools.
    pub(crate) fn shipped() -> Self {
        let (project, source) = (Self::empty(), Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
        copy(&source.join("manifests"), &project.path("manifests"));
        project.write("toolc.toml", fs::read(source.join("toolc.toml")).expect("failed to read"));
        project
    }

    /// Writes `toolc.toml` with `settings` and those that the manifests need.
    pub(crate) fn write_settings(&self, settings: &str) {
        self.write(
            "toolc.toml",
            format!("{settings}\n[schemas]\ntoolsets = true\n[external]\ntools = [\"mcp_find\", \"mcp_look\"]\n"),
        );
    }

    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().expect("failed to make a folder"))
    }

    pub(crate) fn source() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/golden")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("below the project")).expect("failed to make a folder");
        fs::write(path, text).expect("failed to write");
    }

    pub(crate) fn run(&self, args: &[&str]) -> (u8, String, String) {
        let root = self.0.path().to_str().expect("a temporary folder's path is text");
        let args = ["--root", root].into_iter().chain(args.iter().copied());
        let (status, out, err) = toolc_codegen::cli::capture(args);
        (status, out.replace(root, "ROOT"), err.replace(root, "ROOT"))
    }

    /// Returns the bytes of every file in a folder.
    pub(crate) fn bytes(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut found, folder) = (BTreeMap::new(), self.path(folder));
        walk(&folder, &mut |path| {
            let name = path.strip_prefix(&folder).expect("below the folder").to_owned();
            found.insert(name, fs::read(path).expect("failed to read"));
        });
        found
    }

    /// Returns every file with the time of its last change and its bytes.
    pub(crate) fn state(&self) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
        let files = self.bytes("").into_iter();
        let changed = |name: &Path| self.0.path().join(name).metadata().and_then(|about| about.modified());
        files.map(|(name, bytes)| (name.clone(), (changed(&name).expect("failed to read"), bytes))).collect()
    }
}

fn walk(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("failed to read a folder") {
        let path = entry.expect("failed to read a folder").path();
        if path.is_dir() { walk(&path, each) } else { each(&path) }
    }
}

fn copy(from: &Path, to: &Path) {
    walk(from, &mut |path| {
        let target = to.join(path.strip_prefix(from).expect("below the folder"));
        fs::create_dir_all(target.parent().expect("below the folder")).expect("failed to make a folder");
        fs::copy(path, target).expect("failed to copy");
    });
}

/// Returns the paths of the files that differ, for readable assertions.
pub(crate) fn differences<T: PartialEq>(before: &BTreeMap<PathBuf, T>, after: &BTreeMap<PathBuf, T>) -> Vec<PathBuf> {
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

pub(crate) const NONE: [PathBuf; 0] = [];

/// Returns the number of files that gen writes for the golden project.
pub(crate) fn total() -> usize {
    let mut total = 0;
    walk(&Project::source().join("generated"), &mut |_| total += 1);
    total
}

/// Returns the last line that gen prints.
pub(crate) fn written(files: usize, removed: usize) -> String {
    format!("generated/: {files} of {} files written, {removed} removed\n", total())
}

const HINT: &str = "run `cargo xtask --root ROOT gen`, and commit what it writes; `--diff` shows the changed lines\n";

#[test]
fn a_second_gen_writes_no_file() {
    let project = Project::golden();
    // A time in the past: a file that gen writes gets a later one.
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for name in project.state().keys() {
        let file = fs::File::options().write(true).open(project.0.path().join(name)).expect("failed to open");
        file.set_modified(long_ago).expect("failed to touch");
    }
    let before = project.state();
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, written(0, 0));
    assert_eq!(differences(&before, &project.state()), NONE);
}

#[test]
fn gen_restores_deleted_output_byte_for_byte() {
    let project = Project::golden();
    let before = project.bytes("generated");
    fs::remove_dir_all(project.path("generated")).expect("failed to delete");
    let (status, ..) = project.run(&["gen", "--check"]);
    assert_eq!(status, 1);
    assert!(!project.path("generated").exists(), "--check writes nothing");
    assert_eq!(project.run(&["gen"]).0, 0);
    assert_eq!(differences(&before, &project.bytes("generated")), NONE);
    assert_eq!(project.run(&["gen", "--check"]).0, 0);
}

#[test]
fn gen_check_reports_stale_missing_and_orphaned_files_and_writes_nothing() {
    let project = Project::golden();
    let wait = project.path("generated/schemas/openai/tools/wait.json");
    let text = fs::read_to_string(&wait).expect("failed to read");
    fs::write(&wait, text.replace("Give way once.", "Give way twice.")).expect("failed to write");
    fs::remove_file(project.path("generated/catalog.json")).expect("failed to delete");
    project.write("generated/schemas/openai/tools/gone.json", "{}\n");
    // A changed manifest makes output stale, too.
    let changed = "# lint: allow empty-toolset so it is\nname = \"nothing\"\ndescription = \"Changed.\"\n";
    project.write("manifests/toolsets/nothing.toml", changed);

    let before = project.state();
    let (status, out, err) = project.run(&["gen", "--check"]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert_eq!(
        out.lines().collect::<Vec<&str>>(),
        [
            "stale: generated/README.md",
            "stale: generated/rust/data/lib.rs",
            "stale: generated/schemas/openai/tools/wait.json",
            "missing: generated/catalog.json",
            "stale: generated/manifests.txt",
            "orphan: generated/schemas/openai/tools/gone.json",
            HINT.trim_end(),
        ]
    );
    assert_eq!(differences(&before, &project.state()), NONE);

    let output = format!("removed: generated/schemas/openai/tools/gone.json\n{}", written(5, 1));
    assert_eq!(project.run(&["gen"]), (0, output, String::new()));
    assert!(!project.path("generated/schemas/openai/tools/gone.json").exists());
    assert_eq!(project.run(&["gen", "--check"]).0, 0);
}

#[test]
fn gen_removes_orphans_unless_git_ignores_them() {
    let project = Project::golden();
    // Ignore files only count within a repository.
    fs::create_dir(project.path(".git")).expect("failed to make a folder");
    project.write(".gitignore", "kept-*.txt\n");
    for file in
        ["kept-1.txt", "rust/kept-2.txt", "rust/gone.rs", "schemas/gone/tools/gone.json", ".gone", "rust/.tmpAb3x9Z"]
    {
        project.write(&format!("generated/{file}"), "half a fi");
    }
    let (status, out, _) = project.run(&["gen", "--check"]);
    let orphans: Vec<&str> = out.lines().filter_map(|line| line.strip_prefix("orphan: generated/")).collect();
    assert_eq!(
        (status, orphans),
        (1, vec![".gone", "rust/.tmpAb3x9Z", "rust/gone.rs", "schemas/gone/tools/gone.json"])
    );

    let out = project.run(&["gen"]).1;
    assert!(out.starts_with("removed: generated/.gone\n") && out.ends_with(&written(0, 4)), "{out}");
    assert_eq!(project.run(&["gen", "--check"]).0, 0);
    assert!(project.path("generated/kept-1.txt").exists() && project.path("generated/rust/kept-2.txt").exists());
    assert!(!project.path("generated/schemas/gone").exists(), "empty folders are removed");
}

#[test]
fn gen_ignores_the_modules_that_python_has_compiled() {
    let project = Project::golden();
    let gen_python = ["gen", "--python", "python/tools"];
    project.run(&gen_python);
    for file in ["__pycache__/client.cpython-312.pyc", "__pycache__/gone.pyc"] {
        project.write(&format!("python/tools/{file}"), "compiled");
    }
    let check = [&gen_python[..], &["--check"]].concat();
    let (status, out, _) = project.run(&check);
    assert_eq!(status, 0, "{out}");
    project.write("python/tools/gone.py", "");
    let (status, out, _) = project.run(&check);
    assert_eq!((status, out.lines().next()), (1, Some("orphan: python/tools/gone.py")));
    let advice = "gen --python python/tools`, and commit what it writes";
    assert!(out.contains(advice), "the advice has the options: {out}");
    project.run(&gen_python);
    assert!(
        project.path("python/tools/__pycache__/gone.pyc").exists() && !project.path("python/tools/gone.py").exists()
    );
}

#[test]
fn a_folder_outside_the_project_is_refused_with_the_reason() {
    let project = Project::golden();
    for folder in ["../elsewhere", "/tmp/elsewhere"] {
        let (status, _, err) = project.run(&["gen", "--typescript", folder]);
        let expected =
            format!("`{folder}` cannot be the folder of a generated module, because it is not in the project: ");
        assert!(status == 2 && err.contains(&expected) && err.contains("a link to a folder elsewhere"), "{err}");
    }
}

#[test]
fn an_orphaned_file_is_replaced_by_a_folder_of_the_same_name() {
    let project = Project::golden();
    let before = project.bytes("generated");
    fs::remove_dir_all(project.path("generated/schemas")).expect("failed to delete");
    project.write("generated/schemas", "a file");
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert_eq!(differences(&before, &project.bytes("generated")), NONE);
}

#[test]
fn gen_refuses_a_folder_that_it_did_not_create() {
    let project = Project::manifests();
    project.write("generated/thesis.txt", "a file of the user");
    let before = project.state();
    for args in [&["gen"][..], &["gen", "--check"]] {
        let (status, out, err) = project.run(args);
        assert_eq!((status, out.as_str()), (2, ""));
        assert_eq!(
            err,
            "error: ROOT/generated contains files that gen did not write: move them away, or delete the folder, and run gen again\n"
        );
        assert_eq!(differences(&before, &project.state()), NONE);
    }
}

#[test]
fn gen_refuses_a_plugin_without_a_folder_for_another_language() {
    let project = Project::manifests();
    // Even if it has errors: they are not the reason.
    project.write("plugin.toml", "executable = 1\n");
    for args in [&["gen"][..], &["gen", "--check"]] {
        let (status, out, err) = project.run(args);
        assert_eq!((status, out.as_str()), (2, ""));
        assert_eq!(
            err,
            "error: ROOT is a plugin, whose manifests the host reads: gen writes only its types in other languages, with `--python DIR` or \
             `--typescript DIR`; `cargo xtask --root ROOT lint` checks the manifests\n"
        );
    }
    assert!(!project.path("generated").exists());
    assert_ne!(project.run(&["lint"]).0, 2, "lint checks a plugin");
}

#[test]
fn gen_writes_into_an_empty_folder() {
    let project = Project::manifests();
    fs::create_dir(project.path("generated")).expect("failed to make a folder");
    assert_eq!(project.run(&["gen"]).0, 0);
    assert_eq!(project.run(&["gen", "--check"]).0, 0);
}

#[test]
fn gen_writes_nothing_if_a_manifest_has_an_error() {
    let project = Project::golden();
    project.write(
        "manifests/tools/wait.toml",
        "name = \"wait\"\ntoolset = \"latter\"\ndescription = \"Wait until it is time.\"\n",
    );
    let before = project.state();
    for args in [&["gen"][..], &["gen", "--check"], &["export", "out"]] {
        let (status, out, err) = project.run(args);
        assert_eq!((status, out.as_str()), (1, ""), "{args:?}");
        assert!(err.contains("error[C010]: unknown home toolset `latter`"), "{err}");
        assert!(err.contains("ROOT/manifests/tools/wait.toml:2:11"), "{err}");
        assert!(err.contains("did you mean `later`?"), "{err}");
        assert!(err.ends_with("\n1 error\n"), "{err}");
    }
    // lint prints findings to stdout.
    let (status, out, err) = project.run(&["lint"]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.contains("error[C010]") && out.ends_with("\n1 error\n"), "{out}");
    assert_eq!(differences(&before, &project.state()), NONE);
}

#[test]
fn gen_counts_warnings_and_still_writes() {
    let project = Project::manifests();
    project.write(
        "manifests/tools/wait.toml",
        "name = \"wait\"\ntoolset = \"later\"\ndescription = \"Wait until it is time.\"\nparams.x.type = \"string\"\n\
         dialect.typescript.name = \"give_way\"\n",
    );
    let (status, out, err) = project.run(&["lint"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.starts_with("warning[M001]: ") && out.ends_with("\n1 warning\n"), "{out}");
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!(err, "1 warning: 1 parameter-description-missing (M001); run `cargo xtask --root ROOT lint`\n");
    assert_eq!((status, out), (0, written(total(), 0)));
}

#[test]
fn a_failure_of_the_command_itself_exits_with_status_2() {
    let empty = Project::empty();
    let (status, out, err) = empty.run(&["gen"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.starts_with("error: failed to read ROOT/manifests: ") && err.lines().count() == 1, "{err}");

    empty.write("manifests", "a file, not a folder");
    assert_eq!(empty.run(&["lint"]).2, "error: failed to read ROOT/manifests: not a folder\n");

    let golden = Project::golden();
    for args in [&["gen", "--chekc"][..], &["jen"], &["show"], &["resolve"], &[]] {
        let (status, out, err) = golden.run(args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}");
        assert!(!err.is_empty());
    }
    assert!(golden.run(&["gen", "--chekc"]).2.contains("--check"), "the error suggests the right flag");
}

/// The manifest is a link to a missing file, which even root cannot read.
#[cfg(unix)]
#[test]
fn an_unreadable_manifest_is_a_finding_and_nothing_is_written() {
    let project = Project::golden();
    std::os::unix::fs::symlink("nowhere.toml", project.path("manifests/tools/lost.toml")).expect("failed to link");
    let before = project.bytes("generated");
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.starts_with("error[C015]: `lost.toml` is a link to `nowhere.toml`, which does not exist\n"), "{err}");
    assert_eq!(differences(&before, &project.bytes("generated")), NONE);
}

#[test]
fn a_manifest_that_is_not_utf_8_is_reported_as_a_diagnostic() {
    let project = Project::manifests();
    project.write("manifests/tools/wait.toml", b"name = \"wait\"\ndescription = \"caf\xe9\"\n");
    let (status, out, err) = project.run(&["lint"]);
    assert_eq!((status, err.as_str()), (1, ""));
    assert!(out.starts_with("error[C001]: the file is not UTF-8"), "{out}");
    assert!(out.contains("ROOT/manifests/tools/wait.toml:2:19"), "{out}");
    assert!(out.ends_with("\n1 error\n"), "one finding: {out}");

    project.write("manifests/tools/wait.toml", vec![0x80; 1 << 20]);
    let (status, out, _) = project.run(&["lint"]);
    assert_eq!(status, 1);
    assert!(out.starts_with("error[C001]: the file is not UTF-8") && out.ends_with("\n1 error\n"), "{out}");
}

#[test]
fn windows_line_ends_do_not_change_the_output() {
    let [unix, windows] = [Project::manifests(), Project::manifests()];
    walk(&windows.path("manifests"), &mut |path| {
        let text = fs::read_to_string(path).expect("failed to read");
        fs::write(path, text.replace('\n', "\r\n")).expect("failed to write");
    });
    assert_eq!(unix.run(&["gen"]), windows.run(&["gen"]));
    let (unix, windows) = (unix.bytes("generated"), windows.bytes("generated"));
    assert_eq!((unix.len(), differences(&unix, &windows)), (total(), Vec::new()));
}

#[cfg(unix)]
#[test]
fn gen_follows_a_symbolic_link_to_the_output_folder() {
    let project = Project::golden();
    let elsewhere = tempfile::tempdir().expect("failed to make a folder");
    let moved = elsewhere.path().join("moved");
    copy(&project.path("generated"), &moved);
    fs::remove_dir_all(project.path("generated")).expect("failed to remove");
    std::os::unix::fs::symlink(&moved, project.path("generated")).expect("failed to link");
    assert_eq!(project.run(&["gen"]), (0, written(0, 0), String::new()));
    assert!(fs::symlink_metadata(project.path("generated")).is_ok_and(|about| about.is_symlink()));
}

#[test]
fn gen_succeeds_after_a_killed_first_run() {
    let project = Project::manifests();
    project.write("generated/.toolc-AbCdEf", "half a fi");
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(!project.path("generated/.toolc-AbCdEf").exists());
}

#[test]
fn what_a_killed_run_left_of_a_new_folder_is_removed() {
    let project = Project::manifests();
    project.write(".toolc-generated/rust/lib.rs", "half a fi");
    project.write(".toolc-generated/gone.txt", "");
    let (status, out, err) = project.run(&["gen"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(!project.path(".toolc-generated").exists() && !project.path("generated/gone.txt").exists());
    assert_eq!(project.run(&["gen", "--check"]).0, 0);
}

#[cfg(unix)]
#[test]
fn lock_files_of_editors_are_not_read_as_manifests() {
    let project = Project::golden();
    std::os::unix::fs::symlink("user@host.123", project.path("manifests/tools/.#wait.toml")).expect("failed to link");
    assert_eq!(project.run(&["gen"]), (0, written(0, 0), String::new()));
}

#[test]
fn generated_rust_can_be_a_module_of_another_crate() {
    let project = Project::manifests();
    project.write("src/lib.rs", "mod generated;\n");
    project.write_settings("rust = \"src/generated\"");
    // Each of the two folders has a `.gitattributes`.
    let total = total() + 1;
    let summary = |files: usize, removed: usize| {
        format!("generated/, src/generated/: {files} of {total} files written, {removed} removed\n")
    };
    assert_eq!(project.run(&["gen"]), (0, summary(total, 0), String::new()));
    assert!(project.path("src/generated/mod.rs").exists() && project.path("src/generated/shapes.rs").exists());
    assert!(!project.path("generated/rust").exists());
    assert_eq!(project.run(&["gen"]), (0, summary(0, 0), String::new()));

    // gen owns that folder, too, and not the files next to it.
    project.write("src/generated/gone.rs", "fn main() {}");
    let (status, out, _) = project.run(&["gen", "--check"]);
    assert_eq!((status, out.lines().next()), (1, Some("orphan: src/generated/gone.rs")));
    assert_eq!(project.run(&["gen"]).1, format!("removed: src/generated/gone.rs\n{}", summary(0, 1)));
    assert!(project.path("src/lib.rs").exists());

    // Back to a separate crate: the folder of the module is not removed.
    project.write_settings("");
    assert_eq!(project.run(&["gen"]).0, 0);
    assert!(project.path("generated/rust/lib.rs").exists() && project.path("src/generated/mod.rs").exists());
}

#[test]
fn gen_refuses_a_module_folder_that_contains_other_files() {
    let project = Project::manifests();
    project.write("src/tools/mine.rs", "// A file of the user.");
    project.write_settings("rust = \"src/tools\"");
    let before = project.state();
    let (status, _, err) = project.run(&["gen"]);
    assert!(status == 2 && err.starts_with("error: ROOT/src/tools contains files that gen did not write"), "{err}");
    assert_eq!(differences(&before, &project.state()), NONE);
}

#[test]
fn a_project_sets_the_levels_of_rules() {
    let project = Project::manifests();
    let tool =
        "name = \"wait\"\ntoolset = \"later\"\ndescription = \"Wait until it is time.\"\nparams.x.type = \"string\"\n";
    project.write("manifests/tools/wait.toml", tool);
    let lint = |level: &str| {
        project.write_settings(&format!("[lint]\nM001 = \"{level}\""));
        project.run(&["lint"])
    };
    let (status, out, _) = lint("deny");
    assert!(status == 1 && out.starts_with("error[M001]: "), "{out}");
    assert_eq!(project.run(&["gen"]).0, 1);
    let (status, out, _) = lint("warn");
    assert!(status == 0 && out.starts_with("warning[M001]: "), "{out}");
    let (status, out, _) = lint("allow");
    assert!(status == 0 && out.ends_with("no findings\n"), "{out}");
}

#[test]
fn export_writes_a_bundle_and_never_overwrites_other_files() {
    let project = Project::golden();
    let target = project.path("out");
    let export = |args: &[&str]| project.run(&[&["export", target.to_str().expect("text")], args].concat());
    let index = || {
        let text = fs::read_to_string(project.path("out/bundle.json")).expect("there is an index");
        serde_json::from_str::<Value>(&text).expect("the index is JSON")
    };
    let (status, out, err) = export(&[]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let all = index();
    assert_eq!(project.bytes("out/schemas"), project.bytes("generated/schemas"));
    assert_eq!(project.bytes("out").len(), all["files"].as_array().expect("a list").len() + 1);
    assert!(out.ends_with(&format!("version {}\n", all["version"].as_str().expect("text"))), "{out}");
    // The digest equals the one that `sha256sum` prints, if that program is installed.
    let file = project.path("out").join(all["files"][0]["path"].as_str().expect("text"));
    if let Ok(sum) = std::process::Command::new("sha256sum").arg(file).output() {
        assert!(sum.stdout.starts_with(all["files"][0]["sha256"].as_str().expect("text").as_bytes()));
    }

    // Exporting less to the same folder removes the rest.
    assert_eq!(export(&["--dialect", "mcp", "--toolset", "lib"]).0, 0);
    let less = index();
    assert_ne!(less["version"], all["version"]);
    assert_eq!((&less["dialects"], &less["toolsets"]), (&serde_json::json!(["mcp"]), &serde_json::json!(["lib"])));
    let names: Vec<String> = project.bytes("out").keys().map(|path| path.display().to_string()).collect();
    assert_eq!(
        names,
        [
            "bundle.json",
            "catalog.json",
            "compiled.json",
            "rewrites/mcp.json",
            "schemas/mcp/tools/Odd-Names.json",
            "schemas/mcp/tools/no_parameters.json",
            "schemas/mcp/tools/run_now.json",
            "schemas/mcp/toolsets/lib.json",
            "turns/mcp.json",
        ]
    );
    // Exporting again changes nothing.
    assert_eq!(export(&["--dialect", "mcp", "--toolset", "lib"]).0, 0);
    assert_eq!(index(), less);

    project.write("out/notes.txt", "mine");
    let (status, _, err) = export(&[]);
    assert_eq!(status, 2);
    assert!(err.contains("contains `notes.txt`, which export did not write"), "{err}");
    let (status, _, err) = project.run(&["export", project.path("manifests").to_str().expect("text")]);
    assert_eq!(status, 2);
    assert!(err.contains("which export did not write"), "{err}");
    assert_eq!(export(&["--dialect", "mpc"]).2, "error: unknown dialect `mpc`: did you mean `mcp`?\n");
    assert_eq!(export(&["--toolset", "libb"]).2, "error: unknown toolset `libb`: did you mean `lib`?\n");
    project.write_settings("dialects = [\"mcp\"]");
    let missing = "the project does not have the dialect `gemini`: add \"gemini\" to `dialects` in toolc.toml";
    let (status, _, err) = export(&["--dialect", "gemini"]);
    assert!(status == 2 && err.ends_with(&format!("error: {missing}\n")), "{err}");
}
