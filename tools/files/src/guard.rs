//! What the file tools do not write: the system, and the files by which someone gets in or code gets run.
//!
//! A fence against mistakes and injected instructions, judged on resolved paths. Not a sandbox: a shell
//! command can write what this refuses, and has its own approval.

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

/// Below a home directory: credentials, and what a login or a new shell runs.
#[rustfmt::skip]
const HOME: &[&str] = &[
    ".aws", ".azure", ".config/gcloud", ".docker", ".git-credentials", ".kube", ".netrc", ".pgpass",
    ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".cshrc", ".kshrc", ".login",
    ".pam_environment", ".profile", ".tcshrc", ".xinitrc", ".xprofile", ".xsession",
    ".zlogin", ".zlogout", ".zprofile", ".zshenv", ".zshrc",
    ".config/autostart", ".config/environment.d", ".config/fish", ".config/systemd", "Library/LaunchAgents",
];

/// Key stores, whosever home they are in.
const ANYWHERE: &[&str] = &[".gnupg", ".ssh"];

/// The rules, and what the host excepted from them.
#[derive(Debug, Default)]
pub(super) struct Guard {
    open: Vec<PathBuf>,
}

impl Guard {
    /// Excepts what is below `dir` from the rules about the system.
    pub(super) fn open_up(&mut self, dir: PathBuf) {
        self.open.push(toolc_workspace::resolve(&dir).unwrap_or(dir));
    }

    /// Refuses a resolved path that must not be written.
    pub(super) fn check(&self, workspace: &Workspace, path: &Path) -> Result<(), ToolError> {
        let Some(why) = self.reason(workspace, path) else { return Ok(()) };
        Err(ToolError::with_kind(
            ErrorKind::Refused,
            format!(
                "refused to write `{}`: {why}; write below `{}`, or ask the user to make this change",
                workspace.show(path),
                workspace.dir().display()
            ),
        ))
    }

    fn reason(&self, workspace: &Workspace, path: &Path) -> Option<String> {
        let opened = self.open.iter().any(|dir| below(path, dir));
        if let Some(root) = SYSTEM.iter().find(|root| !opened && reaches(path, Path::new(root))) {
            return Some(format!("`{root}` belongs to the system"));
        }
        let secret = |part: &std::ffi::OsStr| ANYWHERE.iter().any(|name| part.eq_ignore_ascii_case(name));
        if path.components().any(|part| secret(part.as_os_str())) {
            return Some("it is in a store of keys".to_owned());
        }
        let home = workspace.home()?;
        let entry = HOME.iter().find(|entry| reaches(path, &home.join(entry)))?;
        Some(format!("`~/{entry}` holds credentials, or is run at login or by every shell"))
    }
}

/// Whether `path`, resolved, is `root` or below it, as `root` is written or where its links lead.
fn reaches(path: &Path, root: &Path) -> bool {
    below(path, root) || toolc_workspace::resolve(root).is_ok_and(|root| below(path, &root))
}

/// Regardless of case, as some file systems are.
fn below(path: &Path, root: &Path) -> bool {
    let mut parts = path.components();
    root.components().all(|wanted| parts.next().is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(guard: &Guard, workspace: &Workspace, path: &str) -> bool {
        guard.check(workspace, &workspace.locate(path).unwrap()).is_ok()
    }

    #[cfg(unix)]
    #[test]
    fn the_system_is_closed_by_any_route() {
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
            assert!(!verdict(&guard, &workspace, path), "{path}");
        }
        for path in ["a.txt", "etc/passwd", "/etcetera/x", "/tmp/x", "/home/someone/file", "usr"] {
            assert!(verdict(&guard, &workspace, path), "{path}");
        }
    }

    #[test]
    fn keys_and_start_up_files_are_closed() {
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
            assert!(!verdict(&guard, &workspace, path), "{path}");
        }
        for path in ["~/.bashrc.d", "project/.bashrc", ".config/app.toml", ".gitignore", "ssh"] {
            assert!(verdict(&guard, &workspace, path), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_host_may_open_a_directory_but_not_a_key_store() {
        let mut guard = Guard::default();
        guard.open_up("/usr/src/app".into());
        let workspace = Workspace::current();
        assert!(verdict(&guard, &workspace, "/usr/src/app/main.rs"));
        assert!(!verdict(&guard, &workspace, "/usr/src/other"));
        assert!(!verdict(&guard, &workspace, "/usr/src/app/../../bin/x"));
        assert!(!verdict(&guard, &workspace, "/usr/src/app/.ssh/x"));
    }
}
