//! A parameter, at any depth, without a description. Not reported if one of its alternatives, its items or all of its
//! properties are described, or if it has only one value, as the property that distinguishes alternatives has.
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

use toolc_lower::schema::{DefId, Property, Schema};
use toolc_lower::text::atoms::Template;
use toolc_lower::text::template::Piece;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

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
                Diagnostic::new(codes::PARAMETER_DESCRIPTION_MISSING, property.name.place, message)
                    .help("add `description = \"...\"`: the meaning, the unit, and a useful value"),
            );
        }
    }
}

/// Returns whether the schema says what a value means: by a description, by those of its parts, or by having only one value.
fn is_described(schema: &Schema, tool: &Tool) -> bool {
    is_described_within(schema, tool, &mut Vec::new())
}

/// As [`is_described`]. `seen` are the definitions that refer to this schema, directly or not.
fn is_described_within(schema: &Schema, tool: &Tool, seen: &mut Vec<DefId>) -> bool {
    let has_text = schema.description.as_ref().is_some_and(|text| !is_blank(&text.value));
    if has_text || schema.constant.is_some() || schema.choices.len() == 1 {
        return true;
    }
    if let Some(reference) = schema.reference.as_ref().filter(|reference| !seen.contains(&reference.to)) {
        seen.push(reference.to);
        let is_described = is_described_within(&tool.manifest.defs.get(reference.to).schema, tool, seen);
        seen.pop();
        if is_described {
            return true;
        }
    }
    let properties = &schema.properties;
    let are_described = |seen: &mut Vec<DefId>| {
        let has_text = |property: &Property| is_described_within(&property.schema, tool, &mut seen.clone());
        !properties.is_empty() && properties.iter().all(has_text)
    };
    are_described(seen) || schema.in_place().chain(schema.items.as_deref()).any(|part| is_described_within(part, tool, seen))
}

/// Returns whether a text always renders to white space.
fn is_blank(template: &Template) -> bool {
    template.iter().all(|piece| matches!(piece, Piece::Text(text) if text.trim().is_empty()))
}
