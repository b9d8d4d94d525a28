//! Open folders on Unix: file descriptors.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;

use crate::files::{Metadata, Permissions};

/// The flags with which a folder is opened.
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);
/// The modes of new files and folders. The system applies the umask.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);
const NEW_FOLDER: Mode = Mode::from_raw_mode(0o777);

#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder component by component, so that no link is followed.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(opened) = open_at_once(path) {
            return opened.map(Self);
        }
        let mut folder = rustix::fs::open("/", FOLDER, Mode::empty())?;
        for part in path.components() {
            let name = match part {
                Component::RootDir => continue,
                Component::Normal(name) => name,
                Component::Prefix(_) | Component::CurDir | Component::ParentDir => {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute and resolved"));
                }
            };
            folder = rustix::fs::openat(&folder, name, FOLDER, Mode::empty())?;
        }
        Ok(Self(folder))
    }

    /// Reads the metadata of an entry. On Linux, the entry is not opened. On other systems, only regular files are opened.
    pub(super) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        check_name(name)?;
        if PATH_ONLY.is_empty() {
            let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            if rustix::fs::FileType::from_raw_mode(stat.st_mode) != rustix::fs::FileType::RegularFile {
                return Err(crate::files::not_regular());
            }
            return Ok(Metadata::from_std(&self.open_file(name, false)?.metadata()?));
        }
        let path_only = OFlags::NOFOLLOW | OFlags::CLOEXEC | PATH_ONLY;
        let file = rustix::fs::openat(&self.0, name, path_only, Mode::empty())?;
        Ok(Metadata::from_std(&File::from(file).metadata()?))
    }

    pub(super) fn names(&self, max: usize) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() >= max {
                break;
            }
            names.push(OsString::from_vec(name.to_vec()));
        }
        Ok(names)
    }

    pub(super) fn open_file(&self, name: &OsStr, write: bool) -> io::Result<File> {
        check_name(name)?;
        let access = if write { OFlags::WRONLY } else { OFlags::RDONLY };
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Creates a file with a new name.
    pub(super) fn create_temporary(&self) -> io::Result<(File, OsString)> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".toolc-{}-{number}", std::process::id()));
            match rustix::fs::openat(&self.0, &*name, flags, NEW_FILE) {
                // The file was left behind by an earlier process with the same id.
                Err(Errno::EXIST) => {}
                created => return Ok((File::from(created?), name)),
            }
        }
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        check_name(to)?;
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Renames a file unless the new name exists.
    pub(super) fn rename_new(&self, from: &OsStr, folder: &Self, to: &OsStr) -> io::Result<()> {
        check_name(from)?;
        check_name(to)?;
        #[cfg(target_os = "linux")]
        match rustix::fs::renameat_with(&self.0, from, &folder.0, to, rustix::fs::RenameFlags::NOREPLACE) {
            // The file system or the kernel does not support the flag.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            renamed => return Ok(renamed?),
        }
        // Creating a hard link fails if the name exists.
        rustix::fs::linkat(&self.0, from, &folder.0, to, AtFlags::empty())?;
        Ok(rustix::fs::unlinkat(&self.0, from, AtFlags::empty())?)
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        check_name(name)?;
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(super) fn create_folder(&self, name: &OsStr) -> io::Result<()> {
        check_name(name)?;
        Ok(rustix::fs::mkdirat(&self.0, name, NEW_FOLDER)?)
    }

    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        check_name(name)?;
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }
}

/// The flag to read metadata without opening the file, if the system has it.
#[cfg(target_os = "linux")]
const PATH_ONLY: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PATH_ONLY: OFlags = OFlags::empty();

/// Opens a folder with one system call. Returns `None` if the kernel does not support the call, or a sandbox forbids it.
#[cfg(target_os = "linux")]
fn open_at_once(path: &Path) -> Option<io::Result<OwnedFd>> {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    /// The number of attempts. The kernel gives up an attempt if other files are renamed at the same time.
    const TRIES: usize = 16;
    for _ in 0..TRIES {
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(CWD, path, FOLDER, Mode::empty(), resolve) {
            Err(Errno::AGAIN) => {}
            Err(Errno::NOSYS | Errno::PERM) => return None,
            opened => return Some(opened.map_err(Into::into)),
        }
    }
    None
}

/// Fails if the text is not a plain file name.
fn check_name(name: &OsStr) -> io::Result<()> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.contains(&b'/') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"));
    }
    Ok(())
}

/// Gives a new file permissions and, if the process may do that, an owner.
pub(super) fn set_permissions(file: &File, permissions: &Permissions) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (permissions.user, permissions.group) {
        // Only root may change the owner. Otherwise the current user becomes the owner, as in editors that rename.
        let _ = fchown(file, Some(permissions.user), Some(permissions.group));
    }
    // The set-user-id, set-group-id and sticky bits are not set. A write to a file also removes the first two.
    file.set_permissions(std::fs::Permissions::from_mode(permissions.mode & 0o777))
}
