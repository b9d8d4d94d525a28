//! A tool that code may call, although its calls need the user or the agent: the tool needs approval, may destroy something, or is run by
//! the agent's own loop. A tool that does not destroy anything declares that with `annotations = { destructive = false }`, or
//! `read_only = true`.
//!
//! ## Why is this bad
//! Code can call a tool many times, and the model does not look at the results in between. The user must approve each call, or soon
//! approves all of them out of habit.
//!
//! - Anthropic names "Tools that require immediate user feedback between calls" as a weak fit for calls by code, and says that
//!   `allowed_callers` only guides the model. (Programmatic tool calling, as of 2026-09.) So the model can also call the tool directly, and
//!   such a call must be checked in the same way.
//! - OpenAI advises direct calls if an action needs approval. (Programmatic tool calling, as of 2026-08.)
//!
//! ## Example
//! ```toml
//! # manifests/tools/write_file.toml
//! callers = ["model", "code"]
//!
//! [returns]
//! type = "integer"
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/write_file.toml
//! callers = ["model"]
//!
//! [returns]
//! type = "integer"
//! ```

use toolc::behaviour::Execution;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("A012", "unattended-code", Some(Level::Warning), Check::Tool(check));

const UNDECLARED: &str = "but it may destroy something, which is the default";

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let Some(place) = tool.called_by_code() else { return };
    let Some((reason, at)) = reason(tool) else { return };
    let found = Diagnostic::new(codes::UNATTENDED_CODE, place, format!("code may call `{}`, {reason}", tool.name()));
    let found = if let Some(at) = at { found.related(at, "declared here") } else { found };
    let is_undeclared = reason == UNDECLARED;
    let found = if is_undeclared { found.help("add `annotations = { destructive = false }` if it does not") } else { found };
    sink.push(found.help("remove `\"code\"` from `callers`, or split off a tool that only reads"));
}

/// Returns why code should not call a tool, and the place that says so.
fn reason(tool: &Tool) -> Option<(&'static str, Option<Place>)> {
    let manifest = &tool.manifest;
    let (approval, annotations) = (&manifest.approval, &manifest.annotations);
    if let Some(always) = &approval.always {
        return Some(("but each call needs approval", Some(always.place)));
    }
    if let Some(shell) = &approval.shell {
        return Some(("but its commands may need approval", Some(shell.place)));
    }
    if manifest.execution.value == Execution::Agent {
        return Some(("but the agent's own loop runs it", Some(manifest.execution.place)));
    }
    let is_unknown = annotations.refused.is_any() || manifest.refused.has("annotations", true);
    if annotations.value().destructive && !is_unknown {
        let declared = annotations.destructive.as_ref().map(|destructive| destructive.place);
        return Some(match declared {
            Some(place) => ("but it may destroy something", Some(place)),
            None => (UNDECLARED, annotations.place),
        });
    }
    None
}
