//! The parts of a turn that calls use.

use std::path::Path;
use std::sync::Arc;

use crate::call::Call;
use crate::call::ToolCall;
#[cfg(feature = "approval")]
use crate::call::approval::shell::{Exposure, InputLanguage, ProgramInput};
use crate::call::response::CallResponse;
#[cfg(feature = "approval")]
use crate::call::scope::InputCall;
use crate::call::scope::{CallScope, ScriptCall};
use crate::data::catalog::Tool;
use crate::data::segment::FactValue;
use crate::env::Env;
use crate::result::error::{ErrorKind, ToolError};
use crate::result::spill::StoredText;
#[cfg(feature = "approval")]
use crate::run::block_on::park;
use crate::run::cancel::CancelEpoch;
use crate::run::progress::ProgressSink;
use crate::run::values::HostValues;
use crate::session::turn::Turn;
use toolc_redact::Redactor;

impl CallScope for Turn {
    fn session_id(&self) -> &str {
        &self.config().id
    }

    fn home(&self) -> Option<&Path> {
        self.config().home.as_deref()
    }

    fn values(&self) -> &HostValues {
        &self.config().values
    }

    fn env(&self) -> &Env {
        &self.config().env
    }

    fn fact(&self, name: &str) -> Option<&FactValue> {
        self.facts().get(name)
    }

    fn shows(&self, tool: &str) -> bool {
        self.state().find(tool).is_some_and(|id| self.has(id))
    }

    fn progress(&self) -> Option<&ProgressSink> {
        self.config().progress.as_ref()
    }

    fn to_shared(&self) -> Arc<dyn CallScope> {
        Arc::new(self.clone())
    }
}

impl Turn {
    /// Returns what replaces the secrets of the session in texts.
    pub(crate) fn redactor(&self) -> Redactor {
        self.state().redactor(&self.config().env)
    }

    /// Returns the tools that scripts can call, sorted by their own names.
    fn script_tools(&self) -> Vec<&Tool> {
        let shown = self.tool_ids().iter().map(|&id| self.state().tool(id));
        shown.filter(|tool| tool.python.is_some()).collect()
    }
}

/// What few handlers use. A program without it does not contain it.
impl<'a> Call<'a> {
    /// Returns the turn of the call, or `None` for a [`Call::new`].
    fn turn(&self) -> Option<&'a Turn> {
        self.scope_as()
    }

    /// Returns the names of the environment variables that are secret: those that the host has set [as secrets](Env::with_secret), and
    /// those that a provider declares as such. A handler does not pass them on to programs, unless they are meant for the program.
    pub fn secret_variables(&self) -> Vec<String> {
        self.turn().map_or_else(Vec::new, Turn::secret_names)
    }

    /// Returns a value that replaces the secrets of the session in texts, for a handler that keeps texts of the model: see
    /// [`Session::redactor`](crate::Session::redactor).
    pub fn redactor(&self) -> Redactor {
        self.turn().map_or_else(Redactor::default, Turn::redactor)
    }

    /// Returns the tools of the turn that scripts can call, sorted by their own names: those with a
    /// [Python function](Tool::python). None for a call that a script has made.
    pub fn script_tools(&self) -> Vec<&'a Tool> {
        let turn = self.turn().filter(|_| !self.request.is_from_script);
        turn.map(Turn::script_tools).unwrap_or_default()
    }

    /// Runs a call that a script makes: `name` is the own name of a tool, and `arguments` are the JSON text of an object. The call
    /// takes the same path as one of the model: repair, hooks, approval, time limit, limits on the result. It has the id, the task
    /// and the values of this call, and is cancelled with it.
    ///
    /// A tool that the turn does not show is refused as for the model, and so is one that scripts cannot call. Scripts do not
    /// nest: a tool that a script calls cannot call others.
    pub async fn call_script_tool(&self, name: &str, arguments: &str) -> CallResponse {
        let refuse = |text: &str| CallResponse::from(Err(ToolError::with_kind(ErrorKind::Refused, text)));
        let (Some(turn), Some(session)) = (self.turn(), self.session) else {
            return refuse("the call has no session, so that its script can call no tools");
        };
        if self.request.is_from_script {
            return refuse("a tool that a script calls cannot call other tools");
        }
        let ToolCall { id, task, values, .. } = self.request;
        let cancel = CancelEpoch::ever(&self.lifetime().over);
        Box::pin(turn.call_script_tool(ScriptCall { name, arguments, id, task, cancel, session, values })).await
    }

    /// Stores a text that is too long for the result of the call, such as the complete output of a program. The result can then say
    /// where it is. Returns `None` if the session has no [store](crate::SessionBuilder::spill_store), or the model cannot read what is
    /// in it. Hooks do not see the text.
    ///
    /// # Errors
    /// Returns the error of the store.
    ///
    /// ```
    /// use toolc::Call;
    ///
    /// fn note(call: &Call<'_>, output: &str) -> Option<String> {
    ///     let stored = call.store_text(output)?.ok()?;
    ///     Some(format!("the complete output is in {}: read it with `{}`", stored.name, stored.reader))
    /// }
    /// ```
    pub fn store_text(&self, text: &str) -> Option<Result<StoredText, ToolError>> {
        self.turn()?.store_text(self.tool(), text)
    }
}

