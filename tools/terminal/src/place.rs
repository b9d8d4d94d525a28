//! Where a command starts: its directory and its variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolc::approval::{InputLanguage, ProgramInput, ShellState};
use toolc::{Call, ErrorKind, ToolError};
use toolc_environment::files::FileKind;
use toolc_environment::{Environment, Files, Local};
use toolc_workspace::{ChildVariables, Workspace};

use crate::TerminalHandlers;

/// The place of a command.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) directory: PathBuf,
    pub(crate) state: Arc<ShellState>,
    /// What the model has to know.
    pub(crate) note: Option<String>,
}

/// The variables of an environment.
pub(crate) type Variables = Vec<(OsString, OsString)>;

/// Variables that are set for every command.
const SET: &[(&str, &str)] = &[
    // git would ask for credentials on the terminal, and no user can answer.
    ("GIT_TERMINAL_PROMPT", "0"),
    // A pager would run commands that are typed into it, and the judge does not know which programs start a pager.
    ("LESSSECURE", "1"),
    ("SYSTEMD_PAGERSECURE", "1"),
];

impl TerminalHandlers {
    /// Returns the place of a call's command.
    pub(crate) fn place(
        &self,
        environment: &dyn Environment,
        workdir: Option<&str>,
        command: &str,
        call: &Call<'_>,
    ) -> Result<Place, ToolError> {
        let state = call.shell_state();
        let default = || default_directory(environment, call);
        let current = state.directory.clone().unwrap_or_else(default);
        if let Some(workdir) = workdir {
            let files = environment.files();
            let directory = self.workspace_of(environment)?.in_directory(&current).locate(&*files, workdir)?;
            if !is_folder(&*files, &directory) {
                let text = format!("`{workdir}` is not an existing directory: nothing was run");
                return Err(ToolError::with_kind(ErrorKind::NotFound, text));
            }
            return Ok(Place { directory, state, note: None });
        }
        if is_folder(&*environment.files(), &current) {
            return Ok(Place { directory: current, state, note: None });
        }
        back_to_default(environment, &current, &state, command, call)
    }

    /// Returns the workspace of an environment: that of these handlers on this machine.
    fn workspace_of(&self, environment: &dyn Environment) -> Result<Workspace, ToolError> {
        if environment.name() == Local::NAME {
            return Ok(self.workspace.clone());
        }
        let failed = |error| ToolError::new(format!("failed to look into the environment: {error}; nothing was run"));
        let home = environment.files().places().map_err(failed)?.home;
        Ok(Workspace::of_environment(environment.directory().to_owned(), home))
    }

    /// Returns which variables of its environment the command of a call inherits.
    pub(crate) fn inherited(&self, call: &Call<'_>) -> ChildVariables {
        self.child_variables.clone().keep_back(call.secret_variables())
    }
}

/// Returns the variables that differ from those of the environment, `own`.
pub(crate) fn variables(
    inherited: &ChildVariables,
    own: &Variables,
    state: &ShellState,
) -> Vec<(OsString, Option<OsString>)> {
    let removed = inherited.removed(own).map(|name| (name.clone(), None));
    let set = set(inherited).map(|(name, value)| (name, Some(value)));
    let kept = state.variables.iter().map(|(name, value)| (name.into(), value.as_ref().map(OsString::from)));
    removed.chain(set).chain(kept).collect()
}

/// Returns the variables of a command without state.
pub(crate) fn usual_variables(
    inherited: &ChildVariables,
    own: &Variables,
) -> impl Iterator<Item = (OsString, OsString)> {
    let passed = own.iter().filter(|(name, value)| !inherited.removes(name, value)).cloned();
    passed.chain(set(inherited))
}

/// Returns the variables that are set for every command, here and by the host.
fn set(inherited: &ChildVariables) -> impl Iterator<Item = (OsString, OsString)> {
    let by_host = inherited.all_set().map(|(name, value)| (name.clone(), value.clone()));
    SET.iter().map(|(name, value)| (name.into(), value.into())).chain(by_host)
}

/// Returns the default directory for a command whose directory no longer exists.
fn back_to_default(
    environment: &dyn Environment,
    current: &Path,
    state: &ShellState,
    command: &str,
    call: &Call<'_>,
) -> Result<Place, ToolError> {
    let directory = default_directory(environment, call);
    if directory == current || !is_folder(&*environment.files(), &directory) {
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

fn default_directory(environment: &dyn Environment, call: &Call<'_>) -> PathBuf {
    call.directory().unwrap_or_else(|| environment.directory().to_owned())
}

/// Returns whether a path is that of a folder, also through links.
fn is_folder(files: &dyn Files, path: &Path) -> bool {
    let found = files.resolve(path).and_then(|path| files.metadata(&path));
    found.is_ok_and(|found| found.kind == FileKind::Folder)
}
