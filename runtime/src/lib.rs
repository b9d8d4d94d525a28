//! The runtime of toolc: serves a compiled tool catalog to a model and dispatches the model's calls.
//!
//! ```text
//! Registry ──session()──▶ Session ──turn()──▶ Turn ──definitions()──▶ the model
//! (providers)            (granted set)       (snapshot) ◀──call()──── the model
//! ```
//!
//! A [`Registry`] holds the [`ToolProvider`]s of one process, which come and go; a [`Session`] one conversation's choice of
//! toolsets; a [`Turn`] an immutable snapshot of that choice in one [`Dialect`]. What a turn did not show cannot be called
//! through it.
//!
//! What tools require is asked first: of the session's [`Env`], of its facts, of the handlers. Only then are texts
//! written, for the tools that are there; [`Turn::hidden`] says why others are not, [`Turn::why`] all about one of them, and
//! [`Turn::doctor`] what is to be done about it.
//!
//! Nothing here knows TOML or templates: [`Tool`]s, [`Toolset`]s and argument [`table`]s are data, usually
//! static data written by `cargo xtask gen`.
//!
//! The folders: `data` is what providers say, `registry` what a turn shows of it, `args` how a model's arguments are
//! read, `call` the way of a call, `run` how handlers run, `result` what becomes of a result, `watch` who is told, `wire` a vendor's messages.

pub mod args;
mod availability;
mod call;
mod data;
mod dispatch;
pub mod explain;
#[cfg(test)]
mod fakes;
#[cfg(feature = "search")]
mod index;
mod observe;
mod panics;
mod provider;
mod registration;
mod registry;
mod render;
mod result;
mod run;
#[cfg(feature = "search")]
pub mod search;
mod session;
mod sorted;
#[cfg(feature = "testing")]
pub mod testing;
mod text;
mod vec_map;
#[cfg(any(feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini", feature = "wire-mcp"))]
pub mod wire;

pub use data::{behaviour, fields, graph, pack, requirement, segment, table, to_json};
pub use provider::compiled;

pub use args::{FromSlot, Slots};
pub use availability::{HiddenReason, HiddenTool};
pub use call::approval::{ApprovalDecision, ApprovalReason, ApprovalRequest, Approver};
pub use call::hooks::{CallInfo, Hook, HookAction, HostError, HostStage};
pub use call::response::{CallResponse, CompletedCall};
pub use call::{Call, ToolCall};
pub use data::catalog::{Definition, Distribution, Fact, Tool, Toolset, Variable};
#[doc(hidden)]
pub use data::dialect::FeatureOfToolcIsMissing;
pub use data::dialect::{Dialect, PerDialect};
pub use data::env::Env;
pub use data::secret::{REDACTED, Secret};
pub use data::segment::FactValue;
pub use data::to_json::ToJson;
pub use data::tokens::estimated_tokens;
pub use dispatch::agent::{AgentTask, AgentTools, PendingAgentCall};
pub use provider::availability::{Availability, AvailabilityCheck};
pub use provider::dynamic::{DynamicTool, DynamicTools, InvalidTools};
pub use provider::{HandlerReply, ToolProvider};
pub use registration::ProviderId;
pub use registration::refusal::{Refusal, RegistryError};
pub use registry::error::SessionError;
pub use registry::{Registry, ToolsetInfo};
#[cfg(feature = "search")]
pub use render::search_tools::ToolSearch;
pub use result::image::Image;
pub use result::limit::ResultLimits;
pub use result::output::{ErrorKind, Problem, ToolError, ToolOutput, ToolResult};
pub use result::spill::{SpillFolder, SpillStore};
pub use run::cancel::{CancelHandle, CancellationToken};
pub use run::progress::Progress;
pub use run::task::Task;
#[cfg(feature = "raw_value")]
pub use serde_json::value::RawValue;
pub use serde_json::{Map, Value};
pub use session::turn::Turn;
pub use session::{Session, SessionBuilder};
pub use text::nearest::nearest;

/// The version of the contract between generated code and this crate. It changes with every change to a
/// type that generated code fills in.
pub const STAMP: u32 = 9;

/// Fails the build of generated code that was written for another version of this crate.
///
/// # Panics
/// When `stamp` is not [`STAMP`]. Generated code calls this in a constant, so that it is a compile error.
pub const fn assert_stamp(stamp: u32) {
    assert!(stamp == STAMP, "this generated code does not fit the linked `toolc` crate: run `cargo xtask gen`");
}

/// What tools are found by, where this crate has the feature `search`.
#[cfg(not(feature = "search"))]
#[doc(hidden)]
#[macro_export]
macro_rules! search_index {
    ($packed:literal) => {
        &[]
    };
}

/// The guides' examples are run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/calls.md")]
#[doc = include_str!("../../docs/repair.md")]
#[doc = include_str!("../../docs/availability.md")]
#[doc = include_str!("../../docs/registry.md")]
#[cfg_attr(feature = "search", doc = include_str!("../../docs/search.md"))]
#[cfg_attr(
    all(feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini", feature = "wire-mcp"),
    doc = include_str!("../../docs/wire.md")
)]
struct Guides;
