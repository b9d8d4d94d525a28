//! A tool that code may call, in a project whose requests do not contain the vendor's tool that runs code. Reported only if
//! `[vendor_tools]` lists any of the vendors' own tools. A tool that only code may call is reported for each vendor whose list has no such
//! tool. Any other tool is reported only if no vendor's list has one.
//!
//! ## Why is this bad
//! No code runs, so no code calls the tool. If only code may call it, nothing can call it.
//!
//! - Anthropic: to enable calls by code, "include `code_execution` in your tools list". (Programmatic tool calling, as of 2026-09.)
//! - OpenAI: code is run by `{"type": "programmatic_tool_calling"}` (openai 3.57.0,
//!   `types/responses/tool_param.py`).
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic"]
//! vendor_tools.anthropic = ["tool_search"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! callers = ["model", "code"]
//!
//! [returns]
//! type = "array"
//! items = { type = "string" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["anthropic"]
//! vendor_tools.anthropic = ["tool_search", "code_execution"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! callers = ["model", "code"]
//!
//! [returns]
//! type = "array"
//! items = { type = "string" }
//! ```

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("P026", "code-without-runner", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let Some(place) = tool.called_by_code().filter(|_| lint.lists_vendor_tools()) else { return };
    let (with, without): (Vec<_>, Vec<_>) = tool.dialects_with_code(lint).partition(|dialect| lint.runs_code(dialect));
    let is_called = tool.manifest.callers().model || without.is_empty();
    if without.is_empty() || is_called && !with.is_empty() {
        return;
    }
    let dialects: Vec<&str> = without.iter().map(|dialect| dialect.name).collect();
    let nothing = if is_called { "no code" } else { "nothing" };
    let message = format!("{nothing} can call `{}` in {}", tool.name(), ticked(&dialects, ", "));
    sink.push(
        Diagnostic::new(codes::CODE_WITHOUT_RUNNER, place, message)
            .label("code may call it, but `[vendor_tools]` lists no tool that runs code")
            .help("add `code_execution` to `vendor_tools.anthropic`, or `programmatic_tool_calling` to `vendor_tools.openai`"),
    );
}
