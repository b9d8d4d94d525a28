//! Selects the files of a search, in a deterministic order.

use std::fs;
use std::path::Path;

use ignore::{DirEntry, Walk, WalkBuilder};

use crate::search::{NameGlob, is_kernel_interface};

/// The files of a folder whose patterns exclude others.
const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".git/info/exclude"];
/// The maximum length of such a file.
const MAX_IGNORE_FILE: u64 = 1 << 20;

/// Returns the entries below `root`, or `root` itself if it is a file, sorted by name within each directory.
///
/// Walks on one thread, because paging needs a deterministic order. Does not follow links, so that no file occurs twice and the walk
/// ends.
///
/// The walk reads ignore files to their end. If one in `root` or around it is not a short regular file, all ignore files are disregarded.
/// A folder below `root` with such a file is left out.
pub(super) fn walk(root: &Path) -> Walk {
    let heeds_ignore_files = root.ancestors().all(has_usable_ignore_files);
    WalkBuilder::new(root)
        .standard_filters(heeds_ignore_files)
        .hidden(true)
        // `.gitignore` applies outside of repositories, too.
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(move |entry| {
            let is_folder = || entry.file_type().is_some_and(|kind| kind.is_dir());
            !is_kernel_interface(entry.path())
                && (!heeds_ignore_files || !is_folder() || has_usable_ignore_files(entry.path()))
        })
        .build()
}

/// Returns whether each ignore file of a folder is missing, or a regular file that is not too long. Opening a pipe waits for a writer, and
/// a device may have no end.
fn has_usable_ignore_files(folder: &Path) -> bool {
    let is_usable = |name: &&str| match fs::metadata(folder.join(name)) {
        Ok(found) => found.is_file() && found.len() <= MAX_IGNORE_FILE,
        Err(_) => true,
    };
    IGNORE_FILES.iter().all(is_usable)
}

/// Returns whether the entry is a regular file that matches all globs.
pub(super) fn is_selected(entry: &DirEntry, root: &Path, globs: &[NameGlob]) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file()) && globs.iter().all(|glob| glob.matches(entry.path(), root))
}
