//! Where the programs of plugins run, and what they do not see there.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolc_process::{HiddenFolder, Process};

use crate::plugin::Plugin;

/// The name of the folder in which a program can keep files, in the folder of its plugin.
const DATA: &str = "data";

/// Where programs run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// The working directory, or `None` for that of the host.
    pub(crate) dir: Option<PathBuf>,
    /// The folder that they do not see, except for the folders of their plugins in it.
    pub(crate) hidden: Option<HiddenFolder>,
}

impl Place {
    /// Returns the program of a plugin, which is not limited yet.
    pub(crate) fn command(&self, plugin: &Plugin) -> Command {
        let mut command = Command::new(&plugin.executable);
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }

    /// Hides the folder from the program of a plugin, if the system can do so. The program sees the folder `root` of its plugin, and can
    /// change what is in the folder `data` there.
    pub(crate) fn limit(&self, process: &mut Process, root: &Path) -> io::Result<()> {
        match &self.hidden {
            Some(hidden) if HiddenFolder::check_available().is_ok() => {
                process.hide(&hidden.clone().except(root).except_writable(root.join(DATA)))
            }
            _ => Ok(()),
        }
    }
}
