//! A reader that gives up at a deadline. Nothing else bounds the time that a file of terabytes, or one on a
//! slow network, takes to read.

use std::io::{self, Read};
use std::time::{Duration, Instant};

/// Fails with [`io::ErrorKind::TimedOut`] once its time is over.
#[derive(Debug)]
pub(super) struct DeadlineReader<R> {
    inner: R,
    deadline: Instant,
}

impl<R> DeadlineReader<R> {
    pub(super) fn new(inner: R, deadline: Instant) -> Self {
        Self { inner, deadline }
    }

    /// From now on there is `time` left.
    pub(super) fn allow(&mut self, time: Duration) {
        self.deadline = Instant::now() + time;
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
