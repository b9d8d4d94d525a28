//! The table of the runtime's layers in `docs/architecture.md`: the modules in the order of `tests/layers.toml`, each with the first
//! sentence of its documentation.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use super::replace_between;
use crate::failure::Failure;

/// Returns the page with a new table.
pub(super) fn renew_table(root: &Path, page: &str) -> Result<String, Failure> {
    let list: Table = read(&root.join("tests/layers.toml"))?
        .parse()
        .map_err(|error| Failure::new(format!("failed to read tests/layers.toml: {error}")))?;
    let layers = list.get("runtime").and_then(|table| table.get("layers")?.as_array());
    let layers = layers.ok_or_else(|| Failure::new("tests/layers.toml has no layers of `runtime`"))?;
    let mut table = "\n| module | content |\n|---|---|\n".to_owned();
    for module in layers.iter().filter_map(Value::as_str).filter(|module| *module != "lib") {
        let source = root.join("runtime/src");
        let text = read(&source.join(module).join("mod.rs")).or_else(|_| read(&source.join(format!("{module}.rs"))))?;
        let _ = writeln!(table, "| `{module}` | {} |", first_sentence(&text));
    }
    replace_between(page, "layers of the runtime", &table)
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::io("read", path, &error))
}

/// Returns the first sentence of the documentation of a module, for a cell of a table.
fn first_sentence(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//! "));
    let paragraph = lines.collect::<Vec<_>>().join(" ").replace('|', "\\|");
    let sentence = paragraph.find(". ").map_or(paragraph.trim_end_matches(':'), |end| &paragraph[..end]);
    // Names in brackets are links for rustdoc only.
    sentence.trim_end_matches('.').replace("[`", "`").replace("`]", "`")
}
