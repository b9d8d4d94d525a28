//! Opening a file for reading without getting stuck: regular files only, and an answer that helps otherwise.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use toolc::{ErrorKind, ToolError};

use toolc_workspace::Workspace;

/// Opens the regular file at `path`, a resolved path.
///
/// The type is looked at before opening, because opening a device can have effects, and again on what was
/// opened, because the path may have been exchanged in between.
pub(super) fn regular(workspace: &Workspace, path: &Path) -> Result<(File, Metadata), ToolError> {
    let failed = |error: io::Error| explain(workspace, path, "read", &error);
    only_regular(workspace, path, &fs::metadata(path).map_err(failed)?)?;
    let file = options().read(true).open(path).map_err(failed)?;
    let meta = file.metadata().map_err(failed)?;
    only_regular(workspace, path, &meta)?;
    Ok((file, meta))
}

/// Refuses anything but a regular file.
pub(super) fn only_regular(workspace: &Workspace, path: &Path, meta: &Metadata) -> Result<(), ToolError> {
    let shown = workspace.show(path);
    if meta.is_file() {
        Ok(())
    } else if meta.is_dir() {
        let entries = listing(path);
        Err(ToolError::new(format!("`{shown}` is a directory, which holds {entries}; name a file in it")))
    } else {
        let what = special(meta.file_type());
        Err(ToolError::with_kind(ErrorKind::Refused, format!("`{shown}` is {what}, not a regular file")))
    }
}

/// The error for the model when the system could not `verb` the file at `path`.
pub(super) fn explain(workspace: &Workspace, path: &Path, verb: &str, error: &io::Error) -> ToolError {
    let shown = workspace.show(path);
    match error.kind() {
        io::ErrorKind::NotFound => missing(workspace, path),
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

/// "Not found", with what the caller may have meant.
pub(super) fn missing(workspace: &Workspace, path: &Path) -> ToolError {
    let shown = workspace.show(path);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return ToolError::with_kind(ErrorKind::NotFound, format!("`{shown}` does not exist"));
    };
    let advice = if parent.is_dir() {
        let names = names(parent);
        match &*toolc::__gen::nearest(&name.to_string_lossy(), names.iter().map(String::as_str)) {
            [] => format!("`{}` holds {}", workspace.show(parent), listing(parent)),
            near => {
                let near: Vec<_> =
                    near.iter().map(|name| format!("`{}`", workspace.show(&parent.join(name)))).collect();
                format!("did you mean {}?", near.join(" or "))
            }
        }
    } else {
        let there = parent.ancestors().find(|dir| dir.is_dir()).unwrap_or(parent);
        format!("of its path only `{}` is there, which holds {}", workspace.show(there), listing(there))
    };
    ToolError::with_kind(ErrorKind::NotFound, format!("`{shown}` does not exist; {advice}"))
}

/// The first few names in a directory, in words.
fn listing(dir: &Path) -> String {
    const SHOWN: usize = 8;
    let names = names(dir);
    let quoted: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "nothing".to_owned(),
        len if len > SHOWN => format!("{} and more", quoted.join(", ")),
        _ => quoted.join(", "),
    }
}

/// The sorted names in a directory; incomplete if it has very many.
fn names(dir: &Path) -> Vec<String> {
    const READ: usize = 5_000;
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().take(READ);
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

/// Options that neither wait for the other end of a pipe nor take over a terminal, should the path have become
/// one.
#[cfg(unix)]
pub(super) fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let mut options = OpenOptions::new();
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    options
}

/// There is nothing to wait for.
#[cfg(not(unix))]
pub(super) fn options() -> OpenOptions {
    OpenOptions::new()
}

#[cfg(unix)]
fn special(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "something special"
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "something special"
}
