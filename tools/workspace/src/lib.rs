//! The working directory of the shipped tools, the resolution of paths that a model wrote, and the environment of a task.
//!
//! Handlers resolve every path with [`Workspace::locate`] before they check or open it, so that a check and the file system agree
//! about `~`, `..` and symbolic links. This crate neither opens nor refuses files.
//! In texts, unusual names are [escaped](names).

pub mod names;

mod access;
mod child_variables;
mod environments;

use std::env;
use std::path::{Path, PathBuf};

use toolc::ToolError;
use toolc_environment::{Files, resolve};

pub use access::{Access, BoundAccess};
pub use child_variables::ChildVariables;
pub use environments::Environments;

/// A working directory, the user's home directory, and the variables of programs that a model controls.
#[derive(Debug, Clone)]
pub struct Workspace {
    dir: PathBuf,
    home: Option<PathBuf>,
    child_variables: ChildVariables,
}

impl Workspace {
    /// Returns a workspace in the process's current directory, with its home directory. If the current directory is unknown, the
    /// directory for temporary files is used.
    pub fn current() -> Self {
        Self::new(env::current_dir().unwrap_or_else(|_| env::temp_dir()))
    }

    /// Returns a workspace in `dir`, with the process's home directory.
    pub fn new(dir: impl AsRef<Path>) -> Self {
        let dir = dir.as_ref();
        let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
        let child_variables = ChildVariables::default();
        Self { dir: resolve(&dir).unwrap_or(dir), home: env::home_dir(), child_variables }
    }

    /// Replaces the home directory.
    #[must_use]
    pub fn with_home(mut self, home: impl AsRef<Path>) -> Self {
        let home = home.as_ref();
        self.home = Some(resolve(home).unwrap_or_else(|_| home.to_owned()));
        self
    }

    /// Replaces the rules for the variables that programs get.
    #[must_use]
    pub fn with_child_variables(mut self, variables: ChildVariables) -> Self {
        self.child_variables = variables;
        self
    }

    /// Returns a workspace in another directory, with the same home directory. `dir` is absolute.
    #[must_use]
    pub fn in_directory(&self, dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), ..self.clone() }
    }

    /// Returns a workspace of an environment. `dir` and `home` are absolute, without symbolic links.
    pub fn of_environment(dir: PathBuf, home: Option<PathBuf>) -> Self {
        Self { dir, home, child_variables: ChildVariables::default() }
    }

    /// Returns the working directory, without symbolic links.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the home directory, or `None` if it is unknown.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns the rules for the variables that programs get.
    pub fn child_variables(&self) -> &ChildVariables {
        &self.child_variables
    }

    /// Returns `path`, in the form of [`show`](Self::show), as an absolute path without `.`, `..` or symbolic links of `files`. The path
    /// need not exist: missing components are kept as written.
    ///
    /// # Errors
    /// If the path has too many symbolic links, or the environment does not answer.
    pub fn locate(&self, files: &dyn Files, path: &str) -> Result<PathBuf, ToolError> {
        let absolute = self.absolute(path);
        files.resolve(&absolute).map_err(|error| ToolError::new(format!("failed to resolve `{path}`: {error}")))
    }

    /// Returns the absolute path that [`locate`](Self::locate) resolves, with the links that were written.
    pub fn absolute(&self, path: &str) -> PathBuf {
        match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => {
                home.join(names::unescape(&rest[1..]))
            }
            _ => self.dir.join(names::unescape(path)),
        }
    }

    /// Returns `path` in the form for a model: relative to the working directory if it is inside it, and [escaped](names).
    pub fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.dir) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            // Without `./`, the path would refer to the home directory.
            Ok(inside) if inside.starts_with("~") => format!("./{}", names::escape(inside)),
            Ok(inside) => names::escape(inside),
            Err(_) => names::escape(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use toolc_environment::LocalFiles;

    use super::*;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::TempDir::new().unwrap();
        let workspace = Workspace::new(dir.path());
        (dir, workspace)
    }

    #[test]
    fn relative_and_home_paths_are_resolved() {
        let (_dir, workspace) = workspace();
        let root = workspace.dir().to_owned();
        assert_eq!(workspace.locate(&LocalFiles, "a/./b/../c").unwrap(), root.join("a").join("c"));
        let workspace = workspace.with_home(&root);
        assert_eq!(workspace.locate(&LocalFiles, "~/x").unwrap(), root.join("x"));
        assert_eq!(workspace.locate(&LocalFiles, "~").unwrap(), root);
        assert_eq!(workspace.locate(&LocalFiles, "~x").unwrap(), root.join("~x"));
        assert_eq!(workspace.show(&root.join("x")), "x");
        assert_eq!(workspace.show(&root), ".");
    }

    #[cfg(unix)]
    #[test]
    fn shown_paths_are_located_again() {
        use std::os::unix::ffi::OsStrExt;
        let (_dir, workspace) = workspace();
        let workspace = workspace.with_home("/home/me");
        for name in [&b"caf\xe9"[..], b"caf\\xe9", b"a\nb", b"~", b"~/x", b"~me", b" ", b"\\", b"/other/\xff"] {
            let path = workspace.dir().join(std::ffi::OsStr::from_bytes(name));
            let shown = workspace.show(&path);
            assert_eq!(workspace.locate(&LocalFiles, &shown).unwrap(), path, "{shown}");
        }
        assert_eq!(workspace.locate(&LocalFiles, r"~/caf\xe9").unwrap().as_os_str().as_bytes(), b"/home/me/caf\xe9");
    }
}
