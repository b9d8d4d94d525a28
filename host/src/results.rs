//! The store of results that are too long: a folder in the user's cache, kept for a day. This process ends after one call, and
//! a later call may read them.

use std::path::PathBuf;
use std::time::Duration;
use std::{env, io};

use toolc::limits::{SpillFolder, SpillStore};

/// How long a result is kept at least; the next call after that deletes it.
const KEPT: Duration = Duration::from_hours(24);

/// The folder, which is there as soon as something is in it.
pub(crate) struct Results(PathBuf);

impl Results {
    /// The store in the user's cache, or `None` if the user has no cache folder.
    pub(crate) fn in_cache() -> Option<Self> {
        let results = Self(cache()?.join("toolc").join("results"));
        if results.0.is_dir() {
            // What cannot be deleted now is the next call's.
            let _ = SpillFolder::new(&results.0).and_then(|folder| folder.delete_older_than(KEPT));
        }
        Some(results)
    }
}

impl SpillStore for Results {
    fn keep(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        let failed = |error: io::Error| {
            io::Error::new(error.kind(), format!("failed to keep a result in {}: {error}", self.0.display()))
        };
        SpillFolder::new(&self.0).and_then(|folder| folder.keep(tool, extension, text)).map_err(failed)
    }
}

/// `XDG_CACHE_HOME` on every system, where it is set; or else what the system has for it.
fn cache() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    set("XDG_CACHE_HOME").or_else(|| {
        if cfg!(windows) {
            return set("LOCALAPPDATA");
        }
        let below = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
        env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(below))
    })
}
