//! Tools that change within a conversation, as blocks of a system message.

use serde_json::{Value, json};

use crate::call::changes::ToolChanges;
use crate::session::turn::Turn;
use crate::wire::api::update::{AppendedTools, definition};
use crate::wire::write::raw_json;

/// The beta features of `tool_addition` and `tool_removal` blocks, and of definitions in them: the types of anthropic 2.14.0, read on
/// 2026-11-27.
const BETAS: &[&str] = &["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"];

/// Returns the change as blocks of a system message. An added definition replaces an earlier one of the same name: `add_tools` of the tool
/// runner of anthropic 2.14.0 relies on that (read on 2026-11-27).
#[expect(clippy::unnecessary_wraps, reason = "other APIs may refuse")]
pub(super) fn tool_update(later: &Turn, changes: &ToolChanges<'_>) -> Option<AppendedTools> {
    let removed = changes
        .removed
        .iter()
        .map(|change| json!({"type": "tool_removal", "tool": {"type": "tool_reference", "name": change.name}}));
    let new = changes.added.iter().chain(&changes.changed).filter_map(|change| definition(later, change));
    let added = new.map(
        |definition| json!({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": definition}}),
    );
    let message = json!({"role": "system", "content": removed.chain(added).collect::<Vec<Value>>()});
    Some(AppendedTools { messages: vec![raw_json(message.to_string())], betas: BETAS, tool_choice: None })
}
