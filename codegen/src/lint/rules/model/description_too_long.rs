//! A tool description that is longer than `budgets.description` in `toolc.toml` allows: 4,000 characters by default, or
//! less if a listed dialect is certain to refuse it. Conditional parts count as present.
//!
//! ## Why is this bad
//! The description is sent with every request, and the important parts are lost among the rest.
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

use toolc_lower::dialects::Confidence;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M012", "description-too-long", Some(Level::Warning), Check::Tool(check));

/// The default of `budgets.description`: about a thousand tokens.
const DEFAULT_MAX: usize = 4_000;

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let budget = lint.settings().description_budget.map(|budget| budget as usize);
    // An old limit that only some compatible servers still enforce is not a reason to shorten every text.
    let limits = lint.listed_dialects().filter_map(|dialect| dialect.tool.max_description());
    let certain = limits.filter(|limit| limit.confidence == Confidence::High).map(|limit| limit.value);
    let max = budget.unwrap_or_else(|| certain.chain([DEFAULT_MAX]).min().unwrap_or(DEFAULT_MAX));
    for text in tool.descriptions() {
        let Some(full_text) = lint.full_text(tool, &text.value) else { continue };
        let count = full_text.chars().count();
        if count > max {
            let message =
                format!("the description of `{}` has {count} characters, but at most {max} are allowed", tool.name());
            sink.push(
                Diagnostic::new(codes::DESCRIPTION_TOO_LONG, text.place, message)
                    .help("move details to the parameters' descriptions and examples to `examples`, or raise `budgets.description` in `toolc.toml`"),
            );
        }
    }
}
