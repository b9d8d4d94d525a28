//! `anyOf`, `oneOf` or `allOf` at the root of the arguments, for a dialect that rejects it there. Off by default,
//! because toolc merges `allOf` into the arguments and describes the alternatives in prose.
//!
//! ## Why is this bad
//! OpenAI and Anthropic accept only a plain object at the root, and many vendors copied this. A model can overlook
//! alternatives in prose. It does not overlook required parameters, or a separate tool for each case.
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
//! description = "The number of the file."
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

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P003", "root-combinator", None, Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let root = &tool.manifest.params;
    let parts = [("anyOf", &root.any_of), ("oneOf", &root.one_of), ("allOf", &root.all_of)];
    for (keyword, first) in parts.into_iter().filter_map(|(keyword, parts)| Some((keyword, parts.first()?))) {
        let refusing =
            lint.dialects().filter(|one| one.tool.root_keywords().is_some_and(|limit| limit.value.contains(&keyword)));
        let dialects: Vec<&str> = refusing.map(|dialect| dialect.name).collect();
        if !dialects.is_empty() {
            let outcome = if keyword == "allOf" { "it is merged into the arguments" } else { "the description states it" };
            let message = format!("{} allows no `{keyword}` at the root: {outcome}", ticked(&dialects, ", "));
            sink.push(
                Diagnostic::new(codes::ROOT_COMBINATOR, first.place, message)
                    .help("make the parameters required, or split the tool into one per alternative"),
            );
        }
    }
}
