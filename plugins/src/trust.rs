//! Whether a file may be believed: what a plugin says is run as the host's user, so nobody else may be able to write it.
//!
//! Looked at from the folder of plugins downward. The folders above that are those of which the host's own program, or its
//! user's home, is a part.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use crate::report::Flaw;

/// What a path within a folder leads to, all links followed.
///
/// # Errors
/// Where it is not there, leads out of the folder, or belongs to, or can be written by, anybody but this user and root;
/// or a folder on the way does.
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
