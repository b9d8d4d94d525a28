//! Where a command starts: its directory and its variables.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolc::approval::{InputLanguage, ProgramInput, ShellState};
use toolc::{Call, ErrorKind, ToolError};
use toolc_workspace::Workspace;

use crate::TerminalHandlers;

/// The place of a command.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) directory: PathBuf,
    pub(crate) state: Arc<ShellState>,
    /// What the model has to know.
    pub(crate) note: Option<String>,
}

/// Variables that are set for every command.
const SET: &[(&str, &str)] = &[
    // git would ask for credentials on the terminal, and no user can answer.
    ("GIT_TERMINAL_PROMPT", "0"),
];

impl TerminalHandlers {
    /// Returns the place of a call's command.
    pub(crate) fn place(&self, workdir: Option<&str>, command: &str, call: &Call<'_>) -> Result<Place, ToolError> {
        let state = call.shell_state();
        let current = state.directory.clone().unwrap_or_else(|| self.default_directory(call));
        if let Some(workdir) = workdir {
            let directory = self.workspace.in_directory(&current).locate(workdir)?;
            if !directory.is_dir() {
                let text = format!("`{workdir}` is not an existing directory: nothing was run");
                return Err(ToolError::with_kind(ErrorKind::NotFound, text));
            }
            return Ok(Place { directory, state, note: None });
        }
        if current.is_dir() {
            return Ok(Place { directory: current, state, note: None });
        }
        self.back_to_default(&current, &state, command, call)
    }

    /// Returns the default directory for a command whose directory no longer exists.
    fn back_to_default(
        &self,
        current: &Path,
        state: &ShellState,
        command: &str,
        call: &Call<'_>,
    ) -> Result<Place, ToolError> {
        let directory = self.default_directory(call);
        if directory == current || !directory.is_dir() {
            let text = format!("the working directory `{}` does not exist: nothing was run", directory.display());
            return Err(ToolError::with_kind(ErrorKind::NotFound, text));
        }
        let note = format!(
            "the working directory `{}` no longer exists: the command ran in `{}`",
            current.display(),
            directory.display()
        );
        let state = ShellState { directory: Some(directory.clone()), variables: state.variables.clone() };
        call.set_shell_state(state.clone());
        // It was judged in the other directory.
        call.approve_input_blocking(ProgramInput {
            line: command,
            earlier: &[],
            language: InputLanguage::Shell,
            directory: directory.to_str(),
            parameter: "command",
            tool: call.tool(),
        })?;
        Ok(Place { directory, state: Arc::new(state), note: Some(note) })
    }

    fn default_directory(&self, call: &Call<'_>) -> PathBuf {
        call.directory().unwrap_or_else(|| self.environment.directory().to_owned())
    }

    /// Returns the variables that differ from those of this process.
    pub(crate) fn variables(&self, state: &ShellState) -> Vec<(OsString, Option<OsString>)> {
        let removed = self.credentials.removed().into_iter().map(|name| (name, None));
        let set = SET.iter().map(|(name, value)| (OsString::from(name), Some(OsString::from(value))));
        let kept = state.variables.iter().map(|(name, value)| (name.into(), value.as_ref().map(OsString::from)));
        removed.chain(set).chain(kept).collect()
    }

    /// Returns the variables of a command without state.
    pub(crate) fn usual_variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let removed = self.credentials.removed();
        let inherited = env::vars_os().filter(move |(name, _)| !removed.contains(name));
        inherited.chain(SET.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
    }
}

/// Access to other directories with the same home.
trait InDirectory {
    fn in_directory(&self, directory: &Path) -> Workspace;
}

impl InDirectory for Workspace {
    fn in_directory(&self, directory: &Path) -> Workspace {
        let workspace = Workspace::new(directory);
        match self.home() {
            Some(home) => workspace.with_home(home),
            None => workspace,
        }
    }
}
