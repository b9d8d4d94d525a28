//! Checks files before they are opened, and explains to the model why a file cannot be opened.

use std::io;
use std::path::Path;

use toolc::{ErrorKind, ToolError};
use toolc_environment::files::{FileKind, Metadata, Version, VersionMismatch};
use toolc_workspace::names::{escape, unescape};

use crate::access::AccessLog;
use crate::task_files::TaskFiles;

/// Returns the metadata of the file at `path`, a resolved path. Fails if it is not a regular file: reading anything else could block or
/// never end.
pub(super) fn regular_metadata(task: &TaskFiles, path: &Path, verb: &str) -> Result<Metadata, ToolError> {
    let metadata = task.files().metadata(path).map_err(|error| explain(task, path, verb, &error))?;
    check_regular(task, path, metadata)?;
    Ok(metadata)
}

/// Returns the metadata of the file at `path`, or `None` if it does not exist. Fails if it is not a regular file, or may not be written.
pub(super) fn writable_metadata(task: &TaskFiles, path: &Path) -> Result<Option<Metadata>, ToolError> {
    let failed = |error| explain(task, path, "write", &error);
    match task.files().metadata(path) {
        Ok(metadata) => check_regular(task, path, metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    // Replacing a file ignores its permissions, so check them here.
    task.files().check_writable(path).map(Some).map_err(failed)
}

/// Fails if the file is not a regular file.
pub(super) fn check_regular(task: &TaskFiles, path: &Path, metadata: Metadata) -> Result<(), ToolError> {
    let shown = task.show(path);
    let kind = match metadata.kind {
        FileKind::Regular => return Ok(()),
        FileKind::Folder => {
            let entries = listing(task, path);
            return Err(ToolError::new(format!(
                "`{shown}` is a directory; it contains {entries}: pass the path of a file"
            )));
        }
        FileKind::Pipe => "a pipe",
        FileKind::Socket => "a socket",
        FileKind::Device => "a device",
        FileKind::Link | FileKind::Other => "a special file",
    };
    Err(ToolError::with_kind(ErrorKind::Refused, format!("`{shown}` is {kind}, not a regular file")))
}

/// Returns the error for the model after a failure to `verb` (read, write) the file at `path`.
pub(super) fn explain(task: &TaskFiles, path: &Path, verb: &str, error: &io::Error) -> ToolError {
    let shown = task.show(path);
    if VersionMismatch::is_cause_of(error) {
        return ToolError::with_kind(
            ErrorKind::Refused,
            format!(
                "failed to {verb} `{shown}`: another program has changed the file in the meantime; read the file again"
            ),
        );
    }
    match error.kind() {
        io::ErrorKind::AlreadyExists => ToolError::with_kind(
            ErrorKind::Refused,
            format!("failed to {verb} `{shown}`: another program has just created the file; read the file first"),
        ),
        io::ErrorKind::NotFound => not_found(task, path),
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

/// Lets the record of a task recognise a file whose time, but not its content, has changed.
pub(super) fn recognise(task: &TaskFiles, log: &AccessLog, path: &Path, current: Version) {
    log.recognise(path, current, |bytes| {
        let (content, metadata) = task.files().read(path, 0, bytes).ok()?;
        (metadata.version == current).then_some(content)
    });
}

/// Returns the error for a path that does not exist, with the nearest existing names.
pub(super) fn not_found(task: &TaskFiles, path: &Path) -> ToolError {
    let shown = task.show(path);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return ToolError::with_kind(ErrorKind::NotFound, format!("`{shown}` does not exist"));
    };
    let is_folder = |path: &Path| task.files().metadata(path).is_ok_and(|metadata| metadata.kind == FileKind::Folder);
    let advice = if is_folder(parent) {
        let names = names(task, parent);
        match &*toolc::suggest::nearest(&escape(name), names.iter().map(String::as_str)) {
            [] => format!("`{}` contains {}", task.show(parent), listing(task, parent)),
            similar => {
                let similar: Vec<_> =
                    similar.iter().map(|name| format!("`{}`", task.show(&parent.join(unescape(name))))).collect();
                format!("did you mean {}?", similar.join(" or "))
            }
        }
    } else {
        let existing = parent.ancestors().find(|dir| is_folder(dir)).unwrap_or(parent);
        format!("only the part `{}` of the path exists; it contains {}", task.show(existing), listing(task, existing))
    };
    ToolError::with_kind(ErrorKind::NotFound, format!("`{shown}` does not exist; {advice}"))
}

/// Returns a list of the first names in a directory, for a message.
fn listing(task: &TaskFiles, dir: &Path) -> String {
    const MAX_NAMES: usize = 8;
    let names = names(task, dir);
    let quoted: Vec<_> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "nothing".to_owned(),
        len if len > MAX_NAMES => format!("{} and more", quoted.join(", ")),
        _ => quoted.join(", "),
    }
}

/// Returns the names in a directory, escaped and sorted. Reads at most 5,000, to bound the time.
fn names(task: &TaskFiles, dir: &Path) -> Vec<String> {
    const MAX_ENTRIES: usize = 5_000;
    let entries = task.files().list(dir, MAX_ENTRIES).unwrap_or_default();
    let mut names: Vec<_> = entries.into_iter().map(escape).collect();
    names.sort_unstable();
    names
}
