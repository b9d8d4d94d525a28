//! A Python interpreter with the vendors' SDKs. They are installed once, in a virtual environment in the target folder.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Returns a path in the folder of this crate.
pub(crate) fn in_tests(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs a script of `tests/sdks`, and returns what it prints. If Python or the SDKs cannot be installed, prints the reason and
/// returns `None`.
pub(crate) fn run_script(
    script: &str,
    change: impl FnOnce(&mut Command) -> &mut Command,
) -> Option<Result<String, String>> {
    match &*PYTHON {
        Ok(python) => {
            let mut command = Command::new(python);
            command.arg(in_tests("sdks").join(script));
            Some(run(change(&mut command)))
        }
        Err(why) => {
            let last = why.lines().last().unwrap_or_default();
            // The test harness would capture `eprintln!`.
            let _ = writeln!(std::io::stderr(), "SKIPPED: no Python environment with the vendors' SDKs: {last}");
            None
        }
    }
}

/// The environment, which is created once for all tests.
static PYTHON: LazyLock<Result<PathBuf, String>> = LazyLock::new(python);

/// Runs a command and returns its output, or the error.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() { Ok(out) } else { Err(format!("{out}\n{err}").trim().to_owned()) }
}

/// Returns the Python interpreter of an environment with the SDKs.
fn python() -> Result<PathBuf, String> {
    let wanted = fs::read_to_string(in_tests("sdks/requirements.txt")).expect("the requirements are there");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdks");
    let bin = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    // Written last, so that an interrupted installation is repeated.
    let mark = folder.join("requirements.txt");
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(bin.join("python"));
    }
    run(Command::new(if cfg!(windows) { "python" } else { "python3" }).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "15", "--retries", "1"];
    run(Command::new(bin.join("python")).args(install).arg("-r").arg(in_tests("sdks/requirements.txt")))?;
    fs::write(mark, wanted).map_err(|error| error.to_string())?;
    Ok(bin.join("python"))
}
