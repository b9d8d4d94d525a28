//! A tool description that is longer than `budgets.description` in `toolc.toml` allows. Without that setting, the
//! limit is the lowest one of the project's dialects. Conditional parts count as present.
//!
//! ## Why is this bad
//! The description is sent with every request, and the important parts are lost among the rest. OpenAI accepted at
//! most 1,024 characters until 2025, and some compatible servers still do.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! budgets.description = 100
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! budgets.description = 2000
//! ```

use crate::catalog::Tool;
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M012", "description-too-long", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let budget = lint.settings().description_budget.map(|budget| budget as usize);
    let of_dialects = || lint.dialects().filter_map(|dialect| Some(dialect.tool.max_description()?.value)).min();
    let Some(max) = budget.or_else(of_dialects) else { return };
    for text in tool.descriptions() {
        let Some(full_text) = lint.full_text(tool, &text.value) else { continue };
        let count = full_text.chars().count();
        if count > max {
            let message =
                format!("the description of `{}` has {count} characters, but at most {max} are allowed", tool.name());
            sink.push(
                Diagnostic::new(Code::DESCRIPTION_TOO_LONG, text.place, message)
                    .help("move details to the parameters' descriptions and examples to `examples`, or raise `budgets.description` in `toolc.toml`"),
            );
        }
    }
}
