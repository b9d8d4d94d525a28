//! Folders by their paths, where the system has no open folders. Another program that swaps a folder for a link between a check and
//! the use of the path can lead it elsewhere.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn open(path: &Path, create: bool) -> io::Result<Self> {
        if create {
            fs::create_dir_all(path)?;
        }
        if !fs::metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if crate::resolve(path)? != path {
            return Err(io::Error::other("a part of the path is a link"));
        }
        Ok(Self(path.to_owned()))
    }

    pub(super) fn file_type(&self, name: &OsStr) -> io::Result<FileType> {
        Ok(fs::symlink_metadata(self.path(name)?)?.file_type())
    }

    pub(super) fn open_file(&self, name: &OsStr, write: bool) -> io::Result<File> {
        File::options().read(!write).write(write).open(self.path(name)?)
    }

    pub(super) fn create_temporary(&self) -> io::Result<(File, OsString)> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".toolc-{}-{number}", std::process::id()));
            match File::create_new(self.0.join(&name)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return Ok((created?, name)),
            }
        }
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.path(to)?)
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path(name)?)
    }

    pub(super) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.path(name)?)
    }

    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.path(name)?)
    }

    /// Returns the path of an entry. Fails if the text is not the name of one.
    fn path(&self, name: &OsStr) -> io::Result<PathBuf> {
        let mut parts = Path::new(name).components();
        let is_name =
            matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(own)), None) if own == name);
        if is_name { Ok(self.0.join(name)) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }
}

pub(super) fn copy_permissions(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
