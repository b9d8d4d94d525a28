//! Runs an example as a program.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// Creates a folder with one file, `a.txt`.
pub(crate) fn folder() -> TempDir {
    let folder = TempDir::new().expect("failed to make a folder");
    fs::write(folder.path().join("a.txt"), "alpha\n").expect("failed to write a file");
    folder
}

/// The outcome of one run of an example.
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Runs an example in an environment with only these variables.
    pub(crate) fn new(example: &str, folder: &TempDir, args: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::end(start(example, folder, args, variables))
    }

    /// Closes the stdin of a started program and waits for its end.
    pub(crate) fn end(program: Child) -> Self {
        let Output { status, stdout, stderr } = program.wait_with_output().expect("failed to wait for the example");
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        Self { status: status.code(), out: text(stdout), err: text(stderr) }
    }
}

/// Starts an example in an environment with only these variables.
pub(crate) fn start(example: &str, folder: &TempDir, args: &[&str], variables: &[(&str, &str)]) -> Child {
    let mut program = Command::new(program_of(example));
    program.args(args).current_dir(folder.path()).env_clear().envs(variables.iter().copied());
    // On Windows, programs that use the network do not start without this variable.
    program.envs(env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    program.spawn().expect("failed to start the example")
}

/// Returns the path of an example's program. Cargo builds it together with these tests; if only the tests were selected, this
/// function builds it.
fn program_of(example: &str) -> PathBuf {
    let tests = env::current_exe().expect("failed to find this program");
    let profile = tests.ancestors().nth(2).expect("tests are in a folder of the profile");
    let path = profile.join("examples").join(format!("{example}{}", env::consts::EXE_SUFFIX));
    if is_stale(&path) {
        build(example, profile);
    }
    assert!(path.exists(), "{} is missing: build it with `cargo build --example {example}`", path.display());
    path
}

/// Returns whether the program is missing or older than one of its sources, which cargo lists in the `.d` file next to it.
fn is_stale(program: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    let (Some(built), Ok(list)) = (changed(program), fs::read_to_string(program.with_extension("d"))) else {
        return true;
    };
    let sources = list.split_once(": ").map_or("", |(_, sources)| sources).replace("\\ ", "\0");
    sources.split_whitespace().any(|source| changed(Path::new(&source.replace('\0', " "))) > Some(built))
}

fn build(example: &str, profile: &Path) {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--quiet", "--offline", "--example", example]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.status().expect("failed to start cargo");
    assert!(status.success(), "failed to build the example {example}: {status}");
}
