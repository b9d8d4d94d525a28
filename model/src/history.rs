//! Parts of a conversation that a server refuses after the conversation has changed.

use std::collections::{HashMap, HashSet};

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

/// Returns the messages of a conversation in which no two calls have one id, where the servers of the API refuse that. Some local models
/// number the calls of each answer anew. The results of a call change with it.
pub fn with_unique_call_ids(api: Api, messages: Vec<Box<RawValue>>) -> Vec<Box<RawValue>> {
    if !matches!(api, Api::Anthropic | Api::Responses) {
        return messages;
    }
    let mut ids = CallIds::default();
    changed(&messages, "", |message| Some(ids.unique(message))).unwrap_or(messages)
}

/// The ids of the calls of a conversation so far.
#[derive(Default)]
struct CallIds {
    used: HashSet<String>,
    /// The new ids of calls, by the id that the server has sent last.
    new: HashMap<String, String>,
}

impl CallIds {
    /// Returns a message with new ids for calls whose ids are in use.
    fn unique(&mut self, mut message: Value) -> Value {
        self.object(&mut message);
        if let Some(Value::Array(blocks)) = message.get_mut("content") {
            for block in blocks {
                self.object(block);
            }
        }
        message
    }

    fn object(&mut self, object: &mut Value) {
        let (key, is_call) = match object["type"].as_str() {
            Some("tool_use") => ("id", true),
            Some("tool_result") => ("tool_use_id", false),
            Some("function_call" | "custom_tool_call") => ("call_id", true),
            Some("function_call_output" | "custom_tool_call_output") => ("call_id", false),
            _ => return,
        };
        let Some(sent) = object[key].as_str().map(str::to_owned) else { return };
        if is_call {
            let id = self.unused(&sent);
            self.used.insert(id.clone());
            self.new.insert(sent.clone(), id);
        }
        if let Some(id) = self.new.get(&sent).filter(|id| **id != sent) {
            object[key] = id.as_str().into();
        }
    }

    fn unused(&self, sent: &str) -> String {
        let mut numbered = (2_u64..).map(|number| format!("{sent}_{number}"));
        let first = (!self.used.contains(sent)).then(|| sent.to_owned());
        first.or_else(|| numbered.find(|id| !self.used.contains(id))).unwrap_or_default()
    }
}

/// Returns the messages after `change`, or `None` if none has changed. Messages without `word` are not parsed.
fn changed(
    messages: &[Box<RawValue>],
    word: &str,
    mut change: impl FnMut(Value) -> Option<Value>,
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
    fn calls_of_two_answers_with_one_id_get_ids_of_their_own() {
        let texts = |messages: &[Box<RawValue>]| -> Vec<Value> {
            messages.iter().map(|message| serde_json::from_str(message.get()).unwrap()).collect()
        };
        let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"});
        let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": id});
        let sent = [call("a"), call("b"), output("b"), output("a"), call("a"), output("a"), call("a_2"), call("a")];
        let raws: Vec<_> = sent.iter().map(raw).collect();
        let mut expected = sent.clone();
        for (at, id) in [(4, "a_2"), (5, "a_2"), (6, "a_2_2"), (7, "a_3")] {
            expected[at]["call_id"] = id.into();
        }
        assert_eq!(texts(&with_unique_call_ids(Api::Responses, raws.clone())), expected);
        // Nothing changes to the letter where nothing is wrong, and for other APIs.
        let letters = |messages: &[Box<RawValue>]| messages.iter().map(|raw| raw.get().to_owned()).collect::<Vec<_>>();
        assert_eq!(letters(&with_unique_call_ids(Api::Responses, raws[..4].to_vec())), letters(&raws[..4]));
        assert_eq!(letters(&with_unique_call_ids(Api::ChatCompletions, raws.clone())), letters(&raws));
        let block = |id: &str| json!({"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "tool_use", "id": id, "name": "f", "input": {}}]});
        let result =
            |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "a"}]});
        let sent = [block("a"), result("a"), block("a"), result("a")];
        let unique = with_unique_call_ids(Api::Anthropic, sent.iter().map(raw).collect());
        assert_eq!(texts(&unique), [block("a"), result("a"), block("a_2"), result("a_2")]);
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
