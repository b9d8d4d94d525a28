//! The runtime of toolc: serves a compiled tool catalog to a model and dispatches the model's calls.
//!
//! ```text
//! Registry ──session()──▶ Session ──turn()──▶ Turn ──definitions()──▶ the model
//! (providers)            (granted set)       (snapshot) ◀──call()──── the model
//! ```
//!
//! A [`Registry`] holds the [`Provider`]s of one process, a [`Session`] one conversation's choice of
//! toolsets, a [`Turn`] an immutable snapshot of that choice in one [`Dialect`]. What a turn did not show
//! cannot be called through it.
//!
//! What tools require is asked first: of the session's [`Env`], of its facts, of the handlers. Only then are texts
//! written, for the tools that are there; [`Turn::hidden`] says why others are not.
//!
//! Nothing here knows TOML or templates: [`Tool`]s, [`Toolset`]s and argument [`table`]s are data, usually
//! static data written by `cargo xtask gen`.

mod agent;
mod approval;
pub mod args;
mod availability;
mod batch;
pub mod behaviour;
mod bridge;
mod call;
mod cancel;
mod clock;
mod decide;
mod dispatch;
mod env;
mod facts;
#[cfg(test)]
mod fakes;
pub mod fields;
mod gates;
pub mod graph;
mod hooks;
mod host;
mod json;
mod key;
mod limit;
mod log;
mod nearest;
mod outcome;
mod output;
pub mod pack;
mod panics;
mod pool;
mod progress;
mod provider;
mod record;
mod registry;
pub mod requirement;
mod running;
mod scrub;
mod secret;
pub mod segment;
mod session;
mod sheet;
mod spec;
mod spill;
pub mod table;
mod task;
#[cfg(feature = "testing")]
pub mod testing;
mod timer;
pub mod to_json;
mod tokens;
mod trace;
mod turn;
mod watched;

pub use agent::{AgentTask, AgentTools, Pending};
pub use approval::{ApprovalRequest, Approver, Decision, Why};
pub use args::{FromSlot, Slots};
pub use availability::{Availability, Check, Hidden, Reason};
pub use batch::Answered;
pub use call::{Call, ToolCall};
pub use cancel::{Cancel, Cancellation};
pub use dispatch::Answer;
pub use env::Env;
pub use hooks::{CallInfo, CallResult, Fault, HIDDEN, Hook, Stage, Step};
pub use limit::ResultLimits;
pub use nearest::nearest;
pub use output::{ErrorKind, Output, Problem, ToolError};
pub use progress::Progress;
pub use provider::{Provider, Reply};
pub use registry::{Collision, Registry};
pub use secret::Secret;
pub use segment::FactValue;
#[cfg(feature = "raw_value")]
pub use serde_json::value::RawValue;
pub use serde_json::{Map, Value};
pub use session::{Session, SessionBuilder, SessionError};
pub use spec::{Definition, Dialect, Distribution, Fact, Text, Tool, Toolset, Variable};
pub use spill::{Spill, SpillFolder};
pub use task::Task;
pub use to_json::ToJson;
pub use tokens::estimated_tokens;
pub use turn::Turn;

/// The version of the contract between generated code and this crate. It changes with every change to a
/// type that generated code fills in.
pub const STAMP: u32 = 6;

/// Fails the build of generated code that was written for another version of this crate.
///
/// # Panics
/// When `stamp` is not [`STAMP`]. Generated code calls this in a constant, so that it is a compile error.
pub const fn assert_stamp(stamp: u32) {
    assert!(stamp == STAMP, "this generated code does not fit the linked `toolc` crate: run `cargo xtask gen`");
}

/// The guide's examples are run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/calls.md")]
struct Guide;
