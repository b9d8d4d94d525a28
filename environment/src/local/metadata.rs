//! Metadata of files of this machine.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::files::{FileIdentity, FileKind, Metadata, Permissions, Version};

impl Metadata {
    /// Converts the metadata of a file.
    pub(crate) fn from_std(meta: &fs::Metadata) -> Self {
        let version = Version { len: meta.len(), modified: meta.modified().ok().and_then(nanoseconds) };
        Self {
            kind: kind(meta.file_type()),
            version,
            permissions: permissions(meta),
            identity: FileIdentity::from_std(meta),
        }
    }
}

impl FileIdentity {
    /// Returns the identity of a file, or `None` on systems other than Unix.
    pub fn from_std(meta: &fs::Metadata) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Some(Self { device: meta.dev(), inode: meta.ino() })
        }
        #[cfg(not(unix))]
        {
            let _ = meta;
            None
        }
    }
}

fn nanoseconds(time: SystemTime) -> Option<i128> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(duration) => i128::try_from(duration.as_nanos()).ok(),
        Err(error) => i128::try_from(error.duration().as_nanos()).ok().map(|nanoseconds| -nanoseconds),
    }
}

fn kind(kind: fs::FileType) -> FileKind {
    if kind.is_file() {
        FileKind::Regular
    } else if kind.is_dir() {
        FileKind::Folder
    } else if kind.is_symlink() {
        FileKind::Link
    } else {
        special(kind)
    }
}

#[cfg(unix)]
fn special(kind: fs::FileType) -> FileKind {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_fifo() {
        FileKind::Pipe
    } else if kind.is_socket() {
        FileKind::Socket
    } else if kind.is_char_device() || kind.is_block_device() {
        FileKind::Device
    } else {
        FileKind::Other
    }
}

#[cfg(not(unix))]
fn special(_: fs::FileType) -> FileKind {
    FileKind::Other
}

#[cfg(unix)]
fn permissions(meta: &fs::Metadata) -> Permissions {
    use std::os::unix::fs::MetadataExt as _;
    Permissions { mode: meta.mode() & 0o7777, user: meta.uid(), group: meta.gid() }
}

#[cfg(not(unix))]
fn permissions(meta: &fs::Metadata) -> Permissions {
    let mode = if meta.permissions().readonly() { 0o444 } else { 0o666 };
    Permissions { mode, user: 0, group: 0 }
}
