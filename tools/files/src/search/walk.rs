//! Selects the files of a search, in a deterministic order.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, Walk, WalkBuilder};
use toolc::ToolError;

/// Directories with kernel interfaces. Reading their files can be endless, block, or have effects.
const KERNEL_INTERFACES: &[&str] = &["/dev", "/proc", "/sys"];

/// Returns whether a resolved path is a kernel interface.
pub(super) fn is_kernel_interface(path: &Path) -> bool {
    KERNEL_INTERFACES.iter().any(|dir| path.starts_with(dir))
}

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

/// Returns whether the entry is a regular file that matches all filters.
pub(super) fn is_selected(entry: &DirEntry, root: &Path, filters: &[Filter]) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
        && filters.iter().all(|filter| filter.matches(entry.path(), root))
}

/// A glob. If it contains a `/`, it must match the path relative to the root, otherwise the file name.
#[derive(Debug)]
pub(super) struct Filter {
    glob: GlobMatcher,
    by_name: bool,
}

impl Filter {
    pub(super) fn new(glob: &str) -> Result<Self, ToolError> {
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let built = GlobBuilder::new(glob).literal_separator(true).build().map_err(|error| {
            ToolError::new(format!(
                "`{glob}` is not a glob: {}; escape special characters by `[` and `]`",
                error.kind()
            ))
        })?;
        Ok(Self { glob: built.compile_matcher(), by_name: !glob.contains('/') })
    }

    fn matches(&self, path: &Path, root: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        match path.strip_prefix(root) {
            Ok(inside) if !self.by_name && !inside.as_os_str().is_empty() => self.glob.is_match(inside),
            _ => self.glob.is_match(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_names_or_relative_paths() {
        let matches = |glob: &str, path: &str| Filter::new(glob).unwrap().matches(Path::new(path), Path::new("/r"));
        assert!(matches("*.rs", "/r/a/b.rs") && !matches("*.rs", "/r/a/b.rst"));
        assert!(matches("*.{ts,tsx}", "/r/b.tsx"));
        assert!(matches("a/*.rs", "/r/a/b.rs") && !matches("a/*.rs", "/r/a/c/b.rs"));
        assert!(matches("./a/**/*.rs", "/r/a/c/d/b.rs") && !matches("a/**", "/r/b/a"));

        assert!(Filter::new("a{b").unwrap_err().message().contains("is not a glob"));
    }
}
