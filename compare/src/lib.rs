//! Compares two versions of a project's tools, and says what breaks, for whom, with a witness: `cargo toolc breaking`.
//!
//! [`load`](load::load) reads a [`Snapshot`] from a commit, a folder, a bundle or a list of MCP tools.

mod git;
pub mod load;
mod snapshot;

pub use snapshot::{CompiledProject, Extent, Readers, Snapshot, schema};
