//! The environment variables of programs: those of a program that inherits none of the host's own, and the folders of `PATH`.

#[cfg(unix)]
use std::{
    env,
    ffi::{OsStr, OsString},
    process::Command,
};

/// Variables that every program gets, if they are set.
const BASELINE: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "TZ",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
];

/// Variables without which most programs fail on Windows.
const BASELINE_ON_WINDOWS: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "WINDIR",
];

/// Returns the variables of a program that inherits none: those that most programs need, and those that it asks for. `value` looks
/// them up.
pub fn baseline<'n>(
    named: impl IntoIterator<Item = &'n str>,
    value: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let usual = BASELINE.iter().chain(BASELINE_ON_WINDOWS.iter().filter(|_| cfg!(windows))).copied();
    usual.chain(named).filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
}

/// The folders of `PATH` if all of its folders are relative. With an empty `PATH`, programs are searched in the current directory.
#[cfg(unix)]
const DEFAULT_PATH: &str = "/usr/bin:/bin";

/// Removes the relative folders from the `PATH` that a command sets or inherits.
#[cfg(unix)]
pub(crate) fn remove_relative_folders(command: &mut Command) {
    let set = command.get_envs().find(|(name, _)| *name == "PATH").map(|(_, value)| value.map(OsStr::to_owned));
    let path = set.unwrap_or_else(|| env::var_os("PATH"));
    if let Some(path) = path.and_then(|path| without_relative_folders(&path)) {
        command.env("PATH", path);
    }
}

/// Returns the value of `PATH` without relative folders, or `None` if it has none.
#[cfg(unix)]
fn without_relative_folders(path: &OsStr) -> Option<OsString> {
    if env::split_paths(path).all(|folder| folder.is_absolute()) {
        return None;
    }
    let folders: Vec<_> = env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    // The folders have been split at the character that cannot be joined.
    let joined = env::join_paths(&folders).ok().filter(|_| !folders.is_empty());
    Some(joined.unwrap_or_else(|| DEFAULT_PATH.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn relative_folders_are_removed_from_the_path_of_a_command() {
        for (path, expected) in [
            ("/usr/bin:/bin", None),
            (".:/usr/bin", Some("/usr/bin")),
            ("/usr/bin:", Some("/usr/bin")),
            ("/usr/bin::/bin", Some("/usr/bin:/bin")),
            ("/usr/bin:node_modules/.bin:/bin", Some("/usr/bin:/bin")),
            ("", Some(DEFAULT_PATH)),
            (".", Some(DEFAULT_PATH)),
        ] {
            assert_eq!(without_relative_folders(path.as_ref()).as_deref(), expected.map(OsStr::new), "{path:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_is_not_found_in_the_current_directory() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("failed to create a folder");
        let own = folder.path().join("sh");
        std::fs::write(&own, "#!/bin/sh\necho own\n").expect("failed to write");
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).expect("failed to set the mode");
        let mut command = Command::new("sh");
        command.args(["-c", "command -v sh"]).env("PATH", ".:/usr/bin:/bin").current_dir(folder.path());
        remove_relative_folders(&mut command);
        let output = command.output().expect("failed to start a shell");
        let found = String::from_utf8_lossy(&output.stdout);
        assert!(found.starts_with('/'), "{found}");
    }

    #[test]
    fn a_baseline_has_usual_and_named_variables_that_are_set() {
        let value = |name: &str| (name != "UNSET" && !name.starts_with("LC_")).then(|| name.to_lowercase());
        let names: Vec<String> = baseline(["KEY", "UNSET"], value).into_iter().map(|(name, _)| name).collect();
        assert!(names.starts_with(&["PATH".to_owned(), "HOME".to_owned()]), "{names:?}");
        assert_eq!(names.last().map(String::as_str), Some("KEY"));
    }
}
