//! `turns/DIALECT.json` of a bundle: the definitions that depend on the turn, for programs in other languages.

use serde_json::{Map, Value, json};
use toolc_lower::dialects::{Dialect, Language};

use super::conditional::with_parts;
use super::declarations::declaration_with_parts;
use crate::lower::{Lowered, definition};

/// Returns the file of a dialect, with the tools for which `is_exported` returns true.
pub fn conditional_definitions(
    catalog: &Lowered<'_>,
    dialect: &'static Dialect,
    is_exported: impl Fn(&str) -> bool,
) -> Value {
    let tools = catalog.tools().filter(|(_, tool)| is_exported(tool.name())).filter_map(|(_, tool)| {
        let definition = definition(dialect, catalog, tool).definition?;
        let parts = match dialect.language {
            Language::Json => with_parts(catalog, tool, &definition),
            Language::TypeScript => declaration_with_parts(catalog, dialect, tool, &definition),
        };
        Some((tool.name().to_owned(), parts?))
    });
    json!({ "format": 1, "dialect": dialect.name, "tools": tools.collect::<Map<_, _>>() })
}
