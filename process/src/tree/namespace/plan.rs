//! What is mounted in a namespace, so that files and folders are hidden.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::hidden::{HiddenFolder, Shown};

/// Files and folders of the kernel with which root of this machine can make the kernel run a program outside of every namespace. They are
/// read-only in the namespace of root.
const KERNEL_PROGRAMS: &[&str] = &[
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hotplug",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/poweroff_cmd",
    "/proc/sys/fs/binfmt_misc",
    "/sys/kernel/uevent_helper",
];

/// Folders of settings that a program refuses if neither root nor the user owns them: ssh. In the namespace of an ordinary user, root owns
/// nothing, so the user gets copies.
const COPIED: &[&str] = &["/etc/ssh/ssh_config.d"];

/// The maximum number of files in such a folder, and of bytes in a file. Others are left out.
const MAX_FILES: usize = 64;
const MAX_BYTES: u64 = 64 << 10;

/// What is mounted in a namespace. Two plans are equal if their namespaces would be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Plan {
    pub(super) covers: Vec<Cover>,
    pub(super) read_only: Vec<CString>,
    pub(super) copied: Vec<CopiedFolder>,
}

/// A folder that is replaced by a copy, which belongs to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CopiedFolder {
    pub(super) target: CString,
    /// The paths of the files, and what is in them.
    pub(super) files: Vec<(CString, Vec<u8>)>,
}

/// Something that is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cover {
    pub(super) target: CString,
    pub(super) is_folder: bool,
    pub(super) identity: Identity,
    pub(super) shown: Vec<ShownFolder>,
}

/// A folder that is shown in a hidden one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownFolder {
    pub(super) source: CString,
    pub(super) identity: Identity,
    /// The folders that lead to it, and itself, which are made.
    pub(super) folders: Vec<CString>,
    pub(super) writable: bool,
}

/// The device and the inode of a file.
pub(super) type Identity = (u64, u64);

impl Plan {
    /// Plans to hide a folder and other places.
    ///
    /// # Errors
    /// If the folder or the table of mounts cannot be read.
    pub(super) fn new(hidden: &HiddenFolder, is_root: bool) -> io::Result<Self> {
        let read_only = KERNEL_PROGRAMS.iter().filter(|path| is_root && Path::new(path).exists());
        let copied =
            COPIED.iter().filter(|_| !is_root).filter_map(|path| CopiedFolder::new(Path::new(path)).transpose());
        let mut plan = Self {
            covers: Vec::new(),
            read_only: read_only.map(|path| text(Path::new(path))).collect::<io::Result<_>>()?,
            copied: copied.collect::<io::Result<_>>()?,
        };
        let mounts = fs::read("/proc/self/mountinfo")?;
        let mounts = Mount::parse_all(&mounts);
        if let Some(path_of_home) = &hidden.path {
            // A folder that cannot be made does not appear later, either.
            let _ = DirBuilder::new().recursive(true).mode(0o700).create(path_of_home);
            match path_of_home.canonicalize() {
                Ok(folder) => {
                    let shown = |path: &Path| {
                        let shown = hidden.shown.iter().filter(|_| path == folder);
                        shown.filter_map(|shown| ShownFolder::new(shown, path_of_home, &folder).transpose()).collect()
                    };
                    plan.cover(&folder, &mounts, shown)?;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        for place in &hidden.places {
            // What has no path without links cannot be read by its path, either.
            if let Ok(place) = place.canonicalize() {
                plan.cover(&place, &mounts, |_| Ok(Vec::new()))?;
            }
        }
        Ok(plan)
    }

    /// Plans to hide a file or folder at all paths that lead to it. `shown` returns what is shown at a path.
    fn cover(
        &mut self,
        hidden: &Path,
        mounts: &[Mount],
        shown: impl Fn(&Path) -> io::Result<Vec<ShownFolder>>,
    ) -> io::Result<()> {
        let own = fs::metadata(hidden)?;
        for path in appearances(hidden, &own, mounts) {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            let target = text(&path)?;
            // What is in a hidden folder is hidden with it, unless it is shown there.
            let is_in = |above: &CString| path.starts_with(OsStr::from_bytes(above.as_bytes()));
            let is_hidden = |cover: &Cover| {
                cover.is_folder && is_in(&cover.target) && !cover.shown.iter().any(|shown| is_in(&shown.source))
            };
            if self.covers.iter().any(is_hidden) {
                continue;
            }
            let cover = Cover { target, is_folder: meta.is_dir(), identity: identity(&meta), shown: shown(&path)? };
            self.covers.push(cover);
        }
        Ok(())
    }

    /// Plans to hide this folder only at this path.
    pub(super) fn of_folder(folder: &Path) -> io::Result<Self> {
        let meta = fs::metadata(folder)?;
        let cover = Cover { target: text(folder)?, is_folder: true, identity: identity(&meta), shown: Vec::new() };
        Ok(Self { covers: vec![cover], ..Self::default() })
    }
}

impl CopiedFolder {
    /// Returns `None` if the folder has no files that can be read.
    fn new(folder: &Path) -> io::Result<Option<Self>> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let small = |path: &PathBuf| fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
        let mut paths: Vec<PathBuf> = entries.filter(small).take(MAX_FILES).collect();
        paths.sort();
        let mut files = Vec::new();
        for path in paths {
            if let Ok(bytes) = fs::read(&path) {
                files.push((text(&path)?, bytes));
            }
        }
        Ok(if files.is_empty() { None } else { Some(Self { target: text(folder)?, files }) })
    }
}

impl ShownFolder {
    /// Returns `None` if the folder does not exist.
    fn new(shown: &Shown, hidden: &Path, folder: &Path) -> io::Result<Option<Self>> {
        let inside = shown.path.strip_prefix(hidden).unwrap_or(&shown.path);
        let path = folder.join(inside);
        let Ok(meta) = fs::metadata(&path) else { return Ok(None) };
        if !meta.is_dir() || !path.starts_with(folder) || path == folder {
            return Ok(None);
        }
        let mut folders: Vec<&Path> = path.ancestors().take_while(|above| *above != folder).collect();
        folders.reverse();
        Ok(Some(Self {
            source: text(&path)?,
            identity: identity(&meta),
            folders: folders.into_iter().map(text).collect::<io::Result<_>>()?,
            writable: shown.writable,
        }))
    }
}

fn identity(meta: &Metadata) -> Identity {
    (meta.dev(), meta.ino())
}

fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// A line of `/proc/self/mountinfo`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    device: OsString,
    /// The folder of the file system that is mounted.
    root: PathBuf,
    /// Where it is mounted.
    point: PathBuf,
}

impl Mount {
    fn parse_all(table: &[u8]) -> Vec<Self> {
        table.split(|byte| *byte == b'\n').filter_map(Self::parse).collect()
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = line.split(|byte| *byte == b' ').skip(2).map(unescape);
        Some(Self { device: fields.next()?, root: fields.next()?.into(), point: fields.next()?.into() })
    }
}

/// Replaces the escapes of the table, such as `\040` for a space.
fn unescape(field: &[u8]) -> OsString {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal = || std::str::from_utf8(after.get(..3)?).ok().and_then(|digits| u8::from_str_radix(digits, 8).ok());
        let escaped = (*first == b'\\').then(octal).flatten();
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[3..] } else { after };
    }
    OsString::from_vec(bytes)
}

