//! The files of an environment: [`Files`], and its types.
//!
//! The methods can be implemented both with system calls and with a shell and the usual programs. An operation that would transfer much
//! data, such as finding a line of a large file or searching a folder, is one method, so that it runs in the environment.

mod lines;
mod version;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::search::{Found, Search};
pub use lines::{Line, LineEnding, LineRange, Lines};
pub use version::{Version, VersionMismatch};

/// The number of bytes at the beginning of a file by which [`Files::read_lines`] recognises a binary file.
pub const SAMPLE: usize = 8 * 1024;

/// The file system of an environment.
///
/// Paths are absolute and [resolved](Self::resolve), unless a method says otherwise: they have no `.`, `..` or symbolic links. If another
/// program puts a link into a path after it was resolved, methods fail instead of following the link, if the environment
/// [promises](FileAbilities::race_free) that.
///
/// Methods block, so that handlers call them from a pool of threads.
pub trait Files: fmt::Debug + Send + Sync {
    /// Returns the abilities of the file system.
    fn abilities(&self) -> FileAbilities;

    /// Returns the folders that the environment has for its user.
    ///
    /// # Errors
    /// If the environment does not answer.
    fn places(&self) -> io::Result<Places>;

    /// Follows every symbolic link in an absolute path. Components that do not exist are kept, and so is the target of a dangling link.
    ///
    /// # Errors
    /// If the path has more than 40 links.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// Returns the metadata of a file. A link is not followed.
    ///
    /// # Errors
    /// If the file does not exist, or the user may not access it.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;

    /// Returns at most `max` names of entries in a folder, in no particular order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    fn list(&self, folder: &Path, max: usize) -> io::Result<Vec<OsString>>;

    /// Reads at most `max` bytes of a regular file, beginning at the byte `from`.
    ///
    /// # Errors
    /// If the file is not a regular file (`InvalidInput`), or cannot be read.
    fn read(&self, path: &Path, from: u64, max: usize) -> io::Result<(Vec<u8>, Metadata)>;

    /// Reads lines of a regular file. If a NUL is among the first [`SAMPLE`] bytes, no lines are read.
    ///
    /// # Errors
    /// As for [`read`](Self::read). `TimedOut` if the first line is not reached in time.
    fn read_lines(&self, path: &Path, range: &LineRange) -> io::Result<Lines>;

    /// Returns the metadata of a regular file, if it may be written.
    ///
    /// # Errors
    /// If the file is not a regular file (`InvalidInput`), or may not be written.
    fn check_writable(&self, path: &Path) -> io::Result<Metadata>;

    /// Creates a file, or replaces it as a whole: other programs see the old content or the new one, never a part. The folder must
    /// exist. Hard links to an old file keep its content.
    ///
    /// # Errors
    /// If the file is not as [expected](Expected), or cannot be written. In these cases, the old file is unchanged, and no temporary file
    /// remains.
    fn write(&self, path: &Path, content: &[u8], options: &WriteOptions) -> io::Result<Metadata>;

    /// Removes a file whose version is `version`.
    ///
    /// # Errors
    /// [`VersionMismatch`] if the file has another version. Otherwise, if it is not a regular file, or cannot be removed.
    fn remove(&self, path: &Path, version: Version) -> io::Result<()>;

    /// Renames a regular file. Both folders must exist.
    ///
    /// # Errors
    /// `AlreadyExists` if `to` exists. Otherwise, if `from` is not a regular file, or cannot be renamed.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Creates a folder and its missing parents. Returns the new folders, the outermost first.
    ///
    /// # Errors
    /// If a folder cannot be created. In this case, the folders that were created before are removed.
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

/// The abilities of the file system of an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileAbilities {
    /// Whether a call always accesses the checked file, even if another program changes the path during the call. Otherwise, the folder of a
    /// file is safe from such changes, but another program can replace the file itself with a link between a check and the use.
    pub race_free: bool,
    /// Whether a search skips files that `.gitignore` and similar files exclude, supports all of Rust's regular expressions with Unicode, and
    /// finds files with any name. Otherwise, a search skips only hidden files, patterns are restricted to the features of POSIX (classes and
    /// `(?i)` mean ASCII), and files with a line break in their path are not found.
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

/// Information about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// The kind of the file.
    pub kind: FileKind,
    /// The version of its content.
    pub version: Version,
    /// The permissions and the owner.
    pub permissions: Permissions,
    /// What tells the file from others. `None` if the system does not say.
    pub identity: Option<FileIdentity>,
}

/// What tells a file or folder from another one at the same path, as long as both exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    /// The number of the device.
    pub device: u64,
    /// The number of the file on the device.
    pub inode: u64,
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are clear")]
pub enum FileKind {
    Regular,
    Folder,
    Link,
    Pipe,
    Socket,
    Device,
    Other,
}

/// The permissions and the owner of a file. On systems other than Unix, the mode has only the bits for reading and writing, and the owner is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permissions {
    /// The Unix mode, without the type of the file.
    pub mode: u32,
    /// The id of the user.
    pub user: u32,
    /// The id of the group.
    pub group: u32,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// The expected state of the path before the write.
    pub expected: Expected,
    /// The permissions of the new file, without the set-user-id, set-group-id and sticky bits. The owner is set if the user of
    /// the environment may do that. `None` means the default permissions of new files.
    pub permissions: Option<Permissions>,
}

/// The expected state of a path before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The path does not exist. Otherwise the error is `AlreadyExists`.
    Nothing,
    /// The path is a regular file with this version. Otherwise the error is [`VersionMismatch`].
    Version(Version),
}

/// Returns the error about a file that is not a regular file.
pub(crate) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}
