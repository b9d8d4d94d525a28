//! The plugins of this program: those in the folders that the user names, or by default the user's own and the system's.
//!
//! The folder of the current project is not one of them: a user who opens a cloned repository has not agreed to run its programs.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolc::Registry;
use toolc_plugins::{PluginReport, Plugins};

/// The folder for plugins of system packages.
const SYSTEM: &str = "/usr/share/toolc/plugins";

/// The plugins of one run.
pub(crate) struct Loaded {
    plugins: Plugins,
    /// A report for each plugin.
    pub(crate) reports: Vec<PluginReport>,
}

/// Loads the plugins in `folders`, or those of the user and the system if `folders` is empty.
pub(crate) fn load(folders: &[PathBuf], registry: &Registry) -> Result<Loaded, String> {
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        return Err(format!("no such folder of plugins: {}", missing.display()));
    }
    let usual = || config().map(|config| config.join("toolc").join("plugins")).into_iter().chain(system()).collect();
    let folders: Vec<PathBuf> = if folders.is_empty() { usual() } else { folders.to_vec() };
    let plugins = folders.into_iter().fold(Plugins::new(), Plugins::folder);
    let reports = plugins.load(registry);
    Ok(Loaded { plugins, reports })
}

impl Loaded {
    /// Warns the user about plugins that could not be loaded. `doctor` reports the rest.
    pub(crate) fn warn(&self) {
        for report in self.reports.iter().filter(|report| report.is_broken()) {
            eprintln!("warning: {report}");
        }
    }

    /// Ends the programs of calls that took too long, which this process would leave behind.
    pub(crate) fn settle(&self) {
        /// They are asked to end, and made to after a second.
        const MOST: Duration = Duration::from_secs(5);
        self.plugins.settle(MOST);
    }
}

fn system() -> Option<PathBuf> {
    cfg!(unix).then(|| Path::new(SYSTEM).to_owned())
}

/// `XDG_CONFIG_HOME` on every system, where it is set; or else what the system has for it.
fn config() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    set("XDG_CONFIG_HOME").or_else(|| {
        if cfg!(windows) {
            return set("APPDATA");
        }
        env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(".config"))
    })
}