/// Returns the paths at which a folder, or a part of it, is mounted: the folder itself first.
fn appearances(folder: &Path, own: &Metadata, mounts: &[Mount]) -> Vec<PathBuf> {
    let mut paths = vec![folder.to_owned()];
    let longest = mounts.iter().rev().filter(|mount| folder.starts_with(&mount.point));
    let Some(mount) = longest.max_by_key(|mount| mount.point.components().count()) else { return paths };
    let Ok(inside) = folder.strip_prefix(&mount.point) else { return paths };
    // The path of the folder in its file system.
    let there = mount.root.join(inside);
    for other in mounts.iter().filter(|other| other.device == mount.device) {
        let path = if let Ok(inside) = there.strip_prefix(&other.root) {
            let path = if inside.as_os_str().is_empty() { other.point.clone() } else { other.point.join(inside) };
            // Something else can be mounted above it.
            if fs::metadata(&path).is_ok_and(|meta| identity(&meta) == identity(own)) { path } else { continue }
        } else if other.root.starts_with(&there) {
            other.point.clone()
        } else {
            continue;
        };
        if !paths.iter().any(|known| path.starts_with(known)) {
            paths.push(path);
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_mounts_is_read() {
        let line = br"36 35 98:0 /mnt\0401 /mnt/a\134b rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
        let mount = Mount { device: "98:0".into(), root: "/mnt 1".into(), point: r"/mnt/a\b".into() };
        assert_eq!(Mount::parse(line), Some(mount));
        assert_eq!(
            Mount::parse_all(b"\n1 2 0:1\n1 2 0:1 / /x"),
            [Mount { device: "0:1".into(), root: "/".into(), point: "/x".into() }]
        );
        assert_eq!(unescape(br"\04\9991"), r"\04\9991");
    }

    #[test]
    fn a_copied_folder_has_the_small_files() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        assert_eq!(CopiedFolder::new(folder.path()).expect("it can be read"), None);
        assert_eq!(CopiedFolder::new(&folder.path().join("missing")).expect("it may be missing"), None);
        let (small, large) = (folder.path().join("20.conf"), folder.path().join("large"));
        fs::write(&small, "Host x").expect("failed to write");
        fs::write(large, vec![b'x'; 65 << 10]).expect("failed to write");
        fs::create_dir(folder.path().join("folder")).expect("failed to make a folder");
        let copied = CopiedFolder::new(folder.path()).expect("it can be read").expect("it has a file");
        assert_eq!(copied.files, [(text(&small).expect("a path"), b"Host x".to_vec())]);
    }

    #[test]
    fn every_mount_that_shows_a_folder_is_found() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let path = folder.path().canonicalize().expect("it exists");
        let own = fs::metadata(&path).expect("it exists");
        let mount = |device: &str, root: &str, point: &str| Mount {
            device: device.into(),
            root: root.into(),
            point: point.into(),
        };
        let below = path.join("secrets");
        let mounts = [
            mount("1:1", "/", "/"),
            mount("1:1", below.to_str().expect("UTF-8"), "/elsewhere"),
            mount("1:2", below.to_str().expect("UTF-8"), "/another/file/system"),
            mount("1:1", "/", "/does/not/exist"),
            mount("1:1", path.to_str().expect("UTF-8"), path.join("inside").to_str().expect("UTF-8")),
        ];
        assert_eq!(appearances(&path, &own, &mounts), [path, "/elsewhere".into()]);
    }
}
