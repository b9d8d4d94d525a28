//! Tools that change within a conversation: an item adds tools, and a choice of tools excludes removed ones.

use serde_json::{Value, json};

use crate::call::changes::ToolChanges;
use crate::session::turn::Turn;
use crate::wire::api::update::{AppendedTools, definition};
use crate::wire::write::raw_json;

/// Returns the change as an item and a choice (`additional_tools` and `allowed_tools` in the types of openai 3.57.0, read on 2026-11-27).
/// Returns `None` if a definition has changed, or if the choice would need to name deferred tools, which only the vendor's search finds.
pub(super) fn tool_update(later: &Turn, changes: &ToolChanges<'_>) -> Option<AppendedTools> {
    if !changes.changed.is_empty() {
        return None;
    }
    let added: Vec<Value> = changes.added.iter().filter_map(|change| definition(later, change)).collect();
    let messages = if added.is_empty() {
        Vec::new()
    } else {
        vec![raw_json(json!({"type": "additional_tools", "role": "developer", "tools": added}).to_string())]
    };
    let has_deferred = !later.deferred_ids().is_empty();
    if has_deferred && !changes.removed.is_empty() {
        return None;
    }
    let choice = |&id| {
        let definition: Value = serde_json::from_str(&later.definition(id)).unwrap_or_default();
        json!({"type": definition["type"], "name": later.dialect_name(id)})
    };
    let tools = || later.tool_ids().iter().map(choice).collect::<Vec<Value>>();
    let tool_choice = (!has_deferred)
        .then(|| raw_json(json!({"type": "allowed_tools", "mode": "auto", "tools": tools()}).to_string()));
    Some(AppendedTools { messages, betas: &[], tool_choice })
}
