//! Which files a search looks at, in which order.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, Walk, WalkBuilder};
use toolc::ToolError;

/// Kernel interfaces that look like files. Some have no end, some wait, and some do things when they are read.
const PSEUDO: &[&str] = &["/dev", "/proc", "/sys"];

/// Whether the resolved path is in the kernel's hands.
pub(super) fn is_pseudo(path: &Path) -> bool {
    PSEUDO.iter().any(|pseudo| path.starts_with(pseudo))
}

/// What is below `root`, or `root` itself if it is a file, sorted by name within each directory.
///
/// One thread: a deterministic order is worth more to paging than speed, and links are not followed, so that
/// no file comes twice and no walk is endless.
pub(super) fn walk(root: &Path) -> Walk {
    WalkBuilder::new(root)
        // `.gitignore` counts whether or not there is a repository around.
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| !is_pseudo(entry.path()))
        .build()
}

/// Whether the entry is a regular file that passes all filters.
pub(super) fn is_wanted(entry: &DirEntry, root: &Path, filters: &[Filter]) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
        && filters.iter().all(|filter| filter.passes(entry.path(), root))
}

/// A glob: compared with the path below the root if it has a `/`, with the name alone otherwise.
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

    fn passes(&self, path: &Path, root: &Path) -> bool {
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
    fn globs_are_for_names_or_for_paths() {
        let passes = |glob: &str, path: &str| Filter::new(glob).unwrap().passes(Path::new(path), Path::new("/r"));
        assert!(passes("*.rs", "/r/a/b.rs") && !passes("*.rs", "/r/a/b.rst"));
        assert!(passes("*.{ts,tsx}", "/r/b.tsx"));
        assert!(passes("a/*.rs", "/r/a/b.rs") && !passes("a/*.rs", "/r/a/c/b.rs"));
        assert!(passes("./a/**/*.rs", "/r/a/c/d/b.rs") && !passes("a/**", "/r/b/a"));

        assert!(Filter::new("a{b").unwrap_err().message().contains("is not a glob"));
    }
}
