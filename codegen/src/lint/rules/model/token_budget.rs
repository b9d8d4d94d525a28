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

use crate::catalog::ToolId;
use crate::diagnostic::{At, Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::lower::definition;

pub(super) const RULE: Rule = Rule::new("M002", "token-budget", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let default = lint.settings().token_budget.as_ref();
    let mut sizes = Sizes { lint, cache: vec![None; lint.tools().count()] };
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let Some(At { value: budget, place }) = toolset.manifest.token_budget.as_ref().or(default) else {
            continue;
        };
        let tokens = toolc::catalog::estimated_tokens(sizes.toolset_size(lint.resolved(id)));
        if tokens > *budget as usize {
            let message =
                format!("the definitions of `{}` need about {tokens} tokens, but the budget is {budget}", toolset.name());
            sink.push(
                Diagnostic::new(Code::TOKEN_BUDGET, toolset.manifest.name.place, message)
                    .related(*place, "the budget is set here")
                    .help("shorten the descriptions, split the toolset, or raise its `token_budget`"),
            );
        }
    }
}

/// The size of each tool's definition in the first dialect, in bytes, computed on first use.
struct Sizes<'l> {
    lint: &'l Lint<'l>,
    cache: Vec<Option<usize>>,
}

impl Sizes<'_> {
    /// Returns the greatest size of the definitions of a turn with these tools, in bytes.
    fn toolset_size(&mut self, tools: &[ToolId]) -> usize {
        let Some(dialect) = self.lint.settings().dialects.first() else { return 0 };
        let commas = tools.len().saturating_sub(1);
        let brackets = 2;
        let mut size = |&id: &ToolId| {
            let tool = &self.lint[id];
            let text = || {
                let definition = definition(dialect, self.lint, tool).definition;
                definition.map_or(0, |doc| self.lint.full_turn_values(tool).value(&doc).to_string().len())
            };
            *self.cache[id.0].get_or_insert_with(text)
        };
        tools.iter().map(&mut size).sum::<usize>() + commas + brackets
    }
}
