//! The folders with which paths and patterns of places can begin.

/// Represents an unknown home folder. No real folder has such a name.
pub(crate) const UNKNOWN_HOME: &str = "/home/\u{0}";

/// Represents an unknown working directory. No real folder has such a name.
pub(crate) const UNKNOWN_START: &str = "/\u{0}/\u{0}/\u{0}/\u{0}/\u{0}/\u{0}";

/// The folders with which patterns of places can begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Folders<'f> {
    /// The home folder: `~`.
    pub(crate) home: &'f str,
    /// The directory in which the line starts: `.`.
    pub(crate) start: &'f str,
}
