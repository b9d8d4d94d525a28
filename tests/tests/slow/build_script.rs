//! A build script that calls `toolc_build::check` fails a build whose generated code is out of date.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolc_test_support::Missing;

/// A crate with a build script, in a project.
struct Crate(TempDir);

impl Crate {
    fn new() -> Self {
        let package = Self(tempfile::tempdir().expect("failed to make a folder"));
        let helper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../build");
        let helper = helper.to_str().expect("text").replace('\\', "/");
        // The package is below the project.
        package.write(
            "agent/Cargo.toml",
            &format!(
                "[package]\nname = \"agent\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[build-dependencies]\n\
                 toolc-build = {{ path = \"{helper}\" }}\n[workspace]\n"
            ),
        );
        package.write("agent/build.rs", "fn main() { toolc_build::check(); }\n");
        package.write("agent/src/lib.rs", "");
        package.write("toolc.toml", "dialects = [\"openai\"]\n");
        package.write("manifests/toolsets/every.toml", "name = \"every\"\ndescription = \"All.\"\n");
        for name in ["one", "two", "three"] {
            package.tool(name, "Return a number.");
        }
        package
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("failed to make a folder");
        fs::write(path, text).expect("failed to write");
    }

    fn tool(&self, name: &str, description: &str) {
        let text = format!("name = \"{name}\"\ntoolset = \"every\"\ndescription = \"{description}\"\n");
        self.write(&format!("manifests/tools/{name}.toml"), &text);
    }

    fn generate(&self) {
        let root = self.0.path().to_str().expect("text");
        let (status, _, err) = toolc_codegen::cli::capture(["--root", root, "gen"]);
        assert_eq!(status, 0, "{err}");
    }

    /// Builds the crate, and returns the errors of the build script in full: an empty text if the build succeeds.
    fn build(&self) -> String {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--offline", "--message-format", "short"]).current_dir(self.path("agent"));
        let run = cargo.env_remove("CARGO_TARGET_DIR").output().expect("cargo runs");
        let err = String::from_utf8_lossy(&run.stderr).into_owned();
        let prefix = "error: agent@0.1.0: ";
        let mut errors = String::new();
        for line in err.lines().filter_map(|line| line.strip_prefix(prefix)) {
            errors += line;
            errors += "\n";
        }
        assert_eq!(run.status.success(), errors.is_empty(), "{err}");
        errors.replace(self.0.path().to_str().expect("text"), "ROOT")
    }

    /// Returns whether a build runs the build script.
    fn is_dirty(&self) -> bool {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--offline", "--verbose"]).current_dir(self.path("agent"));
        let run = cargo.env_remove("CARGO_TARGET_DIR").output().expect("cargo runs");
        !String::from_utf8_lossy(&run.stderr).contains("Fresh agent")
    }
}

const OUTDATED: &str = "the generated code is out of date: run `cargo toolc gen`, or `cargo xtask gen`\n";

#[test]
fn a_build_fails_until_gen_has_run() {
    let package = Crate::new();
    let missing = "ROOT/generated/manifests.txt does not exist: run `cargo toolc gen`, or `cargo xtask gen`\n";
    assert_eq!(package.build(), missing);
    package.generate();
    assert_eq!(package.build(), "");
    assert!(!package.is_dirty(), "nothing has changed");

    package.tool("two", "Return another number.");
    assert_eq!(package.build(), format!("{OUTDATED}changed: manifests/tools/two.toml\n"));
    package.generate();
    assert_eq!(package.build(), "");

    // New and removed files, also in a new folder.
    package.tool("four", "Return four.");
    package.write("manifests/commands/rules.toml", "name = \"rules\"\n");
    fs::remove_file(package.path("manifests/tools/one.toml")).expect("failed to remove");
    package.write("toolc.toml", "dialects = [\"openai\", \"mcp\"]\n");
    assert_eq!(
        package.build(),
        format!(
            "{OUTDATED}added: manifests/commands/rules.toml\nadded: manifests/tools/four.toml\n\
             removed: manifests/tools/one.toml\nchanged: toolc.toml\n"
        )
    );
    fs::remove_file(package.path("manifests/commands/rules.toml")).expect("failed to remove");
    package.generate();
    assert_eq!(package.build(), "");
    // A removal alone.
    fs::remove_file(package.path("manifests/tools/four.toml")).expect("failed to remove");
    assert_eq!(package.build(), format!("{OUTDATED}removed: manifests/tools/four.toml\n"));
}

#[test]
fn line_endings_hidden_files_and_other_files_do_not_count() {
    let package = Crate::new();
    package.generate();
    assert_eq!(package.build(), "");
    let text = fs::read_to_string(package.path("manifests/tools/one.toml")).expect("failed to read");
    package.write("manifests/tools/one.toml", &text.replace('\n', "\r\n"));
    package.write("manifests/tools/.one.toml.swp", "x");
    package.write("manifests/tools/.#one.toml", "x");
    package.write("manifests/notes.md", "x");
    package.write("manifests/Cargo.toml", "x");
    assert_eq!(package.build(), "");
    // The same in the list that gen wrote.
    let list = fs::read_to_string(package.path("generated/manifests.txt")).expect("failed to read");
    package.write("generated/manifests.txt", &list.replace('\n', "\r\n"));
    assert_eq!(package.build(), "");
}

#[test]
fn many_manifests_are_counted() {
    let package = Crate::new();
    package.generate();
    for number in 0..30 {
        package.tool(&format!("more_{number}"), "Return a number.");
    }
    let errors = package.build();
    assert_eq!(errors.lines().count(), 22, "{errors}");
    assert!(errors.ends_with("... and 10 more manifests\n"), "{errors}");
}

#[test]
fn a_package_without_manifests_is_checked_unless_it_is_from_a_registry() {
    let package = Crate::new();
    fs::remove_dir_all(package.path("manifests")).expect("failed to remove");
    assert_eq!(package.build(), "no folder `manifests` in ROOT/agent or above\n");
    package.write("agent/Cargo.toml.orig", "");
    assert_eq!(package.build(), "");
}

#[test]
fn git_merges_branches_that_change_neighbouring_manifests() {
    let package = Crate::new();
    package.generate();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
        let run = Command::new("git").arg("-C").arg(package.path("")).args(identity).args(args).output();
        run.is_ok_and(|run| run.status.success())
    };
    if !git(&["init", "--quiet", "--initial-branch", "main"]) {
        Missing::program("git").skip();
        return;
    }
    package.write(".gitignore", "agent/target\n");
    let commit = || assert!(git(&["add", "."]) && git(&["commit", "--quiet", "--message", "x"]));
    commit();
    assert!(git(&["checkout", "--quiet", "-b", "other"]));
    package.tool("one", "Return one.");
    package.generate();
    commit();
    assert!(git(&["checkout", "--quiet", "main"]));
    package.tool("three", "Return three.");
    package.generate();
    commit();
    // Other files conflict, because they have a line of both tools.
    git(&["merge", "--quiet", "other"]);
    let merged = fs::read_to_string(package.path("generated/manifests.txt")).expect("failed to read");
    assert!(!merged.contains("<<<<"), "{merged}");
    assert_eq!(toolc_build::changes(&package.path("")), Ok(Vec::new()));
}
