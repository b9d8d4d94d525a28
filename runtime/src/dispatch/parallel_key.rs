//! Keys of calls that must not overlap. Keys are mostly paths, so different spellings of one path are equal: `./a/../b` is
//! `b`, and may be `/srv/b`.
//!
//! Only the handler knows its working directory, so the comparison is conservative: keys that may name the same file count
//! as equal. A wrong match only makes a call wait; a missed match could damage a file.

use std::fs;
use std::path::{Path, PathBuf};

/// A key in a comparable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParallelKey {
    /// The components of the path, in lower case, because some file systems ignore case.
    names: Vec<String>,
    start: Start,
    /// The file after resolving symbolic links, relative to the process's working directory.
    file: Option<PathBuf>,
}

/// The folder that contains the first component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Root,
    /// The handler's working directory.
    WorkingDir,
    /// A parent of the working directory, or a home folder.
    Unknown,
}

impl ParallelKey {
    pub(crate) fn new(text: &str) -> Self {
        let mut start = match text.chars().next() {
            Some('/' | '\\') => Start::Root,
            Some('~') => Start::Unknown,
            _ if Path::new(text).is_absolute() => Start::Root,
            _ => Start::WorkingDir,
        };
        let mut names: Vec<String> = Vec::new();
        for (at, name) in text.split(['/', '\\']).enumerate() {
            match name {
                "" | "." => {}
                ".." => {
                    if names.pop().is_none() && start == Start::WorkingDir {
                        start = Start::Unknown;
                    }
                }
                _ if at == 0 && start == Start::Unknown => {}
                name => names.push(name.to_lowercase()),
            }
        }
        Self { names, start, file: canonical(Path::new(text)) }
    }

    /// Returns whether both keys may name the same thing.
    pub(crate) fn may_equal(&self, other: &Self) -> bool {
        let same_names = if self.start == other.start && self.start != Start::Unknown {
            self.names == other.names
        } else {
            self.names.ends_with(&other.names) || other.names.ends_with(&self.names)
        };
        same_names || (self.file.is_some() && self.file == other.file)
    }
}

/// Returns the canonical path of a file that exists, or that could be created in an existing folder.
fn canonical(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let (one, other) = (ParallelKey::new(one), ParallelKey::new(other));
        assert_eq!(one.may_equal(&other), other.may_equal(&one));
        one.may_equal(&other)
    }

    #[test]
    fn spellings_of_one_path_are_equal() {
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
    fn different_paths_are_different_keys() {
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
    fn a_symbolic_link_equals_its_target() {
        let dir = std::env::temp_dir().join(format!("toolc-key-{}", std::process::id()));
        fs::create_dir_all(dir.join("real")).unwrap();
        fs::write(dir.join("real/file"), "").unwrap();
        std::os::unix::fs::symlink("real", dir.join("link")).unwrap();
        std::os::unix::fs::symlink("real/file", dir.join("other")).unwrap();
        let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
        assert!(same(&path("link/file"), &path("real/file")));
        assert!(same(&path("other"), &path("real/file")));
        assert!(same(&path("link/new"), &path("real/new")), "a file that does not exist yet");
        assert!(!same(&path("link/new"), &path("real/file")));
        fs::remove_dir_all(dir).unwrap();
    }
}
