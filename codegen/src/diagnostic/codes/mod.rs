//! The errors of the compiler: one file for each, in the folder of its category, and one line in that folder's `mod.rs`. Errors that any
//! reader of TOML can report are in `toolc-tables`.
//!
//! To add an error, write `CATEGORY/its_name.rs`, which begins with its documentation (see [`docs`](super::docs)) and
//! defines its `CODE`. Add the line `ITS_NAME its_name` to `CATEGORY/mod.rs`. The stage that reports it then uses
//! `codes::ITS_NAME`. Tests check the documentation and compile its examples, as they do for the rules of the linter.

mod catalog;
mod schema;

pub use catalog::*;
pub use schema::*;
pub use toolc_tables::codes::*;

use super::Code;

/// Every error.
pub const ALL: [&[Code]; 3] = [toolc_tables::codes::ALL, catalog::ALL, schema::ALL];
