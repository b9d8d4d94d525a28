//! Tools that change within a conversation, as blocks of a system message.

use serde_json::{Value, json};

use crate::session::turn::Turn;
use crate::wire::api::update::{AppendedTools, ConversationTools, definitions_of};
use crate::wire::write::raw_json;

/// The beta features of `tool_addition` and `tool_removal` blocks, and of definitions in them: the types of anthropic 2.14.0, read on
/// 2026-11-27.
const BETAS: &[&str] = &["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"];

/// Returns the change as blocks of a system message. The definition in a block is one that `tools` accepts, and it replaces an earlier one
/// of the same name (`BetaToolChangeToolDefinitionParam` and `add_tools` of the tool runner of anthropic 2.14.0, read on 2026-11-27).
pub(super) fn tool_update(tools: &ConversationTools, turn: &Turn) -> Option<AppendedTools> {
    let (before, after) = (tools.latest()?, definitions_of(turn)?);
    let removed = before
        .keys()
        .filter(|name| !after.contains_key(*name))
        .map(|name| json!({"type": "tool_removal", "tool": {"type": "tool_reference", "name": name}}));
    let is_new = |(name, definition): &(String, Value)| before.get(name) != Some(definition);
    let definitions: Vec<Value> = after.clone().into_iter().filter(is_new).map(|(_, definition)| definition).collect();
    let added = definitions.iter().map(
        |definition| json!({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": definition}}),
    );
    let blocks: Vec<Value> = removed.chain(added).collect();
    // Definitions that differ only in the order of their keys need no message, which must not be empty.
    let message = || raw_json(json!({"role": "system", "content": blocks}).to_string());
    let messages = if blocks.is_empty() { Vec::new() } else { vec![message()] };
    Some(AppendedTools { definitions, messages, betas: BETAS, tool_choice: None })
}
