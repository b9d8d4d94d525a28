//! Texts for people: shortened, and the characters that they do not show.

#[doc(hidden)]
pub mod code_names;
pub(crate) mod display;
pub(crate) mod identifier;
pub(crate) mod invisible;
pub(crate) mod json;
#[doc(hidden)]
pub mod names;
pub(crate) mod nearest;
pub(crate) mod prose;
pub(crate) mod tokens;

pub use display::{beginning, without_middle};
pub use invisible::{changes_direction, is_invisible};
