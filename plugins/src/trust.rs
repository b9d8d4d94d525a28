//! Whether a file can be trusted. Programs of plugins run as the host's user, so no other user may be able to write them.
//!
//! Checks the folder of plugins and everything below it. The folders above it also contain the host's program or the user's home.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use crate::report::Flaw;

/// What a path within a folder leads to, all links followed.
///
/// # Errors
/// If it is missing, is a link out of the folder, or if it or a folder on the way belongs to, or can be written by, a user other
/// than the current one and root.
pub(crate) fn within(root: &Path, path: &Path) -> Result<PathBuf, Flaw> {
    let real = |path: &Path| {
        fs::canonicalize(path)
            .map_err(|error| Flaw::new(path, format!("failed to read it: {error}"), "see that it is there"))
    };
    let (root, target) = (real(root)?, real(path)?);
    let Ok(below) = target.strip_prefix(&root) else {
        let message = format!("it is a link that leads out of {}, to {}", root.display(), target.display());
        return Err(Flaw::new(path, message, "copy what it leads to in its place"));
    };
    let mut part = root.clone();
    check(&part)?;
    for name in below {
        part.push(name);
        check(&part)?;
    }
    Ok(target)
}

/// Whether this user and root alone can write a file or folder.
pub(crate) fn check(path: &Path) -> Result<(), Flaw> {
    let about = fs::metadata(path)
        .map_err(|error| Flaw::new(path, format!("failed to read it: {error}"), "see that it is there"))?;
    belongs(&about).map_err(|(why, help)| {
        let help = help.replace("PATH", &path.display().to_string());
        Flaw::new(path, format!("{why}: nothing of it is run"), help)
    })
}

/// Whether a file may be run.
#[cfg(unix)]
pub(crate) fn is_executable(file: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn belongs(about: &Metadata) -> Result<(), (String, &'static str)> {
    use std::os::unix::fs::MetadataExt as _;
    let (owner, mode) = (about.uid(), about.mode() & 0o7777);
    let user = rustix::process::geteuid().as_raw();
    if owner != user && owner != 0 {
        return Err((
            format!("it belongs to another user, number {owner}"),
            "run `chown \"$USER\" PATH`, if you trust it",
        ));
    }
    if mode & 0o022 != 0 {
        return Err((format!("others can write to it (its mode is {mode:04o})"), "run `chmod go-w PATH`"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn belongs(_: &Metadata) -> Result<(), (String, &'static str)> {
    Ok(())
}
