//! A parameter, a property of a parameter or of the result, or the items of an array parameter, without a type.
//!
//! ## Why is this bad
//! A model guesses the type, possibly differently each time. Some vendors reject the schema. The value is
//! neither repaired nor typed: the handler gets whatever was sent. If any value is meant, list the types that make
//! sense.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! description = "The file to read."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file to read."
//! ```

use toolc_lower::schema::{Property, Schema, type_of};

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S023", "untyped-property", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    // An array of any values is a sensible result, but not a sensible argument.
    let results: Vec<&Schema> = tool.manifest.returns.iter().flat_map(Schema::walk).collect();
    let roots = tool.manifest.argument_roots().chain(&tool.manifest.returns);
    for (parents, schema) in roots.flat_map(Schema::walk_with_parents) {
        for property in schema.properties.iter().filter(|property| is_untyped(&property.schema)) {
            // A property may be typed in the object around an alternative, or the other way round.
            let parts = parents.iter().flat_map(|outer| outer.in_place().chain([*outer])).chain(schema.in_place());
            let mut same = parts.flat_map(|part| &part.properties).filter(|p| p.name.value == property.name.value);
            if same.all(|other| is_untyped(&other.schema)) {
                report(property, sink);
            }
        }
        // Nested items or properties imply the type.
        let implies_no_type = |items: &Schema| is_untyped(items) && items.items.is_none() && !items.is_object();
        let is_result = results.iter().any(|result| std::ptr::eq(*result, schema));
        if let Some(items) = schema.items.as_deref().filter(|items| !is_result && implies_no_type(items))
            && parents.iter().filter_map(|outer| outer.items.as_deref()).all(implies_no_type)
        {
            report_items(items, sink);
        }
    }
}

fn report_items(items: &Schema, sink: &Sink) {
    sink.push(
        Diagnostic::new(codes::UNTYPED_PROPERTY, items.place, "the items of this array have no type")
            .help("add one: `items = { type = \"string\" }`, or several types: `type = [\"string\", \"number\"]`"),
    );
}

fn report(property: &Property, sink: &Sink) {
    let schema = &property.schema;
    let message = format!("`{}` has no type", property.name.value);
    let found = Diagnostic::new(codes::UNTYPED_PROPERTY, property.name.place, message);
    let implied = match (&schema.default, &schema.items) {
        (Some(default), _) if !default.value.is_null() => Some(type_of(&default.value).name()),
        (_, Some(_)) => Some("array"),
        _ if schema.is_object() => Some("object"),
        _ => None,
    };
    sink.push(match implied {
        Some(name) => found.help(format!("add one: `type = \"{name}\"`")),
        None => found.help("add one: `type = \"string\"`, or several types: `type = [\"string\", \"number\"]`"),
    });
}

fn is_untyped(schema: &Schema) -> bool {
    let is_typed = schema.has_errors || !schema.effective_types().is_empty();
    !is_typed && schema.reference.is_none() && schema.in_place().next().is_none()
}
