//! An object among the arguments that accepts any additional properties: `additionalProperties = true`. Off by
//! default, because some objects are meant to be open.
//!
//! ## Why is this bad
//! A model does not know what it may send, a misspelled property is accepted as an additional one, and strict modes
//! reject the schema. A schema for the additional values is better for a map.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! [lint]
//! open-object = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.headers]
//! type = "object"
//! description = "The HTTP headers to send, by name."
//! additionalProperties = true
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! [lint]
//! open-object = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.headers]
//! type = "object"
//! description = "The HTTP headers to send, by name."
//! additionalProperties = { type = "string" }
//! ```

use toolc_lower::schema::{Additional, Schema};

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S028", "open-object", None, Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let schemas = tool.manifest.argument_roots().flat_map(Schema::walk);
    for schema in schemas.filter(|schema| matches!(schema.additional, Additional::Allow)) {
        let found = Diagnostic::new(codes::OPEN_OBJECT, schema.place, "this object accepts any additional property");
        sink.push(
            found.help("declare its `properties`, or a schema for all others: `additionalProperties = { ... }`"),
        );
    }
}
