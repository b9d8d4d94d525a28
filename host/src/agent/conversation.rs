//! The entries of a conversation: verbatim messages for the model, and text for people and the store.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use toolc::origin::{CallKind, CallOrigin};
use toolc::wire::ModelResponse;
use toolc::{CompletedCall, Image};
use toolc_model::{Api, with_unique_call_ids, without_thinking, without_tool_references};

use super::user_message::{PICTURE_TOKENS, UserParts, picture_text};

/// The average number of bytes of a token.
const BYTES_PER_TOKEN: u64 = 4;

/// A part of a conversation. Calls and their results are adjacent, except for calls in the background.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// A message of the user, or of the host on their behalf.
    User(String),
    /// A picture of the user, which belongs to the message before it. The store keeps only its name.
    Picture { name: String, image: Image },
    /// An answer of the model.
    Model { raw: Vec<Box<RawValue>>, text: String, calls: Vec<StoredCall> },
    /// The results of calls of earlier entries.
    Results { raw: Vec<Box<RawValue>>, results: Vec<CallResult> },
}

/// A call of the model, for people and the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredCall {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The arguments as the model wrote them. They may be invalid JSON.
    pub(crate) arguments: String,
    /// What the API requires to be repeated in the result.
    #[serde(default, skip_serializing_if = "StoredOrigin::is_default")]
    pub(crate) origin: StoredOrigin,
    /// The vendor container in which the program that made the call waits for the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) container: Option<String>,
}

/// A stored [`CallOrigin`], which is needed to write the result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredOrigin {
    kind: StoredKind,
    program: Option<String>,
    namespace: String,
    is_async: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredKind {
    #[default]
    Function,
    Text,
    ToolSearch,
}

impl StoredOrigin {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl From<&CallOrigin> for StoredOrigin {
    fn from(origin: &CallOrigin) -> Self {
        let kind = match origin.kind {
            CallKind::Text => StoredKind::Text,
            CallKind::ToolSearch => StoredKind::ToolSearch,
            _ => StoredKind::Function,
        };
        let (program, namespace) = (origin.program.clone(), origin.namespace.clone());
        Self { kind, program, namespace, is_async: origin.is_async }
    }
}

impl From<&StoredOrigin> for CallOrigin {
    fn from(stored: &StoredOrigin) -> Self {
        let mut origin = Self::of(match stored.kind {
            StoredKind::Function => CallKind::Function,
            StoredKind::Text => CallKind::Text,
            StoredKind::ToolSearch => CallKind::ToolSearch,
        });
        origin.program.clone_from(&stored.program);
        origin.namespace.clone_from(&stored.namespace);
        origin.is_async = stored.is_async;
        origin
    }
}

/// The result of a call, for people and the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallResult {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The kind of the error, if the call failed.
    pub(crate) error: Option<String>,
    /// The JSON that was sent to the model.
    pub(crate) json: String,
}

impl StoredCall {
    /// Returns whether the call may run in the background, so that its result may follow later.
    pub(crate) fn is_async(&self) -> bool {
        self.origin.is_async
    }
}

impl Entry {
    /// Returns the entry for an answer of the model.
    pub(crate) fn answer(response: &ModelResponse) -> Self {
        let call = |call: &toolc::ToolCall<'_>| StoredCall {
            id: call.id().to_owned(),
            name: call.name().to_owned(),
            arguments: call.arguments().to_owned(),
            origin: call.origin().into(),
            container: call.origin().program.as_ref().and(response.container()).map(ToOwned::to_owned),
        };
        Self::Model {
            raw: response.messages().to_vec(),
            text: response.text().to_owned(),
            calls: response.calls().iter().map(call).collect(),
        }
    }

    /// Returns the entry for the results of calls.
    pub(crate) fn results(api: Api, completed: &[CompletedCall<'_>]) -> Self {
        let result = |completed: &CompletedCall<'_>| CallResult {
            id: completed.call.id().to_owned(),
            name: completed.call.name().to_owned(),
            error: completed.response.error.map(|kind| kind.word().to_owned()),
            json: completed.response.json.clone(),
        };
        Self::Results { raw: api.wire().results(completed), results: completed.iter().map(result).collect() }
    }

    fn has_call(&self, id: &str) -> bool {
        matches!(self, Self::Model { calls, .. } if calls.iter().any(|call| call.id == id))
    }

    fn has_result(&self, id: &str) -> bool {
        matches!(self, Self::Results { results, .. } if results.iter().any(|result| result.id == id))
    }

    /// Returns the entry as text for people.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::User(text) => text.clone(),
            Self::Picture { name, image } => picture_text(name, image),
            Self::Model { text, calls, .. } => {
                let calls = calls.iter().map(|call| format!("[calls {} {}]", call.name, call.arguments));
                let text = Some(text.clone()).filter(|text| !text.trim().is_empty());
                text.into_iter().chain(calls).collect::<Vec<_>>().join("\n")
            }
            Self::Results { results, .. } => {
                let result = |result: &CallResult| format!("[result of {}] {}", result.name, result.json);
                results.iter().map(result).collect::<Vec<_>>().join("\n")
            }
        }
    }

    fn bytes(&self) -> u64 {
        let raw = |raw: &[Box<RawValue>]| raw.iter().map(|message| message.get().len() as u64).sum();
        match self {
            Self::User(text) => text.len() as u64 + 32,
            Self::Picture { .. } => PICTURE_TOKENS * BYTES_PER_TOKEN,
            Self::Model { raw: messages, .. } | Self::Results { raw: messages, .. } => raw(messages),
        }
    }

    /// Returns an estimate of the tokens of this entry.
    pub(crate) fn estimated_tokens(&self) -> u64 {
        self.bytes().div_ceil(BYTES_PER_TOKEN)
    }
}

