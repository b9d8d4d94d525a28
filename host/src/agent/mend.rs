//! Mends stored conversations that an API would refuse, such as those to which two programs have written.

use std::mem;

use serde_json::value::RawValue;
use toolc::origin::CallOrigin;
use toolc::{CallResponse, CompletedCall, ErrorKind, ToolCall, ToolError, ToolOutput};
use toolc_model::Api;

use super::conversation::{CallResult, Entry, StoredCall};

/// The result of a call that was running when the process was killed, or when the conversation was copied.
pub(super) const UNFINISHED: &str = "this conversation was continued before the call had a result, so it is unknown what the call has done: check before you repeat the call";

/// The message before an answer that answers nothing.
const NO_BEGINNING: &str = "[The beginning of this conversation is not recorded.]";

/// Returns entries of the store, each with its id, as a conversation in which each result follows its call, and each call has a result:
///
/// - A result without a call becomes a text.
/// - A call without a result gets one that says so, unless nothing but results follows its answer. Then it is
///   [unfinished](super::conversation::Conversation::unfinished).
/// - An answer at the beginning gets a message before it.
/// - Answers have the form in which they are sent back: an older version has stored them as they came.
///
/// An entry that is added has the id of the entry after it.
pub(super) fn mended(entries: Vec<(Entry, i64)>, api: Api) -> Vec<(Entry, i64)> {
    let mut mending = Mending { api, entries: Vec::with_capacity(entries.len()), open: Vec::new(), later: Vec::new() };
    for (entry, id) in entries {
        mending.add(entry, id);
    }
    mending.entries
}

struct Mending {
    api: Api,
    entries: Vec<(Entry, i64)>,
    /// The calls of the last answer that have no result yet.
    open: Vec<StoredCall>,
    /// The calls in the background that have no result yet.
    later: Vec<StoredCall>,
}

impl Mending {
    fn add(&mut self, entry: Entry, id: i64) {
        match entry {
            Entry::Results { raw, results } => self.add_results(raw, results, id),
            Entry::Model { raw, text, calls } => {
                self.end_open(id);
                if self.entries.is_empty() {
                    self.entries.push((Entry::User(NO_BEGINNING.to_owned()), id));
                }
                let (later, open): (Vec<_>, Vec<_>) = calls.iter().cloned().partition(StoredCall::is_async);
                self.open = open;
                self.later.extend(later);
                let raw = self.api.wire().sent_back(&raw);
                self.entries.push((Entry::Model { raw, text, calls }, id));
            }
            entry @ (Entry::User(_) | Entry::Picture { .. }) => {
                self.end_open(id);
                self.entries.push((entry, id));
            }
        }
    }

    /// Adds the results of calls, and the others as a text.
    fn add_results(&mut self, raw: Vec<Box<RawValue>>, results: Vec<CallResult>, id: i64) {
        let mut answered = Vec::new();
        let mut others = Vec::new();
        for result in &results {
            match self.take_call(&result.id) {
                Some(call) => answered.push((call, result.clone())),
                None => others.push(result.clone()),
            }
        }
        if others.is_empty() {
            self.entries.push((Entry::Results { raw, results }, id));
            return;
        }
        if !answered.is_empty() {
            self.entries.push((results_entry(self.api, &answered), id));
        }
        self.end_open(id);
        let text = Entry::Results { raw: Vec::new(), results: others }.text();
        self.entries.push((Entry::User(text), id));
    }

    /// Removes and returns the call that a result answers.
    fn take_call(&mut self, id: &str) -> Option<StoredCall> {
        let take = |calls: &mut Vec<StoredCall>| {
            let at = calls.iter().position(|call| call.id == id)?;
            Some(calls.remove(at))
        };
        take(&mut self.open).or_else(|| take(&mut self.later))
    }

    /// Adds results for the calls of the last answer that have none.
    fn end_open(&mut self, id: i64) {
        let open = mem::take(&mut self.open);
        if !open.is_empty() {
            self.entries.push((unfinished_results(self.api, &open), id));
        }
    }
}

/// Returns the results of calls that have none.
pub(super) fn unfinished_results(api: Api, calls: &[StoredCall]) -> Entry {
    let response = || CallResponse::from(Err(ToolError::with_kind(ErrorKind::Cancelled, UNFINISHED)));
    completed(api, calls.iter().map(|call| (call, response())))
}

/// Returns an entry with stored results of calls, without images.
fn results_entry(api: Api, answered: &[(StoredCall, CallResult)]) -> Entry {
    let response = |result: &CallResult| {
        let mut response = CallResponse::from(match result.error {
            Some(_) => Err(ToolError::new("")),
            None => Ok(ToolOutput::text("")),
        });
        response.json.clone_from(&result.json);
        response
    };
    completed(api, answered.iter().map(|(call, result)| (call, response(result))))
}

