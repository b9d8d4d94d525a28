//! Detects changed files by their metadata, without opening them.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

/// The maximum number of files and folders in `manifests/`, including those behind links.
pub(crate) const MAX_FILES: usize = 10_000;

/// The metadata of a file or folder, or `None` if it does not exist. Folders have no `Modification`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint(Option<(Identity, Option<Modification>)>);

impl Fingerprint {
    pub(crate) fn new(path: &Path) -> Self {
        let Ok(meta) = fs::metadata(path) else { return Self(None) };
        // The times of a folder are ignored: the files in it have their own fingerprints, and the program may write others there.
        let modification = (!meta.is_dir()).then(|| (meta.modified().ok(), meta.len(), change_time(&meta)));
        Self(Some((identity(&meta), modification)))
    }
}

/// The modification time, the length and the change time of a file.
type Modification = (Option<SystemTime>, u64, (i64, i64));

/// The fingerprints of a plugin's folder, settings and manifests. The program is not among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprints(Vec<(PathBuf, Fingerprint)>);

impl Fingerprints {
    pub(crate) fn new(root: &Path) -> Self {
        let settings = ["", "plugin.toml", "toolc.toml"].map(|file| root.join(file));
        // Unreadable entries are reported when the plugin is compiled, and so are too many.
        let manifests = WalkDir::new(root.join("manifests")).into_iter().take(MAX_FILES).filter_map(Result::ok);
        let paths = settings.into_iter().chain(manifests.map(walkdir::DirEntry::into_path));
        let fingerprints = paths.map(|path| {
            let fingerprint = Fingerprint::new(&path);
            (path, fingerprint)
        });
        let mut fingerprints: Vec<_> = fingerprints.collect();
        fingerprints.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self(fingerprints)
    }
}

/// The inode, the owner and the mode of a file.
#[cfg(unix)]
type Identity = (u64, u32, u32);

#[cfg(unix)]
fn identity(meta: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (meta.ino(), meta.uid(), meta.mode())
}

/// Whether a file is a folder.
#[cfg(not(unix))]
type Identity = bool;

#[cfg(not(unix))]
fn identity(meta: &Metadata) -> Identity {
    meta.is_dir()
}

/// Returns the time of the last change, which, unlike the modification time, a program cannot set.
#[cfg(unix)]
fn change_time(meta: &Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt as _;
    (meta.ctime(), meta.ctime_nsec())
}

#[cfg(not(unix))]
fn change_time(_: &Metadata) -> (i64, i64) {
    (0, 0)
}
