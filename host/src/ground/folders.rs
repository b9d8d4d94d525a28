//! The folders of the user for configuration and caches, as each system defines them.

use std::env;
use std::path::PathBuf;

/// Returns the user's configuration folder: `XDG_CONFIG_HOME`, or the default of the system.
pub(crate) fn config() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", "APPDATA", ".config")
}

/// Returns the user's cache folder: `XDG_CACHE_HOME`, or the default of the system.
pub(crate) fn cache() -> Option<PathBuf> {
    user_folder("XDG_CACHE_HOME", "LOCALAPPDATA", if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" })
}

fn user_folder(variable: &str, windows_variable: &str, path_in_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variable).or_else(|| {
        if cfg!(windows) {
            return absolute(windows_variable);
        }
        env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(path_in_home))
    })
}
