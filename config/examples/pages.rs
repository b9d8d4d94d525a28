//! Writes the page and the schemas about configuration in `docs/`, for `cargo xtask docs`. With `--check`, writes nothing and fails if one
//! is out of date. It is not a part of `xtask`, which would otherwise compile the environments, the client of models and more before it
//! runs gen.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The page about the keys of `config.toml`.
const PAGE: &str = "docs/configuration.md";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let check = std::env::args().skip(1).any(|argument| argument == "--check");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = toolc_config::renew_tables(&fs::read_to_string(root.join(PAGE))?);
    let files = [
        (PAGE, page.ok_or("docs/configuration.md has no place for the keys")?),
        ("docs/config.schema.json", format!("{:#}\n", toolc_config::schema())),
        ("docs/permissions.schema.json", format!("{:#}\n", toolc_permissions::schema())),
    ];
    let mut status = ExitCode::SUCCESS;
    for (path, text) in files {
        if fs::read_to_string(root.join(path)).is_ok_and(|found| found == text) {
            continue;
        }
        if check {
            println!("stale: {path}: run `cargo xtask docs`");
            status = ExitCode::FAILURE;
        } else {
            fs::write(root.join(path), text).map_err(|error| format!("failed to write {path}: {error}"))?;
            println!("written: {path}");
        }
    }
    Ok(status)
}