#[cfg(feature = "approval")]
impl Call<'_> {
    /// Gets approval of a line before the handler writes it to a program that it has started, if the session judges commands: by
    /// the same rules and answers as for the commands of calls. The person is asked if necessary, which counts for the time limit
    /// of the call.
    ///
    /// # Errors
    /// Returns the error for the model if the line must not be written.
    pub async fn approve_input(&self, input: ProgramInput<'_>) -> Result<(), ToolError> {
        let Some(turn) = self.turn() else { return Ok(()) };
        turn.approve_input(self.input_call(), input).await
    }

    /// Does the same as [`approve_input`](Self::approve_input), for a handler with `execution = "blocking"`.
    ///
    /// # Errors
    /// Returns the error for the model if the line must not be written.
    pub fn approve_input_blocking(&self, input: ProgramInput<'_>) -> Result<(), ToolError> {
        park(self.approve_input(input))
    }

    /// Gets approval of code before the handler runs it without confinement. `parameter` is the parameter of the call that holds
    /// it. `directory` is the one in which the code will run, an absolute path without symbolic links, or `None` if it is not certain:
    /// an approval for the session or a permanent one covers only a known directory. A session that judges commands decides as for [input](Self::approve_input) in another language than a shell's; in any
    /// other session, the approver is asked, as for a tool every call of which needs approval.
    ///
    /// A handler that runs code in a sandbox does not need this.
    ///
    /// # Errors
    /// Returns the error for the model if the code must not run.
    pub async fn approve_code(&self, parameter: &str, code: &str, directory: Option<&Path>) -> Result<(), ToolError> {
        let Some(turn) = self.turn() else { return Ok(()) };
        let input = ProgramInput {
            line: code,
            earlier: &[],
            language: InputLanguage::Other,
            directory: directory.and_then(Path::to_str),
            parameter,
            tool: self.tool(),
        };
        turn.approve_code(self.input_call(), input).await
    }

    /// Does the same as [`approve_code`](Self::approve_code), for a handler with `execution = "blocking"`.
    ///
    /// # Errors
    /// Returns the error for the model if the code must not run.
    pub fn approve_code_blocking(
        &self,
        parameter: &str,
        code: &str,
        directory: Option<&Path>,
    ) -> Result<(), ToolError> {
        park(self.approve_code(parameter, code, directory))
    }

    /// Returns the rules by which the session judges commands, those of the user included. `None` if it judges no commands.
    pub fn command_rules(&self) -> Option<&'static toolc_commands::rules::RuleSet<'static>> {
        self.turn()?.config().commands.as_ref().map(|commands| commands.rules)
    }

    /// Gets approval of a command before the handler runs it where it sees more than other commands, or has more rights. A session that
    /// judges commands asks as for a command; an answer for the session covers the same line in this directory and below it. Another
    /// session asks its approver each time.
    ///
    /// Returns false if no decision is needed, because the session [asks about no command](crate::approval::CommandMode::Off), or the call
    /// belongs to no session: the handler then runs the command as others.
    ///
    /// # Errors
    /// Returns the error for the model if the command must not run. It says what the model can do instead.
    pub async fn approve_exposure(&self, exposure: &Exposure<'_>) -> Result<bool, ToolError> {
        let Some(turn) = self.turn() else { return Ok(false) };
        turn.approve_exposure(self.input_call(), exposure).await
    }

    /// Does the same as [`approve_exposure`](Self::approve_exposure), for a handler with `execution = "blocking"`.
    ///
    /// # Errors
    /// Returns the error for the model if the command must not run.
    pub fn approve_exposure_blocking(&self, exposure: &Exposure<'_>) -> Result<bool, ToolError> {
        park(self.approve_exposure(exposure))
    }

    fn input_call(&self) -> InputCall<'_> {
        // The sources include the end of the call.
        self.lifetime();
        let (tool, id, task) = (self.tool(), self.id(), self.request.task);
        InputCall { tool, id, task, cancel: self.cancel_sources(), decisions: self.decisions() }
    }
}
