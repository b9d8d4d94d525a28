//! What a tool that runs shell commands passes on to the judge: the state of its shell, and input of running programs.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::call::found_directory::FoundDirectory;
use crate::vec_map::VecMap;

/// The state of a tool's shell: what later commands of the same task start with. The judge of commands knows it, too.
///
/// A handler gets it from [`Call::shell_state`](crate::Call::shell_state) and changes it with
/// [`Call::set_shell_state`](crate::Call::set_shell_state).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShellState {
    /// The working directory, an absolute path. `None` for the default of the host.
    pub directory: Option<PathBuf>,
    /// Variables that differ from the session's environment: set to a value, or removed.
    pub variables: Vec<(String, Option<String>)>,
}

/// Where the command of a call starts, as it was judged.
#[derive(Debug)]
pub(crate) struct JudgedStart {
    pub(crate) state: Arc<ShellState>,
    /// The directory, an absolute path. `None` if it is unknown.
    pub(crate) directory: Option<FoundDirectory>,
}

impl JudgedStart {
    pub(crate) fn new(state: &Arc<ShellState>, directory: Option<FoundDirectory>) -> Arc<Self> {
        Arc::new(Self { state: Arc::clone(state), directory })
    }
}

/// The states of the shells of a task, by the own name of the tool.
#[derive(Debug, Default)]
pub(crate) struct ShellStates(Mutex<VecMap<String, Arc<ShellState>>>);

impl ShellStates {
    pub(crate) fn get(&self, tool: &str) -> Arc<ShellState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(tool).cloned().unwrap_or_default()
    }

    pub(crate) fn set(&self, tool: &str, state: ShellState) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(tool.to_owned(), Arc::new(state));
    }
}

/// A line that a handler is about to write to a running program which runs what it reads: see
/// [`Call::approve_input`](crate::Call::approve_input).
#[derive(Debug, Clone, Copy)]
pub struct ProgramInput<'a> {
    /// The line, without the newline.
    pub line: &'a str,
    /// The lines before it, the oldest first. With them, a shell may read the line as the rest of a command, and know functions,
    /// aliases and another working directory. The time that the judgement takes grows with the square of their number.
    pub earlier: &'a [String],
    /// The language that the program reads.
    pub language: InputLanguage,
    /// The directory in which the program has started, an absolute path, or `None` if `earlier` is not complete.
    pub directory: Option<&'a str>,
    /// The parameter of the call that holds the line.
    pub parameter: &'a str,
    /// The own name of the tool whose approvals count, such as the one that has started the program.
    pub tool: &'a str,
}

/// A command that a handler is about to run where it sees more than other commands, or has more rights: see
/// [`Call::approve_exposure`](crate::Call::approve_exposure).
#[derive(Debug, Clone)]
pub struct Exposure<'a> {
    /// The name of the reason, such as `needs-rights`, as answers and logs have it.
    pub name: &'a str,
    /// What the command gets: a sentence with a capital letter and a full stop.
    pub description: &'a str,
    /// What the person should check before approving.
    pub check: &'a str,
    /// What the model can do instead, if it is not approved: a sentence without a full stop.
    pub instead: &'a str,
    /// The command line.
    pub line: &'a str,
    /// The part of the line that is the reason, in bytes.
    pub part: Range<usize>,
    /// The directory in which the command starts, an absolute path, or `None` if it is unknown.
    pub directory: Option<&'a Path>,
    /// The parameter of the call that holds the line.
    pub parameter: &'a str,
}

/// The language that a program reads from its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputLanguage {
    /// That of a shell. The line is judged like a command.
    Shell,
    /// Another one, such as Python, which is not judged: a person decides.
    Other,
}
