//! The home folder of the program `toolc`: configuration, variables, profiles.

mod bundle;
mod environment;
mod files;
mod git;
mod messages;
mod packages;
mod profiles;
mod setup;
#[cfg(target_os = "linux")]
mod setup_models;
mod tools;
mod trust;
mod variables;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The outcome of one run of the program.
struct Run {
    status: Option<i32>,
    out: String,
    err: String,
}

/// Runs the program in `folder`, with the home folder `home` in it.
fn run(folder: &TempDir, args: &[&str]) -> Run {
    run_with(folder, args, |program| program)
}

fn run_with(folder: &TempDir, args: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Run {
    let mut program = Command::new(env!("CARGO_BIN_EXE_toolc"));
    program.args(args).current_dir(folder.path()).stdin(Stdio::null());
    program.env("TOOLC_HOME", folder.path().join("home")).env_remove("TOOLC_PROFILE").env_remove("TOOLC_APPROVAL");
    program.env("XDG_CONFIG_HOME", folder.path().join("config")).env("XDG_CACHE_HOME", folder.path().join("cache"));
    let Output { status, stdout, stderr } = change(&mut program).output().expect("failed to start toolc");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    Run { status: status.code(), out: text(stdout), err: text(stderr) }
}

impl Run {
    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {} {}", self.out, self.err))
    }

    /// Checks that the command failed with a message that contains `texts`.
    #[track_caller]
    fn assert_refused(&self, texts: &[&str]) {
        assert_eq!(self.status, Some(2), "{} {}", self.out, self.err);
        for text in texts {
            assert!(self.err.contains(text), "{text}: {}", self.err);
        }
    }
}

/// Runs the program with this standard input.
fn run_with_input(folder: &TempDir, args: &[&str], input: &str) -> Run {
    let path = folder.path().join("input");
    fs::write(&path, input).expect("failed to write");
    let input = fs::File::open(&path).expect("failed to open");
    run_with(folder, args, |program| program.stdin(input))
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("failed to make a folder")
}

/// Writes a file that only this user can read.
fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("failed to make a folder");
    fs::write(&path, text).expect("failed to write");
    set_mode(&path, 0o600);
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("failed to set the mode");
}
