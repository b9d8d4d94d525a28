//! An object among the arguments that takes any further property: `additionalProperties = true`. Off by default: where
//! any entry makes sense, that is what to write.
//!
//! ## Why is this bad
//! Nothing tells a model what it may send, a misspelt property is taken for a further one, and strict modes of providers
//! refuse it. A map is better told by the schema of its values.
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
//! description = "What to send along, by name."
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
//! description = "What to send along, by name."
//! additionalProperties = { type = "string" }
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::schema::{Additional, Schema};

pub(super) const RULE: Rule = Rule::new("S028", "open-object", None, Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let schemas = tool.manifest.argument_roots().flat_map(Schema::walk);
    for schema in schemas.filter(|schema| matches!(schema.additional, Additional::Allow)) {
        let found = Diagnostic::new(Code::OPEN_OBJECT, schema.place, "this object takes any further property");
        sink.push(
            found.help("declare its `properties`, or give all others a schema: `additionalProperties = { ... }`"),
        );
    }
}
