//! Selects the files of a search, in a deterministic order.

use std::path::Path;

use ignore::{DirEntry, Walk, WalkBuilder};

use crate::search::{NameGlob, is_kernel_interface};

/// Returns the entries below `root`, or `root` itself if it is a file, sorted by name within each directory.
///
/// Walks on one thread, because paging needs a deterministic order. Does not follow links, so that no file occurs twice and the walk
/// ends.
pub(super) fn walk(root: &Path) -> Walk {
    WalkBuilder::new(root)
        // `.gitignore` applies outside of repositories, too.
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| !is_kernel_interface(entry.path()))
        .build()
}

/// Returns whether the entry is a regular file that matches all globs.
pub(super) fn is_selected(entry: &DirEntry, root: &Path, globs: &[NameGlob]) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file()) && globs.iter().all(|glob| glob.matches(entry.path(), root))
}
