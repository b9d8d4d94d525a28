//! The connection to an interpreter: a socket as its standard input, or files if the environment has no channels.

mod files;

use std::io::{self, Write as _};
use std::sync::Arc;

use toolc_environment::Channel;

use crate::frames::{self, FromScript};
pub(crate) use files::Mailbox;

/// A handle of the connection to an interpreter. One thread reads, and another one writes.
#[derive(Debug)]
pub(crate) enum Connection {
    /// Frames, over a pair of sockets.
    Channel(Channel),
    /// One file for each message.
    Files(Arc<Mailbox>),
}

impl Connection {
    /// Returns another handle of the same connection.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Channel(channel) => channel.try_clone().map(Self::Channel),
            Self::Files(mailbox) => Ok(Self::Files(Arc::clone(mailbox))),
        }
    }

    /// Waits for a message. Returns `None` at the end of the connection.
    ///
    /// # Errors
    /// Returns an error whose subject is the interpreter, such as "has sent a message of ...".
    pub(crate) fn read(&mut self) -> Result<Option<FromScript>, String> {
        match self {
            Self::Channel(channel) => frames::read(channel),
            Self::Files(mailbox) => mailbox.read(),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the connection is closed or broken.
    pub(crate) fn write(&mut self, message: &[u8]) -> io::Result<()> {
        match self {
            Self::Channel(channel) => channel.write_all(&frames::frame(message)?),
            Self::Files(mailbox) => mailbox.write(message),
        }
    }

    /// Closes the connection for all handles. Threads that wait for a message return.
    pub(crate) fn close(&self) {
        match self {
            Self::Channel(channel) => channel.close(),
            Self::Files(mailbox) => mailbox.close(),
        }
    }
}
