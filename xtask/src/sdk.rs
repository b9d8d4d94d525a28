//! The SDK of Modal for tests, in a virtual environment of Python below `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of the SDK.
const VERSION: &str = "1.6.4";

/// Returns a Python that has the SDK. It is installed if it is not there.
pub(crate) fn python() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../target/modal-{VERSION}"));
    let python = folder.join("bin/python");
    let is_there =
        Command::new(&python).args(["-c", "import modal"]).output().is_ok_and(|output| output.status.success());
    if !is_there {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", &format!("modal=={VERSION}")]))?;
    }
    Ok(python)
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` failed: {status}", command.get_program().display())),
        Err(error) => Err(format!("failed to run `{}`: {error}", command.get_program().display())),
    }
}
