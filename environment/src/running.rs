//! A program that has been started.

use std::fmt;
use std::io;

use toolc_process::{Channel, EndReason, TerminalSize};

/// A program that an environment runs, with all processes that it starts. Dropping it [ends](Self::end) them.
pub trait Running: fmt::Debug + Send + Sync {
    /// Returns the id of the program in its environment, or `None` if it has none.
    fn id(&self) -> Option<u32>;

    /// Returns the outcome, or `None` while the program runs.
    ///
    /// # Errors
    /// If the outcome is unknown.
    fn outcome(&self) -> io::Result<Option<Outcome>>;

    /// Waits until the program ends, or until `should_stop` returns true. `should_stop` is called at least ten times per second. Returns
    /// the outcome, or `None` if the program still runs.
    ///
    /// # Errors
    /// Like [`outcome`](Self::outcome).
    fn wait(&self, should_stop: &dyn Fn() -> bool) -> io::Result<Option<Outcome>>;

    /// Ends all processes, even if the program itself has ended, and waits until they have ended. Processes that do not react to a signal
    /// within a second are killed.
    ///
    /// # Errors
    /// Like [`outcome`](Self::outcome).
    fn end(&self) -> io::Result<Outcome>;

    /// Adds all of the bytes to standard input, or none of them. Does not wait for a program that does not read.
    ///
    /// # Errors
    /// - `Unsupported` if the input is not open.
    /// - `WouldBlock` if the program does not read its input.
    /// - `BrokenPipe` or another error if the program has closed its input or has ended.
    fn write(&self, bytes: &[u8]) -> io::Result<()>;

    /// Closes standard input. On a terminal, sends the end-of-file character.
    ///
    /// # Errors
    /// Like [`write`](Self::write).
    fn close_input(&self) -> io::Result<()>;

    /// Returns a handle of the host's end of the [channel](crate::Input::Channel).
    ///
    /// # Errors
    /// `Unsupported` if the program has no channel.
    fn channel(&self) -> io::Result<Channel>;

    /// Changes the size of the terminal.
    ///
    /// # Errors
    /// `Unsupported` if the program has no terminal.
    fn resize(&self, size: TerminalSize) -> io::Result<()>;

    /// Lets all processes continue to run until the environment is cleaned up. Their further output is discarded.
    fn release(self: Box<Self>);
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code or the signal.
    pub exit: Exit,
    /// The reason why the program ended.
    pub reason: EndReason,
    /// Whether a child process still had the output open when the program ended.
    pub left_running: bool,
}

/// The exit code of a program, or the signal that ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The program exited.
    Code(i32),
    /// A signal ended the program.
    Signal(i32),
}

impl Exit {
    /// Returns the exit code, or `None` after a signal.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(code),
            Self::Signal(_) => None,
        }
    }
}
