//! An object that must be empty: it declares no properties, and `additionalProperties` is `false` by default.
//!
//! ## Why is this bad
//! A model can send only `{}`. In JSON Schema a bare `type = "object"` allows any properties; here it allows none, so
//! a schema that was copied changes its meaning.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.headers]
//! type = "object"
//! description = "The HTTP headers to send, by name."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.headers]
//! type = "object"
//! description = "The HTTP headers to send, by name."
//! additionalProperties = { type = "string" }
//! ```

use toolc_lower::schema::{Additional, Schema};
use toolc::__gen::table::Type;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S061", "empty-object", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    // Empty parameters and empty results are fine.
    let roots = [Some(&tool.manifest.params), tool.manifest.returns.as_ref()];
    let is_root = |schema: &Schema| roots.iter().flatten().any(|root| std::ptr::eq(*root, schema));
    let is_empty = |schema: &&Schema| {
        schema.types.contains(&Type::Object)
            && schema.properties.is_empty()
            && !schema.has_errors
            && matches!(schema.additional, Additional::Deny)
            && schema.choices.is_empty()
            && schema.constant.is_none()
            && schema.reference.is_none()
            && schema.in_place().next().is_none()
            && !is_root(schema)
    };
    for schema in tool.manifest.schemas().filter(is_empty) {
        sink.push(
            Diagnostic::new(codes::EMPTY_OBJECT, schema.place, "this object must be empty: it declares no properties")
                .help("declare its `properties`, or a schema for other values: `additionalProperties = { ... }`")
                .help("if any property is allowed, set `additionalProperties = true`"),
        );
    }
}
