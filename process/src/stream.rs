//! A stream of a program's output, read to its end on a thread.

use std::io::{self, PipeReader, Read as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Receives output, chunk by chunk as it arrives.
pub trait Sink: std::fmt::Debug + Default + Send + 'static {
    /// Adds a chunk. Returns false to refuse more output, which ends the program.
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

/// The number of reading threads.
static READER_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread as reading until it is dropped.
struct ReaderThread;

impl ReaderThread {
    fn start() -> Self {
        READER_THREADS.fetch_add(1, Ordering::Relaxed);
        Self
    }

    /// Returns whether too many threads read. Then the output of background processes is no longer read, and a full pipe can block
    /// them.
    fn are_too_many() -> bool {
        const MAX: usize = 64;
        READER_THREADS.load(Ordering::Relaxed) > MAX
    }
}

impl Drop for ReaderThread {
    fn drop(&mut self) {
        READER_THREADS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reads a pipe to its end. After the sink has been taken, discards the output.
pub(crate) fn read<S: Sink>(mut pipe: PipeReader, stream: &Stream<S>, limit_exceeded: &AtomicBool) {
    /// The pause between reads of discarded output, which slows down a process that writes much.
    const PAUSE: Duration = Duration::from_millis(50);
    let _thread = ReaderThread::start();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => break,
            Ok(len) => {
                let mut sink = stream.0.lock().unwrap_or_else(PoisonError::into_inner);
                match &mut *sink {
                    Some(sink) => {
                        if !sink.push(&buffer[..len]) {
                            limit_exceeded.store(true, Ordering::Relaxed);
                            break;
                        }
                    }
                    None if ReaderThread::are_too_many() => break,
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
