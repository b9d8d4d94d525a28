//! A tool with `background = true` that code may call, in a dialect whose code cannot continue without a result.
//!
//! ## Why is this bad
//! toolc omits `async` in that dialect, so the model waits for the tool as for any other. OpenAI's guide says that async calls are for
//! functions and custom tools that the application runs, and apply to neither hosted tools nor programmatic tool calling. (Async tool
//! calling, as of 2026-10.)
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["openai-responses"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! callers = ["model", "code"]
//! execution = "blocking"
//! background = true
//!
//! [returns]
//! type = "array"
//! items = { type = "string" }
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai-responses"]
//! ```
//!
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "blocking"
//! background = true
//!
//! [returns]
//! type = "array"
//! items = { type = "string" }
//! ```

use toolc_lower::dialects::Dialect;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::lower::form;

pub(super) const RULE: Rule = Rule::new("P025", "background-and-code", Some(Level::Warning), Check::Tool(check));

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let Some(place) = tool.called_by_code().filter(|_| tool.manifest.background) else { return };
    let is_omitted = |form: &Dialect| {
        form.code.background_calls().is_some() && form.extensions.background().is_some()
    };
    let dialects: Vec<&str> =
        tool.dialects_with_code(lint).filter(|dialect| is_omitted(form(dialect, tool))).map(|dialect| dialect.name).collect();
    if !dialects.is_empty() {
        let message = format!("`{}` is never run in the background in {}, because code may call it", tool.name(), ticked(&dialects, ", "));
        sink.push(
            Diagnostic::new(codes::BACKGROUND_AND_CODE, place, message)
                .help("remove `background`, or `\"code\"` from `callers`"),
        );
    }
}
