//! Starts a program.

use std::io;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

/// Starts the program. Retries while its file is busy: a child that another thread has just forked can hold the file open for
/// writing for a moment, even after this process has closed it.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    const ATTEMPTS: u32 = 50;
    const PAUSE: Duration = Duration::from_millis(10);
    for _ in 1..ATTEMPTS {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(PAUSE),
            started => return started,
        }
    }
    command.spawn()
}
