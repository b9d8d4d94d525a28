//! Hooks: code of the host that runs for every call of a session.

use crate::result::output::ToolResult;
use std::any::type_name;
use std::fmt;
#[cfg(feature = "approval")]
use std::path::Path;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use toolc_redact::REDACTED;

use serde_json::{Map, Value};

use crate::args::Limits;
use crate::args::repairs::{self, Repairs};
use crate::call::changes::ToolChanges;
#[cfg(feature = "approval")]
use crate::call::decision::{CallDecision, Decisions};
use crate::call::origin::Caller;
use crate::call::response::CallResponse;
use crate::data::behaviour::Annotations;
use crate::data::table::Table;
use crate::panics;
use crate::result::error::ToolError;
use crate::run::task::TaskInner;

/// Code of the host that runs before and after each call of a session: see
/// [`SessionBuilder::hook`](crate::SessionBuilder::hook). Hooks run in the order in which they were added, and each one
/// sees the changes of the previous ones.
///
/// Hooks run on the caller's thread and should be fast. If a hook fails (by an error or a panic), every hook is
/// [notified](Self::on_host_error). The model never sees the message of the failure.
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

    /// Returns whether [`before_call`](Self::before_call) may [change](HookAction::Change) arguments: true by default. If no hook
    /// of a session does, calls of a batch run at the same time if their `parallel` keys allow it. Otherwise the keys are
    /// unknown until the hooks have run, so calls with keys of the same space run one after the other.
    ///
    /// A hook that returns false and still changes arguments fails, and the call is not run.
    fn changes_arguments(&self) -> bool {
        true
    }

    /// Returns the same for calls of one tool, so that a hook which changes those of a few tools does not delay all others.
    fn changes_arguments_of(&self, tool: &str) -> bool {
        let _ = tool;
        self.changes_arguments()
    }

    /// Called before a handler runs, with repaired and validated arguments. Returns what to do with the call. If the hook
    /// fails, the call is not run.
    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        let _ = call;
        Ok(HookAction::Continue)
    }

    /// Called after a handler has run. Returns a new result, or `None` to keep the result. If the hook fails, the result is
    /// kept.
    fn transform_result(&self, call: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        let _ = (call, result);
        Ok(None)
    }

    /// Returns a future of what [`transform_result`](Self::transform_result) returns, for a hook that must wait. With `None`, as by
    /// default, `transform_result` is called instead.
    ///
    /// If the call is cancelled while the future runs, or it takes longer than the call's own
    /// [time limit](crate::SessionBuilder::timeout), the result is dropped, and the call ends with an error.
    fn transform_later(&self, call: &CallInfo<'_>, result: &ToolResult) -> Option<TransformFuture> {
        let _ = (call, result);
        None
    }

    /// Called at the end of each call, with the exact response for the model. This includes calls that were not run, and
    /// calls with invalid arguments.
    fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        let _ = (call, response);
        Ok(())
    }

    /// Called when the tools of a turn differ from those of the turn before, in the same session and dialect. `session` is the id of the
    /// session. Failures of this method are ignored.
    fn on_tool_changes(&self, session: &str, changes: &ToolChanges<'_>) {
        let _ = (session, changes);
    }

    /// Called when a part of the host fails: this hook, another hook, the approver, the spill store, or a handler that lacks a Tokio
    /// runtime. Failures of this method are ignored.
    fn on_host_error(&self, call: &CallInfo<'_>, error: &HostError<'_>) {
        let _ = (call, error);
    }
}

/// A future of a new result: see [`Hook::transform_later`].
pub type TransformFuture = Pin<Box<dyn Future<Output = Result<Option<ToolResult>, ToolError>> + Send>>;

/// The decision of a hook on a call: see [`Hook::before_call`].
#[non_exhaustive]
pub enum HookAction {
    /// The call continues unchanged.
    Continue,
    /// The call continues with changed arguments. These replace the arguments of the same names, and all others are kept,
    /// including secret ones. The arguments are then repaired and validated again.
    Change(Map<String, Value>),
    /// The call is not run. The model gets this reason.
    Block(String),
    /// The call needs approval. The approver gets this reason.
    Ask(String),
    /// The call needs approval, also if a call was approved for the session for the same reason. The approver gets this reason.
    AskEachTime(String),
    /// The action is the output of this future. If the call is cancelled while it runs, or it takes longer than the call's
    /// own [time limit](crate::SessionBuilder::timeout), the call is not run.
    Async(Pin<Box<dyn Future<Output = Result<HookAction, ToolError>> + Send>>),
}

