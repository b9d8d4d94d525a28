//! The parts of a turn that calls use.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

#[cfg(feature = "approval")]
use crate::call::approval::shell::ProgramInput;
#[cfg(feature = "approval")]
use crate::call::decision::Decisions;
use crate::call::response::CallResponse;
use crate::data::catalog::Tool;
use crate::data::segment::FactValue;
use crate::env::Env;
use crate::result::error::ToolError;
use crate::result::spill::StoredText;
use crate::run::cancel::CancelEpoch;
#[cfg(feature = "approval")]
use crate::run::cancel::CancelSources;
use crate::run::progress::ProgressSink;
use crate::run::task::TaskInner;
use crate::run::values::HostValues;
use toolc_redact::Redactor;

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

/// The part of a turn that handlers see through their [`Call`](crate::call::Call).
pub(crate) trait CallScope: Send + Sync {
    /// Returns the session's id, or the empty string.
    fn session_id(&self) -> &str;

    /// Returns the session's home folder, if the host has set one.
    fn home(&self) -> Option<&Path>;

    /// Returns the values that the host has attached to the session.
    fn values(&self) -> &HostValues;

    /// Returns the session's environment.
    fn env(&self) -> &Env;

    /// Returns the names of the environment variables that are secret.
    fn secret_variables(&self) -> Vec<String>;

    /// Returns what replaces the secrets of the session in texts.
    fn redactor(&self) -> Redactor;

    /// Returns the value of a fact in this turn, or `None` if no provider declares the fact.
    fn fact(&self, name: &str) -> Option<&FactValue>;

    /// Returns whether the turn shows the tool with this own name.
    fn shows(&self, tool: &str) -> bool;

    /// Stores a text of a tool, or returns `None` if the model could not read it.
    fn store_text(&self, tool: &str, text: &str) -> Option<Result<StoredText, ToolError>>;

    /// Returns the host's progress callback, if it has set one.
    fn progress(&self) -> Option<&ProgressSink>;

    /// Gets approval of input for a program that a handler has started.
    #[cfg(feature = "approval")]
    fn approve_input<'c>(
        &'c self,
        call: InputCall<'c>,
        input: ProgramInput<'c>,
    ) -> Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'c>>;

    /// Gets approval of code that a handler is about to run, and that nothing confines.
    #[cfg(feature = "approval")]
    fn approve_code<'c>(
        &'c self,
        call: InputCall<'c>,
        code: ProgramInput<'c>,
    ) -> Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'c>>;

    /// Returns the tools that scripts can call, sorted by their own names.
    fn script_tools(&self) -> Vec<&Tool>;

    /// Runs a call that a script makes.
    fn call_script_tool<'c>(&'c self, call: ScriptCall<'c>) -> Pin<Box<dyn Future<Output = CallResponse> + Send + 'c>>;

    /// Returns an owned handle of the same scope, for a call that moves to another thread.
    fn to_shared(&self) -> Arc<dyn CallScope>;
}
