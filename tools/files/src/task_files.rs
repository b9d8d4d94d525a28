//! The files of the environment in which a call acts, and what of them the call may read and write.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use toolc::{Call, ToolError};
use toolc_environment::files::FileKind;
use toolc_environment::{Environment, Files, Local, LocalFiles, resolve};
use toolc_workspace::{BoundAccess, Workspace, names};

use crate::handlers::{FileHandlers, WriteLock};

/// The files of a call's environment.
#[derive(Debug)]
pub(crate) struct TaskFiles {
    environment: Arc<dyn Environment>,
    workspace: Workspace,
    access: BoundAccess,
    /// Whether paths are shown as they are, because relative paths belong to another environment.
    shows_absolute: bool,
}

impl TaskFiles {
    /// Returns the files of the environment of a call's task.
    pub(crate) fn of(handlers: &FileHandlers, call: &Call<'_>) -> Result<Self, ToolError> {
        Self::within(handlers.environments.of(call)?, handlers, call)
    }

    /// Returns the files in which a path is read, and the resolved path: the files of the environment, or of this machine if the path is
    /// that of a stored result.
    pub(crate) fn for_reading(
        handlers: &FileHandlers,
        path: &str,
        call: &Call<'_>,
    ) -> Result<(Self, PathBuf), ToolError> {
        // Also for a stored result: if the environment cannot be had, no tool acts.
        let task = Self::of(handlers, call)?;
        if let Some(folder) = handlers.spilled.as_deref().map(|folder| own_results(folder, call))
            && let Some(result) = spilled(path, &folder)
        {
            let stored = Self::within(Arc::new(Local::new(&folder)), handlers, call)?;
            return Ok((Self { shows_absolute: true, ..stored }, result));
        }
        let path = task.locate(path)?;
        Ok((task, path))
    }

    /// Returns the files of an environment.
    fn within(environment: Arc<dyn Environment>, handlers: &FileHandlers, call: &Call<'_>) -> Result<Self, ToolError> {
        let failed = |error| ToolError::new(format!("failed to look into the environment of this task: {error}"));
        let files = environment.files();
        let places = files.places().map_err(failed)?;
        let directory = files.resolve(environment.directory()).map_err(failed)?;
        let workspace = if environment.name() == Local::NAME {
            handlers.workspace.in_directory(directory)
        } else {
            Workspace::of_environment(directory, places.home)
        };
        let mut access = handlers.access.clone();
        if let Some(home) = call.home() {
            access = access.with_host_home(home);
        }
        if let Some(folder) = handlers.spilled.as_deref().filter(|_| environment.name() == Local::NAME) {
            access = access.with_results(folder, own_results(folder, call));
        }
        let access = access.bind(workspace.clone(), &*files, &places.temporary);
        drop(files);
        Ok(Self { environment, workspace, access, shows_absolute: false })
    }

    /// Returns the file system.
    pub(crate) fn files(&self) -> Box<dyn Files + '_> {
        self.environment.files()
    }

    /// Returns the resolved path of a text. See [`Workspace::locate`].
    pub(crate) fn locate(&self, path: &str) -> Result<PathBuf, ToolError> {
        self.workspace.locate(&*self.files(), path)
    }

    /// Returns the absolute path of a text, with its links. See [`Workspace::absolute`].
    pub(crate) fn absolute(&self, path: &str) -> PathBuf {
        self.workspace.absolute(path)
    }

    /// Returns the form of a path for a model. See [`Workspace::show`].
    pub(crate) fn show(&self, path: &Path) -> String {
        if self.shows_absolute { names::escape(path) } else { self.workspace.show(path) }
    }

    /// Returns the working directory.
    pub(crate) fn directory(&self) -> &Path {
        self.workspace.dir()
    }

    /// Returns whether this is the file system of this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.environment.name() == Local::NAME
    }

    /// Returns the lock for writing in the environment of a call. On this machine all tasks have one. Elsewhere, where writing can take
    /// long, each task has its own.
    pub(crate) fn write_lock(&self, handlers: &FileHandlers, call: &Call<'_>) -> Arc<WriteLock> {
        if self.is_local() { Arc::clone(&handlers.write_lock) } else { call.state() }
    }

    /// Returns what may be read and written.
    pub(crate) fn access(&self) -> &BoundAccess {
        &self.access
    }
}

/// Returns the folder of the results of a call's session: one of its name, or the folder itself if the session has none.
fn own_results(folder: &Path, call: &Call<'_>) -> PathBuf {
    let mut parts = Path::new(call.session()).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) => folder.join(name),
        _ => folder.to_owned(),
    }
}

/// Returns the resolved path of a text if it leads to a regular file in a folder of this machine. Otherwise nothing of the folder is
/// shown, also not the names of its files.
fn spilled(path: &str, folder: &Path) -> Option<PathBuf> {
    let path = names::unescape(path);
    let resolved = resolve(&path).ok().filter(|resolved| path.is_absolute() && resolved.parent() == Some(folder))?;
    let is_regular = LocalFiles.metadata(&resolved).is_ok_and(|found| found.kind == FileKind::Regular);
    is_regular.then_some(resolved)
}
