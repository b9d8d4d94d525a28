//! A toolset whose definitions need more tokens than its `token_budget`, or than `budgets.tokens` in `toolc.toml`.
//! The number of tokens is an estimate.
//!
//! ## Why is this bad
//! Definitions are sent with every request. They cost money and time, and take up context.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/files.toml
//! token_budget = 10
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/files.toml
//! token_budget = 2000
//! ```

use crate::lint::codes;
use crate::diagnostic::{At, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::lower::DefinitionSizes;

pub(super) const RULE: Rule = Rule::new("M002", "token-budget", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let default = lint.settings().token_budget.as_ref();
    let mut sizes = DefinitionSizes::new(lint);
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let Some(At { value: budget, place }) = toolset.manifest.token_budget.as_ref().or(default) else {
            continue;
        };
        let tokens = sizes.tokens(lint.resolve(id));
        if tokens > *budget as usize {
            let message =
                format!("the definitions of `{}` need about {tokens} tokens, but the budget is {budget}", toolset.name());
            sink.push(
                Diagnostic::new(codes::TOKEN_BUDGET, toolset.manifest.name.place, message)
                    .related(*place, "the budget is set here")
                    .help("shorten the descriptions, split the toolset, or raise its `token_budget`"),
            );
        }
    }
}
