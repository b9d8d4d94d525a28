//! A path as its components. `path` finds it in a word.

use std::rc::Rc;

use crate::syntax::Word;

/// An absolute path, of which some components may be unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathWord {
    pub(super) components: Vec<Component>,
    /// Whether the path depends on a `cd` of the line, which can fail.
    pub(super) depends_on_cd: bool,
    /// The number of components at the end, if they follow a folder to which `..` led from an unknown one: it can be any folder.
    pub(super) tail: Option<usize>,
}

/// A component of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Component {
    /// This name.
    Name(Rc<str>),
    /// All existing names that match this shell pattern.
    Glob(String),
    /// A name that is known only in part.
    Part(Box<Word>),
    /// Any number of components.
    Unknown,
}
