//! The pages in this repository's `docs/` that are made from the compiler's own tables.

use std::fs;
use std::path::Path;

use crate::failure::Failure;
use crate::manifest::keys::docs_table;
use crate::{dialects, lint};

/// Returns each page as it should be, by its path below `root`.
pub fn pages(root: &Path) -> Result<Vec<(&'static str, String)>, Failure> {
    const MANIFESTS: &str = "docs/manifests.md";
    let path = root.join(MANIFESTS);
    let manifests = fs::read_to_string(&path)
        .map_err(|error| Failure::new(format!("failed to read {}: {error}", path.display())))?;
    Ok(vec![
        ("docs/dialects.md", dialects::docs_page()),
        ("docs/lint.md", lint::docs_page::docs_page()),
        (MANIFESTS, docs_table::renew_tables(&manifests)),
    ])
}
