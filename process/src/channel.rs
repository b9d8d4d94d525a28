//! The channel to a program: a connected pair of sockets, one of which is the program's standard input.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

/// This process's end of the [channel](crate::Process::channel) to a program. Several threads can use it at the same time, and the
/// same one can read while another writes.
///
/// No other process can open either end, not even by `/proc`. A process that inherits the standard input of the program has it.
#[derive(Debug)]
pub struct Channel(UnixStream);

impl Channel {
    /// Creates a channel. The second value is the program's end.
    pub(crate) fn open() -> io::Result<(Self, Stdio)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((Self(ours), OwnedFd::from(theirs).into()))
    }

    /// Returns another handle of the same end, for another thread.
    ///
    /// # Errors
    /// If this process has too many open files.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Closes both directions for all handles. Threads that wait in a read or write return.
    pub fn close(&self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Read for Channel {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Channel {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
