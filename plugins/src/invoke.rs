//! Calls a tool of a plugin.

use toolc::{Call, ToolError, ToolOutput, ToolResult, Value};

use crate::plugin::Plugin;
use crate::program;
use toolc_program::parts::Programs;
use toolc_program::parts::Request;

/// Calls the tool with this index.
pub(crate) fn run(
    programs: &Programs,
    plugin: &Plugin,
    index: usize,
    arguments: &Value,
    call: &Call<'_>,
) -> ToolResult {
    let request = Request::of_call(call, arguments);
    let env = call.env();
    let answer = program::ask(programs, plugin, &request, &env, &|| call.is_cancelled())?;
    match plugin.schemas[index].mismatch(&answer.value) {
        None => ToolOutput::json(&answer.value),
        Some(mismatch) => {
            let (name, excerpt) = (plugin.title(), answer.excerpt);
            let message = format!("the result of {name} does not match `returns` in its manifest: {mismatch}{excerpt}");
            Err(ToolError::new(plugin.program.passed.redact(message, &env)))
        }
    }
}
