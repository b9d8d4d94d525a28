//! The processes of one try: all whose working directory is the folder of the try.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::ends::{KINDS, wait_until};

/// A folder in which a host runs.
pub(crate) struct HostFolder(TempDir);

impl HostFolder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("failed to make a folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn folder(&self) -> &TempDir {
        &self.0
    }

    /// Returns the number of kinds of processes that have started.
    pub(crate) fn started(&self) -> usize {
        let entries = fs::read_dir(self.path()).expect("the folder exists").flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("started-")).count()
    }

    pub(crate) fn wait_for_start(&self) {
        wait_until("all processes start", || self.started() == KINDS);
    }

    /// Returns the processes of the commands: all in this folder except the host.
    pub(crate) fn survivors(&self, host: u32) -> Vec<PathBuf> {
        let folder = self.path().canonicalize().expect("the folder exists");
        let is_here = |process: &PathBuf| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder);
        processes().filter(|process| !process.ends_with(host.to_string()) && is_here(process)).collect()
    }

    /// Waits until no process is left, except the host. Returns how long that took.
    pub(crate) fn wait_for_end(&self, host: u32) -> Duration {
        // Two searches, because a process could have started another one during the first and ended before it was found.
        wait_until("all processes end", || self.survivors(host).is_empty() && self.survivors(host).is_empty())
    }
}

/// Returns the guardian of a host. Waits until it has started: the host itself does not wait for it.
pub(crate) fn guardian(host: u32) -> PathBuf {
    let mut found = None;
    wait_until("the guardian starts", || {
        let own = |process: &PathBuf| parent(process) == Some(host) && is_guardian(process);
        found = processes().find(own);
        found.is_some()
    });
    found.expect("it has been found")
}

/// Waits until the guardian of a host that has ended is gone, too.
pub(crate) fn wait_for_end_of_guardian(guardian: &Path) {
    wait_until("the guardian ends", || !is_guardian(guardian));
}

pub(crate) fn is_guardian(process: &Path) -> bool {
    command_line(process).contains("toolc-guardian")
}

/// Returns the id of a process.
pub(crate) fn id(process: &Path) -> u32 {
    process.file_name().and_then(|name| name.to_str()?.parse().ok()).expect("the folder of a process")
}

/// Returns what a process has open.
pub(crate) fn open_files(process: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    entries.filter_map(|entry| fs::read_link(entry.path()).ok()).collect()
}

fn processes() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir("/proc").expect("Linux has `/proc`").flatten();
    entries.map(|entry| entry.path()).filter(|path| path.join("stat").exists() && !path.ends_with("self"))
}

fn command_line(process: &Path) -> String {
    String::from_utf8_lossy(&fs::read(process.join("cmdline")).unwrap_or_default()).replace('\0', " ")
}

fn parent(process: &Path) -> Option<u32> {
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}
