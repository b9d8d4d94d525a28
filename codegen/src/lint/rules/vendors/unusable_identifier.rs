//! A tool name that no function can have, in a dialect whose tools are functions. Reported only if `dialects` lists such a dialect:
//! `typescript`. Tool names that become the same function name are reported as `rust-name-collision` or `duplicate-name`.
//!
//! ## Why is this bad
//! In code mode, a model calls tools as functions. The dialect omits the tool if its name is a reserved word, `__proto__`, or a name that
//! hosts with a code mode define, such as `exec`, `wait` and `ALL_TOOLS`.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["typescript"]
//! ```
//!
//! ```toml
//! # manifests/tools/wait.toml
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
//! # manifests/tools/wait.toml
//! [dialect.typescript]
//! name = "wait_until"
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P018", "unusable-identifier", Some(Level::Error), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for dialect in lint.listed_dialects() {
        let Some(reserved) = dialect.tool.reserved_names() else { continue };
        let name = tool.name_in(dialect.name);
        let overrides = tool.overrides(dialect.name).and_then(|overrides| overrides.name.as_ref());
        if reserved.value.contains(&name) {
            let message = format!("`{name}` is a reserved name in {}", dialect.name);
            sink.push(
                Diagnostic::new(codes::UNUSABLE_IDENTIFIER, overrides.unwrap_or(&tool.manifest.name).place, message)
                    .help(format!("set another name for this dialect: `name` in `[dialect.{}]`", dialect.name)),
            );
        }
    }
}
