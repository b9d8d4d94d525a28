//! What exists at the paths of a line, for the judge.

use std::fmt;

/// The file system in which a line would run: see [`Surroundings::files`](crate::Surroundings::files).
///
/// The number of questions about one line is limited, and no file is read but those in which git lists its branches. All paths are
/// absolute. An answer holds for the moment of the question.
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// Returns the entry at `path`, without following a link at its end. Returns `None` if there is none, or if the answer could take long, as in a folder that would have to be mounted first.
    fn entry(&self, path: &str) -> Option<Entry>;

    /// Returns some of the names in a folder, at most `limit` of them.
    fn names(&self, folder: &str, limit: usize) -> Vec<NamedEntry>;

    /// Returns the text of a file that has at most `limit` bytes, with replacement characters for what is not UTF-8. By default, no file
    /// is read.
    fn text(&self, path: &str, limit: usize) -> Option<String> {
        let _ = (path, limit);
        None
    }
}

/// An entry of the file system.
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
    /// Whether it is a folder.
    pub is_folder: bool,
}
