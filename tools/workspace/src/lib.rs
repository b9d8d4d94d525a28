//! The working directory of the shipped tools, and the resolution of paths that a model wrote.
//!
//! Handlers resolve every path with [`Workspace::locate`] before they check or open it, so that a check and the file system agree
//! about `~`, `..` and symbolic links. This crate neither opens nor refuses files. In texts, unusual names are [escaped](names).

pub mod names;

mod access;
mod folder;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{env, fs, io};

use toolc::ToolError;

pub use access::Access;
pub use folder::{Folder, folder_of};

/// A working directory and the user's home directory.
#[derive(Debug, Clone)]
pub struct Workspace {
    dir: PathBuf,
    home: Option<PathBuf>,
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
        Self { dir: resolve(&dir).unwrap_or(dir), home: env::home_dir() }
    }

    /// Replaces the home directory.
    #[must_use]
    pub fn with_home(mut self, home: impl AsRef<Path>) -> Self {
        let home = home.as_ref();
        self.home = Some(resolve(home).unwrap_or_else(|_| home.to_owned()));
        self
    }

    /// Returns the working directory, without symbolic links.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the home directory, or `None` if it is unknown.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns `path`, in the form of [`show`](Self::show), as an absolute path without `.`, `..` or symbolic links. The path need not
    /// exist: missing components are kept as written. Fails if the path has too many symbolic links.
    pub fn locate(&self, path: &str) -> Result<PathBuf, ToolError> {
        let expanded = match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => {
                home.join(names::unescape(&rest[1..]))
            }
            _ => self.dir.join(names::unescape(path)),
        };
        resolve(&expanded).map_err(|error| ToolError::new(format!("failed to resolve `{path}`: {error}")))
    }

    /// Returns `path` in the form for a model: relative to the working directory if it is inside it, and [escaped](names).
    pub fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.dir) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            // Otherwise it would be in the home directory.
            Ok(inside) if inside.starts_with("~") => format!("./{}", names::escape(inside)),
            Ok(inside) => names::escape(inside),
            Err(_) => names::escape(path),
        }
    }
}

/// Follows every symbolic link in an absolute path. Unlike `fs::canonicalize`, it accepts paths that do not exist, and follows
/// dangling links. Fails if the path has more than 40 links.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    /// The limit of Linux.
    const MAX_LINKS: usize = 40;
    let mut resolved = PathBuf::new();
    let mut remaining: VecDeque<OsString> = parts(path).collect();
    let mut links = 0;
    while let Some(part) = remaining.pop_front() {
        match Path::new(&part).components().next() {
            None | Some(Component::CurDir) => {}
            Some(Component::ParentDir) => {
                resolved.pop();
            }
            Some(Component::RootDir | Component::Prefix(_)) => resolved.push(&part),
            Some(Component::Normal(_)) => {
                resolved.push(&part);
                let Ok(target) = fs::read_link(&resolved) else { continue };
                if target.is_relative() && resolved.starts_with("/proc") {
                    // Targets such as `pipe:[4711]` are not paths.
                    continue;
                }
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::other("too many symbolic links, perhaps in a cycle"));
                }
                resolved.pop();
                for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                    remaining.push_front(part);
                }
            }
        }
    }
    Ok(resolved)
}

/// Returns the components of a path.
fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().map(|part| part.as_os_str().to_owned())
}

#[cfg(test)]
mod tests {
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
        assert_eq!(workspace.locate("a/./b/../c").unwrap(), root.join("a").join("c"));
        let workspace = workspace.with_home(&root);
        assert_eq!(workspace.locate("~/x").unwrap(), root.join("x"));
        assert_eq!(workspace.locate("~").unwrap(), root);
        assert_eq!(workspace.locate("~x").unwrap(), root.join("~x"));
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
            assert_eq!(workspace.locate(&shown).unwrap(), path, "{shown}");
        }
        assert_eq!(workspace.locate(r"~/caf\xe9").unwrap().as_os_str().as_bytes(), b"/home/me/caf\xe9");
    }

    #[cfg(unix)]
    #[test]
    fn dangling_links_are_followed() {
        use std::os::unix::fs::symlink;
        let (_dir, workspace) = workspace();
        let root = workspace.dir().to_owned();
        fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink("link/missing", root.join("dangling")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        assert_eq!(workspace.locate("dangling").unwrap(), root.join("real/missing"));
        // `..` is the parent of the link's target.
        assert_eq!(workspace.locate("link/../x").unwrap(), root.join("x"));
        assert!(workspace.locate("circle").unwrap_err().message().contains("too many symbolic links"));
        assert_eq!(workspace.locate("/../../x").unwrap(), Path::new("/x"));
    }
}
