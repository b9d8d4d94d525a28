//! The tables of keys in `docs/configuration.md`, and the schema of the file.

use std::fmt::Write as _;

use serde_json::Value;
use toolc_tables::{HasKeys as _, Key, KeyType, docs_table, file_schema};

use crate::keys::ConfigTable;

const START: &str = "<!-- keys -->\n";
const END: &str = "<!-- end of keys -->";

/// Returns the JSON Schema of `config.toml`.
pub fn schema() -> Value {
    file_schema("config.toml", ConfigTable::KEYS)
}

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
    let _ = write!(text, "\n### `[{path}]`\n\n{}\n", key.documentation());
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the paths of all keys. A key of a duration is followed by its name in JSON.
    fn paths(keys: &[Key], above: &str) -> Vec<(String, &'static str)> {
        let mut all = Vec::new();
        for key in keys {
            let path = format!("{above}/{}", key.name);
            match key.key_type {
                KeyType::Table(keys) => all.extend(paths(keys, &path)),
                KeyType::Tables(keys) => all.extend(paths(keys, &format!("{path}/NAME"))),
                KeyType::Duration => all.push((path, "_ms")),
                _ => all.push((path, "")),
            }
        }
        all
    }

    /// Each kind of table, so that all keys are shown.
    const FILE: &str = "[models.NAME]\napi = 'chat'\nmodel = 'm'\n[models.NAME.prices]\ninput = 1\noutput = 1\n\
         [mcp.servers.NAME]\ncommand = 'c'\nenv = ['NAME']\n[mcp.servers.NAME.variables.NAME]\n[mcp.servers.NAME.tools.NAME]\n[mcp.endpoints.NAME]\n\
         [protect.readers.NAME]\nreads = ['~/x']\n";

    #[test]
    fn every_key_is_shown_and_is_in_the_schema_and_on_the_page() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = crate::Home::at(folder.path());
        std::fs::write(home.config(), FILE).expect("failed to write");
        let shown = crate::ConfigFile::read(&home).expect("it is valid").to_json().into();
        let shown: &serde_json::Value = &shown;
        let schema = schema();
        let page = include_str!("../../docs/configuration.md");
        let mut missing = BTreeSet::new();
        for (path, unit) in paths(ConfigTable::KEYS, "") {
            if shown.pointer(&format!("{path}{unit}")).is_none() {
                missing.insert(format!("`toolc config show` lacks {path}"));
            }
            let in_schema = path.replace('/', "/properties/").replace("/properties/NAME", "/additionalProperties");
            if schema.pointer(&in_schema).is_none() {
                missing.insert(format!("the schema lacks {path}"));
            }
            let (table, name) = path.rsplit_once('/').expect("a path begins with a slash");
            let heading = format!("### `[{}]`", table.trim_start_matches('/').replace('/', "."));
            let section = if table.is_empty() { page.split_once(START) } else { page.split_once(heading.as_str()) };
            let section = section.and_then(|(_, rest)| rest.split("\n### ").next()).unwrap_or_default();
            if !section.contains(&format!("| `{name}` |")) {
                missing.insert(format!("docs/configuration.md lacks {path}"));
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }

    /// A default is declared in the table of keys, and nowhere else.
    #[test]
    fn defaults_are_shown_and_are_in_the_schema() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let shown =
            crate::ConfigFile::read(&crate::Home::at(folder.path())).expect("a missing file is valid").to_json();
        let schema = schema();
        let of_schema = &schema["properties"]["agent"]["properties"]["max_iterations"];
        assert_eq!(shown["agent"]["max_iterations"], of_schema["default"]);
        assert_eq!(of_schema["default"], crate::Config::default().agent.max_iterations);
        assert_eq!(shown["approval"]["timeout_ms"], 60_000);
        assert_eq!(schema["properties"]["approval"]["properties"]["timeout"]["default"], "1m");
    }
}
