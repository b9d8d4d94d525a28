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

#[doc(hidden)]
pub mod __gen;
pub mod args;
pub mod availability;
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
mod stamp;
#[cfg(feature = "testing")]
pub mod testing;
mod text;
mod vec_map;
#[cfg(feature = "__wire")]
pub mod wire;

pub use call::response::{CallResponse, CompletedCall};
pub use call::{Call, ToolCall};
pub use data::behaviour;
pub use data::catalog::{Tool, Toolset};
pub use data::dialect::Dialect;
pub use data::env::Env;
pub use data::secret::Secret;
pub use data::segment::FactValue;
pub use data::to_json::ToJson;
pub use provider::dynamic::{DynamicTool, DynamicTools};
pub use provider::{HandlerReply, ToolProvider};
pub use registry::Registry;
pub use result::image::Image;
pub use result::output::{ErrorKind, Problem, ToolError, ToolOutput, ToolResult};
pub use run::progress::Progress;
pub use run::task::Task;
pub use serde_json::Value;
#[cfg(feature = "raw_value")]
pub use serde_json::value::RawValue;
pub use session::turn::Turn;
pub use session::{Session, SessionBuilder};

pub mod agent {
    //! Tools that the agent's own loop runs, such as a sub-agent or a question to the user.

    pub use crate::dispatch::agent::{AgentTask, AgentTools, PendingAgentCall};
}

pub mod approval {
    //! Asking a person before a call is run.

    pub use crate::call::approval::{ApprovalDecision, ApprovalReason, ApprovalRequest, Approver};
}

pub mod cancel {
    //! Cancelling calls, and noticing it in a handler.

    pub use crate::run::cancel::{CancelHandle, CancellationToken};
}

pub mod catalog {
    //! The data of a catalog besides its tools and toolsets: definitions, facts, environment variables, distributions.

    pub use crate::data::catalog::{Definition, Distribution, Fact, Variable};
    pub use crate::data::segment::{Atom, Comparison, Condition, Op, Segment};
    pub use crate::data::tokens::estimated_tokens;
    pub use crate::registration::ProviderId;
    pub use crate::registry::ToolsetInfo;
}

pub mod error {
    //! What can be wrong with tool providers and sessions. The error of a call is [`ToolError`](crate::ToolError).

    pub use crate::provider::dynamic::InvalidTools;
    pub use crate::registration::refusal::{Refusal, RegistryError};
    pub use crate::registry::error::SessionError;
}

pub mod hooks {
    //! Hooks: host code that sees every call, and may change or block it.

    pub use serde_json::Map;

    pub use crate::call::hooks::{CallInfo, Hook, HookAction, HostError, HostStage};
    pub use crate::data::secret::REDACTED;
}

pub mod limits {
    //! How much of a result the model gets, and where the rest is kept.

    pub use crate::result::limit::ResultLimits;
    pub use crate::result::spill::{SpillFolder, SpillStore};
}

pub mod schema {
    //! Argument tables, which are made from JSON Schemas.

    pub use crate::data::table::Table;
}

/// The README's example is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
