//! The folders with which paths and patterns of places can begin.

use std::path::Path;
use std::rc::Rc;

use crate::reading::Surroundings;

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

/// The folders with which patterns of places can begin, as the names in their paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Roots {
    /// The home folder: `~`.
    pub(crate) home: Vec<Rc<str>>,
    /// The directory in which the line starts: `.`.
    pub(crate) start: Vec<Rc<str>>,
    /// The caller's own folder: `@`. `None` if it is unknown.
    pub(crate) own: Option<Vec<Rc<str>>>,
}

impl Roots {
    /// Returns the folders of a line.
    pub(crate) fn new(surroundings: &Surroundings<'_>) -> Self {
        let text = |path: Option<&Path>, unknown| names(&path.unwrap_or(Path::new(unknown)).to_string_lossy());
        Self {
            home: text(surroundings.home, UNKNOWN_HOME),
            start: text(surroundings.directory, UNKNOWN_START),
            own: surroundings.own_folder.map(|path| names(&path.to_string_lossy())),
        }
    }
}
