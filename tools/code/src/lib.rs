//! Handlers of the shipped toolset `code`: Python scripts that call other tools.
//!
//! - [`kernels`] keeps an interpreter ([`kernel`]) for each task. The interpreter runs `interpreter.py`. A [`connection`] to it
//!   carries the messages of [`frames`].
//! - [`script`] runs a script, and answers its [`calls`]. [`output`] captures its output.
//!
//! The host decides what a script may do: its calls are handled like calls of the model, and a script outside of a sandbox needs
//! approval.

mod calls;
mod connection;
mod frames;
mod kernel;
mod kernels;
mod limits;
mod output;
mod script;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use toolc::approval::Exposure;
use toolc::catalog::python_module;
use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::code::CodeTools;
use toolc_catalog::code::execute_code::{Args, Returns, ReturnsError};
use toolc_environment::files::FileIdentity;
use toolc_environment::{Environment, Sees};
use toolc_workspace::{ChildVariables, Environments, Workspace};

use frames::Exception;
use kernel::{Kernel, ScriptOutput, Variables};
use kernels::{EndReason, Kernels, Slot, TaskKernel};
pub use limits::Limits;
use script::{ScriptEnd, ScriptOutcome};

/// The note for output that includes output of earlier scripts.
const EARLIER_OUTPUT: &str =
    "the output begins with output that processes of earlier scripts printed after those scripts had ended";

/// The handler of the toolset `code`.
///
/// ```
/// use std::time::Duration;
/// use toolc_code::{CodeHandlers, Limits};
/// use toolc_workspace::Workspace;
///
/// let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
/// let handlers = CodeHandlers::new(&Workspace::current()).limits(limits);
/// ```
pub struct CodeHandlers {
    environments: Environments,
    child_variables: ChildVariables,
    limits: Limits,
    kernels: Kernels,
}

impl CodeHandlers {
    /// Returns handlers that run scripts on this machine. A task begins in `workspace`, unless the host has set another
    /// [directory](toolc::Task::set_directory).
    pub fn new(workspace: &Workspace) -> Self {
        let limits = Limits::default();
        Self {
            environments: Environments::local(workspace),
            child_variables: workspace.child_variables().clone(),
            limits,
            kernels: Kernels::new(limits.interpreters, limits.idle),
        }
    }

    /// Replaces the environments in which tasks act. By default, all tasks act on this machine. If an isolating environment is
    /// available, scripts of tasks on this machine run in it.
    #[must_use]
    pub fn environments(mut self, environments: Environments) -> Self {
        self.environments = environments;
        self
    }

    /// Replaces the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self.kernels = Kernels::new(limits.interpreters, limits.idle);
        self
    }

    /// Passes the environment variable `name` to scripts, even if its name looks like the name of a credential. The case of `name` is
    /// ignored.
    #[must_use]
    pub fn pass_env(mut self, name: impl Into<String>) -> Self {
        self.child_variables = self.child_variables.pass(&name.into());
        self
    }
}

impl CodeTools for CodeHandlers {
    fn execute_code(&self, args: Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let task = call.state::<TaskKernel>();
        let Some(mut slot) = task.begin_script() else {
            let text = "another script of this task is running: nothing was run. Wait for it, and then try again";
            return Err(ToolError::new(text));
        };
        let started = Instant::now();
        let note = self.prepare(&task, &mut slot, &args, call)?;
        let Some(kernel) = slot.kernel() else { unreachable!("an interpreter has been started") };
        let module = python_module(call.script_tools());
        let ScriptOutcome { end, calls } = script::run(kernel, &args.code, &module, call, &self.limits);
        let note = note.or_else(|| kernel.has_earlier_output().then(|| EARLIER_OUTPUT.to_owned()));
        let (output, result, error) = self.finish(end, &mut slot)?;
        slot.touch();
        let ScriptOutput { stdout, stderr } = output;
        Ok(Returns {
            stdout,
            stderr: (!stderr.is_empty()).then_some(stderr),
            result,
            error: error.map(|Exception { kind, message, traceback }| ReturnsError {
                r#type: kind,
                message,
                traceback: (!traceback.is_empty()).then_some(traceback),
            }),
            calls: i64::try_from(calls).unwrap_or(i64::MAX),
            duration_ms: i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX),
            note,
        })
    }
}

impl CodeHandlers {
    /// Makes sure that the task has an interpreter, and that the script may run in it. Returns a note if the interpreter is new.
    fn prepare(
        &self,
        task: &Arc<TaskKernel>,
        slot: &mut Slot,
        args: &Args,
        call: &Call<'_>,
    ) -> Result<Option<String>, ToolError> {
        let has_ended = slot.kernel().is_some_and(|kernel| kernel.has_ended());
        let sees_hidden = slot.kernel().is_some_and(|kernel| kernel.sees_hidden());
        if let Some(kernel) = slot.kernel().filter(|_| !args.reset && !has_ended && !sees_hidden) {
            if !kernel.is_confined() {
                call.approve_code_blocking("code", &args.code, kernel.directory())?;
            }
            return Ok(None);
        }
        self.start(task, slot, &args.code, call)?;
        let why = match slot.take_end_reason() {
            _ if args.reset => return Ok(None),
            _ if has_ended => "the previous interpreter had ended",
            _ if sees_hidden => "the previous interpreter saw the home folder of toolc",
            Some(EndReason::Idle) => "the previous interpreter was idle for too long",
            Some(EndReason::Displaced) => "the previous interpreter was ended because other tasks needed one",
            Some(EndReason::Stopped) => "the previous interpreter was ended with its last script",
            None => return Ok(None),
        };
        Ok(Some(format!("this is a new interpreter, without the state of earlier scripts: {why}")))
    }

