//! Hooks: what a host has to say of every call of a session, and where it watches them.

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

/// Code of the host around the calls of a session: see [`SessionBuilder::hook`](crate::SessionBuilder::hook). Several
/// are asked in the order in which they were added; a later one sees what an earlier one changed.
///
/// Each runs on the caller's thread and should not take long. A fault, be it an error or a panic, never reaches the
/// model's answer as it is: every hook is [told](Self::fault) of it.
///
/// ```
/// use toolc::hooks::{CallInfo, Hook, HookAction};
/// use toolc::ToolError;
///
/// /// Nothing is written on Fridays without somebody's word.
/// struct Fridays(bool);
///
/// impl Hook for Fridays {
///     fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
///         let reads = call.annotations().read_only;
///         Ok(if self.0 && !reads { HookAction::Ask("it is Friday".to_owned()) } else { HookAction::Continue })
///     }
/// }
/// ```
pub trait Hook: Send + Sync {
    /// What it is called where it fails.
    fn name(&self) -> &str {
        type_name::<Self>()
    }

    /// Before a handler runs: its arguments are read, repaired and valid. What fails here fails closed: the call is
    /// refused.
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        let _ = call;
        Ok(HookAction::Continue)
    }

    /// After a handler has run: what its result becomes, if anything else. What fails here leaves the result as it is.
    fn transform_result(&self, call: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        let _ = (call, result);
        Ok(None)
    }

    /// What the model gets, to the letter; also of calls that were refused, or whose arguments could not be read.
    fn after_call(&self, call: &CallInfo<'_>, answer: &CallResponse) -> Result<(), ToolError> {
        let _ = (call, answer);
        Ok(())
    }

    /// Told where this or another part of the host failed.
    fn fault(&self, call: &CallInfo<'_>, fault: &HostError<'_>) {
        let _ = (call, fault);
    }
}

/// How a call goes on after [`Hook::before_call`].
#[non_exhaustive]
pub enum HookAction {
    /// As it is.
    Continue,
    /// With these arguments in place of those of the same names; all others stay, secret ones included. The whole is
    /// read and validated again.
    Change(Map<String, Value>),
    /// Not at all, for this reason, which the model is told.
    Block(String),
    /// Not before somebody has approved it, who is told this reason.
    Ask(String),
    /// As is settled later. A call that is cancelled meanwhile is not run, nor is one whose hook takes longer for this than
    /// the call itself [may](crate::SessionBuilder::timeout).
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

/// What the host may know of a call.
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
    /// The tool's own name; of a tool that is not there, what the model wrote.
    pub const fn tool(&self) -> &'a str {
        self.tool
    }

    /// The id by which the provider's API knows this call; may be empty.
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// The task to which the call belongs.
    pub const fn task(&self) -> &'a str {
        self.task
    }

    /// What the tool does to the world, as its author says.
    pub const fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// The arguments that were sent, repaired: an object, or null where they could not be read. The value of a secret
    /// is [`REDACTED`].
    pub const fn arguments(&self) -> &'a Value {
        self.arguments
    }

    /// How long ago the call began. Afterwards, this is how long it took: the time for which it waited for somebody's
    /// approval, or for a thread, counts. Zero where there is no clock.
    pub fn elapsed(&self) -> Duration {
        self.began.map_or(Duration::ZERO, |began| began.elapsed())
    }

    /// Whether any of the tool's arguments is a secret, be it sent or not. What such a tool answers may repeat it.
    pub const fn takes_secrets(&self) -> bool {
        self.takes_secrets
    }
}

/// A part of the host that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostError<'a> {
    /// Which: a hook's name, or what kind of part it is.
    pub part: &'a str,
    /// What it failed at.
    pub stage: HostStage,
    /// How. Not for a model's eyes.
    pub message: &'a str,
}

/// What a part of the host fails at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostStage {
    /// [`Hook::before_call`]: the call was refused.
    BeforeCall,
    /// [`Approver::decide`](crate::Approver::decide): the call was denied.
    Approval,
    /// [`Hook::transform_result`]: the result is as it was.
    TransformResult,
    /// [`SpillStore::keep`](crate::SpillStore::keep): what was too long is cut, and the rest is lost.
    Spill,
    /// [`Hook::after_call`].
    AfterCall,
}

impl HostError<'_> {
    /// What may be written down of it: who has seen a result may say what is in it.
    pub(crate) fn shown(self, call: &CallInfo<'_>) -> Self {
        if call.takes_secrets { Self { message: REDACTED, ..self } } else { self }
    }
}

impl fmt::Display for HostError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match self.stage {
            HostStage::BeforeCall => "before a call",
            HostStage::Approval => "asked to approve a call",
            HostStage::TransformResult => "transforming a result",
            HostStage::Spill => "keeping a result",
            HostStage::AfterCall => "after a call",
        };
        write!(f, "{} failed {stage}: {}", self.part, self.message)
    }
}

/// What a hook is called, whatever happens.
pub(crate) fn name(hook: &dyn Hook) -> &str {
    panics::catch(|| hook.name()).unwrap_or("a hook")
}
