//! The folders with which paths and patterns of places can begin.

use std::rc::Rc;

/// Represents an unknown home folder. No real folder has such a name.
pub(crate) const UNKNOWN_HOME: &str = "/home/\u{0}";

/// Represents an unknown working directory. No real folder has such a name.
pub(crate) const UNKNOWN_START: &str = "/\u{0}/\u{0}/\u{0}/\u{0}/\u{0}/\u{0}";

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
