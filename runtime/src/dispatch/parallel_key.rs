//! Keys of calls that must not overlap, compared by what they name: `./a/../b` is `b`, and may be `/srv/b`.
//!
//! Keys are mostly paths, and only a handler knows where those begin. So this is careful: two keys that may name one
//! thing are taken to. That costs a call that waits in vain; the other mistake would cost a file.

use std::fs;
use std::path::{Path, PathBuf};

/// A key, as far as it can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParallelKey {
    /// The names in it, in lower case: there are file systems that do not tell the cases apart.
    names: Vec<String>,
    start: Start,
    /// The file that it is, by way of all links, seen from the process's directory.
    file: Option<PathBuf>,
}

/// Where the first of its names is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Root,
    /// The handler's directory.
    Here,
    /// Somewhere above that, or a home.
    Elsewhere,
}

impl ParallelKey {
    pub(crate) fn new(text: &str) -> Self {
        let mut start = match text.chars().next() {
            Some('/' | '\\') => Start::Root,
            Some('~') => Start::Elsewhere,
            _ if Path::new(text).is_absolute() => Start::Root,
            _ => Start::Here,
        };
        let mut names: Vec<String> = Vec::new();
        for (at, name) in text.split(['/', '\\']).enumerate() {
            match name {
                "" | "." => {}
                ".." => {
                    if names.pop().is_none() && start == Start::Here {
                        start = Start::Elsewhere;
                    }
                }
                _ if at == 0 && start == Start::Elsewhere => {}
                name => names.push(name.to_lowercase()),
            }
        }
        Self { names, start, file: file(Path::new(text)) }
    }

    /// Whether both may name one thing.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let same_names = if self.start == other.start && self.start != Start::Elsewhere {
            self.names == other.names
        } else {
            self.names.ends_with(&other.names) || other.names.ends_with(&self.names)
        };
        same_names || (self.file.is_some() && self.file == other.file)
    }
}

/// The file at `path`, or the one that would be made there.
fn file(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let (one, other) = (ParallelKey::new(one), ParallelKey::new(other));
        assert_eq!(one.may_be(&other), other.may_be(&one));
        one.may_be(&other)
    }

    #[test]
    fn spellings_of_one_path_are_one_key() {
        for (one, other) in [
            ("a", "a"),
            ("a/b", "./a//b/"),
            ("a/b", "a/x/../b"),
            ("a/b", "a\\b"),
            ("/srv/a", "/srv/./x/../a"),
            ("/../a", "/a"),
            ("a/b", "/srv/project/a/b"),
            ("../b", "/srv/b"),
            ("../project/b", "b"),
            ("~/a", "/home/me/a"),
            ("~me/a", "/home/me/a"),
            ("Read.me", "read.ME"),
            ("Größe", "GRÖSSE".to_lowercase().replace("ss", "ß").as_str()),
            ("12", "12"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn different_things_are_different_keys() {
        for (one, other) in [
            ("a", "b"),
            ("a", "x/a"),
            ("/a", "/x/a"),
            ("/srv/a", "b"),
            ("x/a", "/srv/a"),
            ("~/x/a", "/home/me/a"),
            ("1", "12"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_what_it_points_to() {
        let dir = std::env::temp_dir().join(format!("toolc-key-{}", std::process::id()));
        fs::create_dir_all(dir.join("real")).unwrap();
        fs::write(dir.join("real/file"), "").unwrap();
        std::os::unix::fs::symlink("real", dir.join("link")).unwrap();
        std::os::unix::fs::symlink("real/file", dir.join("other")).unwrap();
        let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
        assert!(same(&path("link/file"), &path("real/file")));
        assert!(same(&path("other"), &path("real/file")));
        assert!(same(&path("link/new"), &path("real/new")), "not there yet");
        assert!(!same(&path("link/new"), &path("real/file")));
        fs::remove_dir_all(dir).unwrap();
    }
}
