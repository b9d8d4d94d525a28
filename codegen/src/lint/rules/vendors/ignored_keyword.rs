//! A keyword that a vendor's API accepts and ignores. This rule is disabled by default, because toolc also states the constraint in the
//! description, and checks it for each call. The rule checks the dialects that `toolc.toml` lists, or all dialects if it lists none.
//!
//! ## Why is this bad
//! The vendor does not enforce the keyword while the model generates arguments, so the model violates it more often than a keyword that the
//! vendor enforces. Gemini's Interactions: `minLength`, `maxLength`, `uniqueItems` and others "are ignored and not enforced" (google-genai
//! 3.6.1, types/interactions/function.py).
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-interactions"]
//! lint.ignored-keyword = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.name]
//! type = "string"
//! description = "The name to look for."
//! minLength = 2
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["gemini-interactions"]
//! lint.ignored-keyword = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.name]
//! type = "string"
//! description = "The name to look for."
//! pattern = "^[a-z]{2}"
//! ```

use toolc_lower::schema::Schema;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::lower::{accepts, form};

pub(super) const RULE: Rule = Rule::new("P030", "ignored-keyword", None, Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let ignoring: Vec<_> = lint
        .dialects()
        .filter(|dialect| accepts(dialect, tool))
        .filter_map(|dialect| Some((dialect.name, form(dialect, tool).tool.ignored_keywords()?)))
        .collect();
    for (keyword, place) in tool.parameter_schemas().flat_map(keywords) {
        let ignoring: Vec<_> = ignoring.iter().filter(|(_, keywords)| keywords.value.contains(&keyword)).collect();
        let dialects: Vec<&str> = ignoring.iter().map(|(dialect, _)| *dialect).collect();
        if let Some(first) = dialects.first() {
            let does = if dialects.len() > 1 { "ignore" } else { "ignores" };
            let message = format!("{} {does} `{keyword}`, so the description also states it", ticked(&dialects, ", "));
            let found = Diagnostic::new(codes::IGNORED_KEYWORD, place, message);
            let sources = ignoring.iter().map(|(dialect, limit)| format!("for `{dialect}`: {}", limit.source));
            let found = sources.fold(found, Diagnostic::help);
            sink.push(found.help(format!("`show {} --dialect {first}` prints the definition", tool.name())));
        }
    }
}

/// Returns the keywords of a schema that restrict a value, with their places.
fn keywords(schema: &Schema) -> impl Iterator<Item = (&'static str, Place)> {
    let bounds = schema.bounds.iter().map(|(keyword, bound)| (keyword, bound.place));
    let pattern = schema.pattern.iter().map(|pattern| ("pattern", pattern.place));
    bounds.chain(pattern).chain(schema.format.iter().map(|format| ("format", format.place)))
}
