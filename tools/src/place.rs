//! Where a path that a model wrote really points to.
//!
//! Every path goes through [`Place::locate`] before anything is opened or judged, so that `~`, `..` and
//! symbolic links cannot say one thing to a guard and another to the file system. It opens nothing and
//! forbids nothing.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{env, fs, io};

use toolc::ToolError;

/// The working directory and the home directory.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    dir: PathBuf,
    home: Option<PathBuf>,
}

impl Place {
    /// The process's own.
    pub(crate) fn current() -> Self {
        let dir = env::current_dir().unwrap_or_else(|_| env::temp_dir());
        let mut place = Self { dir: PathBuf::new(), home: env::home_dir() };
        place.set_dir(&dir);
        place
    }

    pub(crate) fn set_dir(&mut self, dir: &Path) {
        let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
        self.dir = resolve(&dir).unwrap_or(dir);
    }

    /// The working directory, free of links.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// `path` as an absolute path without `.`, `..` or symbolic links. It need not exist: what is missing is
    /// taken as written.
    pub(crate) fn locate(&self, path: &str) -> Result<PathBuf, ToolError> {
        let expanded = match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => home.join(&rest[1..]),
            _ => self.dir.join(path),
        };
        resolve(&expanded).map_err(|error| ToolError::new(format!("failed to resolve `{path}`: {error}")))
    }

    /// `path` as the model would best write it: relative where it lies in the working directory.
    pub(crate) fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.dir) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Ok(inside) => inside.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        }
    }
}

/// Follows every link in an absolute path, component by component as the kernel would, the last one and
/// dangling ones included (which `fs::canonicalize` cannot).
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut here = PathBuf::new();
    let mut ahead: VecDeque<OsString> = parts(path).collect();
    let mut links = 0;
    while let Some(part) = ahead.pop_front() {
        match Path::new(&part).components().next() {
            None | Some(Component::CurDir) => {}
            Some(Component::ParentDir) => {
                here.pop();
            }
            Some(Component::RootDir | Component::Prefix(_)) => here.push(&part),
            Some(Component::Normal(_)) => {
                here.push(&part);
                let Ok(target) = fs::read_link(&here) else { continue };
                if target.is_relative() && here.starts_with("/proc") {
                    // Such as `pipe:[4711]`: no path, but still the way to the thing.
                    continue;
                }
                links += 1;
                if links > MOST_LINKS {
                    return Err(io::Error::other("too many symbolic links, perhaps in a circle"));
                }
                here.pop();
                for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                    ahead.push_front(part);
                }
            }
        }
    }
    Ok(here)
}

fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().map(|part| part.as_os_str().to_owned())
}

#[cfg(test)]
impl Place {
    pub(crate) fn set_home(&mut self, home: &Path) {
        self.home = Some(resolve(home).unwrap());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Place) {
        let dir = tempfile::TempDir::new().unwrap();
        let mut place = Place::current();
        place.set_dir(dir.path());
        (dir, place)
    }

    #[test]
    fn relative_home_and_dotted_paths() {
        let (_dir, mut place) = place();
        let root = place.dir().to_owned();
        assert_eq!(place.locate("a/./b/../c").unwrap(), root.join("a").join("c"));
        place.set_home(&root);
        assert_eq!(place.locate("~/x").unwrap(), root.join("x"));
        assert_eq!(place.locate("~").unwrap(), root);
        assert_eq!(place.locate("~x").unwrap(), root.join("~x"));
        assert_eq!(place.show(&root.join("x")), "x");
        assert_eq!(place.show(&root), ".");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_even_where_nothing_is_there() {
        use std::os::unix::fs::symlink;
        let (_dir, place) = place();
        let root = place.dir().to_owned();
        fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink("link/missing", root.join("dangling")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        assert_eq!(place.locate("dangling").unwrap(), root.join("real/missing"));
        // Physically: the parent of what the link points to.
        assert_eq!(place.locate("link/../x").unwrap(), root.join("x"));
        assert!(place.locate("circle").unwrap_err().message().contains("too many symbolic links"));
        assert_eq!(place.locate("/../../x").unwrap(), Path::new("/x"));
    }
}
