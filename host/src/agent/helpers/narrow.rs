//! Limits a helper to some toolsets of its parent. The limit is a list of tools that the parent has, so that whatever a toolset includes, the
//! helper never has a tool that the parent lacks.

use std::collections::BTreeSet;

use toolc::explain::Status;
use toolc::suggest::suggestion;
use toolc::{ErrorKind, Registry, ToolError, Turn};

use crate::agent::plan::{DELEGATE_TASK, blocked_tools};

/// Returns the tools of `toolsets` for a helper with so many levels of helpers below it. `turn` is the turn of its parent, and `path` that of
/// the argument.
///
/// # Errors
/// If a name is not that of a toolset whose tools the parent has, or if a helper can have none of them.
pub(super) fn tools(
    toolsets: &[String],
    path: &str,
    levels: u32,
    registry: &Registry,
    turn: &Turn,
) -> Result<Vec<String>, ToolError> {
    let blocked = blocked_tools(levels, registry);
    let mut tools = BTreeSet::new();
    for (at, name) in toolsets.iter().enumerate() {
        tools.extend(tools_of(name, &blocked, registry, turn).map_err(|why| {
            let allowed: Vec<String> = registry
                .toolsets()
                .into_iter()
                .map(String::from)
                .filter(|name| tools_of(name, &blocked, registry, turn).is_ok())
                .collect();
            let similar = suggestion(name, allowed.iter().map(String::as_str));
            let expected = format!("a toolset whose tools you have: {}", allowed.join(", "));
            invalid(&format!("{path}/{at}"), &expected, &format!("`{}`, {why}{similar}", name.escape_debug()))
        })?);
    }
    if levels > 0 {
        // An orchestrator that cannot start helpers would be none.
        tools.insert(DELEGATE_TASK.to_owned());
    }
    Ok(tools.into_iter().collect())
}

/// Returns the tools of a toolset that a helper can have, or why it cannot have the toolset.
fn tools_of(name: &str, blocked: &[String], registry: &Registry, turn: &Turn) -> Result<Vec<String>, &'static str> {
    let resolved = registry.toolset(name).ok_or("which is not a toolset")?.resolved;
    let mut tools = Vec::new();
    for tool in resolved {
        match turn.why(&tool).map(|explanation| explanation.status) {
            Ok(Status::NotGranted) => return Err("which has tools that you do not have"),
            // What was disabled stays disabled, and does not make the rest of the toolset unusable.
            Ok(Status::Disabled) | Err(_) => {}
            Ok(_) if blocked.iter().any(|name| *name == tool) => {}
            Ok(_) => tools.push(tool.into_owned()),
        }
    }
    if tools.is_empty() { Err("which has no tool that a helper can have") } else { Ok(tools) }
}

/// Returns the error about an argument.
pub(super) fn invalid(path: &str, expected: &str, got: &str) -> ToolError {
    let place = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
    ToolError::with_kind(ErrorKind::InvalidArguments, format!("{place}expected {expected}, got {got}"))
}
