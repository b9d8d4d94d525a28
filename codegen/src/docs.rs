//! The pages in `docs/` of this repository that are generated from the tables of the compiler and the runtime.

mod approval;
mod repair;
mod toolsets;

use std::fs;
use std::path::Path;

use crate::failure::Failure;
use crate::manifest::keys::docs_table;
use crate::{dialects, lint};

/// Returns the path, relative to `root`, and the text of each generated page.
///
/// # Errors
/// If `docs/manifests.md`, `docs/approval.md` or `docs/toolsets.md` cannot be read, of which only the tables are generated, or the manifests of the
/// project have errors.
pub fn pages(root: &Path) -> Result<Vec<(String, String)>, Failure> {
    const MANIFESTS: &str = "docs/manifests.md";
    const APPROVAL: &str = "docs/approval.md";
    const TOOLSETS: &str = "docs/toolsets.md";
    let read = |page: &str| {
        let path = root.join(page);
        fs::read_to_string(&path).map_err(|error| Failure::new(format!("failed to read {}: {error}", path.display())))
    };
    let mut pages = lint::docs_page::pages();
    pages.extend(
        [
            (APPROVAL, approval::renew_tables(root, &read(APPROVAL)?)?),
            ("docs/dialects.md", dialects::docs_page()),
            ("docs/repair.md", repair::page()),
            (TOOLSETS, toolsets::renew_tables(root, &read(TOOLSETS)?)?),
            (MANIFESTS, docs_table::renew_tables(&read(MANIFESTS)?)),
        ]
        .map(|(path, text)| (path.to_owned(), text)),
    );
    Ok(pages)
}
