//! Where the commands about skills print, and whom they ask: the standard streams, or the chat.

use crate::ground::ask;
use crate::ground::error::Result;
use crate::ground::tell::tell;

/// Where a command prints, and whom it asks.
pub(crate) trait Console {
    /// Prints what the command was run for.
    ///
    /// # Errors
    /// If it cannot be written.
    fn print(&self, text: &str) -> Result<()>;

    /// Reports something besides.
    fn note(&self, text: &str);

    /// Fails if the person has left the command, so that a change that has not begun is not made.
    ///
    /// # Errors
    /// If the command was interrupted.
    fn check_open(&self) -> Result<()>;

    /// Asks whether to go on with a change. With `yes`, the person has answered on the command line.
    ///
    /// # Errors
    /// If no person can be asked, or the command was interrupted.
    fn confirm(&self, question: &str, yes: bool) -> Result<bool>;
}

/// The standard streams of this process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streams;

impl Console for Streams {
    fn print(&self, text: &str) -> Result<()> {
        ask::print(text)
    }

    fn note(&self, text: &str) {
        tell!("{text}");
    }

    /// Ctrl-C ends the process.
    fn check_open(&self) -> Result<()> {
        Ok(())
    }

    fn confirm(&self, question: &str, yes: bool) -> Result<bool> {
        if yes {
            return Ok(true);
        }
        ask::require_terminal("what is shown")?;
        ask::confirm(question)
    }
}