    /// Starts an interpreter in a sandbox. If the sandbox has no Python, starts it in the environment of the task, where the script needs
    /// approval.
    fn start(&self, task: &Arc<TaskKernel>, slot: &mut Slot, code: &str, call: &Call<'_>) -> Result<(), ToolError> {
        let environment = self.environments.for_code(call)?;
        if environment.promises().isolated {
            let started = self.start_in(&environment, None, false, task, slot, call);
            let task_environment = self.environments.for_call(call)?;
            let is_missing = started.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound);
            if !is_missing || task_environment.promises().isolated {
                return started;
            }
            return self.start_judged(&task_environment, task, slot, code, call);
        }
        self.start_judged(&environment, task, slot, code, call)
    }

    /// Gets approval of a script, and starts an interpreter in the directory for which the script was approved.
    fn start_judged(
        &self,
        environment: &Arc<dyn Environment>,
        task: &Arc<TaskKernel>,
        slot: &mut Slot,
        code: &str,
        call: &Call<'_>,
    ) -> Result<(), ToolError> {
        let directory = environment.files().resolve(environment.directory());
        let directory = directory.map_err(|error| {
            ToolError::new(format!("the directory of this task cannot be found: {error}; nothing was run"))
        })?;
        let identity = environment.files().metadata(&directory).ok().and_then(|folder| folder.identity);
        call.approve_code_blocking("code", code, Some(&directory))?;
        let sees_hidden = match environment.check_hiding(&Sees::Nothing) {
            Ok(()) => false,
            Err(error) => sees_home(code, &directory, &error, call)?,
        };
        self.start_in(environment, Some((directory, identity)), sees_hidden, task, slot, call)
    }

    /// Starts an interpreter, and replaces the previous interpreter of the task.
    fn start_in(
        &self,
        environment: &Arc<dyn Environment>,
        directory: Option<(PathBuf, Option<FileIdentity>)>,
        sees_hidden: bool,
        task: &Arc<TaskKernel>,
        slot: &mut Slot,
        call: &Call<'_>,
    ) -> Result<(), ToolError> {
        drop(slot.take());
        let Some(permit) = self.kernels.reserve(task) else {
            let text = format!(
                "{} interpreters of this host run scripts of other tasks: nothing was run. Try again later",
                self.limits.interpreters
            );
            return Err(ToolError::new(text));
        };
        let variables = self.variables(&**environment, call)?;
        let kernel =
            Kernel::start(environment, directory, sees_hidden, variables, &self.limits, &|| call.is_cancelled())?;
        slot.put(kernel, permit);
        Ok(())
    }

    /// Returns the output of a script that has ended, the value of its last expression, and its error. Ends the interpreter if it cannot run
    /// another script.
    fn finish(
        &self,
        end: ScriptEnd,
        slot: &mut Slot,
    ) -> Result<(ScriptOutput, Option<String>, Option<Exception>), ToolError> {
        let (kind, why) = match end {
            ScriptEnd::Done { result, error } => {
                let output = slot.kernel().map(|kernel| kernel.output()).unwrap_or_default();
                return Ok((output, result, error));
            }
            ScriptEnd::Cancelled => {
                drop(slot.stop());
                let text = "the script was stopped because the call was cancelled. Its effects so far are not undone, and the \
                            state of the task's scripts is lost";
                return Err(ToolError::with_kind(ErrorKind::Cancelled, text));
            }
            ScriptEnd::TimedOut => ("Timeout", format!("the script exceeded its time limit of {:?}", self.limits.time)),
            ScriptEnd::Broken(text) => ("ProtocolError", format!("the interpreter {text}")),
            ScriptEnd::Closed => {
                let exit = slot.kernel().and_then(|kernel| kernel.exit());
                let exit = exit.map_or_else(String::new, |exit| format!(" ({exit})"));
                ("InterpreterEnded", format!("the interpreter ended while the script ran{exit}"))
            }
        };
        let output = slot.stop().map(|(kernel, _permit)| kernel.end()).unwrap_or_default();
        let message = format!("{why}. Its processes were ended, and the state of the task's scripts is lost");
        Ok((output, None, Some(Exception { kind: kind.to_owned(), message, traceback: Vec::new() })))
    }

    /// Returns the changes of a script to the variables of its environment.
    fn variables(&self, environment: &dyn Environment, call: &Call<'_>) -> Result<Variables, ToolError> {
        let all = environment.variables();
        let all = all.map_err(|error| {
            ToolError::new(format!("failed to read the variables of the environment: {error}; nothing was run"))
        })?;
        let inherited = self.child_variables.clone().keep_back(call.secret_variables());
        let removed = inherited.removed(&all).map(|name| (name.clone(), None));
        Ok(removed.chain(inherited.all_set().map(|(name, value)| (name.clone(), Some(value.clone())))).collect())
    }
}

/// Gets approval of a script from which the home of toolc cannot be hidden. Returns whether it may see the home.
fn sees_home(code: &str, directory: &Path, error: &io::Error, call: &Call<'_>) -> Result<bool, ToolError> {
    let description = format!(
        "The home of toolc is visible to this script, with its keys and approvals, because it cannot be hidden now: {error}."
    );
    call.approve_exposure_blocking(&Exposure {
        name: "visible-home",
        description: &description,
        check: "Does the script read other files than it should?",
        instead: "Try again later",
        line: code,
        part: 0..code.len(),
        directory: Some(directory),
        parameter: "code",
    })
}

impl fmt::Debug for CodeHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeHandlers")
            .field("environments", &self.environments)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, unix))]
mod tests;
