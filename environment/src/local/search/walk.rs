//! Selects the files of a search, in a deterministic order.

use std::fs;
use std::path::Path;

use ignore::{DirEntry, Walk, WalkBuilder};

use crate::search::{NameGlob, is_kernel_interface};

/// The files whose patterns exclude other files.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".git/info/exclude"];
/// The maximum length of an ignore file.
const MAX_IGNORE_FILE: u64 = 1 << 20;

/// Returns the entries below `root`, or `root` itself if it is a file, sorted by name within each directory.
///
/// Walks on one thread, because paging needs a deterministic order. Does not follow links, so that no file occurs twice and the walk
/// ends.
///
/// The walk reads ignore files to their end. If an ignore file in `root` or a parent of it is not a regular file or is too long, all ignore
/// files are disregarded. A folder below `root` with such an ignore file is skipped.
pub(super) fn walk(root: &Path) -> Walk {
    let uses_ignore_files = root.ancestors().all(has_usable_ignore_files);
    WalkBuilder::new(root)
        .standard_filters(uses_ignore_files)
        .hidden(true)
        // `.gitignore` applies outside of repositories, too.
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(move |entry| {
            let is_folder = || entry.file_type().is_some_and(|kind| kind.is_dir());
            !is_kernel_interface(entry.path())
                && (!uses_ignore_files || !is_folder() || has_usable_ignore_files(entry.path()))
        })
        .build()
}

/// Returns whether each ignore file of a folder is missing, or a regular file that is not too long. Opening a pipe waits for a writer, and
/// a device may have no end.
fn has_usable_ignore_files(folder: &Path) -> bool {
    let is_usable = |name: &&str| match fs::metadata(folder.join(name)) {
        Ok(metadata) => metadata.is_file() && metadata.len() <= MAX_IGNORE_FILE,
        Err(_) => true,
    };
    IGNORE_FILES.iter().all(is_usable)
}

/// Returns whether the entry is a regular file that matches all globs.
pub(super) fn is_selected(entry: &DirEntry, root: &Path, globs: &[NameGlob]) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file()) && globs.iter().all(|glob| glob.matches(entry.path(), root))
}
