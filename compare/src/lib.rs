//! `cargo toolc breaking`: what the changes of a catalog break for the code, the models and the programs that use its tools.
//!
//! [`load`] reads another version of a project, with which other commands compare theirs too.

mod git;
mod load;

pub use load::{Loaded, load, open};
