//! Checks the directory of a task whose environment sees a part of this machine.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use crate::Site;

/// Folders in the user's home that contain keys, or programs and settings that the system runs automatically.
const SECRET: &[&str] = &[
    ".aws",
    ".azure",
    ".config",
    ".docker",
    ".gnupg",
    ".kube",
    ".local",
    ".mozilla",
    ".password-store",
    ".ssh",
    ".toolc",
];

/// Folders that do not belong to a single task.
const SHARED: &[&str] = &[
    "/", "/boot", "/dev", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/srv", "/sys", "/tmp",
    "/var",
];

/// Folders of the system. No folder in them can be the directory of a task.
const SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr",
    "/nix", "/gnu",
];

/// Returns the directory of a task, without symbolic links.
///
/// # Errors
/// If the directory does not exist, or contains files that the environment must hide. `what` names the environment, such as "sandbox".
pub(crate) fn directory(site: &Site<'_>, what: &str) -> io::Result<PathBuf> {
    let shown = site.directory.display();
    let directory = site.directory.canonicalize().map_err(|error| {
        io::Error::new(error.kind(), format!("the directory `{shown}` of the task cannot be found: {error}"))
    })?;
    match reason_to_refuse(&directory, site.host_home, env::home_dir().as_deref()) {
        None => Ok(directory),
        Some(reason) => {
            let text =
                format!("`{shown}` cannot be the directory of a {what}: {reason}. Use a separate folder for the task");
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        }
    }
}

/// Checks that a path can be passed to the program that makes the container. `named` describes the `forbidden` characters in words.
///
/// # Errors
/// If the path has one of these characters.
pub(crate) fn check_characters(directory: &Path, forbidden: &[u8], named: &str) -> io::Result<()> {
    if !directory.as_os_str().as_encoded_bytes().iter().any(|byte| forbidden.contains(byte)) {
        return Ok(());
    }
    let text = format!("`{}` cannot be the directory of a container: its path has {named}", directory.display());
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

fn reason_to_refuse(directory: &Path, host_home: Option<&Path>, user_home: Option<&Path>) -> Option<String> {
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let user_home = user_home.map(resolved);
    if SHARED.iter().any(|folder| directory == Path::new(folder)) {
        return Some("it belongs to more than one task".to_owned());
    }
    if SYSTEM.iter().any(|folder| directory.starts_with(folder)) {
        return Some("it is a part of the system".to_owned());
    }
    if let Some(home) = &user_home {
        if home.starts_with(directory) {
            return Some("it contains the home of the user, with its keys".to_owned());
        }
        let secret = SECRET.iter().find(|name| directory.starts_with(home.join(name)));
        if let Some(name) = secret {
            return Some(format!("`~/{name}` holds keys and settings of the user"));
        }
    }
    let host_home = host_home.map(resolved)?;
    let overlaps = directory.starts_with(&host_home) || host_home.starts_with(directory);
    overlaps.then(|| "it contains the settings and stored data of toolc, or is a part of them".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_with_keys_or_of_the_system_is_refused() {
        let refused = |directory: &str| {
            reason_to_refuse(Path::new(directory), Some(Path::new("/data/toolc")), Some(Path::new("/people/me")))
        };
        for directory in [
            "/",
            "/tmp",
            "/home",
            "/etc",
            "/etc/x",
            "/usr/src/x",
            "/proc/1",
            "/people",
            "/people/me",
            "/people/me/.ssh",
            "/people/me/.config/x",
            "/data",
            "/data/toolc",
            "/data/toolc/x",
        ] {
            assert!(refused(directory).is_some(), "{directory}");
        }
        for directory in ["/people/me/project", "/people/me/.sshx", "/tmp/x", "/srv/project", "/data/other", "/opt/x"] {
            assert_eq!(refused(directory), None, "{directory}");
        }
    }
}
