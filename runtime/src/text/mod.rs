//! Text: JSON strings, similar names, the words of names, and the display of untrusted text.

pub(crate) mod display;
pub(crate) mod invisible;
pub(crate) mod json;
pub(crate) mod nearest;
pub(crate) mod words;
