//! Diagnostics: the findings of the compiler as data. The formats of a report, such as [`Renderer`], turn them into text.

pub mod codes;
mod places;

pub use places::{Places, Position};
pub use toolc_tables::diagnostic::*;
