//! Open folders. Operations on entries use the open folder and not its path, so another program cannot redirect them.
//!
//! A path is resolved and checked before it is opened. In between, another program could replace a part of the path with a symbolic link.
//! This module opens paths without following links, so that such a change is an error.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
use other as system;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use crate::files::{Expected, FileKind, Metadata, VersionMismatch, WriteOptions, not_regular};

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder(system::Folder);

impl Folder {
    /// Opens a folder. `path` is absolute and [resolved](crate::resolve).
    ///
    /// # Errors
    /// If the folder does not exist, or a part of the path is a symbolic link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        system::Folder::open(path).map(Self)
    }

    /// Returns the metadata of an entry, without following links or opening the entry.
    ///
    /// # Errors
    /// If the entry does not exist.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        self.0.metadata(name)
    }

    /// Returns the names of at most `max` entries.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(crate) fn names(&self, max: usize) -> io::Result<Vec<OsString>> {
        self.0.names(max)
    }

    /// Opens a regular file for reading. If the entry is a pipe, the call does not block; if it is a device, it does not become the controlling
    /// terminal.
    ///
    /// # Errors
    /// If the file does not exist, or is not a regular file.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        self.open_regular(name, false)
    }

    /// Opens a file for reading that was a regular file just before. If it has been replaced with a device, opening it can have side effects.
    ///
    /// # Errors
    /// As for [`Folder::read`].
    pub(crate) fn read_checked(&self, name: &OsStr) -> io::Result<File> {
        let file = self.0.open_file(name, false)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
    }

    /// Checks that the process may write to a regular file, and returns its metadata. Opens the file for writing, but does not change it.
    ///
    /// # Errors
    /// As for [`Folder::read`].
    pub(crate) fn check_writable(&self, name: &OsStr) -> io::Result<Metadata> {
        Ok(self.open_regular(name, true)?.1)
    }

    fn open_regular(&self, name: &OsStr, write: bool) -> io::Result<(File, Metadata)> {
        let is_regular = |kind: FileKind| if kind == FileKind::Regular { Ok(()) } else { Err(not_regular()) };
        // Check the type before the file is opened, because opening a device can have side effects.
        is_regular(self.metadata(name)?.kind)?;
        let file = self.0.open_file(name, write)?;
        let metadata = Metadata::from_std(&file.metadata()?);
        is_regular(metadata.kind)?;
        Ok((file, metadata))
    }

    /// Creates a file, or replaces it as a whole: other programs see the old content or the new one. Hard links to the old file keep
    /// its content.
    ///
    /// If the path is expected not to exist, an existing file is never replaced. The version of an old file is compared just before it is
    /// replaced. A change within these microseconds would be lost.
    ///
    /// # Errors
    /// If the file is not as expected, or cannot be written. In these cases, the old file is unchanged.
    pub(crate) fn replace(&self, name: &OsStr, content: &[u8], options: &WriteOptions) -> io::Result<Metadata> {
        // Check before the content is written, which may take long, and again before the rename.
        self.check(name, options.expected)?;
        let (mut file, temporary) = self.0.create_temporary()?;
        let result = (|| {
            file.write_all(content)?;
            if let Some(permissions) = &options.permissions {
                system::set_permissions(&file, permissions)?;
            }
            file.sync_all()?;
            self.check(name, options.expected)?;
            match options.expected {
                Expected::Nothing => self.0.rename_new(&temporary, &self.0, name)?,
                Expected::Version(_) => self.0.rename(&temporary, name)?,
            }
            Ok(Metadata::from_std(&file.metadata()?))
        })();
        if result.is_err() {
            // Report the error of the write, not of the removal.
            let _ = self.0.remove(&temporary);
        }
        result
    }

    /// Checks that an entry is as expected.
    ///
    /// # Errors
    /// The errors of [`Expected`], or the error that prevents reading the metadata.
    pub(crate) fn check(&self, name: &OsStr, expected: Expected) -> io::Result<()> {
        match (self.metadata(name), expected) {
            (Ok(_), Expected::Nothing) => Err(io::ErrorKind::AlreadyExists.into()),
            (Ok(current), Expected::Version(_)) if current.kind != FileKind::Regular => Err(not_regular()),
            (Ok(current), Expected::Version(version)) if current.version == version => Ok(()),
            (Ok(_), Expected::Version(_)) => Err(VersionMismatch.into()),
            (Err(error), Expected::Nothing) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            (Err(error), Expected::Version(_)) if error.kind() == io::ErrorKind::NotFound => {
                Err(VersionMismatch.into())
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Renames an entry, possibly into another folder.
    ///
    /// # Errors
    /// `AlreadyExists` if the new name exists.
    pub(crate) fn rename_new(&self, from: &OsStr, folder: &Self, to: &OsStr) -> io::Result<()> {
        self.0.rename_new(from, &folder.0, to)
    }

    /// Removes a file, or a link itself.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove(name)
    }

    /// Creates a folder.
    ///
    /// # Errors
    /// If the folder cannot be created, for example because the name exists.
    pub(crate) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        self.0.create_folder(name)
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// If the folder cannot be removed.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove_folder(name)
    }
}

