//! Where the commands about skills print, and whom they ask: the standard streams, or the chat.

use std::io::{self, IsTerminal as _};

use crate::ground::ask;
use crate::ground::error::{Error, Result};
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

    fn confirm(&self, question: &str, yes: bool) -> Result<bool> {
        if yes {
            return Ok(true);
        }
        if !io::stdin().is_terminal() {
            return Err(Error::Invalid(
                "the confirmation needs a terminal: check what is shown, and pass `--yes`".to_owned(),
            ));
        }
        ask::confirm(question)
    }
}
