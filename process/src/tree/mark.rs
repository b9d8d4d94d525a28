//! A mark that a command's processes cannot lose by accident: a resource limit that Linux keeps but no longer uses.
//!
//! `RLIMIT_LOCKS` limited file locks in Linux 2.4. Each process inherits it, whatever its group, session or parent is, and anyone can
//! read it in `/proc/PID/limits`. An environment variable would be the obvious mark, but `env -i` clears it, daemons such as nginx
//! and Redis overwrite it with their title, and ssh-agent hides it.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, pidfd_send_signal, setrlimit};

/// Identifies this process, as the host of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostMark(u64);

/// Identifies the processes of one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The hard limit.
    host: u64,
    /// The soft limit, which cannot exceed the hard limit.
    command: u64,
}

/// The smallest mark of a host. With fewer values, two hosts could have the same.
const MIN: u64 = 1 << 41;

/// Returns whether this process has the mark of a command, which it has inherited from the command itself.
pub(crate) fn is_on_this_process() -> bool {
    let limit = getrlimit(Resource::Locks);
    // Without a mark, both limits are infinite. The mark of a guardian has the soft limit 0, and it starts no programs.
    matches!((limit.current, limit.maximum), (Some(1..), Some(MIN..)))
}

impl HostMark {
    /// Returns a mark that no other process has, or `None` if this system cannot mark processes or find them.
    pub(crate) fn new() -> Option<Self> {
        // In a container, `/proc` can be missing, or belong to another namespace of processes.
        let is_own = fs::read_link("/proc/self").is_ok_and(|id| id.as_os_str() == &*std::process::id().to_string());
        let limit = getrlimit(Resource::Locks);
        // Setting a limit to its current value fails only if a sandbox forbids the call.
        let can_mark = is_own && limits(Path::new("/proc/self")).is_some() && setrlimit(Resource::Locks, limit).is_ok();
        // A 32-bit kernel cannot store a larger limit.
        let has_space = cfg!(target_pointer_width = "64");
        if can_mark && has_space { Self::below(limit.maximum.unwrap_or(u64::MAX)) } else { None }
    }

    /// Returns a random mark below `max`, the mark of the host that started this one. Only root can raise a hard limit.
    fn below(max: u64) -> Option<Self> {
        /// Far below infinity, which `/proc` writes as `unlimited`.
        const MAX: u64 = 1 << 62;
        let max = max.min(MAX);
        let random = RandomState::new().build_hasher().finish();
        // An even number: the odd one below belongs to the guardian.
        (max / 2 >= MIN).then(|| Self((max / 2 + random % (max / 2)) & !1))
    }

    /// Returns the mark of the command with this number.
    pub(crate) fn command(self, number: u64) -> Mark {
        Mark { host: self.0, command: number }
    }

    /// Returns the mark of the guardian, which replaces the mark of the host that started this one: if that host ends this
    /// process, the guardian must be left to end the commands.
    pub(crate) fn guardian(self) -> Mark {
        Mark { host: self.0 - 1, command: 0 }
    }

    /// Returns the mark that [`text`](Self::text) has returned for another process.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        text.parse().ok().filter(|number| *number >= MIN && number % 2 == 0).map(Self)
    }

    /// Sends `signal` to each living process of any command of the host, or only searches for them if it is `None`. Returns whether
    /// one exists.
    pub(crate) fn signal_all(self, signal: Option<Signal>) -> bool {
        signal_each(signal, |limits| limits[1] == self.0)
    }

    /// Returns the mark as it is written in `/proc/PID/limits`.
    pub(crate) fn text(self) -> String {
        self.0.to_string()
    }
}

impl Mark {
    /// Marks the current process. Neither allocates nor locks.
    pub(crate) fn set(self) -> io::Result<()> {
        Ok(setrlimit(Resource::Locks, Rlimit { current: Some(self.command), maximum: Some(self.host) })?)
    }