impl fmt::Debug for HookAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HookAction::Continue => f.write_str("Continue"),
            HookAction::Change(arguments) => f.debug_tuple("Change").field(arguments).finish(),
            HookAction::Block(reason) => f.debug_tuple("Block").field(reason).finish(),
            HookAction::Ask(reason) => f.debug_tuple("Ask").field(reason).finish(),
            HookAction::AskEachTime(reason) => f.debug_tuple("AskEachTime").field(reason).finish(),
            HookAction::Async(_) => f.write_str("Async"),
        }
    }
}

/// A call, as hooks and the approver see it.
#[derive(Debug, Clone, Copy)]
pub struct CallInfo<'a> {
    pub(crate) tool: &'a str,
    pub(crate) called_as: Option<&'a str>,
    pub(crate) id: &'a str,
    pub(crate) caller: Caller<'a>,
    pub(crate) namespace: &'a str,
    pub(crate) task: &'a str,
    pub(crate) task_state: Option<&'a TaskInner>,
    pub(crate) annotations: Annotations,
    pub(crate) arguments: &'a Value,
    pub(crate) began: Option<Instant>,
    pub(crate) took: Option<Duration>,
    pub(crate) takes_secrets: bool,
    pub(crate) repairs: &'a Repairs,
    pub(crate) sent: Sent<'a>,
    #[cfg(feature = "approval")]
    pub(crate) is_judged: bool,
    #[cfg(feature = "approval")]
    pub(crate) start_directory: Option<&'a Path>,
    #[cfg(feature = "approval")]
    pub(crate) decisions: Option<&'a Decisions>,
}

/// The arguments as the model sent them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent<'a> {
    pub(crate) text: &'a str,
    /// The table of the tool, or `None` if the tool is unknown.
    pub(crate) table: Option<&'a Table>,
}

