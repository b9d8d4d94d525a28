//! The folder to which paths are relative in formats for programs: the root of the repository, wherever the command is run.

use std::path::{Path, PathBuf};

use crate::diagnostic::SourceId;
use crate::source::Sources;

/// The folder that paths are relative to.
#[derive(Debug)]
pub(super) struct Base<'s> {
    sources: &'s Sources,
    /// The root of the repository, or the project's folder if that is not in a repository. `None` for a project in memory.
    folder: Option<String>,
    /// The path from there to the project, empty or with `/` at its end.
    prefix: String,
}

impl<'s> Base<'s> {
    pub(super) fn new(sources: &'s Sources) -> Self {
        let in_memory = Self { sources, folder: None, prefix: String::new() };
        let Some(project) = sources.root().and_then(|root| root.canonicalize().ok()) else { return in_memory };
        // In a worktree or a submodule, `.git` is a file.
        let repository = project.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&project);
        let parts = project.strip_prefix(repository).unwrap_or(Path::new("")).components();
        let names = parts.map(|part| part.as_os_str().to_string_lossy());
        let prefix = names.flat_map(|name| [name, "/".into()]).collect();
        Self { sources, folder: Some(slashes(repository)), prefix }
    }

    /// Returns the folder as an absolute path, without `/` at its end.
    pub(super) fn folder(&self) -> Option<&str> {
        self.folder.as_deref()
    }

    /// Returns the path of a file relative to the folder.
    pub(super) fn path(&self, id: SourceId) -> String {
        format!("{}{}", self.prefix, self.sources.get(id).path)
    }
}

/// Returns a path with `/` as separator, and without the prefix of canonical paths of Windows.
fn slashes(path: &Path) -> String {
    let path: PathBuf = path.components().collect();
    let text = path.to_string_lossy().replace('\\', "/");
    text.trim_start_matches("//?/").trim_end_matches('/').to_owned()
}
