//! The tests of `breaking`, and of loading another version of a project.

mod load;
mod project;
