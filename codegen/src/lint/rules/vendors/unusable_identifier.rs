//! A tool name that no function can have in a dialect whose tools are functions: a reserved word, or the name of
//! another tool once both are identifiers. Reported only if `dialects` lists such a dialect: `typescript`.
//!
//! ## Why is this bad
//! In code mode, a model calls tools as functions. Characters that an identifier cannot have become `_` there, so that
//! `read-file` and `read_file` are the same function. Only one tool can have a name: the other is missing in the dialect, as
//! is a tool whose name is a reserved word.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["typescript"]
//! ```
//!
//! ```toml
//! # manifests/tools/delete.toml
//!
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["typescript"]
//! ```
//!
//! ```toml
//! # manifests/tools/delete.toml
//! [dialect.typescript]
//! name = "delete_file"
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P018", "unusable-identifier", Some(Level::Error), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for dialect in lint.listed_dialects() {
        let Some(reserved) = dialect.tool.reserved_names() else { continue };
        let name = tool.name_in(dialect.name);
        let overrides = tool.overrides(dialect.name).and_then(|overrides| overrides.name.as_ref());
        let place = overrides.unwrap_or(&tool.manifest.name).place;
        let found = |message: String| {
            Diagnostic::new(Code::UNUSABLE_IDENTIFIER, place, message)
                .help(format!("set another name for this dialect: `name` in `[dialect.{}]`", dialect.name))
        };
        if reserved.value.contains(&name) {
            sink.push(found(format!("`{name}` is a reserved name in {}", dialect.name)));
        } else if let Some(other) = tool.name_taken_in(dialect.name) {
            let other = &lint[other];
            let message = format!(
                "`{}` and `{}` are both called `{name}` in {}",
                tool.name(),
                other.name(),
                dialect.name
            );
            sink.push(found(message).related(other.manifest.name.place, "this tool has the name"));
        }
    }
}
