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
//! assert!(turn.definitions().contains("Counts to a limit.")); // to send to the model
//!
//! // A call from the model. `"5"` is repaired to the integer 5.
//! let response = turn.call_blocking(&ToolCall::new("count", r#"{"limit": "5"}"#));
//! assert_eq!(response.json, r#""counted to 5""#);
//! # Ok(())
//! # }
//! ```
//!
//! - A [`Registry`] holds the [`ToolProvider`]s of a process. They can be added and removed at any time.
//! - A [`Session`] is one conversation, with its own choice of toolsets, facts, hooks and environment.
//! - A [`Turn`] is an immutable snapshot of a session in one [`Dialect`]: the definitions for a request to the model, and
//!   the only tools that the model can call in its response.
//!
//! A turn shows a granted tool if the tool's requirements are met: environment variables and programs in the session's
//! [`Env`], facts, other tools, and availability checks of the handlers. [`Turn::hidden`] lists the other granted tools,
//! [`Turn::why`] explains one tool in detail, and [`Turn::doctor`] reports what all hidden tools lack.
//!
//! The runtime does not read TOML or templates: [`Tool`]s, [`Toolset`]s and argument tables are data, usually static data
//! that `cargo xtask gen` has written.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod __gen;
pub mod args;
pub mod availability;
mod call;
mod data;
mod dispatch;
mod env;
pub mod explain;
#[cfg(test)]
mod fakes;
mod graph;
#[cfg(feature = "search")]
mod index;
mod number;
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
pub mod text;
#[cfg(feature = "typescript")]
mod typescript;
mod vec_map;
#[cfg(feature = "__wire")]
pub mod wire;

/// Reads shell commands, and judges them by command rules.
#[cfg(feature = "approval")]
pub use toolc_commands as commands;

pub use call::completed::CompletedCall;
pub use call::response::CallResponse;
pub use call::{Call, ToolCall};
pub use data::behaviour;
pub use data::catalog::{Tool, Toolset};
pub use data::client_fields;
pub use data::dialect::Dialect;
pub use data::secret::Secret;
pub use data::segment::FactValue;
pub use data::to_json::ToJson;
pub use env::Env;
pub use provider::dynamic::{DynamicTool, DynamicTools};
pub use provider::{HandlerReply, ToolProvider};
pub use registry::Registry;
pub use result::attachment;
pub use result::error::{ErrorKind, Problem, ToolError};
pub use result::image::Image;
pub use result::output::{ToolOutput, ToolResult};
pub use run::progress::Progress;
pub use run::task::Task;
pub use run::values::HostValues;
pub use serde_json::Value;
#[cfg(feature = "raw-value")]
pub use serde_json::value::RawValue;
pub use session::turn::Turn;
pub use session::{Session, SessionBuilder};

pub mod changes {
    //! How the tools of two turns differ.

    pub use crate::call::changes::{ChangeCause, ToolChange, ToolChanges};
}

pub mod agent {
    //! Tools that the agent's own loop runs instead of a handler, such as a sub-agent or a question to the user.

    pub use crate::dispatch::agent::{AgentTask, AgentTools, PendingAgentCall};
}

pub mod approval {
    //! Approval of calls by the host before they run.

    pub use crate::call::approval::{
        ApprovalDecision, ApprovalReason, ApprovalRequest, Approver, OwnedApprovalRequest, approver_fn,
    };
    pub use crate::call::permissions::{
        KeptUntil, PermissionCall, PermissionDecision, PermissionOffer, PermissionReason, Permissions,
    };
    pub use crate::provider::code_parameters::{CodeParameter, code_parameters};
    #[cfg(feature = "approval")]
    pub use toolc_redact::{is_credential, is_secret};

    #[cfg(feature = "approval")]
    pub use crate::call::approval::{
        command::{CallCommands, CommandAnswer, CommandFinding, CommandReason},
        log::{ApprovalLog, ApprovalRecord},
        pending::{Pending, PendingApprovals, UnknownQuestion},
        policy::{CommandApproval, CommandMode},
        shell::{Exposure, InputLanguage, ProgramInput, ShellState},
        store::{ApprovalStore, StoredCommand},
    };
    #[cfg(feature = "approval")]
    pub use crate::call::decision::{CallDecision, DecidedBy, DecisionReason, RecordedDecision};
}

pub mod background {
    //! Calls that run while the model continues.

    pub use crate::dispatch::background::BackgroundCall;
}

pub mod cancel {
    //! Cancellation of calls, and checking for it in a handler.

    pub use crate::run::cancel::{CancelHandle, CancellationToken};
}

pub mod catalog {
    //! The data of a catalog besides tools and toolsets: definitions, facts, environment variables, distributions.

    pub use crate::data::catalog::{Definition, Distribution, Fact, Variable};
    pub use crate::data::python::python_module;
    pub use crate::data::segment::{Atom, Comparison, Condition, Op, Segment};
    pub use crate::provider::StartDirectory;
    pub use crate::registration::ProviderId;
    pub use crate::registry::ToolsetInfo;
    pub use crate::text::tokens::estimated_tokens;
}

pub mod directory {
    //! The directory in which the command of a call starts.

    pub use crate::call::found_directory::FoundDirectory;
}

pub mod error {
    //! Errors of tool providers and sessions. The error of a call is [`ToolError`](crate::ToolError).

    pub use crate::provider::invalid_tools::{InvalidTool, InvalidTools};
    pub use crate::registration::refusal::{Refusal, RegistryError};
    pub use crate::registry::error::{SessionError, SessionErrorKind};
}

pub mod origin {
    //! What a vendor's API says about a call besides its name and arguments, and who makes it.

    pub use crate::call::origin::{CallKind, CallOrigin, Caller};
}

pub mod hooks {
    //! Hooks: code of the host that observes every call, and can change or block it.

    pub use serde_json::Map;

    pub use crate::call::hooks::{CallInfo, Hook, HookAction, HostError, HostStage, TransformFuture};
    pub use toolc_redact::REDACTED;
}

pub mod limits {
    //! Limits on the length of results, and storage for longer ones.

    pub use crate::result::limit::ResultLimits;
    pub use crate::result::spill::{SpillFolder, SpillStore, StoredText};
}

pub mod redaction {
    //! Replacing the values of secret variables in texts that a host stores or shows.

    pub use toolc_redact::{REDACTED, RedactedStream, Redactor, without_secrets, without_secrets_except};
}

pub mod suggest {
    //! Suggestions of similar names ("did you mean").

    pub use crate::text::nearest::{did_you_mean, misspelt, nearest, nearest_name, suggestion};
}

pub mod repair {
    //! Repair of almost correct arguments: its [rules](RepairRule), and the repairs of a call.
    //!
    //! [`CallResponse::repairs`](crate::CallResponse::repairs) and [`CallInfo::repairs`](crate::hooks::CallInfo::repairs)
    //! list the repairs of a call, and [`Registry::repairs`](crate::Registry::repairs) counts them.

    pub use crate::args::repairs::{Repair, Repairs};
    pub use crate::args::rules::RepairRule;
    pub use crate::registration::repair_counts::RepairCount;
}

pub mod schema {
    //! Argument tables, built from JSON Schemas, and the definitions of tools that are made at run time.

    pub use crate::data::table::{SchemaError, Table};
    pub use crate::provider::dynamic::LoweredTool;
    pub use crate::provider::function_definition::FunctionDefinition;
}

/// Runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
