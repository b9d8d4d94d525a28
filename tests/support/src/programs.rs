//! Programs that some tests run, and the Debian packages that contain them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

use crate::skip::Missing;

/// Each program and its package. `cargo xtask test --install` installs those that are missing.
pub const PROGRAMS: &[(&str, &str)] = &[
    ("bash", "bash"),
    ("busybox", "busybox-static"),
    ("bwrap", "bubblewrap"),
    ("crontab", "cron"),
    ("dash", "dash"),
    ("docker", "docker.io"),
    ("fish", "fish"),
    ("git", "git"),
    ("iptables", "iptables"),
    ("less", "less"),
    ("mkfifo", "coreutils"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("nsenter", "util-linux"),
    ("pgrep", "procps"),
    ("ping", "iputils-ping"),
    ("podman", "podman"),
    ("prlimit", "util-linux"),
    ("python3", "python3-venv"),
    // `searx-run` would start a server to show its help.
    ("searx-checker", "searx"),
    ("setpriv", "util-linux"),
    ("sh", "dash"),
    ("ssh-keygen", "openssh-client"),
    ("sshd", "openssh-server"),
    ("sudo", "sudo"),
    ("tmux", "tmux"),
    ("valgrind", "valgrind"),
    ("vim", "vim"),
    ("zsh", "zsh"),
];

/// The remedy for what `cargo xtask test --install` installs or starts.
pub const INSTALL: &str = "`cargo xtask test --install`";

/// The exit code of such a placeholder.
const NOT_FOUND: i32 = 127;

/// Returns the path of a program on this machine.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    // Programs such as `sshd` are not on every user's path.
    let folders = env::split_paths(&path).chain(["/usr/sbin", "/sbin"].map(PathBuf::from));
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    folders.map(|folder| folder.join(&name)).find(|path| is_file(path))
}

/// Returns whether a program of [`PROGRAMS`] can be run. If not, the current test is [skipped](crate::skip::skip).
///
/// # Panics
/// If the program is not in that table.
pub fn has(program: &str) -> bool {
    let works = works(program);
    if !works {
        Missing::program(program).skip();
    }
    works
}

/// Returns whether a program can be run. A placeholder of a version manager exists also without the program.
pub fn works(program: &str) -> bool {
    static KNOWN: Mutex<BTreeMap<String, bool>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(program.to_owned()).or_insert_with(|| {
        find(program).is_some_and(|path| {
            let mut command = Command::new(path);
            command.arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.code() != Some(NOT_FOUND))
        })
    })
}

impl Missing {
    /// A program of [`PROGRAMS`].
    ///
    /// # Panics
    /// If it is not in that table.
    pub fn program(program: &str) -> Self {
        let package = PROGRAMS.iter().find(|(name, _)| *name == program).map(|(_, package)| *package);
        let package = package.unwrap_or_else(|| panic!("`{program}` is missing in the table `PROGRAMS`"));
        Self::new(format!("`{program}` is missing"), format!("{INSTALL}, or the Debian package `{package}`"))
    }
}
