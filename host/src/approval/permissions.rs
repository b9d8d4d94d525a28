//! Loads the permissions of the user and of the project, and makes those of a session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolc::Registry;
use toolc::approval::Permissions;
use toolc_config::Home;
use toolc_environment::EnvironmentKind;
use toolc_permissions::{
    Answer, AnswerStore, KnownTools, PathSource, PermissionFile, PermissionSet, SessionPermissions, Trust, mistakes,
    warnings,
};
use toolc_store::Approvals;

use super::rules::{check_inside_project, project_folders, read};
use crate::ground::error::{Error, Result};

/// The file of permissions in the folder of a project.
const PROJECT_FILE: &str = ".toolc/permissions.toml";

/// Makes the permissions of sessions.
#[derive(Clone)]
pub(crate) struct PermissionsOfSessions {
    set: Arc<PermissionSet>,
    store: Arc<Approvals>,
    paths: Arc<dyn PathSource>,
    environment: String,
}

impl PermissionsOfSessions {
    pub(crate) fn new(
        files: &[PermissionFile],
        store: Arc<Approvals>,
        paths: Arc<dyn PathSource>,
        environment: &str,
    ) -> Self {
        Self { set: Arc::new(PermissionSet::new(files)), store, paths, environment: environment.to_owned() }
    }

    /// Adds the rule of the mode `strict` about tools that are not shipped, if one of the `sets` is this mode.
    pub(crate) fn in_sets(mut self, sets: &[&str]) -> Self {
        if sets.contains(&super::STRICT) {
            let shipped = toolc_host::shipped_tools();
            let names = shipped.tools().iter().map(|tool| tool.name.to_string());
            self.set = Arc::new(PermissionSet::clone(&self.set).strict(names));
        }
        self
    }

    /// Returns the permissions of a new session.
    pub(crate) fn session(&self) -> SessionPermissions {
        let store = Arc::new(StoredAnswers(Arc::clone(&self.store)));
        let permissions = SessionPermissions::new(Arc::clone(&self.set)).store(store);
        permissions.paths(Arc::clone(&self.paths)).environment(&self.environment)
    }

    /// Does the same as [`session`](Self::session), for the runtime.
    pub(crate) fn of_session(&self) -> Arc<dyn Permissions> {
        Arc::new(self.session())
    }
}

/// Answers in the store of the profile.
struct StoredAnswers(Arc<Approvals>);

impl AnswerStore for StoredAnswers {
    fn answers(&self, tool: &str) -> Vec<(i64, String)> {
        self.0.rules_about(tool)
    }

    fn add(&self, answer: &Answer<'_>) -> std::result::Result<(), String> {
        let Answer { tool, environment, description, rule } = *answer;
        self.0.add_rule(tool, environment, description, rule).map_err(|error| error.to_string())
    }
}

/// Returns what rules can name: the tools of a registry, and the kinds of environments.
pub(crate) fn known_tools(registry: &Registry) -> KnownTools {
    KnownTools::of(registry).environments(EnvironmentKind::ALL.iter().map(|kind| kind.name()))
}

/// Loads the permissions for tools that act in `directory`.
///
/// The file of the user is `permissions.toml` in toolc's home folder. The files of the project are `.toolc/permissions.toml` in the
/// directory and in the folders above it, up to the root of the repository. Permissions of a project can only ask and deny.
///
/// # Errors
/// Returns an error if a file cannot be read or has mistakes: a mistake in a file must not make the rules less strict.
pub(crate) fn load(home: &Home, directory: &Path, tools: &KnownTools) -> Result<Vec<PermissionFile>> {
    let mut read = Vec::new();
    for (path, trust) in paths(home, directory)? {
        read.push(read_file(home, &path, trust, tools)?);
    }
    let mistakes = mistakes(&read, tools);
    if mistakes.is_empty() { Ok(read) } else { Err(invalid(&mistakes.join("\n\n"))) }
}

/// Returns the problems of the file of the user, like [`problems`].
pub(crate) fn problems_of_user(home: &Home, tools: &KnownTools) -> Vec<String> {
    // The root folder is in no project.
    problems(home, Path::new("/"), tools)
}

/// Returns the problems of the files: the mistakes for which [`load`] refuses them, and the rules that have no effect.
pub(crate) fn problems(home: &Home, directory: &Path, tools: &KnownTools) -> Vec<String> {
    match load(home, directory, tools) {
        Ok(files) => warnings(&files, tools),
        Err(error) => vec![error.to_string()],
    }
}

fn invalid(findings: &str) -> Error {
    Error::Invalid(format!("the permissions are invalid\n\n{findings}"))
}

fn read_file(home: &Home, path: &Path, trust: Trust, tools: &KnownTools) -> Result<PermissionFile> {
    let shown = path.display().to_string();
    let failed = |error: io::Error| Error::Invalid(format!("failed to read the permissions in {shown}: {error}"));
    match trust {
        Trust::Home => [home.path(), path].into_iter().try_for_each(toolc_config::check_writers).map_err(failed)?,
        Trust::Project => check_inside_project(path).map_err(failed)?,
    }
    let text = read(path).map_err(failed)?;
    PermissionFile::read_with(&shown, &text, trust, |name| tools.find(name))
        .map_err(|error| invalid(&error.to_string()))
}

/// Returns the paths of the files that exist, each with who wrote it.
pub(crate) fn paths(home: &Home, directory: &Path) -> Result<Vec<(PathBuf, Trust)>> {
    let own = (home.permissions(), Trust::Home);
    let of_project = project_folders(directory).map(|folder| (folder.join(PROJECT_FILE), Trust::Project));
    let mut found = Vec::new();
    for (path, trust) in std::iter::once(own).chain(of_project) {
        // The user's folder may be in a repository. It is not the folder of a project even then.
        if trust == Trust::Project && path.parent().is_some_and(|parent| parent == home.path()) {
            continue;
        }
        match fs::symlink_metadata(&path) {
            Ok(_) => found.push((path, trust)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => {
                return Err(Error::Invalid(format!("failed to read the permissions in {}: {error}", path.display())));
            }
        }
    }
    Ok(found)
}
