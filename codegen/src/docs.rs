//! The files of this repository outside of `generated/` that are made from its manifests and the tables of the compiler and the
//! runtime.

mod approval;
mod dialects;
mod layers;
pub mod packages;
pub mod repair;
mod toolsets;

use std::fs;
use std::path::Path;

use crate::emit::usual_programs;
use crate::failure::Failure;
use crate::manifest::keys::docs_table;
use crate::source::Sources;
use crate::{compile, lint};

/// Returns the path, relative to `root`, and the text of each file that is generated, or has generated parts.
///
/// # Errors
/// If a page with generated parts cannot be read or has no place for them, or the manifests or packages of the project have errors.
pub fn pages(root: &Path) -> Result<Vec<(String, String)>, Failure> {
    const APPROVAL: &str = "docs/approval.md";
    const ARCHITECTURE: &str = "docs/architecture.md";
    const MANIFESTS: &str = "docs/manifests.md";
    const SEMVER: &str = "docs/semver.md";
    const TOOLSETS: &str = "docs/toolsets.md";
    let read = |page: &str| {
        let path = root.join(page);
        fs::read_to_string(&path).map_err(|error| Failure::io("read", &path, &error))
    };
    let compilation = compile(&Sources::scan(root)?);
    let catalog = compilation.catalog.ok_or_else(|| Failure::new("the manifests have errors: run `lint`"))?;
    let packages = packages::packages(root)?;
    let architecture = packages::renew_crates(&packages, &read(ARCHITECTURE)?)?;
    let mut pages = lint::docs_page::pages();
    pages.extend(
        [
            ("commands/src/programs/usual.rs", usual_programs(catalog.commands())),
            (APPROVAL, approval::renew_tables(&catalog, &read(APPROVAL)?)?),
            (ARCHITECTURE, layers::renew_table(root, &architecture)?),
            ("docs/dialects.md", dialects::page()),
            (MANIFESTS, docs_table::renew_tables(&read(MANIFESTS)?)),
            ("docs/repair.md", repair::page()),
            (SEMVER, packages::renew_published(&packages, &read(SEMVER)?)?),
            (TOOLSETS, toolsets::renew_tables(&catalog, &read(TOOLSETS)?)?),
        ]
        .map(|(path, text)| (path.to_owned(), text)),
    );
    Ok(pages)
}

/// Returns a page with `text` between the comments `<!-- NAME -->` and `<!-- end of NAME -->`.
fn replace_between(page: &str, name: &str, text: &str) -> Result<String, Failure> {
    let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let parts = page.split_once(&start).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.ok_or_else(|| {
        Failure::new(format!("the page of the {name} lacks `<!-- {name} -->` or `<!-- end of {name} -->`"))
    })?;
    Ok(format!("{before}{start}{text}\n{end}{after}"))
}
