//! Programs from the packages of Debian, unpacked below `target/`. Nothing is installed on the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Environment variables that say where programs are.
pub(crate) type Variables = Vec<(&'static str, String)>;

/// Unpacks packages, unless that has been done. `name` is that of their folder, and `program` is one of their files.
///
/// # Errors
/// If they cannot be downloaded or unpacked.
pub(crate) fn unpack(name: &str, packages: &[&str], program: &str) -> Result<Unpacked, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(name);
    fs::create_dir_all(&folder).map_err(|error| format!("failed to make {}: {error}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    let root = folder.join("root");
    if !root.join(program).exists() {
        let archives = folder.join("packages");
        fs::create_dir_all(&archives).map_err(|error| error.to_string())?;
        run(Command::new("apt-get").arg("download").args(packages).current_dir(&archives))
            .map_err(|error| format!("`{program}` is from packages of Debian: {error}"))?;
        for archive in fs::read_dir(&archives).map_err(|error| error.to_string())?.flatten() {
            run(Command::new("dpkg").arg("-x").arg(archive.path()).arg(&root))?;
        }
    }
    Ok(Unpacked { folder, root })
}

/// Packages that have been unpacked.
pub(crate) struct Unpacked {
    /// The folder for what belongs to them.
    pub(crate) folder: PathBuf,
    /// The folder with their files.
    pub(crate) root: PathBuf,
}

impl Unpacked {
    /// Returns the folder with their libraries, for the variable `LD_LIBRARY_PATH`.
    pub(crate) fn libraries(&self) -> PathBuf {
        self.root.join("usr/lib").join(format!("{}-linux-gnu", std::env::consts::ARCH))
    }
}

/// Runs a command to its end.
///
/// # Errors
/// If it does not succeed.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("failed to run `{name}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
