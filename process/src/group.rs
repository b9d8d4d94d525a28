//! Process groups: a program and its children end together.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::Receiver;

/// Makes the program the leader of a new group.
#[cfg(unix)]
pub(crate) fn make_leader(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
pub(crate) fn make_leader(_: &mut Command) {}

/// Ends the child's group: with SIGTERM, and a second later with SIGKILL.
///
/// The child is reaped only after the last signal. Until then the system cannot give its id, which is also the id of the
/// group, to another process.
#[cfg(unix)]
pub(crate) fn kill(child: &mut Child, closed: &Receiver<()>) -> io::Result<ExitStatus> {
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process_group};

    /// The time between the two signals.
    const GRACE: Duration = Duration::from_secs(1);
    let group = Pid::from_child(child);
    // Fails only if no process is left.
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