    /// Sends `signal` to each living process with this mark, or only searches for them if it is `None`. Returns whether one exists.
    pub(crate) fn signal(self, signal: Option<Signal>) -> bool {
        signal_each(signal, |limits| limits == [self.command, self.host])
    }
}

/// Sends `signal` to each living process whose limits are marked in this way, or only searches for them if it is `None`. Returns whether
/// one exists.
fn signal_each(signal: Option<Signal>, is_marked: impl Fn([u64; 2]) -> bool) -> bool {
    let is_marked = |folder: &Path| limits(folder).is_some_and(&is_marked);
    processes().filter(|(_, folder)| is_marked(folder) && is_alive(folder)).fold(false, |_, (id, folder)| {
        if let Some(signal) = signal {
            send(signal, id, &folder, is_marked);
        }
        true
    })
}

/// Sends `signal` to a process, unless it has ended and another process has its id.
fn send(signal: Signal, id: Pid, folder: &Path, is_marked: impl Fn(&Path) -> bool) {
    // An open folder belongs to one process, and is accepted in place of a pidfd.
    let Ok(process) = File::open(folder) else { return };
    if is_marked(folder) && pidfd_send_signal(&process, signal).is_err() {
        // The call is missing before Linux 5.1, and in some sandboxes.
        let _ = kill_process(id, signal);
    }
}

/// Returns the processes that this one can see: their ids, and their folders.
fn processes() -> impl Iterator<Item = (Pid, PathBuf)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?, entry.path())))
}

/// Returns the soft and the hard limit of a process, or `None` if they cannot be read.
fn limits(folder: &Path) -> Option<[u64; 2]> {
    let text = read(&folder.join("limits"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max file locks "))?;
    let mut values = line.split_whitespace().map(|value| match value {
        "unlimited" => Some(u64::MAX),
        number => number.parse().ok(),
    });
    Some([values.next()??, values.next()??])
}

/// Returns whether a process is alive. A zombie is not, unless it has other threads.
fn is_alive(folder: &Path) -> bool {
    // The name of the program is in brackets, and may contain anything.
    let Some(text) = read(&folder.join("stat")) else { return false };
    let mut fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    match fields.next() {
        None | Some("X") => false,
        Some("Z") => fields.nth(16).and_then(|threads| threads.parse().ok()).is_some_and(|threads: u32| threads > 1),
        Some(_) => true,
    }
}

/// Reads up to 4,096 bytes of a file in `/proc`. The files that are read here are shorter.
fn read(path: &Path) -> Option<String> {
    let mut bytes = [0; 4096];
    let mut length = 0;
    let mut file = File::open(path).ok()?;
    while let Ok(read @ 1..) = file.read(&mut bytes[length..]) {
        length += read;
    }
    Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_differ_and_are_below_that_of_the_outer_host() {
        let max = HostMark::below(u64::MAX).expect("a mark").0;
        assert_ne!(HostMark::below(u64::MAX).expect("a mark").0, max);
        let marks: Vec<u64> = std::iter::successors(Some(max), |max| Some(HostMark::below(*max)?.0)).collect();
        assert!(marks.len() > 10, "{marks:?}");
        assert!(marks.is_sorted_by(|outer, inner| outer > inner && inner % 2 == 0), "{marks:?}");
        assert_eq!(HostMark::below(1_000), None);
    }

    #[test]
    fn limits_and_state_of_a_process_are_read() {
        let own = Path::new("/proc/self");
        let limit = getrlimit(Resource::Locks);
        let values = [limit.current, limit.maximum].map(|value| value.unwrap_or(u64::MAX));
        assert_eq!(limits(own), Some(values));
        assert!(is_alive(own));
        let mut child = std::process::Command::new("true").spawn().expect("failed to start");
        let folder = PathBuf::from(format!("/proc/{}", child.id()));
        while is_alive(&folder) {
            std::thread::yield_now();
        }
        assert!(folder.exists(), "the process waits for its parent");
        child.wait().expect("failed to wait");
        assert_eq!(limits(&folder), None);
    }
}
