//! The `xtask` of a project runs the installed compiler of the same version, or has cargo compile it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A new project, with its target folder.
struct Project {
    folder: TempDir,
}

/// The outcome of a command: whether it succeeded, stdout and stderr.
type Outcome = (bool, String, String);

impl Project {
    fn new() -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = TempDir::new().unwrap();
        let project = folder.path().join("agent");
        let (path, toolc) = (project.to_str().unwrap(), repository.to_str().unwrap());
        let (status, out, err) = crate::run(folder.path(), &["init", path, "--toolc-path", toolc]);
        assert_eq!(status, Some(0), "{out}{err}");
        // Cargo needs no network for the versions of this workspace.
        fs::copy(repository.join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("agent").join(path)
    }

    /// Runs a command in the project, with these folders first on the path.
    fn run(&self, command: &mut Command, folders: &[&Path]) -> Outcome {
        let usual = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            folders.iter().map(|folder| folder.to_path_buf()).chain(std::env::split_paths(&usual)).collect();
        command.current_dir(self.path(".")).env("PATH", std::env::join_paths(folders).unwrap());
        command.env_remove("RUSTFLAGS").env("CARGO_TARGET_DIR", self.path("target"));
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    }
}

/// Writes a script that can be run.
fn script(path: &Path, text: &str) {
    // Written by another process: otherwise a test that starts a process at the same time could keep the file open for writing.
    let mut write = Command::new("sh");
    assert!(write.args(["-c", "printf '%s' \"$1\" > \"$0\""]).arg(path).arg(text).status().unwrap().success());
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_installed_compiler_is_used_if_its_version_is_that_of_the_project() {
    let project = Project::new();
    let installed = Path::new(env!("CARGO_BIN_EXE_cargo-toolc")).parent().unwrap();
    let lint = project.run(Command::new(env!("CARGO")).args(["xtask", "lint"]), &[installed]);
    assert_eq!(lint, (true, "3 tools, 1 toolset: no findings\n".to_owned(), String::new()));
    // Advice names the command that the user runs.
    fs::write(project.path("manifests/tools/add_note.toml"), "name = 1\n").unwrap();
    let (success, _, err) = project.run(Command::new(env!("CARGO")).args(["xtask", "list"]), &[installed]);
    assert!(err.contains("run `cargo xtask lint`"), "{success}: {err}");
    let built = fs::read_dir(project.path("target/debug/deps")).unwrap().map(|entry| entry.unwrap().file_name());
    let compiler: Vec<OsString> = built.filter(|name| name.to_string_lossy().contains("codegen")).collect();
    assert!(compiler.is_empty(), "{compiler:?}");

    another_compiler_is_not_used(&project);
}

/// With another version on the path, cargo compiles the compiler. A script replaces cargo, and prints its arguments.
fn another_compiler_is_not_used(project: &Project) {
    let (old, cargo) = (project.folder.path().join("old"), project.folder.path().join("cargo"));
    fs::create_dir(&old).unwrap();
    script(&old.join("cargo-toolc"), "#!/bin/sh\necho cargo toolc 0.0.9\n");
    script(&cargo, "#!/bin/sh\necho \"$@\"\nexit 7\n");
    let command = &mut Command::new(project.path("target/debug/xtask"));
    let (success, out, err) = project.run(command.args(["lint", "a b"]).env("CARGO", &cargo), &[&old]);
    assert!(!success, "the exit status is that of cargo");
    assert_eq!(out, "run --package xtask --bin xtask-compiler --features compiler -- lint a b\n");
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "note: this project needs cargo-toolc {version}, and {} has version 0.0.9; cargo compiles it instead. To install it: `cargo install ",
        old.join("cargo-toolc").display()
    );
    assert!(err.starts_with(&expected) && err.lines().count() == 1, "{err}");
}
