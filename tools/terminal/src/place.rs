//! Determines the directory and the variables of a command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolc::approval::ShellState;
use toolc::directory::FoundDirectory;
use toolc::{Call, ErrorKind, ToolError};
use toolc_environment::files::{FileIdentity, FileKind};
use toolc_environment::{Environment, Files, Launch, Local};
use toolc_workspace::{ChildVariables, Workspace};

use crate::TerminalHandlers;

/// The directory and the shell state of a command.
#[derive(Debug)]
pub(crate) struct CommandStart {
    pub(crate) directory: PathBuf,
    /// The folder for which the command was judged.
    pub(crate) identity: Option<FileIdentity>,
    pub(crate) state: Arc<ShellState>,
    /// A note for the model.
    pub(crate) note: Option<String>,
}

impl CommandStart {
    /// Starts a program in this directory.
    pub(crate) fn set_directory_of(&self, launch: &mut Launch) {
        launch.directory = Some(self.directory.clone());
        launch.identity = self.identity;
    }
}

/// The variables of an environment.
pub(crate) type Variables = Vec<(OsString, OsString)>;

/// Variables that are set for every command.
const FIXED: &[(&str, &str)] = &[
    // git would ask for credentials on the terminal, and no user can answer.
    ("GIT_TERMINAL_PROMPT", "0"),
    // Pagers can run commands that are typed into them, and it is unknown which programs start a pager.
    ("LESSSECURE", "1"),
    ("SYSTEMD_PAGERSECURE", "1"),
];
/// Variables that are set for commands that get no keys. A program that wants an editor fails at once, and its message names an
/// option. Output that would be shown by a pager is printed.
const WITHOUT_KEYS: &[(&str, &str)] = &[
    ("EDITOR", NO_EDITOR),
    ("VISUAL", NO_EDITOR),
    ("GIT_EDITOR", NO_EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_EDITOR),
    ("PAGER", NO_PAGER),
    ("GIT_PAGER", NO_PAGER),
    ("MANPAGER", NO_PAGER),
    ("SYSTEMD_PAGER", NO_PAGER),
];
const NO_EDITOR: &str = "false";
const NO_PAGER: &str = "cat";

/// Returns the value of a variable that names an editor or a pager, such as `KUBE_EDITOR`, for commands that get no keys.
fn without_keys(name: &std::ffi::OsStr) -> Option<&'static str> {
    let name = name.to_str()?;
    if name == "VISUAL" || name.ends_with("EDITOR") {
        Some(NO_EDITOR)
    } else {
        name.ends_with("PAGER").then_some(NO_PAGER)
    }
}

impl TerminalHandlers {
    /// Returns the directory in which a call starts: an existing folder, whose path has no symbolic links. If the directory of the
    /// shell no longer exists, it is the default one.
    pub(crate) fn directory(&self, workdir: Option<&str>, call: &Call<'_>) -> Result<FoundDirectory, ToolError> {
        let environment = self.environments.for_call(call)?;
        let files = environment.files();
        let default = || default_directory(&*environment, call);
        let current = call.shell_state().directory.clone().unwrap_or_else(default);
        let missing = |text: String| ToolError::with_kind(ErrorKind::NotFound, format!("{text}: nothing was run"));
        if let Some(workdir) = workdir {
            let directory = self.workspace_of(&*environment)?.in_directory(&current).locate(&*files, workdir)?;
            let missing = || missing(format!("`{workdir}` is not an existing directory"));
            return folder(&*files, &directory).ok_or_else(missing);
        }
        let found = folder(&*files, &current).or_else(|| folder(&*files, &default()));
        found.ok_or_else(|| missing(format!("the working directory `{}` does not exist", current.display())))
    }

