//! Calls a tool of a plugin.

use std::path::Path;

use toolc::{Call, ToolError, ToolOutput, ToolResult, Value};

use crate::plugin::Plugin;
use crate::program::Programs;
use crate::protocol::Request;

/// Calls the tool with this index.
pub(crate) fn run(
    programs: &Programs,
    plugin: &Plugin,
    index: usize,
    arguments: &Value,
    call: &Call<'_>,
) -> ToolResult {
    // JSON cannot hold a path that is not Unicode. Most programs do not need it, so that they run all the same.
    let home = call.home().and_then(Path::to_str);
    let request = Request {
        id: None,
        hook: None,
        memory: None,
        tool: call.tool(),
        arguments,
        call_id: call.id(),
        task: call.task(),
        home,
        outcome: None,
    };
    let env = call.env();
    let answer = programs.ask(plugin, &request, &env, &|| call.is_cancelled())?;
    match plugin.schemas[index].mismatch(&answer.value) {
        None => ToolOutput::json(&answer.value),
        Some(mismatch) => {
            let (name, excerpt) = (plugin.title(), answer.excerpt);
            let message = format!("the result of {name} does not match `returns` in its manifest: {mismatch}{excerpt}");
            Err(ToolError::new(plugin.passed.redact(message, &env)))
        }
    }
}
