//! The tables of keys in `docs/configuration.md`.

use std::fmt::Write as _;

use toolc_tables::{HasKeys as _, Key, KeyType, docs_table};

use crate::keys::ConfigTable;

const START: &str = "<!-- keys -->\n";
const END: &str = "<!-- end of keys -->";

/// Returns the page with new tables of keys, or `None` if it has no place for them.
pub fn renew_tables(page: &str) -> Option<String> {
    let (before, rest) = page.split_once(START)?;
    let (_, after) = rest.split_once(END)?;
    let (tables, values): (Vec<&Key>, Vec<&Key>) = ConfigTable::KEYS.iter().partition(|key| is_table(key));
    let mut text = format!("\n{}\n", docs_table(&values.into_iter().copied().collect::<Vec<_>>()));
    for table in tables {
        section(&mut text, "", table);
    }
    Some(format!("{before}{START}{text}\n{END}{after}"))
}

/// Adds the keys of a table, under its name.
fn section(text: &mut String, above: &str, key: &Key) {
    let (keys, path) = match key.key_type {
        KeyType::Table(keys) => (keys, format!("{above}{}", key.name)),
        KeyType::Tables(keys) => (keys, format!("{above}{}.NAME", key.name)),
        _ => return,
    };
    let (tables, values): (Vec<&Key>, Vec<&Key>) = keys.iter().partition(|key| is_table(key));
    let _ = write!(text, "\n### `[{path}]`\n\n{}\n", key.doc);
    if !values.is_empty() {
        let _ = write!(text, "\n{}\n", docs_table(&values.into_iter().copied().collect::<Vec<_>>()));
    }
    for table in tables {
        section(text, &format!("{path}."), table);
    }
}

fn is_table(key: &Key) -> bool {
    matches!(key.key_type, KeyType::Table(_) | KeyType::Tables(_))
}
