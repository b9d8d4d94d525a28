//! Installs packages into empty folders, as a user does.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;

/// The interpreter that makes virtual environments.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Installs packages for Python into a new virtual environment in `folder`, which does not exist yet. Returns the folder with their
/// programs.
///
/// `packages` are names, and `from` is the folder with their wheels, or `None` for the registry.
///
/// # Errors
/// If Python or `pip` fails: what it says.
pub fn pip(folder: &Path, packages: &[&str], from: Option<&Path>) -> Result<PathBuf, Error> {
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    run(Command::new(PYTHON).args(["-m", "venv"]).arg(folder))?;
    let mut pip = Command::new(programs.join(if cfg!(windows) { "python.exe" } else { "python" }));
    // Without a cache, as on a new machine.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]);
    if let Some(from) = from {
        pip.args(["--no-index", "--find-links"]).arg(from);
    }
    run(pip.args(packages))?;
    Ok(programs)
}

/// Installs packages of npm into `folder`, which exists and is empty. Returns the folder with their programs.
///
/// `packages` are names or files. With `is_offline`, npm asks no registry.
///
/// # Errors
/// If npm fails: what it says.
pub fn npm(folder: &Path, packages: &[impl AsRef<OsStr>], is_offline: bool) -> Result<PathBuf, Error> {
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]).arg(folder);
    // Without a cache, as on a new machine.
    npm.arg("--cache").arg(folder.join("cache")).args(is_offline.then_some("--offline"));
    run(npm.args(packages).current_dir(folder))?;
    Ok(folder.join("node_modules").join(".bin"))
}

/// Runs a program of one of these folders, and returns what it prints. `folder` is the working directory.
///
/// # Errors
/// If it fails: what it says.
pub fn program(programs: &Path, name: &str, args: &[&str], folder: &Path) -> Result<String, Error> {
    let file = programs.join(format!("{name}{}", env::consts::EXE_SUFFIX));
    // npm installs scripts.
    let file = if cfg!(windows) && !file.is_file() { programs.join(format!("{name}.cmd")) } else { file };
    run(Command::new(file).args(args).current_dir(folder))
}

/// Runs a command. Returns what it prints, without the space around it.
fn run(command: &mut Command) -> Result<String, Error> {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Error::new(format!("failed to run `{name}`: {error}")))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() {
        return Ok(out);
    }
    let args: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
    Err(Error::new(format!("`{name} {}` failed: {}", args.join(" "), format!("{out}\n{err}").trim())))
}
