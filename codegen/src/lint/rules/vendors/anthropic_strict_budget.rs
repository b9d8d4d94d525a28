//! A toolset that exceeds what Anthropic accepts in one request of strict tools: 20 tools, 24 optional parameters and
//! 16 unions in total. Reported only if `dialects` lists `anthropic-strict`.
//!
//! ## Why is this bad
//! Anthropic rejects the whole request. The limits apply to all strict tools together, so no single manifest shows the
//! problem. A tool with `dialect.anthropic-strict.strict = false` does not count.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic-strict"]
//! lint.parameter-description-missing = "allow"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.filter]
//! type = "object"
//! description = "Which lines to return."
//!
//! [params.filter.properties]
//! a1.type = "string"
//! a2.type = "string"
//! a3.type = "string"
//! a4.type = "string"
//! a5.type = "string"
//! b1.type = "string"
//! b2.type = "string"
//! b3.type = "string"
//! b4.type = "string"
//! b5.type = "string"
//! c1.type = "string"
//! c2.type = "string"
//! c3.type = "string"
//! c4.type = "string"
//! c5.type = "string"
//! d1.type = "string"
//! d2.type = "string"
//! d3.type = "string"
//! d4.type = "string"
//! d5.type = "string"
//! e1.type = "string"
//! e2.type = "string"
//! e3.type = "string"
//! e4.type = "string"
//! e5.type = "string"
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic-strict"]
//! lint.parameter-description-missing = "allow"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.filter]
//! type = "object"
//! description = "Which lines to return."
//!
//! [params.filter.properties]
//! a1.type = "string"
//! a2.type = "string"
//! b1.type = "string"
//! b2.type = "string"
//! c1.type = "string"
//! c2.type = "string"
//! d1.type = "string"
//! d2.type = "string"
//! e1.type = "string"
//! e2.type = "string"
//! ```

use toolc_lower::dialects::{Dialect, Limit, Total};
use toolc_lower::schema::Schema;
use rayon::prelude::*;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::lower::{accepts, form, parameters};

pub(super) const RULE: Rule = Rule::new("P009", "anthropic-strict-budget", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    for dialect in lint.listed_dialects() {
        if let Some(limit) = dialect.request.max_total() {
            check_dialect(lint, dialect, limit, sink);
        }
    }
}

fn check_dialect(lint: &Lint<'_>, dialect: &'static Dialect, limit: Limit<Total>, sink: &Sink) {
    let max = limit.value;
    let tools: Vec<_> = lint.tools().map(|(_, tool)| tool).collect();
    let sizes: Vec<Total> =
        tools.par_iter().map(|tool| if counts(dialect, tool) { size(&parameters(dialect, tool).schemas()) } else { ZERO }).collect();
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let sum = lint.resolve(id).iter().fold(ZERO, |sum, tool| {
            let Total { tools, optional, unions } = sizes[tool.0];
            Total { tools: sum.tools + tools, optional: sum.optional + optional, unions: sum.unions + unions }
        });
        let parts = [
            ("tools", sum.tools, max.tools),
            ("optional parameters", sum.optional, max.optional),
            ("unions", sum.unions, max.unions),
        ];
        let exceeded: Vec<String> = parts
            .into_iter()
            .filter(|(_, count, max)| count > max)
            .map(|(what, count, max)| format!("{count} {what} (at most {max})"))
            .collect();
        if !exceeded.is_empty() {
            let (name, dialect, exceeded) = (toolset.name(), dialect.name, exceeded.join(", "));
            let message = format!("`{name}` exceeds the limits of `{dialect}` for one request: {exceeded}");
            sink.push(
                Diagnostic::new(codes::ANTHROPIC_STRICT_BUDGET, toolset.manifest.name.place, message)
                    .level(lint.level_of(&limit))
                    .help(format!("split the toolset, make parameters required, or set `dialect.{dialect}.strict = false` in tools with many")),
            );
        }
    }
}

/// Returns whether a tool counts towards the limits, which are on strict tools.
fn counts(dialect: &'static Dialect, tool: &Tool) -> bool {
    accepts(dialect, tool) && form(dialect, tool).request.max_total().is_some()
}

const ZERO: Total = Total { tools: 0, optional: 0, unions: 0 };

/// Returns what one tool with these schemas adds to the total.
fn size(schemas: &[&Schema]) -> Total {
    let is_union = |schema: &&&Schema| !schema.any_of.is_empty() || schema.types.len() > 1;
    Total {
        tools: 1,
        optional: schemas.iter().flat_map(|schema| &schema.properties).filter(|property| !property.required).count(),
        unions: schemas.iter().filter(is_union).count(),
    }
}
