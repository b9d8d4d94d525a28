//! The folders of the user for configuration and caches, by the rules of each system.

use std::env;
use std::path::PathBuf;

/// Returns the user's configuration folder: `XDG_CONFIG_HOME` on every system, or else the default of the system.
pub(crate) fn config() -> Option<PathBuf> {
    folder_of_user("XDG_CONFIG_HOME", "APPDATA", ".config")
}

/// Returns the user's cache folder: `XDG_CACHE_HOME` on every system, or else the default of the system.
pub(crate) fn cache() -> Option<PathBuf> {
    folder_of_user(
        "XDG_CACHE_HOME",
        "LOCALAPPDATA",
        if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" },
    )
}

fn folder_of_user(variable: &str, on_windows: &str, in_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variable).or_else(|| {
        if cfg!(windows) {
            return absolute(on_windows);
        }
        env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(in_home))
    })
}
