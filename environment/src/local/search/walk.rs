//! Selects the files of a search, in a deterministic order.

use std::fs;
use std::path::Path;

use ignore::gitignore::GitignoreBuilder;
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
/// A root that ignore files of its parents exclude was named nevertheless, so these files do not hold for the walk. If the own ignore file of
/// the root excludes everything, as that of a virtual environment of Python does, no ignore file holds.
///
/// The walk reads ignore files to their end. If an ignore file in `root` or a parent of it is not a regular file or is too long, all ignore
/// files are disregarded. A folder below `root` with such an ignore file is skipped.
pub(super) fn walk(root: &Path) -> Walk {
    let is_readable = root.ancestors().all(has_usable_ignore_files);
    let uses_ignore_files = is_readable && !excludes_all(root, root);
    let uses_parents = uses_ignore_files && !root.ancestors().skip(1).any(|folder| excludes_all(folder, root));
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(uses_ignore_files);
    if !uses_parents {
        builder.parents(false).git_global(false);
    }
    builder
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

/// Returns whether an ignore file of `folder` excludes `root`, or everything in it.
fn excludes_all(folder: &Path, root: &Path) -> bool {
    IGNORE_FILES.iter().any(|name| {
        let path = folder.join(name);
        if !path.is_file() {
            return false;
        }
        let mut builder = GitignoreBuilder::new(folder);
        // Patterns that cannot be read are left out, as in the walk.
        let _ = builder.add(path);
        let Ok(patterns) = builder.build() else { return false };
        let excludes = |path: &Path, is_folder| {
            path != folder
                && path.starts_with(folder)
                && patterns.matched_path_or_any_parents(path, is_folder).is_ignore()
        };
        // A pattern with `*` that excludes a file with an unusual name excludes all files, unless others are excepted.
        excludes(root, true) || patterns.num_whitelists() == 0 && excludes(&root.join("\u{1}"), false)
    })
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
