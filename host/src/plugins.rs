//! Loads the plugins in the folders that the command line names, or else in those of the profile and the system.
//!
//! Plugins of the current project are loaded only after `toolc trust`: a user who opens a cloned repository has not agreed to run its
//! programs.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use toolc::Registry;
use toolc_cli::DoctorSection;
use toolc_config::{Home, PROJECT_FOLDER, ProjectFiles, Trust};
use toolc_plugins::{PluginReport, Plugins};

use crate::trust;

/// The folder for plugins of system packages, on Unix.
const SYSTEM_FOLDER: &str = "/usr/share/toolc/plugins";

/// The plugins that the program has loaded.
pub(crate) struct LoadedPlugins {
    plugins: Plugins,
    /// One report for each plugin.
    reports: Vec<PluginReport>,
    /// The folders that earlier versions have used.
    moved: Vec<String>,
    /// Why the plugins of the project are not loaded.
    untrusted: Option<String>,
}

/// Loads the plugins in `folders`, or those of the profile and the system if `folders` is empty.
pub(crate) fn load(
    folders: &[PathBuf],
    home: &Home,
    config: &toolc_config::Plugins,
    registry: &Registry,
) -> Result<LoadedPlugins, String> {
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        return Err(format!("no such folder of plugins: {}", missing.display()));
    }
    let (folders, untrusted) = if folders.is_empty() {
        let (mut folders, project) = (default_folders(home, config), project(home, config));
        match project {
            Project::None => (folders, None),
            Project::Untrusted(message) => (folders, Some(message)),
            Project::Trusted(folder) => {
                // A plugin of the user takes precedence.
                folders.push(folder);
                (folders, None)
            }
        }
    } else {
        (folders.to_vec(), None)
    };
    let plugins = folders.into_iter().fold(Plugins::new(), Plugins::folder).except(config.disable.clone());
    let reports = plugins.load(registry);
    if let Some(message) = untrusted.as_deref().filter(|_| io::stderr().is_terminal()) {
        eprintln!("note: {message}");
    }
    Ok(LoadedPlugins { plugins, reports, moved: moved(home), untrusted })
}

impl LoadedPlugins {
    /// Returns the section on the plugins for the report of `doctor`.
    pub(crate) fn section(&self) -> DoctorSection {
        let reports: Vec<String> =
            self.reports.iter().map(PluginReport::to_string).chain(self.untrusted.clone()).collect();
        let broken = self.reports.iter().filter(|report| report.is_broken()).map(PluginReport::to_string);
        DoctorSection {
            key: "plugins".to_owned(),
            json: json!(self.reports),
            text: reports.join("\n\n"),
            problems: broken.chain(self.moved.iter().cloned()).collect(),
        }
    }

    /// Waits until the programs of calls that took too long have ended; otherwise they would outlive this process.
    pub(crate) fn settle(&self) {
        /// Longer than the second after which a program that does not end by itself is killed.
        const LIMIT: Duration = Duration::from_secs(5);
        self.plugins.settle(LIMIT);
    }
}

/// The plugins of the current project.
enum Project {
    None,
    /// Why they are not loaded.
    Untrusted(String),
    /// The copy of their folder that the user has trusted.
    Trusted(PathBuf),
}

/// Looks for plugins of the current project. Nothing of the project is run or read as a manifest, unless the user trusts it.
fn project(home: &Home, config: &toolc_config::Plugins) -> Project {
    let current = env::current_dir().ok().filter(|_| config.from_projects);
    let Some(project) = current.and_then(|current| trust::project_of(&current, home)) else { return Project::None };
    if !project.join(PROJECT_FOLDER).join("plugins").is_dir() {
        return Project::None;
    }
    let not_loaded = |why: &str| {
        Project::Untrusted(format!("the plugins of the project {} are not loaded: {why}", project.display()))
    };
    let files = match ProjectFiles::read(&project) {
        Ok(Some(files)) => files,
        Ok(None) => return Project::None,
        Err(error) => return not_loaded(&error),
    };
    match files.trust(home) {
        Ok(Trust::Trusted(copy)) => Project::Trusted(copy.join("plugins")),
        Ok(Trust::Changed) => not_loaded("its files have changed since you trusted them: run `toolc trust`"),
        Ok(Trust::Unknown) => not_loaded("run `toolc trust`, if you trust its files"),
        Err(error) => not_loaded(&error),
    }
}

/// Returns the folder of the profile, those that its configuration names, and the system's.
fn default_folders(home: &Home, config: &toolc_config::Plugins) -> Vec<PathBuf> {
    let user = env::home_dir();
    let expanded = |folder: &String| match (folder.strip_prefix("~/"), &user) {
        (Some(rest), Some(user)) => user.join(rest),
        _ => PathBuf::from(folder),
    };
    let mut folders = vec![home.plugins()];
    folders.extend(config.folders.iter().map(expanded));
    if cfg!(unix) {
        folders.push(SYSTEM_FOLDER.into());
    }
    folders
}

/// Returns a message for each folder that earlier versions have used and that still has something.
fn moved(home: &Home) -> Vec<String> {
    let has_entries = |folder: &Path| folder.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let mut messages = Vec::new();
    if let Some(old) = config_dir().map(|folder| folder.join("toolc").join("plugins")).filter(|old| has_entries(old)) {
        let (old, new) = (old.display(), home.plugins());
        messages.push(format!("the plugins in {old} are not loaded any more: move them to {}", new.display()));
    }
    if let Some(old) = cache_dir().map(|folder| folder.join("toolc").join("results")).filter(|old| has_entries(old)) {
        let (old, new) = (old.display(), home.results());
        messages.push(format!(
            "long results are now stored in {}: delete {old}, which is not used any more",
            new.display()
        ));
    }
    messages
}

/// Returns the user's configuration folder: `XDG_CONFIG_HOME` on every system, or else the default of the system.
fn config_dir() -> Option<PathBuf> {
    folder_of_user("XDG_CONFIG_HOME", "APPDATA", ".config")
}

/// Returns the user's cache folder: `XDG_CACHE_HOME` on every system, or else the default of the system.
fn cache_dir() -> Option<PathBuf> {
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
