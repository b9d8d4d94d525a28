//! The standard input of a running program: a queue, from which a thread writes, so that a caller never waits for a program that does
//! not read.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum number of bytes that wait for the program to read them.
pub(crate) const MAX_WAITING: usize = 1024 * 1024;

/// The time that a caller waits for its bytes to be written, so that an error is reported at once.
const SHORT: Duration = Duration::from_millis(50);

/// The writing end of the input.
pub(crate) trait Writer: Write + fmt::Debug + Send {}

impl<W: Write + fmt::Debug + Send> Writer for W {}

/// The standard input of a program. After it has been dropped, what is in the queue is still written.
#[derive(Debug)]
pub(crate) struct Input(Arc<Queue>);

#[derive(Debug)]
struct Queue {
    state: Mutex<InputState>,
    changed: Condvar,
}

#[derive(Debug)]
struct InputState {
    chunks: VecDeque<Vec<u8>>,
    /// The length of the chunks, and of the one that is being written.
    waiting: usize,
    /// Whether no more is added.
    is_closed: bool,
    /// The error that ended the writing.
    failure: Option<io::ErrorKind>,
    /// The writing end, until the thread has started.
    writer: Option<Box<dyn Writer>>,
}

impl Input {
    pub(crate) fn new(writer: Box<dyn Writer>) -> Self {
        let state =
            InputState { chunks: VecDeque::new(), waiting: 0, is_closed: false, failure: None, writer: Some(writer) };
        Self(Arc::new(Queue { state: Mutex::new(state), changed: Condvar::new() }))
    }

    /// Adds bytes to the queue, all or none. If more than `max` bytes would wait, returns an error. Waits a short time until the
    /// bytes are written.
    pub(crate) fn write(&self, bytes: Vec<u8>, max: usize) -> io::Result<()> {
        let mut state = self.add(bytes, max)?;
        let deadline = Instant::now() + SHORT;
        while state.waiting > 0 && state.failure.is_none() {
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                break;
            };
            state = self.0.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.check()
    }

    /// Adds bytes to the queue, all or none. If more than `max` bytes would wait, returns an error.
    pub(crate) fn write_later(&self, bytes: Vec<u8>, max: usize) -> io::Result<()> {
        self.add(bytes, max).map(drop)
    }

    fn add(&self, bytes: Vec<u8>, max: usize) -> io::Result<MutexGuard<'_, InputState>> {
        let mut state = self.0.lock();
        if state.is_closed {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the input of the program has been closed"));
        }
        state.check()?;
        if state.waiting.saturating_add(bytes.len()) > max {
            let text = format!("the program does not read its input: {} bytes wait for it", state.waiting);
            return Err(io::Error::new(io::ErrorKind::WouldBlock, text));
        }
        if !bytes.is_empty() {
            state.waiting += bytes.len();
            state.chunks.push_back(bytes);
            self.start_thread(&mut state)?;
            self.0.changed.notify_all();
        }
        Ok(state)
    }

    /// Closes the input after what is in the queue.
    pub(crate) fn close(&self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        // Without a thread, nothing is in the queue.
        drop(state.writer.take());
        self.0.changed.notify_all();
    }

    fn start_thread(&self, state: &mut InputState) -> io::Result<()> {
        if let Some(writer) = state.writer.take() {
            let queue = Arc::clone(&self.0);
            let thread = thread::Builder::new().name("input of a process".to_owned());
            thread.spawn(move || queue.write_to(writer))?;
        }
        Ok(())
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.close();
    }
}

impl InputState {
    fn check(&self) -> io::Result<()> {
        match self.failure {
            None => Ok(()),
            Some(kind) => Err(io::Error::new(kind, "the program has closed its input, or has ended")),
        }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, InputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the chunks until the input is closed or the program does not take them any more.
    fn write_to(&self, mut writer: Box<dyn Writer>) {
        let mut state = self.lock();
        loop {
            let Some(chunk) = state.chunks.pop_front() else {
                if state.is_closed {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let written = writer.write_all(&chunk);
            state = self.lock();
            state.waiting -= chunk.len();
            if let Err(error) = written {
                state.failure = Some(error.kind());
                state.chunks.clear();
                state.waiting = 0;
            }
            self.changed.notify_all();
            if state.failure.is_some() {
                return;
            }
        }
    }
}
