//! A `pattern` of a parameter that toolc cannot check: it has a look-around, a back-reference, flags, a property of Unicode, or too
//! many parts.
//!
//! ## Why is this bad
//! Arguments are checked in linear time, by an engine that has only a part of ECMAScript's regular expressions:
//! [Patterns and formats](../formats.md#patterns) has the table. The model sees a pattern outside of it, but an argument that does not
//! match it reaches the handler.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.label]
//! type = "string"
//! description = "The label of the section to read."
//! pattern = '^(?!tmp)[a-z]+$'
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.label]
//! type = "string"
//! description = "The label of the section to read."
//! pattern = '^[a-z]+$'
//! ```

use toolc::__gen::text_rule::problem;
use toolc_lower::schema::Schema;

use crate::lint::codes;
use super::unportable_pattern::{foreign, in_slashes};
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S073", "unsupported-pattern", Some(Level::Error), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let definition = tool.manifest.text_input.as_ref().and_then(|text| text.definition.as_ref());
    for pattern in tool.manifest.argument_roots().flat_map(Schema::walk).filter_map(|schema| schema.pattern.as_ref()) {
        let is_written = definition.is_none_or(|text| text.place != pattern.place);
        // Syntax of other languages has a finding of its own.
        if !is_written || in_slashes(&pattern.value).is_some() || !foreign(&pattern.value).is_empty() {
            continue;
        }
        let Some(problem) = problem(&pattern.value) else { continue };
        let place = lint.string(pattern.place).map_or(pattern.place, |written| written.place(problem.at.clone()));
        sink.push(
            Diagnostic::new(codes::UNSUPPORTED_PATTERN, place, "arguments are not checked against this pattern")
                .label(format!("it has {}, which toolc cannot check", problem.cause.what()))
                .help(problem.cause.advice()),
        );
    }
}