/// A conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    entries: Vec<Entry>,
    /// The tokens that the API reported with the last answer, and the number of entries that were counted.
    reported: Option<(u64, usize)>,
}

impl Conversation {
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        Self { entries, reported: None }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Forgets the number of tokens that a model has counted, because another one counts otherwise.
    pub(crate) fn forget_count(&mut self) {
        self.reported = None;
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Sets the tokens of the conversation so far, as the API has counted them.
    pub(crate) fn set_tokens(&mut self, tokens: u64) {
        self.reported = Some((tokens, self.entries.len()));
    }

    /// Replaces the entries before `keep` with a message.
    pub(crate) fn replace_beginning(&mut self, keep: usize, text: String) {
        self.entries.splice(..keep, [Entry::User(text)]);
        self.reported = None;
    }

    /// Returns the messages for the model. Each item of `others` is inserted after its number of entries. Adjacent messages of the user are
    /// merged, because some servers refuse two in a row.
    pub(crate) fn messages(&self, api: Api, others: &[(usize, Box<RawValue>)]) -> Vec<Box<RawValue>> {
        let mut messages = Vec::with_capacity(self.entries.len() + others.len());
        let mut user = UserParts::default();
        for at in 0..=self.entries.len() {
            for (_, other) in others.iter().filter(|(before, _)| *before == at) {
                messages.extend(user.take_message(api));
                messages.push(other.clone());
            }
            let Some(entry) = self.entries.get(at) else { break };
            match entry {
                Entry::User(text) => user.texts.push(text),
                Entry::Picture { image, .. } => user.images.push(image.clone()),
                // Nothing is sent back of the answer.
                Entry::Model { raw, .. } if raw.is_empty() => {}
                Entry::Model { raw, .. } | Entry::Results { raw, .. } => {
                    messages.extend(user.take_message(api));
                    messages.extend(raw.iter().cloned());
                }
            }
        }
        messages.extend(user.take_message(api));
        if self.has_repeated_ids() { with_unique_call_ids(api, messages) } else { messages }
    }

    /// Returns whether two calls have one id.
    fn has_repeated_ids(&self) -> bool {
        let mut seen = HashSet::new();
        let is_repeated = |entry: &Entry| match entry {
            Entry::Model { calls, .. } => calls.iter().any(|call| !seen.insert(call.id.clone())),
            _ => false,
        };
        self.entries.iter().any(is_repeated)
    }

    /// Returns the tokens that the API has counted, plus an estimate for the entries added since.
    pub(crate) fn estimated_tokens(&self) -> u64 {
        let (counted, covered) = self.reported.unwrap_or_default();
        counted + self.entries[covered.min(self.entries.len())..].iter().map(Entry::estimated_tokens).sum::<u64>()
    }

    /// Returns whether the API has counted the tokens. Its count includes the tool definitions.
    pub(crate) fn is_counted(&self) -> bool {
        self.reported.is_some()
    }

    /// Returns whether the last entry is an answer of the model.
    pub(crate) fn ends_with_answer(&self) -> bool {
        matches!(self.entries.last(), Some(Entry::Model { .. }))
    }

    /// Returns the container in which a program of the last answer waits for results.
    pub(crate) fn container(&self) -> Option<&str> {
        let last = self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Model { calls, .. } => Some(calls),
            _ => None,
        });
        last?.iter().find_map(|call| call.container.as_deref())
    }

    /// Removes the thinking of the model. Returns whether anything was removed.
    pub(crate) fn remove_thinking(&mut self, api: Api) -> bool {
        self.change(|messages| without_thinking(api, messages))
    }

    /// Replaces the pictures by their names. Returns whether there were any.
    pub(crate) fn remove_pictures(&mut self) -> bool {
        let mut is_changed = false;
        for entry in &mut self.entries {
            if let Entry::Picture { name, image } = entry {
                (*entry, is_changed) = (Entry::User(picture_text(name, image)), true);
            }
        }
        is_changed
    }

    /// Removes references to tools for which `is_defined` returns false. Returns whether anything was removed.
    pub(crate) fn remove_tool_references(&mut self, api: Api, is_defined: &dyn Fn(&str) -> bool) -> bool {
        self.change(|messages| without_tool_references(api, messages, is_defined))
    }

    /// Changes the messages of the model and the results. `change` returns `None` if the messages stay as they are.
    fn change(&mut self, change: impl Fn(&[Box<RawValue>]) -> Option<Vec<Box<RawValue>>>) -> bool {
        let mut is_changed = false;
        for entry in &mut self.entries {
            if let Entry::Model { raw, .. } | Entry::Results { raw, .. } = entry
                && let Some(changed) = change(raw)
            {
                (*raw, is_changed) = (changed, true);
            }
        }
        is_changed
    }

    /// Returns the length of the longest text in a result, in bytes.
    pub(crate) fn longest_result(&self) -> usize {
        let results = self.entries.iter().filter_map(|entry| match entry {
            Entry::Results { raw, .. } => Some(raw),
            _ => None,
        });
        results
            .flatten()
            .filter_map(|raw| serde_json::from_str(raw.get()).ok())
            .map(|value| longest_text(&value))
            .max()
            .unwrap_or(0)
    }

    /// Leaves out the middle of each text of a result that is longer than `max` bytes. The store keeps the whole results.
    pub(crate) fn shorten_results(&mut self, max: usize) {
        for entry in &mut self.entries {
            let Entry::Results { raw, .. } = entry else { continue };
            for message in raw {
                let Ok(mut value) = serde_json::from_str::<Value>(message.get()) else { continue };
                if longest_text(&value) > max {
                    shorten_texts(&mut value, max);
                    *message = serde_json::value::to_raw_value(&value).unwrap_or_else(|_| message.clone());
                }
            }
        }
        // The count of the API was for the longer results.
        self.reported = None;
    }

    pub(crate) fn last_answer(&self) -> &str {
        let is_answer = |entry: &'_ Entry| matches!(entry, Entry::Model { .. });
        match self.entries.iter().rev().find(|entry| is_answer(entry)) {
            Some(Entry::Model { text, .. }) => text,
            _ => "",
        }
    }

    /// Returns whether the last entry is one that the model has to answer.
    pub(crate) fn awaits_answer(&self) -> bool {
        self.entries.last().is_some_and(|entry| !matches!(entry, Entry::Model { .. }))
    }

    /// Returns the last texts of the user and the model, in order, and whether each is the user's.
    pub(crate) fn last_texts(&self, count: usize) -> Vec<(bool, &str)> {
        let texts = self.entries.iter().filter_map(|entry| match entry {
            Entry::User(text) => Some((true, text.as_str())),
            Entry::Model { text, .. } => Some((false, text.as_str())),
            Entry::Picture { .. } | Entry::Results { .. } => None,
        });
        let mut last: Vec<_> = texts.filter(|(_, text)| !text.trim().is_empty()).rev().take(count).collect();
        last.reverse();
        last
    }

    /// Returns whether an answer has a call with this id.
    pub(crate) fn has_call(&self, id: &str) -> bool {
        self.entries.iter().any(|entry| entry.has_call(id))
    }

    /// Returns the index of the first entry to keep so that `first` is kept, and no result is kept without its call.
    pub(crate) fn first_with_calls(&self, mut first: usize) -> usize {
        let call_of = |at: usize, id: &str| self.entries[..at].iter().rposition(|entry| entry.has_call(id));
        for at in (0..self.entries.len()).rev() {
            if at < first {
                break;
            }
            if let Entry::Results { results, .. } = &self.entries[at] {
                first = results.iter().filter_map(|result| call_of(at, &result.id)).fold(first, usize::min);
            }
        }
        first
    }

    /// Returns the calls without results: those of the last answer if nothing but results follows it, and background calls of earlier
    /// answers.
    pub(crate) fn unfinished(&self) -> Vec<StoredCall> {
        let mut unfinished = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let Entry::Model { calls, .. } = entry else { continue };
            let after = &self.entries[at + 1..];
            let has_result = |call: &StoredCall| after.iter().any(|entry| entry.has_result(&call.id));
            let is_last = after.iter().all(|entry| matches!(entry, Entry::Results { .. }));
            let calls = calls.iter().filter(|call| (is_last || call.is_async()) && !has_result(call));
            unfinished.extend(calls.cloned());
        }
        unfinished
    }

    /// Returns whether any call has a result.
    pub(crate) fn has_results(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry, Entry::Results { .. }))
    }
}

