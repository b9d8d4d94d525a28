//! Files and folders of this machine that programs do not see.

use std::path::{Path, PathBuf};

/// A folder that a program and its processes do not see: see [`Process::hide`](crate::Process::hide). In its place is an empty folder that
/// cannot be changed. Every other path that leads to the folder is hidden, too. So are [other places](Self::and).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenFolder {
    /// The folder, if there is one.
    pub(crate) path: Option<PathBuf>,
    /// What programs see of it.
    pub(crate) shown: Vec<Shown>,
    /// Other files and folders.
    pub(crate) places: Vec<PathBuf>,
    /// The places that are not hidden, although they usually are.
    pub(crate) visible: Vec<PathBuf>,
}

/// A part of a hidden folder that programs see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The path in the hidden folder.
    pub(crate) path: PathBuf,
    pub(crate) writable: bool,
}

impl HiddenFolder {
    /// Hides a folder. It is made if it does not exist, so that it cannot appear later.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), shown: Vec::new(), places: Vec::new(), visible: Vec::new() }
    }

    /// Shows a folder in the hidden one, if it exists. Programs cannot change it.
    #[must_use]
    pub fn except(mut self, path: impl Into<PathBuf>) -> Self {
        self.shown.push(Shown { path: path.into(), writable: false });
        self
    }

    /// Shows a folder in the hidden one, if it exists. Programs can change it.
    #[must_use]
    pub fn except_writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.shown.push(Shown { path: path.into(), writable: true });
        self
    }

    /// Hides another file or folder, too, if it exists when a program starts. In its place is an empty file or folder. A place that is made
    /// later is hidden from the programs that start then.
    #[must_use]
    pub fn and(mut self, place: impl Into<PathBuf>) -> Self {
        self.places.push(place.into());
        self
    }

    /// Does not hide these places, which [`and`](Self::and) has added. Programs from which other places are hidden cannot use the memory,
    /// the descriptors or the root folder of a program that sees them.
    #[must_use]
    pub fn showing(&self, places: &[PathBuf]) -> Self {
        self.without(|place| places.contains(place))
    }

    /// Does not hide the places in which a directory is, or that are the directory itself: a program could not start there. The path of the
    /// directory has no links.
    #[must_use]
    pub fn outside_of(&self, directory: &Path) -> Self {
        self.without(|place| place.canonicalize().is_ok_and(|place| directory.starts_with(place)))
    }

    fn without(&self, is_shown: impl Fn(&PathBuf) -> bool) -> Self {
        let (shown, places): (Vec<_>, Vec<_>) = self.places.iter().cloned().partition(is_shown);
        let visible = self.visible.iter().cloned().chain(shown).collect();
        Self { places, visible, ..self.clone() }
    }

    /// Hides only the other places, and not the folder. Returns `None` if there are none.
    #[must_use]
    pub fn only_places(&self) -> Option<Self> {
        let hidden = Self { path: None, shown: Vec::new(), ..self.clone() };
        (!hidden.places.is_empty()).then_some(hidden)
    }

    /// Returns whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.path.is_none() && self.places.is_empty()
    }

    /// Returns the other places, as they were [added](Self::and).
    pub fn other_places(&self) -> &[PathBuf] {
        &self.places
    }

    /// Returns whether a path, which has no links, is in the folder or is the folder itself.
    pub fn contains(&self, path: &Path) -> bool {
        let folder = self.path.as_ref().and_then(|folder| folder.canonicalize().ok());
        folder.is_some_and(|folder| path.starts_with(folder))
    }
}