impl<'a> CallInfo<'a> {
    /// Returns the tool's own name. For an unknown tool, it is the name that the model wrote.
    pub const fn tool(&self) -> &'a str {
        self.tool
    }

    /// Returns the name that the model wrote, if it was corrected to the name of the tool: see `docs/calls.md`. The model's name is
    /// untrusted: it may contain anything.
    pub const fn called_as(&self) -> Option<&'a str> {
        self.called_as
    }

    /// Returns the id of the call in the vendor's API; may be empty.
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// Returns who makes the call: the model, a program of the model, or a script.
    pub const fn caller(&self) -> Caller<'a> {
        self.caller
    }

    /// Returns the namespace in which the model called the tool; empty if the vendor's API sends none.
    pub const fn namespace(&self) -> &'a str {
        self.namespace
    }

    /// Returns the name of the call's task.
    pub const fn task(&self) -> &'a str {
        self.task
    }

    /// Returns the working directory in which the task begins, if the host has [set](crate::Task::set_directory) it.
    pub fn directory(&self) -> Option<PathBuf> {
        self.task_state?.directory()
    }

    /// Returns the kind of environment in which the task acts, if the host has [set](crate::Task::set_environment) it for this task.
    pub fn environment(&self) -> Option<Arc<str>> {
        self.task_state?.environment()
    }

    /// Returns the state of type `T` that the handlers of the task share, as [`Call::state`](crate::Call::state) does: a hook can leave
    /// something there for the handler.
    pub fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.task_state.map_or_else(Arc::default, TaskInner::state_or_default)
    }

    /// Returns the directory in which the call's command was judged, as an absolute path. `None` if the command was not judged, or if the
    /// directory is not known.
    #[cfg(feature = "approval")]
    pub const fn start_directory(&self) -> Option<&'a Path> {
        self.start_directory
    }

    /// Returns whether the command rules have judged the call. A judged call without [decisions](Self::decisions) was allowed by them.
    #[cfg(feature = "approval")]
    pub const fn is_judged(&self) -> bool {
        self.is_judged
    }

    /// Returns the decisions so far about whether the call may run, and about the input and the code of its handler. The list is empty if
    /// no decision was necessary.
    #[cfg(feature = "approval")]
    pub fn decisions(&self) -> Vec<CallDecision> {
        self.decisions.map(Decisions::all).unwrap_or_default()
    }

    /// Returns the declared effects of the tool.
    pub const fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// Returns the repaired arguments: an object, or null if they are invalid. Secret values are [`REDACTED`].
    pub const fn arguments(&self) -> &'a Value {
        self.arguments
    }

    /// Returns what was repaired in the arguments that the model sent. Empty if they are invalid.
    pub const fn repairs(&self) -> &'a Repairs {
        self.repairs
    }

    /// Returns the arguments as the model sent them, which may not be JSON. Secret values are [`REDACTED`]; all of them are
    /// if the text cannot be read, or if the tool is unknown.
    pub fn sent(&self) -> String {
        match self.sent.table {
            Some(table) => repairs::sent(self.sent.text, table, Limits::default()),
            None => REDACTED.to_owned(),
        }
    }

    /// Returns when the call began, or `None` on platforms without a clock. Hooks see the end of a call of a batch when the whole batch has
    /// ended.
    pub const fn began(&self) -> Option<Instant> {
        self.began
    }

    /// Returns the time since the call began, or the time that it took if it has ended, including the time for approval and for waiting
    /// for a thread. Zero on platforms without a clock.
    pub fn elapsed(&self) -> Duration {
        self.took.or_else(|| Some(self.began?.elapsed())).unwrap_or_default()
    }

    /// Returns whether the tool has secret parameters, whether they were sent or not. The response may contain their
    /// values.
    pub const fn takes_secrets(&self) -> bool {
        self.takes_secrets
    }
}

/// The failure of a part of the host: see [`Hook::on_host_error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostError<'a> {
    /// The part that failed: the name of a hook, `the approver`, `the spill store`, `the handler`, or `the host` if it is unknown.
    pub part: &'a str,
    /// The stage of the call.
    pub stage: HostStage,
    /// The message of the error or panic, which a model must not see.
    pub message: &'a str,
}

/// The stage of a call at which a part of the host fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostStage {
    /// [`Hook::before_call`]: the call was not run.
    BeforeCall,
    /// [`Approver::decide`](crate::approval::Approver::decide): the call was denied.
    Approval,
    /// [`Hook::transform_result`]: the result was kept, or dropped if the hook took too long.
    TransformResult,
    /// [`SpillStore::store`](crate::limits::SpillStore::store): the result was cut, and the rest is lost.
    Store,
    /// [`Hook::after_call`].
    AfterCall,
    /// Any other part of a call, in which something panicked: the call ended with an error.
    Call,
}

impl HostError<'_> {
    /// Returns a copy for logs, without the message if it could repeat a secret.
    #[cfg(any(feature = "debug-log", feature = "tracing"))]
    pub(crate) fn redacted(self, call: &CallInfo<'_>) -> Self {
        if call.takes_secrets { Self { message: REDACTED, ..self } } else { self }
    }
}

impl fmt::Display for HostError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match self.stage {
            HostStage::BeforeCall => "before a call",
            HostStage::Approval => "while deciding on a call",
            HostStage::TransformResult => "while transforming a result",
            HostStage::Store => "while storing a result",
            HostStage::AfterCall => "after a call",
            HostStage::Call => "during a call",
        };
        write!(f, "{} failed {stage}: {}", self.part, self.message)
    }
}

/// Returns whether a hook may change arguments of a tool: also if it panics.
pub(crate) fn changes_arguments(hook: &dyn Hook, tool: &str) -> bool {
    panics::catch(|| hook.changes_arguments_of(tool)).unwrap_or(true)
}

/// Returns the name of a hook, even if it panics.
pub(crate) fn name(hook: &dyn Hook) -> &str {
    panics::catch(|| hook.name()).unwrap_or("a hook")
}
