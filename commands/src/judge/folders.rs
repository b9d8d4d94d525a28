//! The folders with which paths and patterns of places can begin.

use std::rc::Rc;

/// The name of a folder in the paths below. No real folder has such a name. Where `..` leads from it is unknown.
pub(crate) const UNKNOWN_FOLDER: &str = "\u{0}folder";

/// Represents an unknown home folder.
pub(crate) const UNKNOWN_HOME: &str = "/home/\u{0}folder";

/// Represents an unknown working directory.
pub(crate) const UNKNOWN_START: &str = "/\u{0}folder/\u{0}folder/\u{0}folder/\u{0}folder/\u{0}folder/\u{0}folder";

/// Returns the names in an absolute path.
pub(crate) fn names(path: &str) -> Vec<Rc<str>> {
    let mut names: Vec<Rc<str>> = Vec::with_capacity(8);
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => match names.last() {
                // As in an unknown folder.
                Some(last) if **last == *name => names.push(Rc::clone(last)),
                _ => names.push(Rc::from(name)),
            },
        }
    }
    names
}
