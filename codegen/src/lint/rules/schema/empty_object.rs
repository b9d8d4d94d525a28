//! An object that can hold nothing: it declares no properties, and further ones are not allowed, since
//! `additionalProperties` is `false` unless said otherwise.
//!
//! ## Why is this bad
//! All that a model can send is `{}`. In JSON Schema a bare `type = "object"` takes anything; here it says the opposite, so
//! that one that was copied has lost its meaning.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.headers]
//! type = "object"
//! description = "What to send along, by name."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.headers]
//! type = "object"
//! description = "What to send along, by name."
//! additionalProperties = { type = "string" }
//! ```

use toolc::__gen::table::Type;

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::schema::{Additional, Schema};

pub(super) const RULE: Rule = Rule::new("S061", "empty-object", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    // A tool without parameters is as it should be, and so is one that has nothing to return.
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
            Diagnostic::new(Code::EMPTY_OBJECT, schema.place, "this object can hold nothing: it is always `{}`")
                .help("declare its `properties`, or say what else it holds: `additionalProperties = { ... }`")
                .help("where anything may be in it, `additionalProperties = true`"),
        );
    }
}
