//! A toolset that resolves to more tools than `budgets.tools` in `toolc.toml`.
//!
//! ## Why is this bad
//! The more tools a model can choose from, the more often it chooses the wrong one. Vendors recommend 10 to 20 tools
//! at a time, and reject lists above a limit.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! [budgets]
//! tools = 1
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! [budgets]
//! tools = 20
//! ```

use crate::lint::codes;
use crate::diagnostic::{At, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M003", "too-many-tools", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let Some(At { value: max, place }) = &lint.settings().max_tools else { return };
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let count = lint.resolve(id).len();
        if count > *max as usize {
            let message = format!("`{}` resolves to {count} tools, but at most {max} are allowed", toolset.name());
            sink.push(
                Diagnostic::new(codes::TOO_MANY_TOOLS, toolset.manifest.name.place, message)
                    .related(*place, "the limit is set here")
                    .help("split the toolset, or raise `budgets.tools` in `toolc.toml`")
                    .help_if(advice(lint)),
            );
        }
    }
}

/// Returns the lowest recommendation among the listed dialects.
fn advice(lint: &Lint<'_>) -> Option<String> {
    let advised = lint.listed_dialects().filter_map(|dialect| Some((dialect.request.advised_tools()?, dialect.name)));
    let (limit, dialect) = advised.min_by_key(|(limit, _)| limit.value)?;
    Some(format!("for `{dialect}`, the vendor recommends at most {} tools ({})", limit.value, limit.source))
}
