//! The processes on which this process depends: itself, those above it, and its guardian.

#[cfg(unix)]
use std::sync::OnceLock;
#[cfg(unix)]
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of the guardian, or 0 if there is none.
#[cfg(unix)]
static GUARDIAN: AtomicU32 = AtomicU32::new(0);

/// Returns the numbers of the processes on which this process depends: its own, those of the processes above it as they were at the first
/// call, and that of the guardian, which ends its commands. A signal to one of them can end this process.
pub fn host_processes() -> Vec<u32> {
    let own = std::process::id();
    #[cfg(unix)]
    {
        static ABOVE: OnceLock<Vec<u32>> = OnceLock::new();
        let guardian = Some(GUARDIAN.load(Ordering::Relaxed)).filter(|id| *id != 0);
        [own].into_iter().chain(ABOVE.get_or_init(above).iter().copied()).chain(guardian).collect()
    }
    #[cfg(not(unix))]
    vec![own]
}

/// Records the number of the guardian.
#[cfg(unix)]
pub(crate) fn set_guardian(id: u32) {
    GUARDIAN.store(id, Ordering::Relaxed);
}

/// Returns the processes above this one. Without `/proc`, it is only the parent.
#[cfg(unix)]
fn above() -> Vec<u32> {
    /// The maximum number of processes above this one.
    const MAX: usize = 32;
    let mut ids = vec![std::os::unix::process::parent_id()];
    while let Some(parent) = ids.last().filter(|id| **id > 1).and_then(|id| parent_of(*id)).filter(|_| ids.len() < MAX)
    {
        ids.push(parent);
    }
    ids
}

/// Returns the parent of a process, if the system has `/proc`.
#[cfg(unix)]
fn parent_of(id: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of the program, in parentheses, can contain anything.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok().filter(|parent| *parent > 0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn this_process_and_its_parent_are_among_those_of_the_host() {
        let ids = host_processes();
        assert_eq!(ids[..2], [std::process::id(), std::os::unix::process::parent_id()]);
        assert!(cfg!(not(target_os = "linux")) || parent_of(std::process::id()) == Some(ids[1]));
        assert_eq!(parent_of(u32::MAX), None);
    }
}
