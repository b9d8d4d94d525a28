//! A stream of a program's output, read to its end on a thread.

use std::io::{self, PipeReader, Read as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Receives output, chunk by chunk as it arrives.
pub trait Sink: std::fmt::Debug + Default + Send + 'static {
    /// Adds a chunk. Returns false if that is too much: the program is then ended.
    fn push(&mut self, bytes: &[u8]) -> bool;
}

/// The sink of a stream that is being read on a thread.
#[derive(Debug)]
pub struct Stream<S>(Arc<Mutex<Option<S>>>);

impl<S> Clone for Stream<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Sink> Stream<S> {
    pub(crate) fn new(sink: S) -> Self {
        Self(Arc::new(Mutex::new(Some(sink))))
    }

    /// Returns the sink with the output so far. Later output is discarded.
    pub fn take(self) -> S {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }
}

/// Counts one reading thread while it exists.
struct Reading;

/// The number of reading threads.
static READING: AtomicUsize = AtomicUsize::new(0);

impl Reading {
    fn begin() -> Self {
        READING.fetch_add(1, Ordering::Relaxed);
        Self
    }

    /// Whether there are too many reading threads to go on for background processes.
    fn are_many() -> bool {
        /// The output of background processes is read and discarded, so that a full pipe does not block them.
        const MAX: usize = 64;
        READING.load(Ordering::Relaxed) > MAX
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reads a pipe to its end, also after its sink has been taken.
pub(crate) fn read<S: Sink>(mut pipe: PipeReader, stream: &Stream<S>, flooded: &AtomicBool) {
    /// Slows down a process that floods a pipe whose output is discarded.
    const PAUSE: Duration = Duration::from_millis(50);
    let _reading = Reading::begin();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => break,
            Ok(len) => {
                let mut sink = stream.0.lock().unwrap_or_else(PoisonError::into_inner);
                match &mut *sink {
                    Some(sink) => {
                        if !sink.push(&buffer[..len]) {
                            flooded.store(true, Ordering::Relaxed);
                            break;
                        }
                    }
                    None if Reading::are_many() => break,
                    None => {
                        drop(sink);
                        thread::sleep(PAUSE);
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
}
