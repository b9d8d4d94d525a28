//! Stores results that are too long, by default in the user's cache folder for a day: this process ends after one call, and a later
//! process may read them.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use toolc::limits::{SpillFolder, SpillStore};

/// The minimum age at which a result is deleted, by the next call, if the host sets no other.
const MAX_AGE: Duration = Duration::from_hours(24);

/// A store of results that are too long for the model, in a folder that is created with the first result. Results are kept for a day.
#[derive(Debug)]
pub struct ResultStore(PathBuf);

impl ResultStore {
    /// Returns the store of this program in the user's cache, or `None` if the user has no cache folder.
    pub(crate) fn in_cache(program: &str) -> Option<Self> {
        Some(Self::new(cache_dir()?.join(program).join("results"), MAX_AGE))
    }

    /// Returns the store in this folder. Deletes the results in it that are older than `keep`, also those of sessions.
    pub fn new(folder: impl Into<PathBuf>, keep: Duration) -> Self {
        let store = Self(folder.into());
        delete_old(&store.0, keep);
        for entry in fs::read_dir(&store.0).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                delete_old(&entry.path(), keep);
                // Succeeds if it is empty.
                let _ = fs::remove_dir(entry.path());
            }
        }
        store
    }

    /// Returns the store of a session: a folder in this one. The tools of other sessions need not be able to read it.
    #[must_use]
    pub fn of_session(&self, id: &str) -> Self {
        Self(self.0.join(id))
    }
}

impl SpillStore for ResultStore {
    fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        let failed = |error: io::Error| {
            io::Error::new(error.kind(), format!("failed to store a result in {}: {error}", self.0.display()))
        };
        SpillFolder::new(&self.0).and_then(|folder| folder.store(tool, extension, text)).map_err(failed)
    }
}

/// Deletes the old results in a folder. The next call tries again if that fails.
fn delete_old(folder: &Path, keep: Duration) {
    if folder.is_dir() {
        let _ = SpillFolder::new(folder).and_then(|folder| folder.delete_older_than(keep));
    }
}

/// Returns the user's cache folder: `XDG_CACHE_HOME` on every system, or else the default of the system.
fn cache_dir() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| {
        if cfg!(windows) {
            return absolute("LOCALAPPDATA");
        }
        let default = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
        env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(default))
    })
}
