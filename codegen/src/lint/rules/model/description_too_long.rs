//! A tool's description of more characters than `budgets.description` in `toolc.toml`, or, without that, than one of the
//! project's dialects accepts, with every part that depends on a condition.
//!
//! ## Why is this bad
//! It is sent with every request, and what matters in it is lost among the rest. 1,024 characters were the most that
//! OpenAI took until 2025, and still are for some who speak its protocol.
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
    let Some(most) = budget.or_else(of_dialects) else { return };
    for text in tool.descriptions() {
        let Some(said) = lint.full_text(tool, &text.value) else { continue };
        let count = said.chars().count();
        if count > most {
            let message =
                format!("the description of `{}` has {count} characters, {most} at most should be", tool.name());
            sink.push(
                Diagnostic::new(Code::DESCRIPTION_TOO_LONG, text.place, message)
                    .help("move what is about one parameter there, and examples into `examples`, or raise `budgets.description` in `toolc.toml`"),
            );
        }
    }
}
