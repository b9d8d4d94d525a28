//! The tools in the result of a tool search that the host runs.

use crate::wire::node::Node;

/// Returns what `take` returns for the items of a list of tools: the result itself, or its `tools`. Items for which it returns `None` are
/// left out.
pub(super) fn found_tools<T>(json: &str, take: impl Fn(&Node<'_>) -> Option<T>) -> Vec<T> {
    let tools = Node::root(json, "").and_then(|result| match result.object() {
        Ok(object) => object.require("tools", "a list of tools")?.items(),
        Err(_) => result.items(),
    });
    tools.unwrap_or_default().iter().filter_map(take).collect()
}

/// Returns a definition: an object with a type.
#[cfg(any(feature = "wire-openai", feature = "wire-gemini"))]
pub(super) fn definition(tool: &Node<'_>) -> Option<Box<serde_json::value::RawValue>> {
    tool.object().ok()?.non_empty_text("type").ok().map(|_| tool.json.to_owned())
}

/// Returns the name of a tool: a string, or the `name` of an object.
#[cfg(feature = "wire-anthropic")]
pub(super) fn name(tool: &Node<'_>) -> Option<String> {
    tool.non_empty_text().ok().or_else(|| tool.object().ok()?.non_empty_text("name").ok())
}
