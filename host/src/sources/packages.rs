//! The plugins that packages have installed. Each plugin is a folder in `toolc/plugins` of a data folder of the system.
//!
//! An administrator installs a package, often as a dependency of another one. Its plugins are therefore listed, but run only after the
//! user has trusted their files, like the plugins of a project. An update changes the files, which ends the trust.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolc_config::{Home, ProjectFiles, Trust};

use crate::ground::error::{Error, Result};
use crate::ground::show;

/// The data folders of the system if `XDG_DATA_DIRS` is not set.
const DATA_DIRS: &str = "/usr/local/share:/usr/share";

/// A plugin of a package.
#[derive(Debug)]
pub(crate) struct PackagedPlugin {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// Why the plugin is not loaded.
    pub(crate) why: String,
}

/// Returns the plugins of all packages, sorted by data folder and name. If several have the same name, returns the first. Reads no files
/// of the plugins.
pub(crate) fn find() -> Vec<PackagedPlugin> {
    let mut found: Vec<PackagedPlugin> = Vec::new();
    for folder in data_folders() {
        // A folder that is missing or cannot be read has no plugins.
        let entries = fs::read_dir(folder.join("toolc").join("plugins")).into_iter().flatten().filter_map(Result::ok);
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        for folder in folders {
            let Some(name) = folder.file_name().and_then(|name| name.to_str()).map(str::to_owned) else { continue };
            if !name.starts_with('.') && !found.iter().any(|other| other.name == name) {
                found.push(PackagedPlugin { name, folder, why: String::new() });
            }
        }
    }
    found
}

/// Returns the folder of the plugin with this name.
///
/// # Errors
/// Returns an error with the known names if no plugin has this name.
pub(crate) fn find_plugin(name: &str) -> Result<PathBuf> {
    let mut plugins = find();
    if let Some(index) = plugins.iter().position(|plugin| plugin.name == name) {
        return Ok(plugins.swap_remove(index).folder);
    }
    let known: Vec<String> = plugins.iter().map(|plugin| format!("`{}`", show::one_line(&plugin.name))).collect();
    let known = if known.is_empty() {
        "no package has installed a plugin".to_owned()
    } else {
        format!("expected one of {}", known.join(", "))
    };
    Err(Error::Invalid(format!("unknown plugin `{name}`: {known}")))
}

/// Returns the data folders of the system in the order of `XDG_DATA_DIRS`.
fn data_folders() -> Vec<PathBuf> {
    if cfg!(windows) {
        return Vec::new();
    }
    let set = env::var_os("XDG_DATA_DIRS").filter(|folders| !folders.is_empty());
    // The specification says to ignore relative paths.
    env::split_paths(&set.unwrap_or_else(|| DATA_DIRS.into())).filter(|path| path.is_absolute()).collect()
}

impl PackagedPlugin {
    /// Returns the folder that contains the trusted copy of the plugin. The error says why there is no such copy.
    pub(crate) fn trusted_copy(&self, home: &Home) -> Result<PathBuf> {
        let how = format!("run `toolc trust --plugin {}`, if you trust its files", self.name);
        match ProjectFiles::read_plugin(&self.folder)?.trust(home)? {
            Trust::Trusted(copy) => Ok(copy.parent().unwrap_or(Path::new("/")).to_owned()),
            Trust::Changed => Err(Error::Invalid(format!("its files have changed since you trusted them: {how}"))),
            Trust::Unknown => Err(Error::Invalid(how)),
        }
    }

    /// Returns the plugin as JSON for `doctor --json`.
    pub(crate) fn json(&self) -> Value {
        json!({ "name": self.name, "folder": self.folder.display().to_string(), "state": "untrusted", "why": self.why })
    }
}

impl fmt::Display for PackagedPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin `{}` ({}) of a package is not loaded: {}", self.name, self.folder.display(), self.why)
    }
}
