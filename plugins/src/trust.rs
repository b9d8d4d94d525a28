//! Checks that only the host's user and root can write to files. Programs of plugins run with the rights of the host's user.
//!
//! The checks begin at the folder of plugins. The folders above it also contain the host's program or the user's home, so they are
//! trusted.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::report::FileProblem;

/// Resolves all links in a path within the folder `root`.
///
/// # Errors
/// If the path does not exist or leads out of the folder, or if [`check`] fails for it or for a folder between `root` and it.
pub(crate) fn check_within(root: &Path, path: &Path) -> Result<PathBuf, FileProblem> {
    let resolve = |path: &Path| fs::canonicalize(path).map_err(|error| unreadable(path, &error));
    let (root, target) = (resolve(root)?, resolve(path)?);
    let Ok(relative) = target.strip_prefix(&root) else {
        let message = format!("a link that leads out of {}, to {}", root.display(), target.display());
        return Err(FileProblem::new(path, message, "replace the link with a copy of its target"));
    };
    let mut current = root.clone();
    check(&current)?;
    for name in relative {
        current.push(name);
        check(&current)?;
    }
    Ok(target)
}

/// Checks that `executable` is a program in the folder `root`, and that other users cannot change it.
pub(crate) fn check_executable(root: &Path, executable: &Path) -> Result<(), FileProblem> {
    let resolved = check_within(root, executable)?;
    let failed = |message: &str, help: &str| Err(FileProblem::new(executable, message, help));
    match resolved.metadata() {
        Ok(meta) if !meta.is_file() => failed("not a file", "name the plugin's program in `plugin.toml`"),
        Ok(meta) if !is_executable(&meta) => {
            failed("not executable", &format!("run `chmod +x {}`", executable.display()))
        }
        Ok(_) => Ok(()),
        Err(error) => failed(&format!("failed to read the program: {error}"), "check that the file exists"),
    }
}

/// Checks that a file or folder belongs to the current user or root, and that no other user can write to it.
pub(crate) fn check(path: &Path) -> Result<(), FileProblem> {
    let meta = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    check_metadata(&meta).map_err(|(message, help)| {
        let help = help.replace("PATH", &path.display().to_string());
        FileProblem::new(path, format!("{message}, so it is not used"), help)
    })
}

fn unreadable(path: &Path, error: &io::Error) -> FileProblem {
    FileProblem::new(path, format!("failed to read: {error}"), "check that the file exists")
}

/// Returns whether a file may be executed.
#[cfg(unix)]
pub(crate) fn is_executable(file: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_: &Metadata) -> bool {
    true
}

/// Checks the owner and the mode. The error is a message, and a help in which `PATH` stands for the path.
#[cfg(unix)]
fn check_metadata(meta: &Metadata) -> Result<(), (String, &'static str)> {
    use std::os::unix::fs::MetadataExt as _;
    let (owner, mode) = (meta.uid(), meta.mode() & 0o7777);
    let user = rustix::process::geteuid().as_raw();
    if owner != user && owner != 0 {
        return Err((
            format!("it belongs to another user (id {owner})"),
            "run `chown \"$USER\" PATH`, if you trust it",
        ));
    }
    if mode & 0o022 != 0 {
        return Err((format!("others can write to it (its mode is {mode:04o})"), "run `chmod go-w PATH`"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_metadata(_: &Metadata) -> Result<(), (String, &'static str)> {
    Ok(())
}
