//! The pages in `docs/` of this repository that are generated from the tables of the compiler and the runtime.

mod repair;

use std::fs;
use std::path::Path;

use crate::failure::Failure;
use crate::manifest::keys::docs_table;
use crate::{dialects, lint};

/// Returns the path, relative to `root`, and the text of each generated page.
///
/// # Errors
/// If `docs/manifests.md` cannot be read. Only its tables are generated.
pub fn pages(root: &Path) -> Result<Vec<(&'static str, String)>, Failure> {
    const MANIFESTS: &str = "docs/manifests.md";
    let path = root.join(MANIFESTS);
    let manifests = fs::read_to_string(&path)
        .map_err(|error| Failure::new(format!("failed to read {}: {error}", path.display())))?;
    Ok(vec![
        ("docs/dialects.md", dialects::docs_page()),
        ("docs/lint.md", lint::docs_page::docs_page()),
        ("docs/repair.md", repair::page()),
        (MANIFESTS, docs_table::renew_tables(&manifests)),
    ])
}
