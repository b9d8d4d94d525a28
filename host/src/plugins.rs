//! Loads the plugins in the folders that the user names, or by default in the user's and the system's folder.
//!
//! Plugins of the current project are not loaded by default: a user who opens a cloned repository has not agreed to run its
//! programs.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use toolc::Registry;
use toolc_cli::DoctorSection;
use toolc_plugins::{PluginReport, Plugins};

/// The folder for plugins of system packages, on Unix.
const SYSTEM_FOLDER: &str = "/usr/share/toolc/plugins";

/// The plugins that the program has loaded.
pub(crate) struct LoadedPlugins {
    plugins: Plugins,
    /// One report for each plugin.
    reports: Vec<PluginReport>,
}

/// Loads the plugins in `folders`, or those of the user and the system if `folders` is empty.
pub(crate) fn load(folders: &[PathBuf], registry: &Registry) -> Result<LoadedPlugins, String> {
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        return Err(format!("no such folder of plugins: {}", missing.display()));
    }
    let folders = if folders.is_empty() { default_folders() } else { folders.to_vec() };
    let plugins = folders.into_iter().fold(Plugins::new(), Plugins::folder);
    let reports = plugins.load(registry);
    Ok(LoadedPlugins { plugins, reports })
}

impl LoadedPlugins {
    /// Returns the section on the plugins for the report of `doctor`.
    pub(crate) fn section(&self) -> DoctorSection {
        let reports: Vec<String> = self.reports.iter().map(PluginReport::to_string).collect();
        let broken = self.reports.iter().filter(|report| report.is_broken());
        DoctorSection {
            key: "plugins".to_owned(),
            json: json!(self.reports),
            text: reports.join("\n\n"),
            problems: broken.map(PluginReport::to_string).collect(),
        }
    }

    /// Waits until the programs of calls that took too long have ended; otherwise they would outlive this process.
    pub(crate) fn settle(&self) {
        /// Longer than the second after which a program that does not end by itself is killed.
        const LIMIT: Duration = Duration::from_secs(5);
        self.plugins.settle(LIMIT);
    }
}

/// Returns the user's folder and the system's.
fn default_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(config) = config_dir() {
        folders.push(config.join("toolc").join("plugins"));
    }
    if cfg!(unix) {
        folders.push(SYSTEM_FOLDER.into());
    }
    folders
}

/// Returns the user's configuration folder: `XDG_CONFIG_HOME` on every system, or else the default of the system.
fn config_dir() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CONFIG_HOME").or_else(|| {
        if cfg!(windows) {
            return absolute("APPDATA");
        }
        env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(".config"))
    })
}
