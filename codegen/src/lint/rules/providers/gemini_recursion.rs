//! A definition that leads back to itself, in a project that is for `gemini-openapi`. Off by default: where it comes round
//! again, values are sent as JSON text, and read back.
//!
//! ## Why is this bad
//! Gemini's `parameters` has no `$ref`: everything is written out, which ends somewhere. From there on a model is held to
//! nothing.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-recursion = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.filter]
//! "$ref" = "#/$defs/filter"
//!
//! [schema."$defs".filter]
//! type = "object"
//! description = "Which lines to read."
//! properties.word = { type = "string", description = "One that they have." }
//! properties.not = { "$ref" = "#/$defs/filter" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-recursion = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.filter]
//! "$ref" = "#/$defs/filter"
//!
//! [schema."$defs".filter]
//! type = "object"
//! description = "Which lines to read."
//! properties.word = { type = "string", description = "One that they have." }
//! properties.without = { type = "string", description = "One that they do not have." }
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P013", "gemini-recursion", None, Check::Tool(check));

/// The one that has no `$ref`.
const DIALECT: &str = "gemini-openapi";

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    if !lint.providers().any(|provider| provider.dialect == DIALECT) {
        return;
    }
    let defs = &tool.manifest.defs;
    let needed = defs.needed_by([&tool.manifest.params]);
    for (_, def) in defs.iter().filter(|(id, def)| needed[id.0] && defs.needed_by([&def.schema])[id.0]) {
        let name = &def.name.value;
        let message = format!("`{name}` leads back to itself, which `{DIALECT}` cannot say: below, it is JSON text");
        sink.push(
            Diagnostic::new(Code::GEMINI_RECURSION, def.name.place, message)
                .help("take a list of flat values, or as many levels as are needed"),
        );
    }
}
