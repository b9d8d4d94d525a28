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

/// How a folder is opened: as a place for names, never by a link.
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);
/// The mode of any new file or folder. The system applies the umask.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);
const NEW_FOLDER: Mode = Mode::from_raw_mode(0o777);

#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder one name after the other, so that no link is followed.
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

    /// Looks at an entry without opening it where the system can do that. Elsewhere, what is not a regular file is not opened at all.
    pub(super) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        check_name(name)?;
        if PATH_ONLY.is_empty() {
            let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            if rustix::fs::FileType::from_raw_mode(stat.st_mode) != rustix::fs::FileType::RegularFile {
                return Err(crate::files::not_regular());
            }
            return Ok(Metadata::of(&self.open_file(name, false)?.metadata()?));
        }
        let path_only = OFlags::NOFOLLOW | OFlags::CLOEXEC | PATH_ONLY;
        let file = rustix::fs::openat(&self.0, name, path_only, Mode::empty())?;
        Ok(Metadata::of(&File::from(file).metadata()?))
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
                // Left by an earlier process with this id.
                Err(Errno::EXIST) => {}
                created => return Ok((File::from(created?), name)),
            }
        }
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        check_name(to)?;
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Renames a file unless the new name is taken.
    pub(super) fn rename_new(&self, from: &OsStr, folder: &Self, to: &OsStr) -> io::Result<()> {
        check_name(from)?;
        check_name(to)?;
        #[cfg(target_os = "linux")]
        match rustix::fs::renameat_with(&self.0, from, &folder.0, to, rustix::fs::RenameFlags::NOREPLACE) {
            // The file system, or the kernel, does not have it.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            renamed => return Ok(renamed?),
        }
        // A second name is never that of an existing file.
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

/// Looks at a file without opening it, where the system can do that.
#[cfg(target_os = "linux")]
const PATH_ONLY: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PATH_ONLY: OFlags = OFlags::empty();

/// Opens a folder by one system call. `None` if the kernel does not have the call, or a sandbox forbids it.
#[cfg(target_os = "linux")]
fn open_at_once(path: &Path) -> Option<io::Result<OwnedFd>> {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    /// The kernel gives up if other files are renamed at the same time.
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

/// Refuses what is not the name of an entry.
fn check_name(name: &OsStr) -> io::Result<()> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.contains(&b'/') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of a file"));
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
    // Without the set-user-id, set-group-id and sticky bits. The kernel removes the first two on a write, too.
    file.set_permissions(std::fs::Permissions::from_mode(permissions.mode & 0o777))
}
