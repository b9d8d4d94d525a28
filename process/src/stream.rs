//! A stream of a program's output, read to its end on a thread.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// Receives output, chunk by chunk as it arrives.
pub trait Sink: fmt::Debug + Send + 'static {
    /// Adds a chunk. Returns false to refuse more output, which ends the program.
    fn push(&mut self, bytes: &[u8]) -> bool;

    /// Notices that the output has ended. The program can still run.
    fn end(&mut self) {}
}

impl<S: Sink + ?Sized> Sink for Box<S> {
    fn push(&mut self, bytes: &[u8]) -> bool {
        (**self).push(bytes)
    }

    fn end(&mut self) {
        (**self).end();
    }
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

    /// Drops the sink. Later output is read and discarded, slowly.
    pub fn discard(&self) {
        drop(self.sink().take());
    }

    /// Calls `look` with the sink as it is now. Returns `None` if it was taken or discarded.
    pub fn look<R>(&self, look: impl FnOnce(&mut S) -> R) -> Option<R> {
        self.sink().as_mut().map(look)
    }

    fn sink(&self) -> MutexGuard<'_, Option<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Sink + Default> Stream<S> {
    /// Returns the sink with the output so far. Later output is discarded.
    pub fn take(self) -> S {
        self.sink().take().unwrap_or_default()
    }
}

/// The reading end of a stream, and its sink.
pub(crate) trait Reader: fmt::Debug + Send {
    /// Returns what is read. It is closed when the reader is dropped.
    fn source(&self) -> Weak<File>;

    /// Reads the stream to its end. Returns false if the sink has refused more output.
    fn read(self: Box<Self>) -> bool;
}

#[derive(Debug)]
pub(crate) struct ReadToSink<S>(pub(crate) Arc<File>, pub(crate) Stream<S>);

impl<S: Sink> Reader for ReadToSink<S> {
    fn source(&self) -> Weak<File> {
        Arc::downgrade(&self.0)
    }

    fn read(self: Box<Self>) -> bool {
        read(self.0, &self.1)
    }
}

/// The number of threads that discard output.
static DISCARDING_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread as discarding until it is dropped.
struct DiscardingThread;

impl DiscardingThread {
    /// `None` if too many threads discard output. Then the stream is closed, and a process that writes to it gets an error.
    fn start() -> Option<Self> {
        const MAX: usize = 64;
        let thread = Self;
        (DISCARDING_THREADS.fetch_add(1, Ordering::Relaxed) < MAX).then_some(thread)
    }
}

impl Drop for DiscardingThread {
    fn drop(&mut self) {
        DISCARDING_THREADS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reads a stream to its end. After the sink has been taken, discards the output. Returns false if the sink refuses more output.
fn read<S: Sink>(mut source: impl Read, stream: &Stream<S>) -> bool {
    /// The pause between reads of discarded output, which slows down a process that writes much.
    const PAUSE: Duration = Duration::from_millis(50);
    let mut buffer = vec![0; 64 * 1024];
    let mut discarding = None;
    loop {
        match source.read(&mut buffer) {
            Ok(0) => {
                if let Some(sink) = &mut *stream.sink() {
                    sink.end();
                }
                return true;
            }
            Ok(len) => {
                if let Some(sink) = &mut *stream.sink() {
                    if !sink.push(&buffer[..len]) {
                        return false;
                    }
                    continue;
                }
                if discarding.is_none() {
                    discarding = DiscardingThread::start();
                    if discarding.is_none() {
                        return true;
                    }
                }
                thread::sleep(PAUSE);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The end of a terminal is an error on Linux.
            Err(_) => return true,
        }
    }
}

/// Counts the streams of a program that some process can still write to.
#[derive(Debug, Default)]
pub(crate) struct OpenStreams {
    count: Mutex<usize>,
    changed: Condvar,
    sources: Mutex<Vec<Weak<File>>>,
}

/// A stream that is counted as open until this is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream(Arc<OpenStreams>);

impl OpenStreams {
    pub(crate) fn open(self: &Arc<Self>, source: Weak<File>) -> OpenStream {
        *self.count() += 1;
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).push(source);
        OpenStream(Arc::clone(self))
    }

    /// Returns whether all streams are closed within `timeout`.
    pub(crate) fn are_closed(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut count = self.count();
        while *count > 0 {
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                return false;
            };
            count = self.changed.wait_timeout(count, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Waits until all streams are closed, or until `idle` has passed and all output has been read, at most for `max`. Returns
    /// whether they are closed.
    pub(crate) fn drain(&self, idle: Duration, max: Duration) -> bool {
        let deadline = Instant::now() + max;
        loop {
            if self.are_closed(idle) {
                return true;
            }
            // On a busy machine, a thread may not have read the last output yet.
            if !self.have_output() || Instant::now() >= deadline {
                return false;
            }
        }
    }

    /// Returns whether a stream has output that has not been read, or an end.
    #[cfg(unix)]
    fn have_output(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let open: Vec<Arc<File>> = sources.iter().filter_map(Weak::upgrade).collect();
        let mut polled: Vec<PollFd<'_>> = open.iter().map(|file| PollFd::new(&**file, PollFlags::IN)).collect();
        poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
    }

    #[cfg(not(unix))]
    fn have_output(&self) -> bool {
        false
    }

    fn count(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        *self.0.count() -= 1;
        self.0.changed.notify_all();
    }
}
