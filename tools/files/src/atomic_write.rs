//! Atomic writes: the content goes to a temporary file in the same directory, which is then renamed.
//!
//! Consequences: hard links to the old file keep the old content, and the directory must be writable.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};
use toolc::ToolError;

use crate::open::{check_regular, explain, options};
use toolc_workspace::Workspace;

/// Returns the metadata of the file at `path`, or `None` if it does not exist. Fails if it is not a regular file, or the process
/// may not write to it.
pub(super) fn existing(workspace: &Workspace, path: &Path) -> Result<Option<Metadata>, ToolError> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(explain(workspace, path, "write", &error)),
    };
    check_regular(workspace, path, &meta)?;
    // Renaming ignores the permissions of the replaced file, so check them here.
    options().write(true).open(path).map_err(|error| explain(workspace, path, "write", &error))?;
    Ok(Some(meta))
}

/// Replaces or creates the file at `path` and returns its new metadata. The directory must exist.
pub(super) fn save(path: &Path, old: Option<&Metadata>, content: &[u8]) -> io::Result<Metadata> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut file = temporary(dir)?;
    file.write_all(content)?;
    if let Some(old) = old {
        copy_permissions(file.as_file(), old)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?.metadata()
}

#[cfg(unix)]
fn temporary(dir: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // The mode of any new file; the system applies the umask.
    Builder::new().prefix(".toolc-").permissions(fs::Permissions::from_mode(0o666)).tempfile_in(dir)
}

#[cfg(not(unix))]
fn temporary(dir: &Path) -> io::Result<NamedTempFile> {
    Builder::new().prefix(".toolc-").tempfile_in(dir)
}

/// Gives the new file the permissions of the old one and, if the process may do that, its owner.
#[cfg(unix)]
fn copy_permissions(file: &fs::File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root may change the owner. Otherwise the current user becomes the owner, as in editors that rename.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    // Without the set-user-id, set-group-id and sticky bits. The kernel removes the first two on a write, too.
    file.set_permissions(fs::Permissions::from_mode(old.permissions().mode() & 0o777))
}

#[cfg(not(unix))]
fn copy_permissions(file: &fs::File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
