//! An `anyOf` next to other constraints. Reported only if `dialects` lists `gemini-openapi`. Off by default, because
//! toolc copies the constraints into each alternative.
//!
//! ## Why is this bad
//! Gemini accepts no keywords next to `anyOf`. The copies make the definition longer, and an alternative that
//! contradicts the constraints is removed.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-anyof = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.line]
//! type = "integer"
//! description = "Where to start: near the start, or near the end."
//! anyOf = [{ maximum = 10 }, { minimum = 90 }]
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-openapi"]
//! lint.gemini-anyof = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.line]
//! description = "Where to start: a number, or a name."
//! anyOf = [{ type = "integer" }, { type = "string" }]
//! ```

use toolc_lower::schema::Schema;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P012", "gemini-anyof", None, Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let refusing = lint.dialects().filter(|dialect| dialect.schema.union_siblings().is_some());
    let dialects: Vec<&str> = refusing.map(|dialect| dialect.name).collect();
    if dialects.is_empty() {
        return;
    }
    // `root-combinator` reports the root.
    let nested = tool.manifest.argument_roots().flat_map(Schema::walk).skip(1);
    for schema in nested.filter(|schema| !schema.any_of.is_empty() && schema.has_constraints()) {
        let message =
            format!("{} allows no keywords next to `anyOf`: they are copied into each alternative", ticked(&dialects, ", "));
        sink.push(
            Diagnostic::new(codes::GEMINI_ANYOF, schema.keyword_place("anyOf"), message)
                .help("move the constraints into the alternatives, or remove them"),
        );
    }
}
