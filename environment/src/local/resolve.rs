//! Resolves symbolic links in paths of this machine.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// Follows every symbolic link in an absolute path of this machine. Unlike `fs::canonicalize`, it accepts paths that do not exist, and
/// follows dangling links. Fails if the path has more than 40 links.
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
                    return Err(too_many_links());
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

/// Returns the error about a path that cannot be resolved.
pub(crate) fn too_many_links() -> io::Error {
    io::Error::other("too many symbolic links, perhaps in a cycle")
}

/// Returns the components of a path.
fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().map(|part| part.as_os_str().to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn dangling_links_are_followed() {
        let dir = tempfile::TempDir::new().unwrap();
        let root = resolve(dir.path()).unwrap();
        fs::create_dir(root.join("real")).unwrap();
        symlink("real", root.join("link")).unwrap();
        symlink("link/missing", root.join("dangling")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        assert_eq!(resolve(&root.join("dangling")).unwrap(), root.join("real/missing"));
        // `..` is the parent of the link's target.
        assert_eq!(resolve(&root.join("link/../x")).unwrap(), root.join("x"));
        assert!(resolve(&root.join("circle")).unwrap_err().to_string().contains("too many symbolic links"));
        assert_eq!(resolve(Path::new("/../../x")).unwrap(), Path::new("/x"));
    }
}
