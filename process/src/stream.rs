//! A stream of a program's output: read to its end on a thread, kept as far as its sink wants it.

use std::io::{self, PipeReader, Read as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Takes in output, piece by piece as it comes.
pub trait Sink: std::fmt::Debug + Default + Send + 'static {
    /// Takes a piece. False: that is too much, and the program is to be ended.
    fn push(&mut self, bytes: &[u8]) -> bool;
}

/// What comes of a program's output, while that is read.
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

    /// What has come so far. What comes later is lost.
    pub fn take(self) -> S {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }
}

/// One who reads, while it is there.
struct Reading;

/// Those who read.
static READING: AtomicUsize = AtomicUsize::new(0);

impl Reading {
    fn begin() -> Self {
        READING.fetch_add(1, Ordering::Relaxed);
        Self
    }

    /// Whether it is time to leave background processes alone with a full pipe.
    fn are_many() -> bool {
        /// Their output is read, and dropped, so that they are not stopped by a full pipe.
        const MOST: usize = 64;
        READING.load(Ordering::Relaxed) > MOST
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reads a pipe to its end, also where nobody wants it any more.
pub(crate) fn read<S: Sink>(mut pipe: PipeReader, stream: &Stream<S>, flooded: &AtomicBool) {
    /// Slows down whoever floods a pipe that nobody listens to.
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
