//! Two alternatives of one `anyOf` or `oneOf` that accept the same values.
//!
//! ## Why is this bad
//! In `anyOf` the second one has no effect. In `oneOf`, where exactly one alternative must match, every such value is
//! refused. Usually a copied alternative was never changed.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lines]
//! description = "Which lines to read: a number of them, or their names."
//! oneOf = [{ type = "integer" }, { type = "integer" }]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lines]
//! description = "Which lines to read: a number of them, or their names."
//! oneOf = [{ type = "integer" }, { type = "string" }]
//! ```

use toolc_lower::schema::{Defs, Schema};
use serde_json::Value;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S062", "duplicate-alternative", Some(Level::Warning), Check::Tool(check)).fixable();

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let defs = &tool.manifest.defs;
    for schema in tool.manifest.schemas() {
        for (keyword, alternatives) in [("anyOf", &schema.any_of), ("oneOf", &schema.one_of)] {
            let values: Vec<Value> = alternatives.iter().map(|schema| without_annotations(schema, defs)).collect();
            for (index, value) in values.iter().enumerate() {
                let Some(first) = values[..index].iter().position(|first| first == value) else { continue };
                let message = format!("this alternative of `{keyword}` accepts the same values as another one");
                let found = Diagnostic::new(codes::DUPLICATE_ALTERNATIVE, alternatives[index].place, message)
                    .related(alternatives[first].place, "the other alternative");
                sink.push(found.help("remove one of them, or correct it").fix(Edit::Remove(alternatives[index].place)));
            }
        }
    }
}

/// Returns the JSON of a schema without its annotations. Annotations of nested schemas are kept.
pub(super) fn without_annotations(schema: &Schema, defs: &Defs) -> Value {
    let mut value = defs.full_schema(schema);
    if let Value::Object(entries) = &mut value {
        for keyword in ["title", "description", "default", "examples", "deprecated"] {
            entries.remove(keyword);
        }
    }
    value
}
