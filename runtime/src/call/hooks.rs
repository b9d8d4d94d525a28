//! Hooks: code of the host that runs for every call of a session.

use crate::data::secret::REDACTED;
use crate::result::output::ToolResult;
use std::any::type_name;
use std::fmt;
use std::pin::Pin;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::call::response::CallResponse;
use crate::data::behaviour::Annotations;
use crate::panics;
use crate::result::output::ToolError;

/// A hook: code of the host that runs before and after each call of a session: see
/// [`SessionBuilder::hook`](crate::SessionBuilder::hook). Hooks run in the order in which they were added, and each
/// sees the changes of the previous ones.
///
/// Hooks run on the caller's thread and should be fast. The model never sees the failure of a hook, an error or a
/// panic. Every hook is [notified](Self::fault) of it.
///
/// ```
/// use toolc::hooks::{CallInfo, Hook, HookAction};
/// use toolc::ToolError;
///
/// /// Requires approval for all tools that change something.
/// struct ApproveChanges;
///
/// impl Hook for ApproveChanges {
///     fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
///         let reads = call.annotations().read_only;
///         Ok(if reads { HookAction::Continue } else { HookAction::Ask("the tool changes something".to_owned()) })
///     }
/// }
/// ```
pub trait Hook: Send + Sync {
    /// Returns the name of the hook in error reports.
    fn name(&self) -> &str {
        type_name::<Self>()
    }

    /// Called before a handler runs, with repaired and validated arguments. If it fails, the call is refused.
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        let _ = call;
        Ok(HookAction::Continue)
    }

    /// Called after a handler has run. Returns a new result, or `None` to keep it. If it fails, the result is kept.
    fn transform_result(&self, call: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        let _ = (call, result);
        Ok(None)
    }

    /// Called with the exact text that the model gets, also for calls that were refused or whose arguments were
    /// invalid.
    fn after_call(&self, call: &CallInfo<'_>, answer: &CallResponse) -> Result<(), ToolError> {
        let _ = (call, answer);
        Ok(())
    }

    /// Called when this or another part of the host fails.
    fn fault(&self, call: &CallInfo<'_>, fault: &HostError<'_>) {
        let _ = (call, fault);
    }
}

/// What happens to a call after [`Hook::before_call`].
#[non_exhaustive]
pub enum HookAction {
    /// The call continues unchanged.
    Continue,
    /// These arguments replace those of the same names. All others are kept, secret ones included. The result is
    /// repaired and validated again.
    Change(Map<String, Value>),
    /// The call is not run. The model gets the reason.
    Block(String),
    /// The call needs approval. The approver gets the reason.
    Ask(String),
    /// The action is decided later. If the call is cancelled meanwhile, or the future takes longer than the call's own
    /// [time limit](crate::SessionBuilder::timeout), the call is not run.
    Later(Pin<Box<dyn Future<Output = Result<HookAction, ToolError>> + Send>>),
}

impl fmt::Debug for HookAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HookAction::Continue => f.write_str("Continue"),
            HookAction::Change(arguments) => f.debug_tuple("Change").field(arguments).finish(),
            HookAction::Block(reason) => f.debug_tuple("Block").field(reason).finish(),
            HookAction::Ask(reason) => f.debug_tuple("Ask").field(reason).finish(),
            HookAction::Later(_) => f.write_str("Later"),
        }
    }
}

/// Information about a call, for the host.
#[derive(Debug, Clone, Copy)]
pub struct CallInfo<'a> {
    pub(crate) tool: &'a str,
    pub(crate) id: &'a str,
    pub(crate) task: &'a str,
    pub(crate) annotations: Annotations,
    pub(crate) arguments: &'a Value,
    pub(crate) began: Option<Instant>,
    pub(crate) takes_secrets: bool,
}

impl<'a> CallInfo<'a> {
    /// Returns the tool's own name, or for an unknown tool the name that the model wrote.
    pub const fn tool(&self) -> &'a str {
        self.tool
    }

    /// Returns the id of the call in the vendor's API; may be empty.
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// Returns the name of the call's task.
    pub const fn task(&self) -> &'a str {
        self.task
    }

    /// Returns the declared effects of the tool.
    pub const fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// Returns the repaired arguments: an object, or null if they could not be read. Secret values are [`REDACTED`].
    pub const fn arguments(&self) -> &'a Value {
        self.arguments
    }

    /// Returns the time since the call began; after the call, its duration. It includes waiting for approval and for a
    /// thread. Zero on platforms without a clock.
    pub fn elapsed(&self) -> Duration {
        self.began.map_or(Duration::ZERO, |began| began.elapsed())
    }

    /// Returns whether the tool has secret parameters, sent or not. Its answer may repeat their values.
    pub const fn takes_secrets(&self) -> bool {
        self.takes_secrets
    }
}

/// The failure of a part of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostError<'a> {
    /// The part: the name of a hook, or the kind of the part.
    pub part: &'a str,
    /// The stage of the call.
    pub stage: HostStage,
    /// The message, which a model must not see.
    pub message: &'a str,
}

/// The stage of a call at which a part of the host fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostStage {
    /// [`Hook::before_call`]: the call was refused.
    BeforeCall,
    /// [`Approver::decide`](crate::approval::Approver::decide): the call was denied.
    Approval,
    /// [`Hook::transform_result`]: the result was kept.
    TransformResult,
    /// [`SpillStore::keep`](crate::limits::SpillStore::keep): the result was cut, and the rest is lost.
    Spill,
    /// [`Hook::after_call`].
    AfterCall,
}

impl HostError<'_> {
    /// Returns a copy for logs, without the message if it could repeat a secret.
    pub(crate) fn shown(self, call: &CallInfo<'_>) -> Self {
        if call.takes_secrets { Self { message: REDACTED, ..self } } else { self }
    }
}

impl fmt::Display for HostError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match self.stage {
            HostStage::BeforeCall => "before a call",
            HostStage::Approval => "while asked to approve a call",
            HostStage::TransformResult => "while transforming a result",
            HostStage::Spill => "while keeping a result",
            HostStage::AfterCall => "after a call",
        };
        write!(f, "{} failed {stage}: {}", self.part, self.message)
    }
}

/// Returns the name of a hook, even if it panics.
pub(crate) fn name(hook: &dyn Hook) -> &str {
    panics::catch(|| hook.name()).unwrap_or("a hook")
}
