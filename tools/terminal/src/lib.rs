//! Handlers of the shipped toolset `terminal`: run shell commands with limits on their time and output, in the foreground or in the
//! background.
//!
//! - [`place`] decides where a command starts, and with which variables.
//! - [`foreground`] runs a command to its end. [`shell_state`] records the directory and the variables for the next one.
//! - [`start`] starts a command in the [`background`], [`process`] handles the calls about it, and [`typed`] gets approval of its input.
//!
//! The host decides whether a command may run.

mod background;
mod canvas;
mod disk;
mod escapes;
mod events;
mod foreground;
mod live_output;
mod place;
#[cfg(unix)]
mod privileges;
mod process;
#[cfg(unix)]
mod reads;
mod shell_state;
#[cfg_attr(not(unix), path = "no_sight.rs")]
mod sight;
mod signals;
mod start;
mod transcript;
mod typed;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

#[cfg(unix)]
use toolc::commands::rules::RuleSet;
use toolc::directory::FoundDirectory;
use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::terminal::{TerminalTools, process as process_tool, terminal};
use toolc_environment::{DirectoryChanged, Environment, Shell};
use toolc_workspace::{ChildVariables, Environments, Workspace};

use background::processes::HostProcesses;
pub use background::processes::RunningProcess;
use disk::DiskSpace;
use events::EventSink;
pub use events::{ProcessEvent, ProcessEventKind};
pub use live_output::LiveOutput;

/// The handler of the toolset `terminal`.
///
/// ```
/// use toolc_terminal::TerminalHandlers;
/// use toolc_workspace::Workspace;
///
/// let handlers = TerminalHandlers::new(Workspace::current())
///     .pass_env("SSH_AUTH_SOCK")
///     .on_event(|event| eprintln!("for the model: {event}"));
/// ```
pub struct TerminalHandlers {
    workspace: Workspace,
    environments: Environments,
    child_variables: ChildVariables,
    processes: Arc<HostProcesses>,
    on_event: Option<EventSink>,
    disk_space: fn(&Path) -> Option<DiskSpace>,
}

impl TerminalHandlers {
    /// Returns handlers that run commands on this machine. A task begins in `workspace`, unless the host has set another
    /// [directory](toolc::Task::set_directory).
    pub fn new(workspace: Workspace) -> Self {
        Self {
            environments: Environments::local(&workspace),
            child_variables: workspace.child_variables().clone(),
            workspace,
            processes: Arc::default(),
            on_event: None,
            disk_space: disk::space,
        }
    }

    /// Replaces the environments in which tasks act. By default, all tasks act on this machine.
    #[must_use]
    pub fn environments(mut self, environments: Environments) -> Self {
        self.environments = environments;
        self
    }

    /// Passes the environment variable `name` to commands, even if its name looks like the name of a credential. For example,
    /// `SSH_AUTH_SOCK` allows git to push. The case of `name` is ignored.
    #[must_use]
    pub fn pass_env(mut self, name: impl Into<String>) -> Self {
        self.child_variables = self.child_variables.pass(&name.into());
        self
    }

    /// Calls `on_event` with the events of background processes that the model has requested with `notify_on_complete` and
    /// `watch_patterns`. The host passes the events to the model, for example with the user's next message.
    ///
    /// The function is called on the threads that read output, so it must not block. A panic in it is ignored.
    #[must_use]
    pub fn on_event(mut self, on_event: impl Fn(&ProcessEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Some(EventSink(Arc::new(on_event)));
        self
    }

    /// Keeps background processes running when their task ends. They end when these handlers are dropped, or when this process ends. By
    /// default, background processes end with their task.
    #[must_use]
    pub fn keep_after_task(mut self) -> Self {
        self.processes = Arc::new(HostProcesses::new(true));
        self
    }
}

impl TerminalTools for TerminalHandlers {
    fn terminal(&self, args: terminal::Args, call: &Call<'_>) -> Result<terminal::Returns, ToolError> {
        if args.background {
            if args.separate_output {
                return Err(conflict("`separate_output` is for commands in the foreground"));
            }
            return self.start(args, call);
        }
        if args.notify_on_complete || args.watch_patterns.as_ref().is_some_and(|patterns| !patterns.is_empty()) {
            return Err(conflict("`notify_on_complete` and `watch_patterns` are for commands with `background`"));
        }
        if args.pty && args.separate_output {
            return Err(conflict("a command on a terminal has one output: set either `pty` or `separate_output`"));
        }
        self.run(&args, call)
    }

    fn terminal_directory(&self, args: &terminal::Args, call: &Call<'_>) -> Result<FoundDirectory, ToolError> {
        self.directory(args.workdir.as_deref(), call)
    }

    fn process(&self, args: process_tool::Args, call: &Call<'_>) -> Result<process_tool::Returns, ToolError> {
        self.run_process_action(&args, call)
    }
}

impl fmt::Debug for TerminalHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalHandlers")
            .field("workspace", &self.workspace)
            .field("environments", &self.environments)
            .finish_non_exhaustive()
    }
}

fn conflict(text: &str) -> ToolError {
    ToolError::with_kind(ErrorKind::InvalidArguments, format!("{text}: nothing was run"))
}

fn failed_start(error: &io::Error) -> ToolError {
    if DirectoryChanged::is(error) {
        return ToolError::new(format!("{error}, which has changed since the command was judged: nothing was run"));
    }
    let advice = match error.kind() {
        io::ErrorKind::ArgumentListTooLong => "put long input into a file, and pass the name of the file",
        io::ErrorKind::InvalidInput => "remove the NUL characters",
        io::ErrorKind::Unsupported => "do without this feature",
        io::ErrorKind::NotFound => "nothing was run",
        _ => "the host may be out of resources: try again later",
    };
    ToolError::new(format!("failed to start the shell: {error}; {advice}"))
}

/// Returns the rules by which the session of a call judges commands, or else the shipped ones.
#[cfg(unix)]
fn rules(call: &Call<'_>) -> &'static RuleSet<'static> {
    call.command_rules().unwrap_or_else(toolc_catalog::commands::rules)
}

/// Returns the name of the shell of an environment, if that is not bash.
fn other_shell(environment: &dyn Environment) -> Option<String> {
    let shell = environment.shell();
    (shell != Shell::Bash).then(|| shell.name().to_owned())
}

/// Joins the notes of a result.
fn join_notes<const N: usize>(notes: [Option<String>; N]) -> Option<String> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

#[cfg(all(test, unix))]
mod tests;
