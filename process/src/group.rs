//! A program and its children as one group, which ends together.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::Receiver;

/// Lets the program lead a group of its own.
#[cfg(unix)]
pub(crate) fn lead(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
pub(crate) fn lead(_: &mut Command) {}

/// Ends the child's group: asks first, then makes it.
///
/// The child is not waited for before the last signal, because until then its number, and so the group's, cannot pass to
/// a stranger.
#[cfg(unix)]
pub(crate) fn kill(child: &mut Child, closed: &Receiver<()>) -> io::Result<ExitStatus> {
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process_group};

    /// Between asking and making.
    const GRACE: Duration = Duration::from_secs(1);
    let group = Pid::from_child(child);
    // Fails only where nobody is left.
    let _ = kill_process_group(group, Signal::TERM);
    crate::is_closed(closed, GRACE);
    let _ = kill_process_group(group, Signal::KILL);
    child.wait()
}

#[cfg(not(unix))]
pub(crate) fn kill(child: &mut Child, _: &Receiver<()>) -> io::Result<ExitStatus> {
    child.kill()?;
    child.wait()
}