    /// Returns the place of a call's command. If the command was judged for approval, this is the directory for which it was judged.
    pub(crate) fn place(
        &self,
        environment: &dyn Environment,
        workdir: Option<&str>,
        call: &Call<'_>,
    ) -> Result<CommandStart, ToolError> {
        let state = call.shell_state();
        let files = environment.files();
        let found = match call.start_directory() {
            // If a link or another folder has taken its place, the environment starts nothing.
            Some(judged) => FoundDirectory { path: judged.to_owned(), identity: call.start_identity() },
            None => self.directory(workdir, call)?,
        };
        let identity = found.identity.map(|(device, inode)| FileIdentity { device, inode });
        let directory = found.path;
        let gone = state.directory.as_deref().filter(|current| {
            let leads_there = |current| folder(&*files, current).is_some_and(|found| found.path == directory);
            workdir.is_none() && *current != directory && !leads_there(current)
        });
        let Some(gone) = gone else { return Ok(CommandStart { directory, identity, state, note: None }) };
        let (gone, now) = (gone.display(), directory.display());
        let note = format!("the working directory `{gone}` no longer exists: the command ran in `{now}`");
        let state = ShellState { directory: Some(directory.clone()), variables: state.variables.clone() };
        call.set_shell_state(state.clone());
        Ok(CommandStart { directory, identity, state: Arc::new(state), note: Some(note) })
    }

    /// Returns the workspace of an environment. On this machine, it is the workspace of these handlers.
    fn workspace_of(&self, environment: &dyn Environment) -> Result<Workspace, ToolError> {
        if environment.name() == Local::NAME {
            return Ok(self.workspace.clone());
        }
        let failed = |error| ToolError::new(format!("failed to read the environment: {error}; nothing was run"));
        let home = environment.files().places().map_err(failed)?.home;
        Ok(Workspace::of_environment(environment.directory().to_owned(), home))
    }

    /// Returns the rules for the environment variables that a call's command inherits.
    pub(crate) fn inherited(&self, call: &Call<'_>) -> ChildVariables {
        self.child_variables.clone().keep_back(call.secret_variables())
    }
}

/// Returns the changes of a command to the variables of its environment. `has_keys` is whether the model can type into the command on a
/// terminal.
pub(crate) fn command_variables(
    inherited: &ChildVariables,
    environment_variables: &Variables,
    state: &ShellState,
    has_keys: bool,
) -> Vec<(OsString, Option<OsString>)> {
    let removed = inherited.removed(environment_variables).map(|name| (name.clone(), None));
    let fixed = fixed_variables(inherited, environment_variables, has_keys).map(|(name, value)| (name, Some(value)));
    let kept = state.variables.iter().map(|(name, value)| (name.into(), value.as_ref().map(OsString::from)));
    removed.chain(fixed).chain(kept).collect()
}

/// Returns the variables of a command whose shell state is empty.
pub(crate) fn base_variables(
    inherited: &ChildVariables,
    environment_variables: &Variables,
) -> impl Iterator<Item = (OsString, OsString)> {
    let passed = environment_variables.iter().filter(|(name, value)| !inherited.removes(name, value)).cloned();
    passed.chain(fixed_variables(inherited, environment_variables, false))
}

/// Returns the variables that this crate and the host set for every command.
fn fixed_variables(
    inherited: &ChildVariables,
    environment_variables: &Variables,
    has_keys: bool,
) -> impl Iterator<Item = (OsString, OsString)> {
    let known = WITHOUT_KEYS.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let others = environment_variables.iter().filter_map(|(name, _)| Some((name.clone(), without_keys(name)?.into())));
    let without_keys: Vec<_> = if has_keys { Vec::new() } else { known.chain(others).collect() };
    let by_host = inherited.all_set().map(|(name, value)| (name.clone(), value.clone()));
    FIXED.iter().map(|(name, value)| (name.into(), value.into())).chain(without_keys).chain(by_host)
}

fn default_directory(environment: &dyn Environment, call: &Call<'_>) -> PathBuf {
    call.directory().unwrap_or_else(|| environment.directory().to_owned())
}

/// Returns a folder by its path without symbolic links, or `None` if it does not exist.
fn folder(files: &dyn Files, path: &Path) -> Option<FoundDirectory> {
    let path = files.resolve(path).ok()?;
    let found = files.metadata(&path).ok()?;
    let identity = found.identity.map(|found| (found.device, found.inode));
    (found.kind == FileKind::Folder).then_some(FoundDirectory { path, identity })
}
