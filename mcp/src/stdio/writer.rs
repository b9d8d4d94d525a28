//! Writes messages to the standard input of a server, on a thread: a server that does not read must not block anything else.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use toolc_process::RunningProcess;

/// The maximum number of messages that wait to be written.
const MAX_WAITING: usize = 2_048;
/// The number of waiting messages from which no more answers are added. A server that sends many requests and is slow to read the
/// answers leaves room for calls.
const MAX_ANSWERS: usize = 256;
/// The part of a message that is written at once: less than a process lets wait.
const PART: usize = 256 << 10;
/// The maximum time for which a server does not read its input.
const STALLED: Duration = Duration::from_secs(30);
/// The pause before the next try to write.
const PAUSE: Duration = Duration::from_millis(20);

type Written = oneshot::Sender<io::Result<()>>;

/// The queue of messages.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Option<mpsc::SyncSender<(Vec<u8>, Written)>>,
    waiting: Arc<AtomicUsize>,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(process: Arc<RunningProcess>) -> io::Result<Self> {
        let (sender, receiver) = mpsc::sync_channel::<(Vec<u8>, Written)>(MAX_WAITING);
        let waiting = Arc::new(AtomicUsize::new(0));
        let queued = Arc::clone(&waiting);
        thread::Builder::new().name("input of an MCP server".to_owned()).spawn(move || {
            for (line, written) in receiver {
                queued.fetch_sub(1, Ordering::Relaxed);
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
        Ok(Self { queue: Some(sender), waiting })
    }

    /// Adds a message to the queue. The returned channel gets the result.
    pub(super) fn write(&self, mut line: Vec<u8>, is_answer: bool) -> io::Result<oneshot::Receiver<io::Result<()>>> {
        let full = || io::Error::new(io::ErrorKind::WouldBlock, "the server does not read its input");
        line.push(b'\n');
        let (written, result) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(super::closed)?;
        if is_answer && self.waiting.load(Ordering::Relaxed) >= MAX_ANSWERS {
            return Err(full());
        }
        // Counted first, because the thread may take the message at once.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        queue.try_send((line, written)).map_err(|error| {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                mpsc::TrySendError::Full(_) => full(),
                mpsc::TrySendError::Disconnected(_) => super::closed(),
            }
        })?;
        Ok(result)
    }

    /// Ends the thread, after what is in the queue.
    pub(super) fn close(&mut self) {
        self.queue = None;
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
