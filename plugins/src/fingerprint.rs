//! Detects changed files by their metadata, without opening them.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

/// The metadata of a file or folder; empty if it does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp(Option<(Owned, Option<Written>)>);

impl Stamp {
    pub(crate) fn of(path: &Path) -> Self {
        let Ok(about) = fs::metadata(path) else { return Self(None) };
        // What comes and goes in a folder is looked at by itself, and a program may keep things of its own there.
        let written = (!about.is_dir()).then(|| (about.modified().ok(), about.len(), changed(&about)));
        Self(Some((owned(&about), written)))
    }
}

/// When a file was last written or changed, and its length.
type Written = (Option<SystemTime>, u64, (i64, i64));

/// All files of which a plugin is made but its program, and the folders that they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamps(Vec<(PathBuf, Stamp)>);

impl Stamps {
    pub(crate) fn of(root: &Path) -> Self {
        let stamped = |path: PathBuf| (Stamp::of(&path), path);
        let settings = ["", "plugin.toml", "toolc.toml"].map(|file| root.join(file));
        // Unreadable entries are reported when the plugin is compiled.
        let manifests = WalkDir::new(root.join("manifests")).sort_by_file_name().into_iter().filter_map(Result::ok);
        let all = settings.into_iter().chain(manifests.map(walkdir::DirEntry::into_path));
        Self(all.map(stamped).map(|(stamp, path)| (path, stamp)).collect())
    }
}

/// Which file it is, whose, and who may do what with it.
#[cfg(unix)]
type Owned = (u64, u32, u32);

#[cfg(unix)]
fn owned(about: &Metadata) -> Owned {
    use std::os::unix::fs::MetadataExt as _;
    (about.ino(), about.uid(), about.mode())
}

#[cfg(not(unix))]
type Owned = bool;

#[cfg(not(unix))]
fn owned(about: &Metadata) -> Owned {
    about.is_dir()
}

/// Who sets a file's time does not set this one.
#[cfg(unix)]
fn changed(about: &Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt as _;
    (about.ctime(), about.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> (i64, i64) {
    (0, 0)
}
