//! A parameter, at any depth, without a description.
//!
//! ## Why is this bad
//! The model has to guess from the name what a value means, which unit it has, and which value is useful.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "The maximum number of lines to return."
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::schema::Schema;
use crate::text::atoms::Template;
use crate::text::template::Piece;

pub(super) const RULE: Rule =
    Rule::new("M001", "parameter-description-missing", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let defs = &tool.manifest.defs;
    // Definitions that only `returns` uses have no parameters.
    let needed = defs.reachable_from([&tool.manifest.params]);
    let reachable = defs.iter().filter(|(id, _)| needed[id.0]).map(|(_, def)| &def.schema);
    for schema in [&tool.manifest.params].into_iter().chain(reachable).flat_map(Schema::walk_with_parents) {
        let (parents, schema) = schema;
        for property in schema.properties.iter().filter(|property| !is_described(&property.schema, tool)) {
            // A property may be described in the object around an alternative, or the other way round.
            let parts = parents.iter().copied().chain(schema.in_place());
            let mut same = parts.flat_map(|part| &part.properties).filter(|p| p.name.value == property.name.value);
            if same.any(|other| is_described(&other.schema, tool)) {
                continue;
            }
            let message = format!("the parameter `{}` of `{}` has no description", property.name.value, tool.name());
            sink.push(
                Diagnostic::new(Code::PARAMETER_DESCRIPTION_MISSING, property.name.place, message)
                    .help("add `description = \"...\"`: the meaning, the unit, and a useful value"),
            );
        }
    }
}

/// Returns whether the schema, or a definition that it refers to, has a description.
fn is_described(schema: &Schema, tool: &Tool) -> bool {
    let described = schema.description.as_ref().is_some_and(|text| !is_blank(&text.value));
    let target = |schema: &Schema| schema.reference.as_ref().map(|reference| tool.manifest.defs.get(reference.to));
    described || target(schema).is_some_and(|def| is_described(&def.schema, tool))
}

/// Returns whether a text always renders to white space.
fn is_blank(template: &Template) -> bool {
    template.iter().all(|piece| matches!(piece, Piece::Text(text) if text.trim().is_empty()))
}
