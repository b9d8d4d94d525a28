//! Text: JSON strings, identifiers, sentences for keywords, similar names, spellings and words of names, and the display of untrusted text.

pub mod code_names;
pub(crate) mod display;
pub(crate) mod identifier;
pub(crate) mod invisible;
pub(crate) mod json;
pub(crate) mod names;
pub(crate) mod nearest;
pub(crate) mod prose;
