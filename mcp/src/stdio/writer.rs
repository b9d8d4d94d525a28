//! Writes messages to the standard input of a server, on a thread: a server that does not read must not block anything else.

use std::io;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use toolc_process::RunningProcess;

/// The maximum number of messages that wait to be written.
const MAX_WAITING: usize = 256;
/// The part of a message that is written at once: less than a process lets wait.
const PART: usize = 256 << 10;
/// The maximum time for which a server does not read its input.
const STALLED: Duration = Duration::from_secs(30);
/// The pause before the next try to write.
const PAUSE: Duration = Duration::from_millis(20);

type Written = oneshot::Sender<io::Result<()>>;

/// The queue of messages.
#[derive(Debug)]
pub(super) struct Writer(Option<mpsc::SyncSender<(Vec<u8>, Written)>>);

impl Writer {
    /// Starts the thread.
    pub(super) fn start(process: Arc<RunningProcess>) -> io::Result<Self> {
        let (sender, receiver) = mpsc::sync_channel::<(Vec<u8>, Written)>(MAX_WAITING);
        thread::Builder::new().name("input of an MCP server".to_owned()).spawn(move || {
            for (line, written) in receiver {
                let result = write(&process, &line);
                let is_broken = result.is_err();
                let _ = written.send(result);
                if is_broken {
                    // A part of a message may have been written, so nothing else can follow.
                    let _ = process.end();
                    return;
                }
            }
        })?;
        Ok(Self(Some(sender)))
    }

    /// Adds a message to the queue. The returned channel gets the result.
    pub(super) fn write(&self, mut line: Vec<u8>) -> io::Result<oneshot::Receiver<io::Result<()>>> {
        line.push(b'\n');
        let (written, result) = oneshot::channel();
        let sender = self.0.as_ref().ok_or_else(super::closed)?;
        sender.try_send((line, written)).map_err(|error| match error {
            mpsc::TrySendError::Full(_) => {
                io::Error::new(io::ErrorKind::WouldBlock, "the server does not read its input")
            }
            mpsc::TrySendError::Disconnected(_) => super::closed(),
        })?;
        Ok(result)
    }

    /// Ends the thread, after what is in the queue.
    pub(super) fn close(&mut self) {
        self.0 = None;
    }
}

fn write(process: &RunningProcess, line: &[u8]) -> io::Result<()> {
    for part in line.chunks(PART) {
        let started = Instant::now();
        loop {
            match process.write(part) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && started.elapsed() < STALLED => {
                    thread::sleep(PAUSE);
                }
                result => break result?,
            }
        }
    }
    Ok(())
}
