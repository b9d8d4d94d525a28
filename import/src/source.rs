//! The sources: each reads the tools of one kind of thing that exists.

pub mod document;
pub mod lists;
