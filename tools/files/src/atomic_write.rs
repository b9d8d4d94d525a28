//! Atomic writes: to a temporary file in the same folder, then renamed.
//!
//! The price is that hard links to the old file keep the old content, and that the directory must be writable.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};
use toolc::ToolError;

use crate::open::{explain, only_regular, options};
use toolc_workspace::Workspace;

/// The file that is there, if any. Refuses what is not a regular file, or may not be written.
pub(super) fn existing(workspace: &Workspace, path: &Path) -> Result<Option<Metadata>, ToolError> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(explain(workspace, path, "write", &error)),
    };
    only_regular(workspace, path, &meta)?;
    // A rename would go through whatever the file's own permissions say.
    options().write(true).open(path).map_err(|error| explain(workspace, path, "write", &error))?;
    Ok(Some(meta))
}

/// Replaces or creates the file at `path`, whose directory exists, and returns its new metadata.
pub(super) fn save(path: &Path, old: Option<&Metadata>, content: &[u8]) -> io::Result<Metadata> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut file = temporary(dir)?;
    file.write_all(content)?;
    if let Some(old) = old {
        keep(file.as_file(), old)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?.metadata()
}

#[cfg(unix)]
fn temporary(dir: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // As for any new file: the umask has its say.
    Builder::new().prefix(".toolc-").permissions(fs::Permissions::from_mode(0o666)).tempfile_in(dir)
}

#[cfg(not(unix))]
fn temporary(dir: &Path) -> io::Result<NamedTempFile> {
    Builder::new().prefix(".toolc-").tempfile_in(dir)
}

/// Gives the new file the old one's owner, as far as that is possible, and its permissions.
#[cfg(unix)]
fn keep(file: &fs::File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root may give files away; anyone else becomes the owner, as with every editor that renames.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    // Without set-user-id and its like: the kernel too takes them off a file that is written to.
    file.set_permissions(fs::Permissions::from_mode(old.permissions().mode() & 0o777))
}

#[cfg(not(unix))]
fn keep(file: &fs::File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
