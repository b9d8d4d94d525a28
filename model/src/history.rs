//! Parts of a conversation that a server refuses after the conversation has changed.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::api::{Api, raw};

/// Returns the messages of a conversation without the model's thinking. Returns `None` if nothing must be removed: the messages contain no
/// thinking, or the API is not Anthropic's.
///
/// Anthropic's models refuse thinking if the conversation before it has changed: see [`StaleThinking`](crate::ErrorKind::StaleThinking).
/// All other APIs accept it.
pub fn without_thinking(api: Api, messages: &[Box<RawValue>]) -> Option<Vec<Box<RawValue>>> {
    let mut is_changed = false;
    let kept = messages.iter().filter_map(|message| {
        // Most messages are not parsed.
        if api != Api::Anthropic || !message.get().contains("thinking") {
            return Some(message.clone());
        }
        let Ok(mut value) = serde_json::from_str::<Value>(message.get()) else { return Some(message.clone()) };
        let Some(blocks) = value["content"].as_array_mut() else { return Some(message.clone()) };
        let before = blocks.len();
        blocks.retain(|block| !matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking")));
        if blocks.len() == before {
            return Some(message.clone());
        }
        is_changed = true;
        (!blocks.is_empty()).then(|| raw(&value))
    });
    let kept: Vec<Box<RawValue>> = kept.collect();
    is_changed.then_some(kept)
}

/// Returns the messages of a conversation without references to tools for which `is_defined` returns false. Returns `None` if nothing must
/// be removed.
///
/// The results of tool search refer to tools. Anthropic refuses a reference to a tool that the request does not define: see
/// [`UndefinedTool`](crate::ErrorKind::UndefinedTool). Other APIs have no such references.
pub fn without_tool_references(
    api: Api,
    messages: &[Box<RawValue>],
    is_defined: &dyn Fn(&str) -> bool,
) -> Option<Vec<Box<RawValue>>> {
    let mut is_changed = false;
    let kept = messages.iter().map(|message| {
        // Most messages are not parsed.
        if api != Api::Anthropic || !message.get().contains("tool_reference") {
            return message.clone();
        }
        let Ok(mut value) = serde_json::from_str::<Value>(message.get()) else { return message.clone() };
        let before = value.clone();
        for block in value["content"].as_array_mut().into_iter().flatten() {
            match block["type"].as_str() {
                Some("tool_search_tool_result") => remove_references(&mut block["content"], is_defined),
                Some("tool_result") => replace_references(&mut block["content"], is_defined),
                _ => {}
            }
        }
        if value == before {
            return message.clone();
        }
        is_changed = true;
        raw(&value)
    });
    let kept: Vec<Box<RawValue>> = kept.collect();
    is_changed.then_some(kept)
}

/// Returns the tool that a block refers to, if it is not defined.
fn undefined<'b>(block: &'b Value, is_defined: &dyn Fn(&str) -> bool) -> Option<&'b str> {
    let name = block["tool_name"].as_str().filter(|_| block["type"] == "tool_reference")?;
    (!is_defined(name)).then_some(name)
}

/// Removes references from the result of the vendor's search, which may be empty.
fn remove_references(result: &mut Value, is_defined: &dyn Fn(&str) -> bool) {
    if let Some(references) = result["tool_references"].as_array_mut() {
        references.retain(|block| undefined(block, is_defined).is_none());
    }
}

/// Replaces references in the result of a search that a host runs.
fn replace_references(result: &mut Value, is_defined: &dyn Fn(&str) -> bool) {
    for block in result.as_array_mut().into_iter().flatten() {
        if let Some(name) = undefined(block, is_defined) {
            *block = json!({ "type": "text", "text": format!("The tool `{name}` is no longer available.") });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_message;

    #[test]
    fn thinking_is_removed_from_messages_of_anthropic() {
        let message = |json: Value| raw(&json);
        let thinking = json!({"type": "thinking", "thinking": "Hm.", "signature": "x"});
        let redacted = json!({"type": "redacted_thinking", "data": "x"});
        let text = json!({"type": "text", "text": "thinking"});
        let messages = [
            user_message(Api::Anthropic, "thinking"),
            message(json!({"role": "assistant", "content": [thinking, text, redacted]})),
            message(json!({"role": "assistant", "content": [redacted]})),
        ];
        let kept = without_thinking(Api::Anthropic, &messages).expect("there is thinking");
        assert_eq!((kept.len(), kept[0].get()), (2, messages[0].get()));
        let expected = json!({"role": "assistant", "content": [text]});
        assert_eq!(serde_json::from_str::<Value>(kept[1].get()).unwrap(), expected);
        assert!(without_thinking(Api::Anthropic, &kept).is_none());
        assert!(without_thinking(Api::Responses, &messages).is_none());
    }

    #[test]
    fn references_to_undefined_tools_are_removed_from_messages_of_anthropic() {
        let reference = |name: &str| json!({"type": "tool_reference", "tool_name": name});
        let search = |references: &[Value]| {
            let content = json!({"type": "tool_search_tool_search_result", "tool_references": references});
            raw(&json!({"role": "assistant", "content": [
                {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": content},
            ]}))
        };
        let result = |content: Value| {
            raw(&json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": content}]}))
        };
        let is_defined = |name: &str| name == "here";
        let messages = [
            user_message(Api::Anthropic, "tool_reference"),
            search(&[reference("here"), reference("gone")]),
            search(&[reference("gone")]),
            result(json!([reference("gone"), reference("here")])),
            result(json!("tool_reference")),
        ];
        let kept = without_tool_references(Api::Anthropic, &messages, &is_defined).expect("there are such references");
        let text = json!({"type": "text", "text": "The tool `gone` is no longer available."});
        let expected = [
            messages[0].clone(),
            search(&[reference("here")]),
            search(&[]),
            result(json!([text, reference("here")])),
            messages[4].clone(),
        ];
        let json = |messages: &[Box<RawValue>]| -> Vec<Value> {
            messages.iter().map(|message| serde_json::from_str(message.get()).unwrap()).collect()
        };
        assert_eq!(json(&kept), json(&expected));
        assert!(without_tool_references(Api::Anthropic, &kept, &is_defined).is_none());
        assert!(without_tool_references(Api::Responses, &messages, &is_defined).is_none());
    }
}
