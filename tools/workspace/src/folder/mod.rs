//! Folders that are open: what is done in one does not depend on its path any more, so that no other program can lead it elsewhere.
//!
//! A path is resolved and checked before it is opened. In between, another program could put a symbolic link in its place. Here
//! paths are opened without following links, so that such a change is an error.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;
#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
use other as system;

use std::ffi::OsStr;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Write as _};
use std::path::Path;

/// An open folder.
#[derive(Debug)]
pub struct Folder(system::Folder);

impl Folder {
    /// Opens a folder. `path` is absolute and [resolved](crate::resolve).
    ///
    /// # Errors
    /// If there is no such folder, or a part of the path is a symbolic link.
    pub fn open(path: &Path) -> io::Result<Self> {
        system::Folder::open(path, false).map(Self)
    }

    /// Opens a folder, and creates it and those above it if they are missing.
    ///
    /// # Errors
    /// If a folder cannot be created, or a part of the path is a symbolic link.
    pub fn create(path: &Path) -> io::Result<Self> {
        system::Folder::open(path, true).map(Self)
    }

    /// Returns the type of an entry. Links are not followed.
    ///
    /// # Errors
    /// If there is no such entry.
    pub fn file_type(&self, name: &OsStr) -> io::Result<FileType> {
        self.0.file_type(name)
    }

    /// Opens a regular file for reading. A pipe does not block, and a device does not become the controlling terminal.
    ///
    /// # Errors
    /// If there is no such file, or it is not a regular file.
    pub fn read(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        self.regular(name, false)
    }

    /// Opens a regular file for writing, without changing it: whether the process may write to it.
    ///
    /// # Errors
    /// As for [`Folder::read`].
    pub fn writable(&self, name: &OsStr) -> io::Result<Metadata> {
        Ok(self.regular(name, true)?.1)
    }

    fn regular(&self, name: &OsStr, write: bool) -> io::Result<(File, Metadata)> {
        let is_regular = |kind: FileType| if kind.is_file() { Ok(()) } else { Err(not_regular()) };
        // Opening a device can have effects.
        is_regular(self.file_type(name)?)?;
        let file = self.0.open_file(name, write)?;
        let meta = file.metadata()?;
        is_regular(meta.file_type())?;
        Ok((file, meta))
    }

    /// Creates a file, or replaces it as a whole: other programs see the old content or the new one. The new file has the
    /// permissions of `old`. Hard links to the old file keep its content.
    ///
    /// # Errors
    /// If the file cannot be written. The old one is unchanged then.
    pub fn replace(&self, name: &OsStr, old: Option<&Metadata>, content: &[u8]) -> io::Result<Metadata> {
        let (mut file, temporary) = self.0.create_temporary()?;
        let written = (|| {
            file.write_all(content)?;
            if let Some(old) = old {
                system::copy_permissions(&file, old)?;
            }
            file.sync_all()?;
            self.0.rename(&temporary, name)?;
            file.metadata()
        })();
        if written.is_err() {
            // The error is that of writing.
            let _ = self.0.remove(&temporary);
        }
        written
    }
}

impl Folder {
    /// Removes a file, or a link itself.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove(name)
    }

    /// Creates a folder.
    ///
    /// # Errors
    /// If the folder cannot be created, for example because the name is taken.
    pub fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        self.0.create_folder(name)
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// If the folder cannot be removed.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove_folder(name)
    }
}

/// Opens the folder of a file, and returns it with the file's name.
///
/// # Errors
/// As for [`Folder::open`].
pub fn folder_of(path: &Path) -> io::Result<(Folder, &OsStr)> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((Folder::open(parent)?, name)),
        _ => Err(not_regular()),
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

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
        assert!(Folder::create(&path.join("link/new")).is_err() && !path.join("real/new").exists());
        let folder = Folder::open(&path).unwrap();
        assert!(folder.read("file".as_ref()).is_err() && folder.writable("file".as_ref()).is_err());
        for name in ["..", "real/file", "", "."] {
            assert!(
                folder.read(name.as_ref()).is_err() && folder.replace(name.as_ref(), None, b"x").is_err(),
                "{name}"
            );
        }
    }

    #[test]
    fn missing_folders_are_created() {
        let (_dir, path) = folder();
        let folder = Folder::create(&path.join("a/b")).unwrap();
        folder.replace("c".as_ref(), None, b"x").unwrap();
        assert_eq!(fs::read_to_string(path.join("a/b/c")).unwrap(), "x");
        assert!(Folder::open(&path.join("none")).is_err_and(|error| error.kind() == io::ErrorKind::NotFound));
        fs::write(path.join("file"), "").unwrap();
        assert!(Folder::create(&path.join("file/below")).is_err());
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let (_dir, path) = folder();
        fs::write(path.join("file"), "old").unwrap();
        fs::set_permissions(path.join("file"), fs::Permissions::from_mode(0o4751)).unwrap();
        fs::hard_link(path.join("file"), path.join("other")).unwrap();
        let folder = Folder::open(&path).unwrap();
        let old = folder.writable("file".as_ref()).unwrap();
        let new = folder.replace("file".as_ref(), Some(&old), b"new").unwrap();
        assert_eq!((new.mode() & 0o7777, new.len()), (0o751, 3));
        assert_eq!(fs::read_to_string(path.join("file")).unwrap(), "new");
        assert_eq!(fs::read_to_string(path.join("other")).unwrap(), "old", "a hard link is not written through");
        fs::create_dir(path.join("folder")).unwrap();
        assert!(folder.replace("folder".as_ref(), None, b"x").is_err());
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
            for number in 0..2_000 {
                let folder = if number % 2 == 0 { Folder::open(&inside) } else { Folder::create(&inside.join("new")) };
                let Ok(folder) = folder else { continue };
                opened += 1;
                if let Ok(text) = read(&folder, "file") {
                    assert_eq!(text, "inside");
                }
                folder.replace("written".as_ref(), None, b"x").unwrap();
            }
            is_done.store(true, Ordering::Relaxed);
        });
        assert!(opened > 0, "the folder was never there");
        assert_eq!(fs::read_dir(path.join("outside")).unwrap().count(), 1, "nothing was written elsewhere");
    }
}
