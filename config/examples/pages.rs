//! Writes the page and the schemas about configuration in `docs/`, for `cargo xtask docs`. A test of this crate checks that they are up to
//! date. It is not a part of `xtask`, which would otherwise compile the environments, the client of models and more before it runs gen.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The page about the keys of `config.toml`.
const PAGE: &str = "docs/configuration.md";

fn main() -> Result<(), Box<dyn Error>> {
    for (path, text) in files()? {
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        fs::write(&path, text).map_err(|error| format!("failed to write {}: {error}", path.display()))?;
        println!("written: {}", path.display());
    }
    Ok(())
}

/// Returns the paths of the files, and their texts.
pub(crate) fn files() -> Result<[(PathBuf, String); 3], Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = toolc_config::renew_tables(&fs::read_to_string(root.join(PAGE))?);
    Ok([
        (root.join(PAGE), page.ok_or("docs/configuration.md has no place for the keys")?),
        (root.join("docs/config.schema.json"), format!("{:#}\n", toolc_config::schema())),
        (root.join("docs/permissions.schema.json"), format!("{:#}\n", toolc_permissions::schema())),
    ])
}
