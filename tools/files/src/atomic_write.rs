//! Atomic writes: the content goes to a temporary file in the same directory, which is then renamed.
//!
//! Consequences: hard links to the old file keep the old content, and the directory must be writable.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use toolc::ToolError;
use toolc_workspace::{Workspace, folder_of};

use crate::open::{check_regular, explain};

/// Returns the metadata of the file at `path`, or `None` if it does not exist. Fails if it is not a regular file, or the process
/// may not write to it.
pub(super) fn existing(workspace: &Workspace, path: &Path) -> Result<Option<Metadata>, ToolError> {
    let failed = |error| explain(workspace, path, "write", &error);
    match fs::symlink_metadata(path) {
        Ok(meta) => check_regular(workspace, path, &meta)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let (folder, name) = folder_of(path).map_err(failed)?;
    // Renaming ignores the permissions of the replaced file, so check them here.
    folder.writable(name).map(Some).map_err(failed)
}

/// Replaces or creates the file at `path` and returns its new metadata. The directory must exist.
pub(super) fn save(path: &Path, old: Option<&Metadata>, content: &[u8]) -> io::Result<Metadata> {
    let (folder, name) = folder_of(path)?;
    folder.replace(name, old, content)
}
