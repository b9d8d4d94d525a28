//! Paths that the file tools must not write: the system's, and files that grant access or are run automatically.
//!
//! A guard against mistakes and injected instructions, applied to resolved paths. It is not a sandbox: a shell command can
//! write to these paths.

use std::path::{Path, PathBuf};

use toolc::{ErrorKind, ToolError};

use toolc_workspace::Workspace;

/// Directories and files of the operating system.
const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/var/spool/cron",
    // Writing to these sockets gives control over the machine.
    "/run/containerd",
    "/run/docker.sock",
    "/run/podman",
    "/var/run/docker.sock",
    // macOS and Windows.
    "/Library",
    "/System",
    r"C:\Program Files",
    r"C:\Program Files (x86)",
    r"C:\ProgramData",
    r"C:\Windows",
];

/// Paths in a home directory: credentials, and files that a login or a new shell runs.
#[rustfmt::skip]
const HOME: &[&str] = &[
    ".aws", ".azure", ".config/gcloud", ".docker", ".git-credentials", ".kube", ".netrc", ".pgpass",
    ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".cshrc", ".kshrc", ".login",
    ".pam_environment", ".profile", ".tcshrc", ".xinitrc", ".xprofile", ".xsession",
    ".zlogin", ".zlogout", ".zprofile", ".zshenv", ".zshrc",
    ".config/autostart", ".config/environment.d", ".config/fish", ".config/systemd", "Library/LaunchAgents",
];

/// Directories with keys, in any place.
const ANYWHERE: &[&str] = &[".gnupg", ".ssh"];

/// The rules, with the host's exceptions.
#[derive(Debug, Default)]
pub(super) struct Guard {
    /// Directories to which the rules about the system do not apply.
    exceptions: Vec<PathBuf>,
}

impl Guard {
    /// Allows writing below `dir` even if it is a directory of the system.
    pub(super) fn add_exception(&mut self, dir: PathBuf) {
        self.exceptions.push(toolc_workspace::resolve(&dir).unwrap_or(dir));
    }

    /// Fails if `path`, a resolved path, must not be written.
    pub(super) fn check(&self, workspace: &Workspace, path: &Path) -> Result<(), ToolError> {
        let Some(reason) = self.reason(workspace, path) else { return Ok(()) };
        Err(ToolError::with_kind(
            ErrorKind::Refused,
            format!(
                "refused to write `{}`: {reason}; write below `{}`, or ask the user to make this change",
                workspace.show(path),
                workspace.dir().display()
            ),
        ))
    }

    /// Returns the reason why `path` must not be written, or `None` if it may be.
    fn reason(&self, workspace: &Workspace, path: &Path) -> Option<String> {
        let is_exception = self.exceptions.iter().any(|dir| is_below(path, dir));
        if let Some(root) = SYSTEM.iter().find(|root| !is_exception && is_inside(path, Path::new(root))) {
            return Some(format!("`{root}` belongs to the system"));
        }
        let is_key_store = |part: &std::ffi::OsStr| ANYWHERE.iter().any(|name| part.eq_ignore_ascii_case(name));
        if path.components().any(|part| is_key_store(part.as_os_str())) {
            return Some("it is in a directory for keys".to_owned());
        }
        let home = workspace.home()?;
        let entry = HOME.iter().find(|entry| is_inside(path, &home.join(entry)))?;
        Some(format!("`~/{entry}` holds credentials, or is run at login or by every shell"))
    }
}

/// Returns whether `path`, a resolved path, is `root` or below it, with the links in `root` resolved or not.
fn is_inside(path: &Path, root: &Path) -> bool {
    is_below(path, root) || toolc_workspace::resolve(root).is_ok_and(|root| is_below(path, &root))
}

/// Returns whether `path` begins with the components of `root`. Ignores case, because some file systems do.
fn is_below(path: &Path, root: &Path) -> bool {
    let mut parts = path.components();
    root.components().all(|expected| parts.next().is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(expected)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_writable(guard: &Guard, workspace: &Workspace, path: &str) -> bool {
        guard.check(workspace, &workspace.locate(path).unwrap()).is_ok()
    }

    #[cfg(unix)]
    #[test]
    fn system_paths_are_refused_however_they_are_spelled() {
        let dir = tempfile::TempDir::new().unwrap();
        let workspace = Workspace::new(dir.path());
        std::os::unix::fs::symlink("/etc", dir.path().join("innocent")).unwrap();
        std::os::unix::fs::symlink("/etc/not-there-yet", dir.path().join("note.txt")).unwrap();
        let up = "../".repeat(40);
        let guard = Guard::default();
        for path in [
            "/etc/passwd",
            "/ETC/passwd",
            "/usr/bin/new",
            "/bin/sh",
            "/dev/null",
            "/proc/self/mem",
            "/etc",
            "/var/run/docker.sock",
            "/run/docker.sock",
            "innocent/passwd",
            "note.txt",
            "/proc/self/root/etc/passwd",
            &format!("{up}etc/passwd"),
        ] {
            assert!(!is_writable(&guard, &workspace, path), "{path}");
        }
        for path in ["a.txt", "etc/passwd", "/etcetera/x", "/tmp/x", "/home/someone/file", "usr"] {
            assert!(is_writable(&guard, &workspace, path), "{path}");
        }
    }

    #[test]
    fn key_stores_and_start_up_files_are_refused() {
        let dir = tempfile::TempDir::new().unwrap();
        let workspace = Workspace::new(dir.path()).with_home(dir.path());
        let guard = Guard::default();
        for path in [
            "~/.ssh/authorized_keys",
            "~/.bashrc",
            ".zshrc",
            "~/.config/fish/config.fish",
            ".kube/config",
            "other/.ssh/id",
            "a/../.gnupg/x",
            "~/.SSH/x",
        ] {
            assert!(!is_writable(&guard, &workspace, path), "{path}");
        }
        for path in ["~/.bashrc.d", "project/.bashrc", ".config/app.toml", ".gitignore", "ssh"] {
            assert!(is_writable(&guard, &workspace, path), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_exception_allows_a_directory_but_no_key_store_in_it() {
        let mut guard = Guard::default();
        guard.add_exception("/usr/src/app".into());
        let workspace = Workspace::current();
        assert!(is_writable(&guard, &workspace, "/usr/src/app/main.rs"));
        assert!(!is_writable(&guard, &workspace, "/usr/src/other"));
        assert!(!is_writable(&guard, &workspace, "/usr/src/app/../../bin/x"));
        assert!(!is_writable(&guard, &workspace, "/usr/src/app/.ssh/x"));
    }
}
