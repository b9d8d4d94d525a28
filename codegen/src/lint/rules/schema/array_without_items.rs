//! An array without a schema for its items.
//!
//! ## Why is this bad
//! A model has to guess what to send, and some vendors, such as Gemini, reject the whole request.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.sections]
//! type = "array"
//! description = "The sections to read."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.sections]
//! type = "array"
//! items = { type = "string" }
//! description = "The sections to read."
//! ```

use toolc_lower::schema::Schema;
use toolc::__gen::table::Type;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S022", "array-without-items", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    // An enum, or another schema for the same value, can determine the items.
    let is_bare = |schema: &Schema| {
        schema.types.contains(&Type::Array)
            && schema.items.is_none()
            && !schema.has_errors
            && schema.choices.is_empty()
            && schema.constant.is_none()
            && schema.reference.is_none()
            && schema.in_place().next().is_none()
    };
    let all = tool.manifest.roots().flat_map(Schema::walk_with_parents);
    for (_, schema) in all.filter(|(parents, schema)| is_bare(schema) && parents.iter().all(|s| s.items.is_none())) {
        sink.push(
            Diagnostic::new(codes::ARRAY_WITHOUT_ITEMS, schema.place, "this array has no schema for its items")
                .help("add a schema for the items: `items = { type = \"string\" }`"),
        );
    }
}
