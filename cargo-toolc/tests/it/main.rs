//! Tests of the program: as cargo runs it, in packages, and as the compiler of a project's `xtask`.

mod cli;
#[cfg(unix)]
mod first_hour;
mod packages;
#[cfg(unix)]
mod pull_request;
mod replay;
mod stats;
#[cfg(unix)]
mod xtask;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const TOOL: &str = r#"name = "ping"
toolset = "net"
description = "Check whether a host answers. Use it before a longer request. Returns the round-trip time."

[params.host]
type = "string"
description = "The name or address of the host."
required = true

[annotations]
read_only = true
"#;

const TOOLSET: &str = "name = \"net\"\ndescription = \"Reach other hosts.\"\n";

/// Creates a project with one tool.
fn project() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in [("manifests/tools/ping.toml", TOOL), ("manifests/toolsets/net.toml", TOOLSET)] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Runs the program in `folder`, and returns its exit status, stdout and stderr.
fn run(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_cargo-toolc"));
    let Output { status, stdout, stderr } = program.args(args).current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}
