//! What the judge can ask the file system in which a line would run.

use std::fmt;

/// The file system in which a line would run: see [`Surroundings::files`](crate::Surroundings::files).
///
/// The judge asks about few paths of each line, and never reads a file. All paths are absolute. An answer holds for the moment of the
/// question.
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// Returns what has a path. A link at its end is not followed. Returns `None` if nothing has the path, or if the answer could take
    /// long, as in a folder that would have to be mounted first.
    fn entry(&self, path: &str) -> Option<Entry>;

    /// Returns some of the names in a folder, at most `limit` of them.
    fn names(&self, folder: &str, limit: usize) -> Vec<NamedEntry>;
}

/// What has a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A symbolic link to this path, which can be relative.
    Link(String),
    /// A folder.
    Folder {
        /// The folder, whichever path it has.
        id: FileId,
        /// Whether something is mounted there, so that the folder can have another path, too.
        is_mounted: bool,
    },
    /// Something else, such as a file.
    File {
        /// The file, whichever path it has.
        id: FileId,
        /// Whether the file has other paths, too: hard links.
        has_other_paths: bool,
    },
}

/// Identifies a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The number on the device.
    pub inode: u64,
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEntry {
    /// The name.
    pub name: String,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}
