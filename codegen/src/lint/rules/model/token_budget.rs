//! A toolset whose definitions take more tokens than its `token_budget`, or than `budgets.tokens` in `toolc.toml`.
//! Tokens are estimated.
//!
//! ## Why is this bad
//! Definitions are sent with every request: they cost money and time on each, and take the place of what the
//! conversation is about.
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

use crate::catalog::{ToolId, Toolset};
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::lower::definition;

pub(super) const RULE: Rule = Rule::new("M002", "token-budget", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let budget = |toolset: &Toolset| toolset.manifest.token_budget.or(lint.settings().token_budget);
    let mut sizes = Sizes { lint, known: vec![None; lint.tools().count()] };
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let Some(most) = budget(toolset) else { continue };
        let tokens = toolc::catalog::estimated_tokens(sizes.of(lint.resolved(id)));
        if tokens > most as usize {
            let message =
                format!("the definitions of `{}` take about {tokens} tokens, {most} at most should be", toolset.name());
            sink.push(
                Diagnostic::new(Code::TOKEN_BUDGET, toolset.manifest.name.place, message)
                    .help("shorten the descriptions, divide the toolset, or raise its `token_budget`"),
            );
        }
    }
}

/// Bytes of each tool's definition in the first dialect, as far as they have been asked for.
struct Sizes<'l> {
    lint: &'l Lint<'l>,
    known: Vec<Option<usize>>,
}

impl Sizes<'_> {
    /// Bytes of the JSON array that a turn with these tools shows at most.
    fn of(&mut self, tools: &[ToolId]) -> usize {
        let Some(dialect) = self.lint.settings().dialects.first() else { return 0 };
        let commas = tools.len().saturating_sub(1);
        let brackets = 2;
        let mut size = |&id: &ToolId| {
            let tool = &self.lint[id];
            let text = || {
                let definition = definition(dialect, self.lint, tool).definition;
                definition.map_or(0, |doc| self.lint.full_setting(tool).value(&doc).to_string().len())
            };
            *self.known[id.0].get_or_insert_with(text)
        };
        tools.iter().map(&mut size).sum::<usize>() + commas + brackets
    }
}