/// Opens the folder of a file, and returns it with the file's name.
///
/// # Errors
/// As for [`Folder::open`].
pub(crate) fn folder_of(path: &Path) -> io::Result<(Folder, &OsStr)> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((Folder::open(parent)?, name)),
        _ => Err(not_regular()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::files::Files as _;
    use crate::local::LocalFiles;

    const NEW: WriteOptions = WriteOptions { expected: Expected::Nothing, permissions: None };

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::TempDir::new().unwrap();
        let path = crate::resolve(dir.path()).unwrap();
        (dir, path)
    }

    fn read(folder: &Folder, name: &str) -> io::Result<String> {
        io::read_to_string(folder.read(name.as_ref())?.0)
    }

    #[test]
    fn links_in_a_path_are_not_followed() {
        let (_dir, path) = folder();
        fs::create_dir(path.join("real")).unwrap();
        fs::write(path.join("real/file"), "x").unwrap();
        symlink("real", path.join("link")).unwrap();
        symlink("real/file", path.join("file")).unwrap();
        assert_eq!(read(&Folder::open(&path.join("real")).unwrap(), "file").unwrap(), "x");
        assert!(Folder::open(&path.join("link")).is_err());
        assert!(LocalFiles.create_folders(&path.join("link/new")).is_err() && !path.join("real/new").exists());
        let folder = Folder::open(&path).unwrap();
        assert!(folder.read("file".as_ref()).is_err() && folder.check_writable("file".as_ref()).is_err());
        for name in ["..", "real/file", "", "."] {
            assert!(
                folder.read(name.as_ref()).is_err() && folder.replace(name.as_ref(), b"x", &NEW).is_err(),
                "{name}"
            );
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let (_dir, path) = folder();
        fs::write(path.join("file"), "old").unwrap();
        fs::set_permissions(path.join("file"), fs::Permissions::from_mode(0o4751)).unwrap();
        fs::hard_link(path.join("file"), path.join("other")).unwrap();
        let folder = Folder::open(&path).unwrap();
        let old = folder.check_writable("file".as_ref()).unwrap();
        let options = WriteOptions { expected: Expected::Version(old.version), permissions: Some(old.permissions) };
        let new = folder.replace("file".as_ref(), b"new", &options).unwrap();
        assert_eq!((new.permissions.mode, new.version.len), (0o751, 3));
        assert_eq!(fs::read_to_string(path.join("file")).unwrap(), "new");
        assert_eq!(fs::read_to_string(path.join("other")).unwrap(), "old", "a hard link is not written through");
        fs::create_dir(path.join("folder")).unwrap();
        assert!(folder.replace("folder".as_ref(), b"x", &NEW).is_err());
        assert_eq!(fs::read_dir(&path).unwrap().count(), 3, "no temporary file is left");
    }

    #[test]
    fn pipes_and_devices_are_not_opened() {
        let (_dir, path) = folder();
        assert!(std::process::Command::new("mkfifo").arg(path.join("pipe")).status().unwrap().success());
        assert!(Folder::open(&path).unwrap().read("pipe".as_ref()).is_err());
        assert!(Folder::open(Path::new("/dev")).unwrap().read("zero".as_ref()).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_is_swapped_for_a_link_never_leads_elsewhere() {
        use std::time::{Duration, Instant};

        use rustix::fs::{CWD, RenameFlags, renameat_with};
        let (_dir, path) = folder();
        for name in ["inside", "outside"] {
            fs::create_dir(path.join(name)).unwrap();
            fs::write(path.join(name).join("file"), name).unwrap();
        }
        symlink("outside", path.join("link")).unwrap();
        let (inside, link) = (path.join("inside"), path.join("link"));
        let is_done = AtomicBool::new(false);
        let mut opened = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    renameat_with(CWD, &inside, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                }
            });
            let (started, mut tries) = (Instant::now(), 0);
            // On a busy machine, the folder can be swapped during each of many tries.
            while tries < 2_000 || opened == 0 && started.elapsed() < Duration::from_mins(1) {
                tries += 1;
                if tries % 2 == 1 {
                    let _ = LocalFiles.create_folders(&inside.join(format!("new{tries}")));
                }
                let Ok(folder) = Folder::open(&inside) else { continue };
                opened += 1;
                if let Ok(text) = read(&folder, "file") {
                    assert_eq!(text, "inside");
                }
                let _ = folder.remove("written".as_ref());
                folder.replace("written".as_ref(), b"x", &NEW).unwrap();
            }
            is_done.store(true, Ordering::Relaxed);
        });
        assert!(opened > 0, "the folder was never there");
        assert_eq!(fs::read_dir(path.join("outside")).unwrap().count(), 1, "nothing was written elsewhere");
    }
}
