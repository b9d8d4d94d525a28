//! `anyOf`, `oneOf` or `allOf` of the arguments as a whole, in a project that is for a dialect that refuses it there. Off by
//! default: `allOf` is merged into the arguments, and the description says what the alternatives are.
//!
//! ## Why is this bad
//! OpenAI and Anthropic take nothing but an object's words at the root, and most others copy that. What the description says,
//! a model may miss: parameters that are required, or a tool for each case, it does not.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["openai"]
//! lint.root-combinator = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! description = "The file, from the project's root."
//!
//! [params.id]
//! type = "integer"
//! description = "The file, by its number."
//!
//! [schema]
//! anyOf = [
//!     { properties.path = { required = true }, additionalProperties = true },
//!     { properties.id = { required = true }, additionalProperties = true },
//! ]
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai"]
//! lint.root-combinator = "warn"
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.path]
//! type = "string"
//! required = true
//! description = "The file, from the project's root."
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P003", "root-combinator", None, Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let root = &tool.manifest.params;
    let parts = [("anyOf", &root.any_of), ("oneOf", &root.one_of), ("allOf", &root.all_of)];
    for (word, first) in parts.into_iter().filter_map(|(word, parts)| Some((word, parts.first()?))) {
        let refuses =
            lint.dialects().filter(|one| one.tool.root_keywords().is_some_and(|limit| limit.value.contains(&word)));
        let dialects: Vec<&str> = refuses.map(|dialect| dialect.name).collect();
        if !dialects.is_empty() {
            let becomes = if word == "allOf" { "it is merged into the rest" } else { "the description says it" };
            let message = format!("no `{word}` may be at the root in {}: {becomes}", ticked(&dialects, ", "));
            sink.push(
                Diagnostic::new(Code::ROOT_COMBINATOR, first.place, message)
                    .help("require what is always needed, or make a tool of each alternative"),
            );
        }
    }
}
