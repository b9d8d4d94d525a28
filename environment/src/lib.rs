//! Where commands and file tools act: an [`Environment`] runs programs, here or elsewhere.
//!
//! [`Local`] is this machine. Another environment implements the same trait, and passes the same tests (`tests/behaviours.rs`).

mod local;
mod program;
mod running;

use std::fmt;
use std::io;
use std::path::Path;

pub use local::Local;
pub use program::{Input, Launch, OnEnd, Output, Program};
pub use running::{Exit, Outcome, Running};
pub use toolc_process::{EndReason, Sink, TerminalSize};

/// A place where commands run.
///
/// Methods block, so that handlers call them from a pool of threads.
pub trait Environment: fmt::Debug + Send + Sync {
    /// Returns the kind of the environment, such as `local`, which approvals and logs name.
    fn name(&self) -> &str;

    /// Returns what the environment can do.
    fn abilities(&self) -> Abilities;

    /// Returns the directory in which programs run by default: an absolute path within the environment.
    fn directory(&self) -> &Path;

    /// Starts a program.
    ///
    /// # Errors
    /// If the program cannot be started. `Unsupported` if the environment lacks an [ability](Self::abilities) that is needed.
    fn start(&self, launch: Launch) -> io::Result<Box<dyn Running>>;

    /// Ends everything that the environment has started and that still runs. After this, nothing starts. Calling it again has no
    /// effect. Dropping the environment does the same.
    fn clean_up(&self);
}

/// What an environment can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Whether programs can run on a pseudo-terminal.
    pub terminal: bool,
    /// Whether programs run on after the call that has started them.
    pub background: bool,
}

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
