//! Text: JSON strings, names that are close to each other, and how untrusted text is displayed.

pub(crate) mod display;
pub(crate) mod invisible;
pub(crate) mod json;
pub(crate) mod nearest;