/// The fields of messages whose texts are data, which cannot be shortened.
const DATA_FIELDS: &[&str] = &[
    "data",
    "url",
    "image_url",
    "imageUrl",
    "file_data",
    "fileData",
    "signature",
    "thoughtSignature",
    "encrypted_content",
    "id",
    "call_id",
    "tool_call_id",
    "tool_use_id",
];

/// Returns the length of the longest text in a message that can be shortened, in bytes.
fn longest_text(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(longest_text).max().unwrap_or(0),
        Value::Object(fields) => {
            let texts = fields.iter().filter(|(name, _)| !DATA_FIELDS.contains(&name.as_str()));
            texts.map(|(_, value)| longest_text(value)).max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// Leaves out the middle of each text of a message that is longer than `max` bytes.
fn shorten_texts(value: &mut Value, max: usize) {
    match value {
        Value::String(text) if text.len() > max => *text = shorten(text, max),
        Value::Array(values) => values.iter_mut().for_each(|value| shorten_texts(value, max)),
        Value::Object(fields) => {
            let texts = fields.iter_mut().filter(|(name, _)| !DATA_FIELDS.contains(&name.as_str()));
            texts.for_each(|(_, value)| shorten_texts(value, max));
        }
        _ => {}
    }
}

/// Leaves out the middle of a text that is longer than `max` bytes.
pub(super) fn shorten(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let (head, tail) = (text.floor_char_boundary(max / 2), text.ceil_char_boundary(text.len() - max / 2));
    format!("{}\n[{} characters are left out]\n{}", &text[..head], text[head..tail].chars().count(), &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_of_results_lose_their_middle_and_data_stays() {
        let long = "é".repeat(10_000);
        for message in [
            serde_json::json!({ "role": "tool", "tool_call_id": "c", "content": long }),
            serde_json::json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": [{ "type": "text", "text": long }] }] }),
            serde_json::json!({ "role": "user", "parts": [{ "functionResponse": { "name": "t", "response": { "output": long } } }] }),
            serde_json::json!({ "type": "function_call_output", "call_id": "c", "output": long }),
        ] {
            let raw = vec![serde_json::value::to_raw_value(&message).unwrap()];
            let mut conversation =
                Conversation::new(vec![Entry::User(long.clone()), Entry::Results { raw, results: Vec::new() }]);
            conversation.set_tokens(1);
            assert_eq!(conversation.longest_result(), 20_000, "{message}");
            conversation.shorten_results(1_001);
            assert!((1_000..1_100).contains(&conversation.longest_result()), "{message}");
            let messages = conversation.messages(Api::ChatCompletions, &[]);
            assert!(messages[1].get().contains("[9500 characters are left out]"), "{}", messages[1]);
            assert!(messages[0].get().len() > 20_000 && !conversation.is_counted());
        }
        let image = serde_json::json!({ "content": [{ "source": { "data": "A".repeat(9_000) } }] });
        assert_eq!(longest_text(&image), 0);
    }

    fn model(text: &str) -> Entry {
        let raw = toolc_model::assistant_message(Api::ChatCompletions, text);
        Entry::Model { raw: vec![raw], text: text.to_owned(), calls: Vec::new() }
    }

    #[test]
    fn a_stored_call_keeps_its_origin_and_container() {
        let mut origin = CallOrigin::of(CallKind::Text);
        origin.program = Some("prog_1".to_owned());
        let call = toolc::ToolCall::text("apply", "x").with_id("c1").with_origin(&origin);
        let made = StoredCall {
            id: "c1".to_owned(),
            name: "apply".to_owned(),
            arguments: "x".to_owned(),
            origin: call.origin().into(),
            container: Some("container_1".to_owned()),
        };
        let stored: StoredCall = serde_json::from_str(&serde_json::to_string(&made).unwrap()).unwrap();
        assert_eq!(
            (CallOrigin::from(&stored.origin), stored.container.as_deref()),
            (origin.clone(), Some("container_1"))
        );
        // Earlier versions and most APIs store no origin.
        let plain = r#"{"id":"c1","name":"apply","arguments":"x"}"#;
        let stored: StoredCall = serde_json::from_str(plain).unwrap();
        assert_eq!(CallOrigin::from(&stored.origin), CallOrigin::default());
        assert_eq!(serde_json::to_string(&stored).unwrap(), plain);
    }

    /// Returns an answer with calls. Each call has an id, and whether it runs in the background.
    fn calls(calls: &[(&str, bool)]) -> Entry {
        let call = |(id, is_async): &(&str, bool)| StoredCall {
            id: (*id).to_owned(),
            name: "fetch".to_owned(),
            arguments: "{}".to_owned(),
            origin: StoredOrigin { is_async: *is_async, ..StoredOrigin::default() },
            container: None,
        };
        Entry::Model { raw: Vec::new(), text: String::new(), calls: calls.iter().map(call).collect() }
    }

    fn results(ids: &[&str]) -> Entry {
        let result = |id: &&str| CallResult {
            id: (*id).to_owned(),
            name: "fetch".to_owned(),
            error: None,
            json: "1".to_owned(),
        };
        Entry::Results { raw: Vec::new(), results: ids.iter().map(result).collect() }
    }

    #[test]
    fn a_result_is_kept_with_its_call() {
        let entries = vec![
            Entry::User("a".to_owned()),
            calls(&[("late", true), ("b", false)]),
            results(&["b"]),
            calls(&[("c", false)]),
            results(&["c"]),
            results(&["late"]),
            model("d"),
        ];
        let conversation = Conversation::new(entries);
        let first: Vec<usize> = (0..7).map(|first| conversation.first_with_calls(first)).collect();
        assert_eq!(first, [0, 1, 1, 1, 1, 1, 6]);
    }

    #[test]
    fn unfinished_calls_are_in_the_last_entry_or_in_the_background() {
        let unfinished = |entries: &[Entry]| -> Vec<String> {
            Conversation::new(entries.to_vec()).unfinished().into_iter().map(|call| call.id).collect()
        };
        let entries = [calls(&[("late", true), ("b", false)]), results(&["b"]), calls(&[("c", false), ("d", true)])];
        assert_eq!(unfinished(&entries), ["late", "c", "d"]);
        assert_eq!(unfinished(&entries[..2]), ["late"]);
        let ended = [&entries[..2], &[results(&["late"])]].concat();
        assert_eq!(unfinished(&ended), [""; 0]);
        // Only background calls have ids that are unique across answers.
        let again = [&entries[1..2], &[calls(&[("b", false)]), results(&["b"]), model("e")]].concat();
        assert_eq!(unfinished(&again), [""; 0]);
    }

    #[test]
    fn adjacent_messages_of_the_user_are_merged() {
        let user = |text: &str| Entry::User(text.to_owned());
        let conversation = Conversation::new(vec![user("a"), user("b"), model("c"), user("d")]);
        let messages: Vec<String> =
            conversation.messages(Api::ChatCompletions, &[]).iter().map(|message| message.get().to_owned()).collect();
        assert_eq!(
            messages,
            [
                r#"{"role":"user","content":"a\n\nb"}"#,
                r#"{"role":"assistant","content":"c"}"#,
                r#"{"role":"user","content":"d"}"#,
            ]
        );
    }

    #[test]
    fn a_picture_is_sent_with_its_message_until_it_is_replaced_by_its_name() {
        let image = Image::new("image/png", *b"\x89PNG\r\n\x1a\n").expect("a picture");
        let picture = Entry::Picture { name: "a.png".to_owned(), image };
        let mut conversation = Conversation::new(vec![Entry::User("Look".to_owned()), picture, model("A cat.")]);
        let message = |conversation: &Conversation| conversation.messages(Api::Anthropic, &[])[0].get().to_owned();
        assert!(message(&conversation).contains(r#"{"type":"text","text":"Look"},{"type":"image","source""#));
        assert_eq!(conversation.last_texts(2), [(true, "Look"), (false, "A cat.")]);
        assert!(conversation.remove_pictures() && !conversation.remove_pictures());
        let text = "Look\\n\\n[The user has attached the picture a.png: image/png, 1 KiB.]";
        assert_eq!(message(&conversation), format!(r#"{{"role":"user","content":"{text}"}}"#));
    }

    #[test]
    fn tokens_are_counted_by_the_api_and_estimated_for_later_entries() {
        let mut conversation = Conversation::new(vec![Entry::User("x".repeat(968))]);
        assert_eq!(conversation.estimated_tokens(), 250);
        conversation.set_tokens(900);
        conversation.push(Entry::User("x".repeat(368)));
        assert_eq!(conversation.estimated_tokens(), 1000);
        conversation.replace_beginning(1, "x".repeat(8));
        assert_eq!(conversation.estimated_tokens(), 110);
    }
}
