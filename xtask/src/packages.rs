//! System packages with programs that some tests use: shells, terminals, a sandbox. Without them, these tests say that they were
//! skipped.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// Programs, and the Debian packages that contain them.
const PACKAGES: &[(&str, &str)] = &[
    ("busybox", "busybox"),
    ("bwrap", "bubblewrap"),
    ("dash", "dash"),
    ("git", "git"),
    ("less", "less"),
    ("nsenter", "util-linux"),
    ("python3", "python3"),
    ("ssh-keygen", "openssh-client"),
    ("tmux", "tmux"),
    ("vim", "vim"),
];

/// Installs the missing packages, if `wanted` or if the variable `CI` is set. Says which are missing otherwise.
pub(crate) fn install(wanted: bool) {
    let missing: Vec<&str> =
        PACKAGES.iter().filter(|(program, _)| !exists(program)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return;
    }
    let names = missing.join(" ");
    if !wanted && env::var_os("CI").is_none() {
        println!(
            "note: tests that use these packages are skipped: {names} (`cargo xtask test --install` installs them)"
        );
    } else if !exists("apt-get") {
        println!("note: `apt-get` is missing, so tests that use these packages are skipped: {names}");
    } else {
        println!("==> packages: {names}");
        // The lists of packages can be missing or out of date.
        let is_done = apt(&[&["install", "--yes", "--no-install-recommends"], missing.as_slice()].concat())
            || apt(&["update"])
                && apt(&[&["install", "--yes", "--no-install-recommends"], missing.as_slice()].concat());
        if !is_done {
            println!("    not installed: tests that use these packages are skipped");
        }
    }
}

/// Runs `apt-get`, which waits at most a minute for another package manager. Returns whether it succeeded.
fn apt(args: &[&str]) -> bool {
    let mut command = Command::new("apt-get");
    command.args(["--quiet", "--option", "DPkg::Lock::Timeout=60"]).args(args).env("DEBIAN_FRONTEND", "noninteractive");
    command.stdin(Stdio::null()).stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Returns whether a program is on the path.
fn exists(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    env::split_paths(&path).chain([Path::new("/usr/sbin").to_owned()]).any(|folder| is_file(&folder.join(program)))
}
