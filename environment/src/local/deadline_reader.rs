//! A reader with a deadline, which bounds the time for reading a huge file, or one on a slow network.

use std::io::{self, Read};
use std::time::{Duration, Instant};

/// Reads from `R`, and fails with [`io::ErrorKind::TimedOut`] after the deadline. A read that blocks is not interrupted.
#[derive(Debug)]
pub(crate) struct DeadlineReader<R> {
    inner: R,
    deadline: Instant,
}

impl<R> DeadlineReader<R> {
    pub(crate) fn new(inner: R, deadline: Instant) -> Self {
        Self { inner, deadline }
    }

    /// Sets the deadline to `timeout` from now.
    pub(crate) fn set_timeout(&mut self, timeout: Duration) {
        self.deadline = Instant::now() + timeout;
    }
}

impl<R: Read> Read for DeadlineReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if Instant::now() >= self.deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.inner.read(buf)
    }
}
