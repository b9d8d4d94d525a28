//! Opens regular files. Refuses other kinds, on which reading could block, with an error that helps the model.

use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::Path;

use toolc::{ErrorKind, ToolError};

use toolc_workspace::names::{escape, unescape};
use toolc_workspace::{Workspace, folder_of};

/// Opens the regular file at `path`, a resolved path.
///
/// The type is checked before opening, because opening a device can have effects, and again after opening, because the file may have
/// been replaced in between. No symbolic link is followed, in case another program has put one in the path.
pub(super) fn regular(workspace: &Workspace, path: &Path) -> Result<(File, Metadata), ToolError> {
    let failed = |error: io::Error| explain(workspace, path, "read", &error);
    check_regular(workspace, path, &fs::symlink_metadata(path).map_err(failed)?)?;
    let (folder, name) = folder_of(path).map_err(failed)?;
    folder.read(name).map_err(failed)
}

/// Fails if the file is not a regular file.
pub(super) fn check_regular(workspace: &Workspace, path: &Path, meta: &Metadata) -> Result<(), ToolError> {
    let shown = workspace.show(path);
    if meta.is_file() {
        Ok(())
    } else if meta.is_dir() {
        let entries = listing(path);
        Err(ToolError::new(format!("`{shown}` is a directory, which contains {entries}; name a file in it")))
    } else {
        let kind = special_kind(meta.file_type());
        Err(ToolError::with_kind(ErrorKind::Refused, format!("`{shown}` is {kind}, not a regular file")))
    }
}

/// Returns the error for the model after a failure to `verb` (read, write) the file at `path`.
pub(super) fn explain(workspace: &Workspace, path: &Path, verb: &str, error: &io::Error) -> ToolError {
    let shown = workspace.show(path);
    match error.kind() {
        io::ErrorKind::NotFound => not_found(workspace, path),
        io::ErrorKind::PermissionDenied => {
            ToolError::new(format!("failed to {verb} `{shown}`: the system denies permission to this process's user"))
        }
        io::ErrorKind::NotADirectory => ToolError::with_kind(
            ErrorKind::NotFound,
            format!("failed to {verb} `{shown}`: a part of the path is a file"),
        ),
        _ => ToolError::new(format!("failed to {verb} `{shown}`: {error}")),
    }
}

/// Returns the error for a path that does not exist, with the nearest existing names.
pub(super) fn not_found(workspace: &Workspace, path: &Path) -> ToolError {
    let shown = workspace.show(path);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return ToolError::with_kind(ErrorKind::NotFound, format!("`{shown}` does not exist"));
    };
    let advice = if parent.is_dir() {
        let names = names(parent);
        match &*toolc::__gen::nearest(&escape(name), names.iter().map(String::as_str)) {
            [] => format!("`{}` contains {}", workspace.show(parent), listing(parent)),
            near => {
                let near: Vec<_> =
                    near.iter().map(|name| format!("`{}`", workspace.show(&parent.join(unescape(name))))).collect();
                format!("did you mean {}?", near.join(" or "))
            }
        }
    } else {
        let existing = parent.ancestors().find(|dir| dir.is_dir()).unwrap_or(parent);
        format!("only `{}` of its path exists, which contains {}", workspace.show(existing), listing(existing))
    };
    ToolError::with_kind(ErrorKind::NotFound, format!("`{shown}` does not exist; {advice}"))
}

/// Returns the first names in a directory, for a message.
fn listing(dir: &Path) -> String {
    const MAX_NAMES: usize = 8;
    let names = names(dir);
    let quoted: Vec<_> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "nothing".to_owned(),
        len if len > MAX_NAMES => format!("{} and more", quoted.join(", ")),
        _ => quoted.join(", "),
    }
}

/// Returns the names in a directory, escaped and sorted. Reads at most 5,000, to bound the time.
fn names(dir: &Path) -> Vec<String> {
    const MAX_ENTRIES: usize = 5_000;
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().take(MAX_ENTRIES);
    let mut names: Vec<_> = entries.map(|entry| escape(entry.file_name())).collect();
    names.sort_unstable();
    names
}

#[cfg(unix)]
fn special_kind(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "a special file"
    }
}

#[cfg(not(unix))]
fn special_kind(_: FileType) -> &'static str {
    "a special file"
}
