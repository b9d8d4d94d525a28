//! Running a command to its end, which comes at the latest a moment after its timeout, whatever it does.
//!
//! The shell leads a process group of its own, so that its children can be killed with it; a child that made
//! itself a group of its own escapes. Output arrives through one pipe, so that standard error stays in order,
//! and is read on a thread, so that a process that keeps the pipe open keeps only that thread.

use std::io::{self, PipeReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::transcript::Transcript;

/// How often to look whether the command ended. Mostly the end of its output tells first.
const LOOK: Duration = Duration::from_millis(10);
/// For output that is still in the pipe when the command has ended.
const DRAIN: Duration = Duration::from_millis(250);
/// Background processes whose output is read, and dropped, so that they are not stopped by a full pipe.
const MOST_LEFT: usize = 64;

/// How a command ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) transcript: String,
    pub(super) timed_out: bool,
    /// Something that it started still holds its output.
    pub(super) left_running: bool,
}

/// Runs `command` for at most `timeout`. `left` counts the readers of background processes.
pub(super) fn run(mut command: Command, timeout: Duration, left: &Arc<()>) -> io::Result<Ended> {
    let (reader, writer) = io::pipe()?;
    let transcript = Arc::new(Mutex::new(Some(Transcript::default())));
    let closed = read_on(reader, Arc::clone(&transcript), Arc::clone(left))?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // It holds our ends for writing, and with them open there is no end of file.
    drop(command);

    let deadline = Instant::now() + timeout;
    let (status, timed_out) = match wait(&mut child, &closed, deadline)? {
        Some(status) => (status, false),
        None => (kill(&mut child, &closed)?, true),
    };
    let left_running = !is_closed(&closed, DRAIN);
    // Taken away: the reader sees that, and drops what comes later.
    let transcript = transcript.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
    Ok(Ended { status, transcript: transcript.finish(), timed_out, left_running })
}

/// Reads the pipe to its end on a thread. The channel hangs up when that is reached.
fn read_on(
    mut pipe: PipeReader,
    transcript: Arc<Mutex<Option<Transcript>>>,
    left: Arc<()>,
) -> io::Result<Receiver<()>> {
    /// Slows down whoever floods a pipe that nobody listens to.
    const PAUSE: Duration = Duration::from_millis(50);
    let (open, closed) = mpsc::channel();
    let read = move || {
        let _open = open;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(len) => match &mut *transcript.lock().unwrap_or_else(PoisonError::into_inner) {
                    Some(transcript) => transcript.push(&buffer[..len]),
                    None if Arc::strong_count(&left) > MOST_LEFT => break,
                    None => thread::sleep(PAUSE),
                },
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
    };
    thread::Builder::new().name("terminal output".to_owned()).spawn(read)?;
    Ok(closed)
}

/// Waits for the child until the deadline.
fn wait(child: &mut Child, closed: &Receiver<()>, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let time = deadline.saturating_duration_since(Instant::now()).min(LOOK);
        if time.is_zero() {
            return Ok(None);
        }
        if is_closed(closed, time) {
            // From here on the channel does not wait. The command is about to end, or works on silently.
            thread::sleep(time.min(Duration::from_millis(1)));
        }
    }
}

/// Whether the output came to its end, now or within `time`.
fn is_closed(closed: &Receiver<()>, time: Duration) -> bool {
    closed.recv_timeout(time) == Err(RecvTimeoutError::Disconnected)
}

/// Ends the child's group: asks first, then makes it.
///
/// The child is not waited for before the last signal, because until then its number, and so the group's,
/// cannot pass to a stranger.
#[cfg(unix)]
fn kill(child: &mut Child, closed: &Receiver<()>) -> io::Result<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process_group};
    /// Between asking and making.
    const GRACE: Duration = Duration::from_secs(1);
    let group = Pid::from_child(child);
    // Fails only where nobody is left.
    let _ = kill_process_group(group, Signal::TERM);
    is_closed(closed, GRACE);
    let _ = kill_process_group(group, Signal::KILL);
    child.wait()
}

#[cfg(not(unix))]
fn kill(child: &mut Child, _: &Receiver<()>) -> io::Result<ExitStatus> {
    child.kill()?;
    child.wait()
}

/// The shell that is to run `line`.
#[cfg(unix)]
pub(super) fn shell(line: &str) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).process_group(0);
    command
}

/// The shell that is to run `line`.
#[cfg(windows)]
pub(super) fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    // Unquoted: `cmd` has its own rules.
    command.arg("/C").raw_arg(line);
    command
}
