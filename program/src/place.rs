//! Where programs run, and what they do not see there.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolc_process::{HiddenFolder, Process};

use crate::program::Program;

/// The name of the folder in which a program can keep files, in its own folder.
const DATA: &str = "data";

/// Where programs run.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The working directory, or `None` for that of the host.
    pub dir: Option<PathBuf>,
    /// The folder that they do not see, except for their own folders in it.
    pub hidden: Option<HiddenFolder>,
}

impl Place {
    /// Returns the command that starts a program, which is not limited yet.
    pub(crate) fn command(&self, program: &Program) -> Command {
        let mut command = Command::new(&program.executable);
        command.args(&program.arguments);
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }

    /// Hides the folder from a program, if the system can do so. The program sees its own folder `root`, and can change what is in the
    /// folder `data` there.
    pub(crate) fn limit(&self, process: &mut Process, root: &Path) -> io::Result<()> {
        match &self.hidden {
            Some(hidden) if HiddenFolder::check_available().is_ok() => {
                process.hide(&hidden.clone().except(root).except_writable(root.join(DATA)))
            }
            _ => Ok(()),
        }
    }
}
