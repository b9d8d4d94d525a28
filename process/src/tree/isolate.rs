//! Separates a command from this process: its terminal, its signals, its descriptors. The only unsafe code of the workspace.

use std::fs;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{ioctl_tiocsctty, setsid};

use super::filter::Filter;
use super::groups::Registration;
use super::mark::Mark;

/// Signals that this process may ignore, for example because a shell has started it in the background. A command would inherit that,
/// and Ctrl-C would not end it.
const RESET: &[libc::c_int] =
    &[libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

/// Makes the command the leader of a new session, which has no controlling terminal: it cannot open `/dev/tty`, type into the
/// terminal (`TIOCSTI`), or get the terminal's signals. If `terminal` is given, that is the controlling terminal of the session. The
/// command gets its standard streams and no other descriptors. If `filter` is given, it applies to the command.
#[expect(unsafe_code, reason = "std has no stable way to start a session, nor to close inherited descriptors")]
pub(crate) fn isolate(
    command: &mut Command,
    mark: Option<Mark>,
    registration: Option<Registration>,
    terminal: Option<OwnedFd>,
    filter: Option<Filter>,
) {
    let descriptors = open_descriptors();
    let separate = move || {
        let group = setsid()?;
        if let Some(registration) = &registration {
            registration.add(group);
        }
        if let Some(terminal) = &terminal {
            ioctl_tiocsctty(terminal)?;
        }
        for signal in RESET {
            // SAFETY: Only the disposition of a signal changes, and to the default, which is not a function of this process.
            unsafe { libc::signal(*signal, libc::SIG_DFL) };
        }
        // A command that cannot be marked still has its session.
        let _ = mark.map(Mark::set);
        for descriptor in &descriptors {
            // SAFETY: A number borrowed only for this call, which changes no memory. If the descriptor has been closed, the call
            // fails, and no other thread exists that could open it again.
            let _ = fcntl_setfd(unsafe { BorrowedFd::borrow_raw(*descriptor) }, FdFlags::CLOEXEC);
        }
        // Last, because it may refuse what is done before.
        filter.as_ref().map_or(Ok(()), Filter::apply)
    };
    // SAFETY: The closure runs between fork and exec, where only async-signal-safe functions may be called. It makes system calls
    // and nothing else: it allocates no memory and takes no lock. An error is made of a number.
    unsafe { command.pre_exec(separate) };
}

/// Returns the descriptors of this process, except the standard streams.
fn open_descriptors() -> Vec<RawFd> {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|number: &RawFd| *number > 2).collect()
}
