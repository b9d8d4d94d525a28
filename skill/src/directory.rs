//! An open folder, whose entries are read without following links.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// What an entry of a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file with its size in bytes.
    File(u64),
    Folder,
    /// A symbolic link with its target.
    Link(PathBuf),
    Other,
}

/// Reads a file that is already open. Returns `None` if it is longer than `most` bytes.
fn read_open(file: File, most: u64) -> io::Result<Option<Vec<u8>>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(most)).unwrap_or_default());
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

    use super::{EntryKind, File, OsString, Path, PathBuf, io, read_open};

    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::RDONLY);

    #[derive(Debug)]
    pub(crate) struct Directory(OwnedFd);

    impl Directory {
        /// Opens a folder. Links in its path are followed.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(rustix::fs::open(path, FOLDER, Mode::empty())?))
        }

        /// Opens a folder in this one.
        pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
            Ok(Self(rustix::fs::openat(&self.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?))
        }

        pub(crate) fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
            let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => EntryKind::File(u64::try_from(stat.st_size).unwrap_or_default()),
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => {
                    let target = rustix::fs::readlinkat(&self.0, name, Vec::new())?;
                    EntryKind::Link(PathBuf::from(OsString::from_vec(target.into_bytes())))
                }
                _ => EntryKind::Other,
            })
        }

        /// Returns the names of at most `most` entries, sorted.
        pub(crate) fn names(&self, most: usize) -> io::Result<Vec<OsString>> {
            let mut names = Vec::new();
            for entry in Dir::read_from(&self.0)? {
                let entry = entry?;
                let name = entry.file_name().to_bytes();
                if names.len() < most && name != b"." && name != b".." {
                    names.push(OsStr::from_bytes(name).to_owned());
                }
            }
            names.sort();
            Ok(names)
        }

        /// Reads a regular file. Returns `None` if it is longer than `most` bytes.
        pub(crate) fn read(&self, name: &OsStr, most: u64) -> io::Result<Option<Vec<u8>>> {
            // A named pipe must not block.
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            read_open(File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?), most)
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::ffi::OsStr;
    use std::fs;

    use super::{EntryKind, File, OsString, Path, PathBuf, io, read_open};

    #[derive(Debug)]
    pub(crate) struct Directory(PathBuf);

    impl Directory {
        /// Opens a folder. Links in its path are followed.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            if fs::metadata(path)?.is_dir() {
                Ok(Self(path.to_owned()))
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }

        /// Opens a folder in this one.
        pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
            if self.kind(name)? == EntryKind::Folder {
                Ok(Self(self.0.join(name)))
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }

        pub(crate) fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
            let path = self.0.join(name);
            let metadata = fs::symlink_metadata(&path)?;
            Ok(match metadata.file_type() {
                kind if kind.is_symlink() => EntryKind::Link(fs::read_link(&path)?),
                kind if kind.is_dir() => EntryKind::Folder,
                kind if kind.is_file() => EntryKind::File(metadata.len()),
                _ => EntryKind::Other,
            })
        }

        /// Returns the names of at most `most` entries, sorted.
        pub(crate) fn names(&self, most: usize) -> io::Result<Vec<OsString>> {
            let names = fs::read_dir(&self.0)?.take(most).map(|entry| Ok(entry?.file_name()));
            let mut names = names.collect::<io::Result<Vec<_>>>()?;
            names.sort();
            Ok(names)
        }

        /// Reads a regular file. Returns `None` if it is longer than `most` bytes.
        pub(crate) fn read(&self, name: &OsStr, most: u64) -> io::Result<Option<Vec<u8>>> {
            match self.kind(name)? {
                EntryKind::File(_) => read_open(File::open(self.0.join(name))?, most),
                _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
            }
        }
    }
}

pub(crate) use system::Directory;
