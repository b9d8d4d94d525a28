//! Parts of a conversation that a server refuses after the conversation has changed.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::api::{Api, raw};

/// Returns the messages of a conversation without the model's thinking. Returns `None` if nothing must be removed: the messages contain no
/// thinking, or the servers of the API accept it.
///
/// Anthropic's models refuse thinking if the conversation before it has changed: see [`StaleThinking`](crate::ErrorKind::StaleThinking).
/// Some servers of Chat Completions refuse any: see [`UnwantedThinking`](crate::ErrorKind::UnwantedThinking).
pub fn without_thinking(api: Api, messages: &[Box<RawValue>]) -> Option<Vec<Box<RawValue>>> {
    let removals = api.record().removals.as_ref()?;
    changed(messages, removals.thinking_word, removals.thinking)
}

/// Returns the messages of a conversation without references to tools for which `is_defined` returns false. Returns `None` if nothing must
/// be removed: all tools are defined, or the API has no such references.
///
/// The results of tool search refer to tools. Anthropic refuses a reference to a tool that the request does not define: see
/// [`UndefinedTool`](crate::ErrorKind::UndefinedTool).
pub fn without_tool_references(
    api: Api,
    messages: &[Box<RawValue>],
    is_defined: &dyn Fn(&str) -> bool,
) -> Option<Vec<Box<RawValue>>> {
    let remove = api.record().removals.as_ref()?.tool_references?;
    changed(messages, "tool_reference", |mut message| {
        remove(&mut message, is_defined);
        Some(message)
    })
}

/// Returns the messages after `change`, or `None` if none has changed. Messages without `word` are not parsed.
fn changed(
    messages: &[Box<RawValue>],
    word: &str,
    change: impl Fn(Value) -> Option<Value>,
) -> Option<Vec<Box<RawValue>>> {
    let mut is_changed = false;
    let kept = messages.iter().filter_map(|message| {
        let parsed = message.get().contains(word).then(|| serde_json::from_str::<Value>(message.get()).ok()).flatten();
        let Some(before) = parsed else { return Some(message.clone()) };
        let after = change(before.clone());
        if after.as_ref() == Some(&before) {
            return Some(message.clone());
        }
        is_changed = true;
        after.as_ref().map(raw)
    });
    let kept: Vec<Box<RawValue>> = kept.collect();
    is_changed.then_some(kept)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn thinking_is_removed_from_messages_of_chat_completions() {
        let api = Api::ChatCompletions;
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let message = json!({"role": "assistant", "content": null, "tool_calls": [call], "reasoning": "Hm.", "reasoning_details": [1]});
        let messages = [user_message(api, "reasoning"), raw(&message)];
        let kept = without_thinking(api, &messages).expect("there is thinking");
        assert_eq!(kept[0].get(), messages[0].get());
        let expected = json!({"role": "assistant", "content": null, "tool_calls": [call]});
        assert_eq!(serde_json::from_str::<Value>(kept[1].get()).unwrap(), expected);
        assert!(without_thinking(api, &kept).is_none());
        assert!(without_tool_references(api, &messages, &|_| false).is_none());
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
