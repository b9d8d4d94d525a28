//! Tools that change within a conversation: an item adds tools, and a choice of tools excludes removed ones.

use serde_json::{Value, json};

use crate::session::turn::Turn;
use crate::wire::api::update::{AppendedTools, ConversationTools, definitions_of};
use crate::wire::write::raw_json;

/// Returns the change as an item and a choice (`additional_tools`, whose tools are those of a request, and `allowed_tools` in the types of
/// openai 3.57.0, read on 2026-11-27).
///
/// `None` if a definition that was sent has changed, also one of a tool that was removed since: nothing says which of two definitions of a
/// name counts. Also `None` if the choice would have to name tools in namespaces, which only the vendor's search finds.
pub(super) fn tool_update(tools: &ConversationTools, turn: &Turn) -> Option<AppendedTools> {
    let (sent, after) = (tools.sent()?, definitions_of(turn)?);
    if after.iter().any(|(name, definition)| sent.get(name).is_some_and(|sent| sent != definition)) {
        return None;
    }
    let tool_choice = if sent.keys().all(|name| after.contains_key(name)) {
        None
    } else if sent.values().chain(after.values()).any(|definition| definition["type"] == "namespace") {
        return None;
    } else if after.is_empty() {
        Some(raw_json(json!("none").to_string()))
    } else {
        let own = after.iter().map(|(name, definition)| json!({"type": definition["type"], "name": name}));
        let of_vendor = turn.vendor_tools().into_iter().map(|tool| serde_json::from_str(tool).unwrap_or_default());
        let allowed: Vec<Value> = own.chain(of_vendor).collect();
        Some(raw_json(json!({"type": "allowed_tools", "mode": "auto", "tools": allowed}).to_string()))
    };
    let is_new = |(name, _): &(String, Value)| !sent.contains_key(name);
    let definitions: Vec<Value> = after.into_iter().filter(is_new).map(|(_, definition)| definition).collect();
    let item = || raw_json(json!({"type": "additional_tools", "role": "developer", "tools": definitions}).to_string());
    let messages = if definitions.is_empty() { Vec::new() } else { vec![item()] };
    Some(AppendedTools { definitions, messages, betas: &[], tool_choice })
}
