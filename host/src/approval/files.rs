//! The file system of this machine, for the judge of commands.

use std::fs;
use std::io::Read as _;

use toolc_commands::{Entry, FileId, FileSystem, NamedEntry};

/// The file system of this machine.
#[derive(Debug)]
pub(super) struct ThisMachine;

impl FileSystem for ThisMachine {
    fn entry(&self, path: &str) -> Option<Entry> {
        entry(path)
    }

    fn names(&self, folder: &str, limit: usize) -> Vec<NamedEntry> {
        let entries = fs::read_dir(folder).into_iter().flatten().take(limit).flatten();
        let named = |entry: fs::DirEntry| {
            let kind = entry.file_type().ok();
            let (is_link, is_folder) = kind.map_or((false, false), |kind| (kind.is_symlink(), kind.is_dir()));
            Some(NamedEntry { name: entry.file_name().into_string().ok()?, is_link, is_folder })
        };
        entries.filter_map(named).collect()
    }

    fn text(&self, path: &str, limit: usize) -> Option<String> {
        // Reading a pipe could block.
        let is_short = |found: &fs::Metadata| found.is_file() && found.len() <= limit as u64;
        fs::metadata(path).ok().filter(is_short)?;
        let mut bytes = Vec::new();
        fs::File::open(path).ok()?.take(limit as u64).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn link(path: &str) -> Option<Entry> {
    Some(Entry::Link(fs::read_link(path).ok()?.to_string_lossy().into_owned()))
}

/// Returns the entry at `path`. Mounts nothing, and asks no file server if the kernel has a cached answer.
#[cfg(target_os = "linux")]
fn entry(path: &str) -> Option<Entry> {
    use rustix::fs::{AtFlags, CWD, FileType, StatxAttributes, StatxFlags, statx};
    use rustix::io::Errno;

    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT | AtFlags::STATX_DONT_SYNC;
    let found = match statx(CWD, path, flags, StatxFlags::TYPE | StatxFlags::INO | StatxFlags::NLINK) {
        Ok(found) => found,
        // An old kernel, or a filter of system calls that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => return entry_by_metadata(path),
        Err(_) => return None,
    };
    let device = u64::from(found.stx_dev_major) << 32 | u64::from(found.stx_dev_minor);
    let id = FileId { device, inode: found.stx_ino };
    match FileType::from_raw_mode(found.stx_mode.into()) {
        FileType::Symlink => link(path),
        FileType::Directory if found.stx_attributes.contains(StatxAttributes::AUTOMOUNT) => None,
        FileType::Directory => {
            // An older kernel does not say where file systems are mounted.
            let is_unknown = !found.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT);
            let is_mounted = is_unknown || found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT);
            Some(Entry::Folder { id, is_mounted })
        }
        _ => Some(Entry::File { id, has_other_paths: found.stx_nlink > 1 }),
    }
}

/// Returns what has a path.
#[cfg(all(unix, not(target_os = "linux")))]
fn entry(path: &str) -> Option<Entry> {
    entry_by_metadata(path)
}

/// Returns what has a path, by what every Unix says about it.
#[cfg(unix)]
fn entry_by_metadata(path: &str) -> Option<Entry> {
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    let found = fs::symlink_metadata(path).ok()?;
    let id = FileId { device: found.dev(), inode: found.ino() };
    if found.is_symlink() {
        return link(path);
    }
    if !found.is_dir() {
        return Some(Entry::File { id, has_other_paths: found.nlink() > 1 });
    }
    let above = Path::new(path).parent().and_then(|folder| fs::symlink_metadata(folder).ok());
    Some(Entry::Folder { id, is_mounted: above.is_some_and(|above| above.dev() != found.dev()) })
}

/// Returns what has a path. Only links are known.
#[cfg(not(unix))]
fn entry(path: &str) -> Option<Entry> {
    fs::symlink_metadata(path).ok().filter(|found| found.is_symlink()).and_then(|_| link(path))
}

#[cfg(all(test, unix))]
mod in_folders;
#[cfg(all(test, target_os = "linux"))]
mod random_lines;
#[cfg(all(test, unix))]
mod tests;
#[cfg(all(test, target_os = "linux"))]
mod worlds;