fn completed<'c>(api: Api, calls: impl Iterator<Item = (&'c StoredCall, CallResponse)>) -> Entry {
    let calls: Vec<(&StoredCall, CallOrigin, CallResponse)> =
        calls.map(|(call, response)| (call, (&call.origin).into(), response)).collect();
    let completed = calls.iter().map(|(call, origin, response)| CompletedCall {
        call: ToolCall::new(&call.name, &call.arguments).with_id(&call.id).with_origin(origin),
        response: response.clone(),
    });
    Entry::results(api, &completed.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::conversation::Conversation;
    use super::*;

    const API: Api = Api::ChatCompletions;

    fn user(text: &str) -> Entry {
        Entry::User(text.to_owned())
    }

    fn answer(ids: &[&str]) -> Entry {
        let call = |id: &&str| json!({ "id": id, "name": "fetch", "arguments": "{}" });
        let calls = ids.iter().map(|id| serde_json::from_value(call(id)).expect("a call")).collect();
        Entry::Model { raw: Vec::new(), text: ids.join(" "), calls }
    }

    fn results(ids: &[&str]) -> Entry {
        let call = |id: &&str| serde_json::from_value(json!({ "id": id, "name": "fetch", "arguments": "{}" }));
        let call = |id: &&str| -> StoredCall { call(id).expect("a call") };
        let result = |id: &&str| CallResult {
            id: (*id).to_owned(),
            name: "fetch".to_owned(),
            error: None,
            json: format!("\"{id}\""),
        };
        let answered: Vec<_> = ids.iter().map(|id| (call(id), result(id))).collect();
        results_entry(API, &answered)
    }

    /// Describes entries: `u` and a text, `m` and calls, `r` and results, of which `!` has no result.
    fn described(entries: &[(Entry, i64)]) -> Vec<String> {
        let entry = |(entry, _): &(Entry, i64)| match entry {
            Entry::User(text) => format!("u {text}"),
            Entry::Picture { name, .. } => format!("p {name}"),
            Entry::Model { text, .. } => format!("m {text}"),
            Entry::Results { results, .. } => {
                let result = |result: &CallResult| {
                    let mark = if result.json.contains(UNFINISHED) { "!" } else { "" };
                    format!("{mark}{}", result.id)
                };
                format!("r {}", results.iter().map(result).collect::<Vec<_>>().join(" "))
            }
        };
        entries.iter().map(entry).collect()
    }

    fn mend(entries: Vec<Entry>) -> Vec<(Entry, i64)> {
        mended(entries.into_iter().zip(1..).collect(), API)
    }

    #[test]
    fn a_conversation_without_mistakes_stays_as_it_is() {
        let entries = vec![
            user("a"),
            answer(&["c1", "c2"]),
            results(&["c1", "c2"]),
            answer(&["c1"]),
            results(&["c1"]),
            answer(&[]),
            answer(&[]),
            user("b"),
            user("c"),
            answer(&["c3"]),
        ];
        let mended = mend(entries.clone());
        assert_eq!(described(&mended), described(&entries.into_iter().map(|entry| (entry, 0)).collect::<Vec<_>>()));
        assert_eq!(mended.iter().map(|(_, id)| *id).collect::<Vec<_>>(), (1..=10).collect::<Vec<_>>());
    }

    #[test]
    fn each_result_follows_its_call_and_each_call_has_a_result() {
        for (entries, expected) in [
            // Two programs have written.
            (
                vec![user("A"), answer(&["a"]), results(&["a"]), user("B"), answer(&[]), results(&["a"]), answer(&[])],
                &["u A", "m a", "r a", "u B", "m ", "u [result of fetch] \"a\"", "m "][..],
            ),
            (
                vec![user("A"), answer(&["a"]), user("B"), answer(&["b"]), results(&["a"]), results(&["b"])],
                &["u A", "m a", "r !a", "u B", "m b", "r !b", "u [result of fetch] \"a\"", "u [result of fetch] \"b\""],
            ),
            (
                vec![user("A"), answer(&["a", "b"]), results(&["b", "x"]), answer(&[])],
                &["u A", "m a b", "r b", "r !a", "u [result of fetch] \"x\"", "m "],
            ),
            (vec![user("A"), answer(&["a", "b"]), results(&["a"]), user("B")], &["u A", "m a b", "r a", "r !b", "u B"]),
            (vec![user("A"), answer(&["a"]), answer(&[])], &["u A", "m a", "r !a", "m "]),
            (vec![answer(&[])], &["u [The beginning of this conversation is not recorded.]", "m "]),
            (vec![results(&["a"])], &["u [result of fetch] \"a\""]),
            (vec![], &[]),
        ] {
            assert_eq!(described(&mend(entries)), expected);
        }
    }

    #[test]
    fn a_call_of_the_last_answer_without_a_result_is_unfinished() {
        let entries = mend(vec![user("A"), answer(&["a", "b"]), results(&["a"])]);
        let conversation = Conversation::new(entries.into_iter().map(|(entry, _)| entry).collect());
        let unfinished: Vec<_> = conversation.unfinished().into_iter().map(|call| call.id).collect();
        assert_eq!(unfinished, ["b"]);
    }

    #[test]
    fn answers_get_the_form_in_which_they_are_sent_back() {
        let sent = r#"{"role":"assistant","content":"a","refusal":null,"tool_calls":[],"annotations":[]}"#;
        let raw = vec![RawValue::from_string(sent.to_owned()).expect("it is JSON")];
        let answer = Entry::Model { raw, text: "a".to_owned(), calls: Vec::new() };
        let once = mend(vec![user("A"), answer]);
        let twice = mended(once.clone(), API);
        for entries in [once, twice] {
            let entries = entries.into_iter().map(|(entry, _)| entry).collect();
            let messages = Conversation::new(entries).messages(API, &[]);
            assert_eq!(messages[1].get(), r#"{"role":"assistant","content":"a"}"#);
        }
    }

    #[test]
    fn a_mended_conversation_needs_no_mending() {
        let parts =
            [user("A"), answer(&["a"]), answer(&["b", "c"]), answer(&[]), results(&["a"]), results(&["c", "d"])];
        // All sequences of five parts.
        for number in 0..parts.len().pow(5) {
            let at = |place: u32| parts[number / parts.len().pow(place) % parts.len()].clone();
            let once = mend((0..5).map(at).collect());
            let twice = mended(once.clone(), API);
            assert_eq!(described(&once), described(&twice), "{number}");
        }
    }
}
