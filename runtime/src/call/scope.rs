//! The parts of a turn that calls use.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

#[cfg(feature = "approval")]
use crate::call::decision::Decisions;
use crate::data::segment::FactValue;
use crate::env::Env;
use crate::run::cancel::CancelEpoch;
#[cfg(feature = "approval")]
use crate::run::cancel::CancelSources;
use crate::run::progress::ProgressSink;
use crate::run::task::TaskInner;
use crate::run::values::HostValues;

/// A call that a script makes, through the handler of the tool that runs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScriptCall<'c> {
    /// The own name of the tool to call.
    pub(crate) name: &'c str,
    pub(crate) arguments: &'c str,
    pub(crate) id: &'c str,
    pub(crate) task: Option<(&'c Arc<TaskInner>, CancelEpoch<'c>)>,
    /// The end of the call whose handler runs the script.
    pub(crate) cancel: CancelEpoch<'c>,
    pub(crate) session: CancelEpoch<'c>,
    pub(crate) values: Option<&'c HostValues>,
}

/// The call whose handler wants to write input.
#[cfg(feature = "approval")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct InputCall<'c> {
    /// The tool's own name.
    pub(crate) tool: &'c str,
    pub(crate) id: &'c str,
    pub(crate) task: Option<(&'c Arc<TaskInner>, CancelEpoch<'c>)>,
    pub(crate) cancel: CancelSources<'c>,
    pub(crate) decisions: Option<&'c Decisions>,
}

/// The part of a turn that every handler sees through its [`Call`](crate::call::Call). What few handlers use is not here, because every
/// method of a trait object is in the program: see `session::scope`.
pub(crate) trait CallScope: Any + Send + Sync {
    /// Returns the session's id, or the empty string.
    fn session_id(&self) -> &str;

    /// Returns the session's home folder, if the host has set one.
    fn home(&self) -> Option<&Path>;

    /// Returns the values that the host has attached to the session.
    fn values(&self) -> &HostValues;

    /// Returns the session's environment.
    fn env(&self) -> &Env;

    /// Returns the value of a fact in this turn, or `None` if no provider declares the fact.
    fn fact(&self, name: &str) -> Option<&FactValue>;

    /// Returns whether the turn shows the tool with this own name.
    fn shows(&self, tool: &str) -> bool;

    /// Returns the host's progress callback, if it has set one.
    fn progress(&self) -> Option<&ProgressSink>;

    /// Returns an owned handle of the same scope, for a call that moves to another thread.
    fn to_shared(&self) -> Arc<dyn CallScope>;
}
