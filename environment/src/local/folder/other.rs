//! Folders as paths, for systems without operations on open folders. Another program can redirect an operation by replacing a folder with a
//! link between a check and the use of the path.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::files::{Metadata, Permissions};

#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if !fs::metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if crate::resolve(path)? != path {
            return Err(io::Error::other("a part of the path is a link"));
        }
        Ok(Self(path.to_owned()))
    }

    pub(super) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        Ok(Metadata::from_std(&fs::symlink_metadata(self.path(name)?)?))
    }

    pub(super) fn names(&self, max: usize) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.0)?.take(max).map(|entry| Ok(entry?.file_name())).collect()
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

    /// Renames a file unless the new name exists. Another program can create a file with this name between the check and the rename.
    pub(super) fn rename_new(&self, from: &OsStr, folder: &Self, to: &OsStr) -> io::Result<()> {
        let to = folder.path(to)?;
        match fs::symlink_metadata(&to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(self.path(from)?, to),
        }
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

    /// Returns the path of an entry. Fails if `name` is not a plain file name.
    fn path(&self, name: &OsStr) -> io::Result<PathBuf> {
        let mut parts = Path::new(name).components();
        let is_name =
            matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(own)), None) if own == name);
        if is_name { Ok(self.0.join(name)) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }
}

pub(super) fn set_permissions(file: &File, permissions: &Permissions) -> io::Result<()> {
    let mut new = file.metadata()?.permissions();
    new.set_readonly(permissions.mode & 0o222 == 0);
    file.set_permissions(new)
}
