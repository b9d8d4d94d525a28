//! A tool that code may call, and that declares no schema for its results.
//!
//! ## Why is this bad
//! The model writes the code before it sees a result, so it must guess what the result contains.
//!
//! - Anthropic: "Because Claude deserializes tool results in code, document the format (JSON structure and field types)". (Programmatic tool
//!   calling, as of 2026-09.)
//! - OpenAI gets the schema of `returns` as `output_schema`, "describing the JSON value encoded in string outputs for this function".
//!   (openai 3.57.0, `types/responses/function_tool_param.py`.)
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! callers = ["model", "code"]
//! ```
//!
//! ## Use instead
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
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M030", "code-without-returns", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    let Some(place) = tool.called_by_code() else { return };
    if manifest.returns.is_none() && !manifest.refused.has("returns", true) {
        let message = format!("code may call `{}`, but its results have no schema", tool.name());
        sink.push(Diagnostic::new(codes::CODE_WITHOUT_RETURNS, place, message).help("describe the result in `[returns]`"));
    }
}
