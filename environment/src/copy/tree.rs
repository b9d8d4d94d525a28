//! The entries of a tree of files. They make it possible to follow links without access to the disk.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// The maximum number of links that are followed to resolve one link.
const MAX_LINKS: usize = 40;

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    File,
    Folder,
    Link(PathBuf),
}

/// The entries of a tree, by their paths below its root.
#[derive(Debug, Default)]
pub(super) struct Tree(pub(super) BTreeMap<PathBuf, Node>);

impl Tree {
    /// Returns whether the target of a link is inside the tree. The target need not exist.
    pub(super) fn stays_inside(&self, link: &Path, target: &Path) -> bool {
        let mut current = link.parent().unwrap_or(Path::new("")).to_owned();
        let mut rest: Vec<OsString> = Vec::new();
        let mut followed = 0;
        let mut pending = Some(target.to_owned());
        loop {
            if let Some(target) = pending.take() {
                followed += 1;
                if followed > MAX_LINKS || target.is_absolute() {
                    return false;
                }
                rest.extend(target.components().rev().map(|part| part.as_os_str().to_owned()));
            }
            let Some(part) = rest.pop() else { return true };
            match Path::new(&part).components().next() {
                Some(Component::ParentDir) if current.as_os_str().is_empty() => return false,
                Some(Component::ParentDir) => drop(current.pop()),
                Some(Component::Normal(name)) => {
                    current.push(name);
                    if let Some(Node::Link(target)) = self.0.get(&current) {
                        pending = Some(target.clone());
                        current.pop();
                    }
                }
                _ => {}
            }
        }
    }
}

/// Returns the name of an archive entry as a relative path without `.`, or `None` if the name is absolute or has `..`.
pub(super) fn relative_path(name: &OsStr) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_out_are_recognised() {
        let tree = Tree(
            [
                ("d", Node::Folder),
                ("d/e", Node::Folder),
                ("d/up", Node::Link("..".into())),
                ("chain", Node::Link("d/up".into())),
                ("loop", Node::Link("loop".into())),
                ("out", Node::Link("/etc".into())),
            ]
            .map(|(path, node)| (path.into(), node))
            .into(),
        );
        for (link, target, is_inside) in [
            ("a", "d/e", true),
            ("a", "nothing/x", true),
            ("d/e/a", "../../x", true),
            ("d/e/a", "../../../x", false),
            ("a", "..", false),
            ("a", "/etc/passwd", false),
            // `d/up` leads to the root, so `d/up/..` is outside.
            ("a", "d/up/..", false),
            ("a", "chain/../x", false),
            ("a", "chain/d/e", true),
            ("a", "out/passwd", false),
            ("a", "loop/x", false),
            ("a", "d/../d/../d", true),
        ] {
            assert_eq!(tree.stays_inside(Path::new(link), Path::new(target)), is_inside, "{link} -> {target}");
        }
    }

    #[test]
    fn only_plain_names_are_paths() {
        for (name, path) in [("./a/b", Some("a/b")), ("a//b/./c", Some("a/b/c")), (".", Some("")), ("", Some(""))] {
            assert_eq!(relative_path(OsStr::new(name)), path.map(PathBuf::from), "{name}");
        }
        for name in ["/a", "../a", "a/..", "a/../b", "./.."] {
            assert_eq!(relative_path(OsStr::new(name)), None, "{name}");
        }
    }
}
