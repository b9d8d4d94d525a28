//! The runtime of toolc: serves a compiled tool catalog to a model, and runs the model's calls.
//!
//! ```text
//! Registry ──session()──▶ Session ──turn()──▶ Turn ──definitions()──▶ the model
//! (tool providers)        (granted tools)     (snapshot) ◀──call()─── the model
//! ```
//!
//! ```
//! use serde_json::json;
//! use toolc::{Dialect, DynamicTool, Registry, ToolCall, ToolOutput};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = json!({"type": "object", "properties": {"limit": {"type": "integer"}}, "required": ["limit"]});
//! let count = DynamicTool::sync("count", "Counts to a limit.", schema, |args, _| {
//!     Ok(ToolOutput::text(format!("counted to {}", args["limit"])))
//! });
//! let registry = Registry::new();
//! registry.add(count.build()?)?;
//!
//! let turn = registry.session().build()?.turn_blocking(Dialect::OpenAi);
//! assert!(turn.definitions().contains("Counts to a limit.")); // for the model
//!
//! let response = turn.call_blocking(&ToolCall::new("count", r#"{"limit": "5"}"#)); // from the model, repaired
//! assert_eq!(response.json, r#""counted to 5""#);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Registry`] holds the [`ToolProvider`]s of one process, which come and go. A [`Session`] is one conversation,
//! with its own choice of toolsets. A [`Turn`] is an immutable snapshot of a session in one [`Dialect`]. A tool that a
//! turn does not show cannot be called through it.
//!
//! Requirements are evaluated first: the session's [`Env`], its facts, and the handlers' checks. Then texts are written
//! for the tools that are shown. [`Turn::hidden`] says why others are hidden, [`Turn::why`] explains one of them
//! completely, and [`Turn::doctor`] says what to do about all of them.
//!
//! The runtime knows nothing of TOML or templates: [`Tool`]s, [`Toolset`]s and argument tables are data, usually static
//! data that `cargo xtask gen` has written.
//!
//! The folders: `data` is what tool providers declare, `args` reads arguments, `run` runs handlers, `call` is a call
//! and its context, `dispatch` its pipeline, `result` limits results, `registry`, `registration` and `availability`
//! decide which tools are shown, `session` holds sessions and turns, `observe` logs, and `wire` reads and writes
//! vendors' messages.

#![cfg_attr(docsrs, feature(doc_cfg))]

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
#[cfg(feature = "raw-value")]
pub use serde_json::value::RawValue;
pub use session::turn::Turn;
pub use session::{Session, SessionBuilder};

pub mod agent {
    //! Tools of the agent's own loop, such as a sub-agent or a question to the user.

    pub use crate::dispatch::agent::{AgentTask, AgentTools, PendingAgentCall};
}

pub mod approval {
    //! Approval of calls before they are run.

    pub use crate::call::approval::{ApprovalDecision, ApprovalReason, ApprovalRequest, Approver};
}

pub mod cancel {
    //! Cancelling calls, and checking for it in a handler.

    pub use crate::run::cancel::{CancelHandle, CancellationToken};
}

pub mod catalog {
    //! The data of a catalog besides tools and toolsets: definitions, facts, environment variables, distributions.

    pub use crate::data::catalog::{Definition, Distribution, Fact, Variable};
    pub use crate::data::segment::{Atom, Comparison, Condition, Op, Segment};
    pub use crate::data::tokens::estimated_tokens;
    pub use crate::registration::ProviderId;
    pub use crate::registry::ToolsetInfo;
}

pub mod error {
    //! Errors of tool providers and sessions. The error of a call is [`ToolError`](crate::ToolError).

    pub use crate::provider::invalid_tools::{InvalidTool, InvalidTools};
    pub use crate::registration::refusal::{Refusal, RegistryError};
    pub use crate::registry::error::{SessionError, SessionErrorKind};
}

pub mod hooks {
    //! Hooks: code of the host that sees every call, and can change or block it.

    pub use serde_json::Map;

    pub use crate::call::hooks::{CallInfo, Hook, HookAction, HostError, HostStage};
    pub use crate::data::secret::REDACTED;
}

pub mod limits {
    //! Limits of results, and storage for results that are too long.

    pub use crate::result::limit::ResultLimits;
    pub use crate::result::spill::{SpillFolder, SpillStore};
}

pub mod schema {
    //! Argument tables, built from JSON Schemas, and function definitions in OpenAI's format.

    pub use crate::data::table::Table;
    pub use crate::provider::function_definition::FunctionDefinition;
}

/// Runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
