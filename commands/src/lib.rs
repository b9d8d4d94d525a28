//! Reads a shell command line without running it, lists every command that could run, and judges them by rules.
//!
//! [`read`] accepts any text, takes time in proportion to its length, and never fails: what it is not certain about becomes a [`Doubt`].
//!
//! ```
//! use toolc_commands::programs::USUAL;
//! use toolc_commands::{Surroundings, read};
//!
//! let reading = read("cd build && sudo sh -c 'make install'", &USUAL, &Surroundings::default());
//! let names: Vec<_> = reading.commands.iter().filter_map(|command| command.program.name()).collect();
//! assert_eq!(names, ["cd", "sudo", "sh", "make"]);
//! assert!(reading.doubts.is_empty());
//! ```
//!
//! [`judge`] reads a line and compares its commands with the rules of a [`RuleSet`](rules::RuleSet). The crate has no rules of its own.

mod certainty;
pub mod characters;
mod doubt;
mod exact;
mod file_system;
pub mod flags;
mod judge;
mod passwords;
pub mod programs;
mod reading;
pub mod rules;
mod scripts;
mod span;
pub mod syntax;
mod unfold;
mod words;
mod work;

pub use doubt::{Doubt, DoubtKind};
pub use exact::{ExactWords, exact_words, exact_words_of};
pub use file_system::{Entry, FileId, FileSystem, NamedEntry};
pub use judge::{Cause, Exception, Finding, Judgement, PlaceMatcher, judge, reach};
pub use passwords::password_spans;
pub use programs::ProgramTable;
pub use reading::{Command, Directory, How, Input, Program, Reading, Shells, Surroundings, Via};
pub use span::Span;
pub use syntax::{CommandId, Part, ScopeId, ScopeKind, Word};
pub use work::{MAX_BYTES, MAX_DEPTH};

/// Lists every command that could run when a shell runs `line`.
pub fn read(line: &str, programs: &ProgramTable<'_>, surroundings: &Surroundings<'_>) -> Reading {
    unfold::unfold(line, programs, surroundings)
}

/// Runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
