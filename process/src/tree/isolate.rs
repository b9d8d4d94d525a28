//! Separates a command from this process: its terminal, its signals, its descriptors. The only unsafe code of the workspace.

use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{ioctl_tiocsctty, setsid};

use super::groups::Registration;
use super::mark::Mark;

/// Signals that this process may ignore, for example because a shell has started it in the background. A command would inherit that,
/// and Ctrl-C would not end it.
const RESET: &[libc::c_int] =
    &[libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

/// Makes the command the leader of a new session, which has no controlling terminal: it cannot open `/dev/tty`, type into the
/// terminal (`TIOCSTI`), or get the terminal's signals. If `terminal` is given, that is the controlling terminal of the session. The
/// command gets its standard streams and no other descriptors.
#[expect(unsafe_code, reason = "std has no stable way to reset a signal, nor to close inherited descriptors")]
pub(crate) fn isolate(
    command: &mut Command,
    mark: Option<Mark>,
    registration: Option<Registration>,
    terminal: Option<OwnedFd>,
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
        Ok(())
    };
    before_exec(command, separate);
}

/// Calls a function in the process of the command, before its program starts. The function must make system calls and nothing else.
#[expect(unsafe_code, reason = "std has no stable way to start a session, nor to join a namespace")]
pub(super) fn before_exec(command: &mut Command, call: impl FnMut() -> io::Result<()> + Send + Sync + 'static) {
    // SAFETY: The function runs between fork and exec, where only async-signal-safe functions may be called. All callers are in this
    // folder: what they pass makes system calls and nothing else. It allocates no memory and takes no lock. An error is made of a number.
    unsafe { command.pre_exec(call) };
}

/// Moves this process into a new namespace.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "rustix has no safe function for new namespaces")]
pub(super) fn unshare(namespaces: rustix::thread::UnshareFlags) -> io::Result<()> {
    // SAFETY: Only a new table of descriptors could break other code, and no caller asks for one.
    Ok(unsafe { rustix::thread::unshare_unsafe(namespaces) }?)
}

/// Makes a mount read-only, or, if the path is empty, the mount of the descriptor with all mounts below it.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "neither rustix nor libc has this system call")]
pub(super) fn mount_read_only(mount: BorrowedFd<'_>, path: &std::ffi::CStr) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    const READ_ONLY: u64 = 1;
    /// The structure `mount_attr`: the attributes to set and to clear, the propagation, and a user namespace.
    const ATTRIBUTES: [u64; 4] = [READ_ONLY, 0, 0, 0];
    let flags = if path.is_empty() { libc::AT_EMPTY_PATH | libc::AT_RECURSIVE } else { 0 };
    let (call, size) = (libc::SYS_mount_setattr, size_of_val(&ATTRIBUTES));
    // SAFETY: The kernel reads the path, which ends with NUL, and the attributes, which have this size.
    check(unsafe { libc::syscall(call, mount.as_raw_fd(), path.as_ptr(), flags, ATTRIBUTES.as_ptr(), size) })
}

/// Gives this process a new session keyring. Does nothing if the system has no keyrings, or forbids this call and so all that use keys.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "neither rustix nor libc has this system call")]
pub(super) fn join_new_session_keyring() -> io::Result<()> {
    const JOIN_SESSION_KEYRING: libc::c_int = 1;
    let without_name = std::ptr::null::<libc::c_char>();
    // SAFETY: The call takes no memory of this process, because the keyring has no name.
    match check(unsafe { libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, without_name) }) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EACCES)) => Ok(()),
        result => result,
    }
}

/// Returns the error of a system call, if its result says that it has failed.
#[cfg(target_os = "linux")]
fn check(result: libc::c_long) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns the descriptors of this process, except the standard streams.
fn open_descriptors() -> Vec<RawFd> {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|number: &RawFd| *number > 2).collect()
}
