//! The file half of an environment: [`Files`], and the types of what is read and written.
//!
//! Its methods are those that a shell with the usual tools can offer as well as system calls. What is costly elsewhere, such as finding
//! a line of a large file or searching a folder, is one method, so that it runs where the files are.

mod lines;
mod version;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::search::{Found, Search};
pub use lines::{Line, LineEnding, LineRange, Lines};
pub use version::{Changed, Version};

/// The number of bytes at the beginning of a file by which [`Files::read_lines`] recognises a binary file.
pub const SAMPLE: usize = 8 * 1024;

/// The file system of an environment.
///
/// Paths are absolute and [resolved](Self::resolve), unless a method says otherwise: they have no `.`, `..` or symbolic links. If another
/// program puts a link into a path after it was resolved, methods fail rather than follow it, as far as the environment
/// [promises](FileAbilities::race_free) that.
///
/// Methods block, so that handlers call them from a pool of threads.
pub trait Files: fmt::Debug + Send + Sync {
    /// Returns what the environment promises about its files.
    fn abilities(&self) -> FileAbilities;

    /// Returns the folders that the environment has for its user.
    ///
    /// # Errors
    /// If the environment cannot be asked.
    fn places(&self) -> io::Result<Places>;

    /// Follows every symbolic link in an absolute path. Components that do not exist are kept, and so is the target of a dangling link.
    ///
    /// # Errors
    /// If the path has more than 40 links.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// Returns the metadata of a file. A link is not followed.
    ///
    /// # Errors
    /// If the file does not exist, or may not be looked at.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;

    /// Returns names in a folder, at most `max`, in no order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    fn list(&self, folder: &Path, max: usize) -> io::Result<Vec<OsString>>;

    /// Reads at most `max` bytes of a regular file, from the byte `from` on.
    ///
    /// # Errors
    /// If it is not a regular file (`InvalidInput`), or cannot be read.
    fn read(&self, path: &Path, from: u64, max: usize) -> io::Result<(Vec<u8>, Metadata)>;

    /// Reads lines of a regular file. If a NUL is among the first [`SAMPLE`] bytes, no lines are read.
    ///
    /// # Errors
    /// As for [`read`](Self::read). `TimedOut` if the first line is not reached in time.
    fn read_lines(&self, path: &Path, range: &LineRange) -> io::Result<Lines>;

    /// Returns the metadata of a regular file, if it may be written.
    ///
    /// # Errors
    /// If it is not a regular file (`InvalidInput`), or may not be written.
    fn check_writable(&self, path: &Path) -> io::Result<Metadata>;

    /// Creates a file, or replaces it as a whole: other programs see the old content or the new one, never a part. The folder must
    /// exist. Hard links to an old file keep its content.
    ///
    /// # Errors
    /// If the file is not as [expected](Expected), or cannot be written. What was there is unchanged then, and no other file is left.
    fn write(&self, path: &Path, content: &[u8], options: &WriteOptions) -> io::Result<Metadata>;

    /// Removes a file whose version is `version`.
    ///
    /// # Errors
    /// [`Changed`] if the file has another version. Otherwise, if it is not a regular file, or cannot be removed.
    fn remove(&self, path: &Path, version: Version) -> io::Result<()>;

    /// Renames a regular file. Both folders must exist.
    ///
    /// # Errors
    /// `AlreadyExists` if `to` exists. Otherwise, if `from` is not a regular file, or cannot be renamed.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Creates a folder and those above it that are missing. Returns the new ones, the outermost first.
    ///
    /// # Errors
    /// If one cannot be created. Those that were created before are removed then.
    fn create_folders(&self, path: &Path) -> io::Result<Vec<PathBuf>>;

    /// Removes an empty folder.
    ///
    /// # Errors
    /// If the folder is not empty, or cannot be removed.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;

    /// Searches a folder for files by their names, or for lines in them.
    ///
    /// # Errors
    /// If the root cannot be read. `Unsupported` if the environment cannot search for this pattern; the message says why.
    fn search(&self, search: &Search<'_>) -> io::Result<Found>;
}

/// What an environment promises about its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileAbilities {
    /// Whether a path that another program changes during a call never leads elsewhere. Otherwise the folder of a file is safe from
    /// such changes, but the file itself can be swapped for a link between a check and its use.
    pub race_free: bool,
    /// Whether a search skips what ignore files such as `.gitignore` exclude, has the whole syntax of Rust's regular expressions with
    /// Unicode, and finds files whatever their names. Otherwise nothing is ignored but hidden files, patterns are restricted to what
    /// POSIX has (classes and `(?i)` mean ASCII), and files with a line break in their path are not found.
    pub full_search: bool,
}

/// The folders that an environment has for its user. Both are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The home directory, or `None` if it is unknown.
    pub home: Option<PathBuf>,
    /// The folder for temporary files.
    pub temporary: PathBuf,
}

/// What is known about a file without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// What the file is.
    pub kind: FileKind,
    /// The version of its content.
    pub version: Version,
    /// Who may use it.
    pub permissions: Permissions,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum FileKind {
    Regular,
    Folder,
    Link,
    Pipe,
    Socket,
    Device,
    Other,
}

/// Who may use a file. On systems other than Unix, the mode has only the bits for reading and writing, and the owner is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permissions {
    /// The mode of Unix, without the type of the file.
    pub mode: u32,
    /// The id of the user.
    pub user: u32,
    /// The id of the group.
    pub group: u32,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// What must be there before.
    pub expected: Expected,
    /// The permissions of the new file, without the set-user-id, set-group-id and sticky bits. The owner is set as far as the user
    /// of the environment may do that. `None` for the permissions of any new file.
    pub permissions: Option<Permissions>,
}

/// What must be at a path before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Nothing. Otherwise the error is `AlreadyExists`.
    Nothing,
    /// A regular file with this version. Otherwise the error is [`Changed`].
    Version(Version),
}

/// Returns the error about a file that is not a regular file.
pub(crate) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}
