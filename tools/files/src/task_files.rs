//! The files of the environment in which a call acts, and the rules for reading and writing them.

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
    /// Whether to show absolute paths, because relative paths refer to another environment.
    shows_absolute: bool,
}

impl TaskFiles {
    /// Returns the files of the environment of a call's task.
    pub(crate) fn for_call(handlers: &FileHandlers, call: &Call<'_>) -> Result<Self, ToolError> {
        Self::in_environment(handlers.environments.for_call(call)?, handlers, call)
    }

    /// Resolves a path for reading. Returns the path, and the files of its environment: the files of this machine if the path is a stored
    /// result, and otherwise the files of the task's environment.
    pub(crate) fn for_reading(
        handlers: &FileHandlers,
        path: &str,
        call: &Call<'_>,
    ) -> Result<(Self, PathBuf), ToolError> {
        // A stored result needs the environment, too: without it, every tool of the task fails.
        let task = Self::for_call(handlers, call)?;
        if let Some(folder) = handlers.spill_folder.as_deref().map(|folder| own_results(folder, call))
            && let Some(result) = stored_result(path, &folder)
        {
            let stored = Self::in_environment(Arc::new(Local::new(&folder)), handlers, call)?;
            return Ok((Self { shows_absolute: true, ..stored }, result));
        }
        let path = task.locate(path)?;
        Ok((task, path))
    }

    /// Returns the files of an environment.
    fn in_environment(
        environment: Arc<dyn Environment>,
        handlers: &FileHandlers,
        call: &Call<'_>,
    ) -> Result<Self, ToolError> {
        let failed = |error| ToolError::new(format!("failed to access the environment of this task: {error}"));
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
        if let Some(folder) = handlers.spill_folder.as_deref().filter(|_| environment.name() == Local::NAME) {
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

    /// Returns the environment.
    pub(crate) fn environment(&self) -> Arc<dyn Environment> {
        Arc::clone(&self.environment)
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

    /// Returns the lock for writing in the environment of a call. On this machine, all tasks share one lock. In other environments, where
    /// writing can take long, each task has its own lock.
    pub(crate) fn write_lock(&self, handlers: &FileHandlers, call: &Call<'_>) -> Arc<WriteLock> {
        if self.is_local() { Arc::clone(&handlers.write_lock) } else { call.state() }
    }

    /// Returns the rules for reading and writing.
    pub(crate) fn access(&self) -> &BoundAccess {
        &self.access
    }
}

/// Returns the folder with the results of a call's session: the subfolder with its name, or `folder` itself if the session has no name.
fn own_results(folder: &Path, call: &Call<'_>) -> PathBuf {
    let mut parts = Path::new(call.session()).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) => folder.join(name),
        _ => folder.to_owned(),
    }
}

/// Returns the resolved path of a text if it leads to a regular file directly in a folder of this machine. Errors about any other path must
/// not show names of files in the folder.
fn stored_result(path: &str, folder: &Path) -> Option<PathBuf> {
    let path = names::unescape(path);
    let resolved = resolve(&path).ok().filter(|resolved| path.is_absolute() && resolved.parent() == Some(folder))?;
    let is_regular = LocalFiles.metadata(&resolved).is_ok_and(|metadata| metadata.kind == FileKind::Regular);
    is_regular.then_some(resolved)
}
