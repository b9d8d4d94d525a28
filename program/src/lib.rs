//! Runs the handlers of tools in a program of another language, which stays running.
//!
//! A toolset whose manifest has `language = "python"` or `"typescript"` has no handlers in Rust. The generated code has a type for it,
//! such as `NotesProgram`, which implements the trait of its handlers by [`ProgramHandlers`]: each call becomes a line of JSON for the
//! program, and the program answers with another line.
//!
//! The crate `toolc-plugins` runs the programs of plugins with the same parts.

// From top to bottom: `handlers` ask `programs`, which sends a request to a `program` that runs `once`, or is `resident`.
mod environment;
mod handlers;
mod once;
mod output;
mod place;
mod program;
mod programs;
mod protocol;
mod resident;
mod running_calls;

pub use handlers::{ProgramHandlers, ToolsetProgram};

/// What `toolc-plugins` needs. It may change in any release.
#[doc(hidden)]
pub mod parts {
    pub use crate::environment::PassedVariables;
    pub use crate::place::Place;
    pub use crate::program::{IDLE_TIMEOUT, MAX_OUTPUT, Program};
    pub use crate::programs::Programs;
    pub use crate::protocol::{Answer, CallOutcome, Request};
    pub use crate::resident::Residents;
    pub use crate::running_calls::{RunningCallGuard, RunningCalls};
}
