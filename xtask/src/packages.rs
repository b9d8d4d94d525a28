//! Installs the Debian packages with programs that some tests use: shells, terminals, a sandbox, a server of SSH.

use std::collections::BTreeSet;
use std::process::Command;
use std::thread;
use std::time::Duration;

use toolc_test_support::Missing;
use toolc_test_support::programs::{PROGRAMS, find, works};

use crate::debian;

/// The pauses before further attempts. A mirror can fail for a minute.
const PAUSES: [Duration; 2] = [Duration::from_secs(20), Duration::from_mins(1)];

/// Installs the packages of programs that are missing. Returns which packages could not be installed, and why.
pub(crate) fn install() -> Vec<Missing> {
    let missing: BTreeSet<&str> =
        PROGRAMS.iter().filter(|(program, _)| !works(program)).map(|(_, package)| *package).collect();
    let missing: Vec<&str> = missing.into_iter().collect();
    if missing.is_empty() {
        return Vec::new();
    }
    println!("==> packages: {}", missing.join(" "));
    if find("apt-get").is_none() {
        return vec![Missing::new(format!("{} (there is no `apt-get`)", missing.join(", ")), "install them by hand")];
    }
    let mut pauses = PAUSES.iter();
    while let Err(error) = apt(&["update"]).and_then(|()| apt_install(&missing)) {
        let Some(pause) = pauses.next() else {
            // One of them may be the only one that cannot be installed.
            return missing.iter().filter_map(|package| failure(package)).collect();
        };
        println!("    failed, next attempt in {} s: {error}", pause.as_secs());
        thread::sleep(*pause);
    }
    Vec::new()
}

/// Installs one package. Returns why that is not possible.
fn failure(package: &str) -> Option<Missing> {
    let error = apt_install(&[package]).err()?;
    Some(Missing::new(format!("{package}: {error}"), "a mirror that answers, and root or `sudo`"))
}

fn apt_install(packages: &[&str]) -> Result<(), String> {
    apt(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
}

/// Runs `apt-get`, which asks nothing and waits at most a minute for another package manager.
fn apt(args: &[&str]) -> Result<(), String> {
    let program = if find("sudo").is_some() { &["sudo", "--non-interactive", "env"][..] } else { &["env"] };
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet", "--option"]);
    debian::run(command.arg("DPkg::Lock::Timeout=60").args(args))
}
