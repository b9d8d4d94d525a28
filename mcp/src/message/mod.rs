//! Reads messages of servers. The tools of a list are read one by one, so that one bad definition does not affect the others. The error of
//! a message that cannot be read describes the mistake.

mod envelope;
mod text;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use envelope::{capabilities, implementation};
pub(crate) use text::repaired;

use crate::digits;

/// The code of the error that replaces an answer that cannot be read. No server sends this code, because JSON-RPC's codes are greater.
pub(crate) const UNREADABLE: ErrorCode = ErrorCode(i32::MIN);

/// The maximum depth of a definition. The protocol library reads messages of twice this depth.
const MAX_DEPTH: usize = 64;
/// The maximum number of definitions of a message that are kept: one more than are used, so that a longer list is noticed.
const MAX_KEPT: usize = 1_001;
/// The maximum length of a name that is kept of a definition that is not read.
const MAX_NAME: usize = 256;
/// The maximum number of characters that are kept of a message that answers no request.
const MAX_STRAY: usize = 4_000;
/// The number of characters of it that are shown, without secrets. It is less than what is kept, so that no part of a secret is shown.
pub(crate) const SHOWN_STRAY: usize = 300;
/// The maximum number of messages of a batch.
const MAX_BATCH: usize = 1_000;

/// The time in which a server must answer `server/discover`, before it is asked to `initialize`. It is shorter than a session waits for
/// its servers.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// A definition, as the server sent it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RawTool {
    Read(Value),
    /// The definition is nested deeper than definitions may be.
    TooDeep {
        name: String,
    },
}

/// What a server has sent that the protocol library does not keep. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inbox(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// The definitions of the latest list. The protocol library keeps only what it knows of them, and over HTTP it drops some.
    list: Option<Vec<RawTool>>,
    /// The latest message that answers no request, and when it came.
    stray: Option<(String, Instant)>,
    /// The lines since one that begins an object and does not end it.
    lines: Vec<u8>,
    /// The beginning of a line without an end.
    unfinished: Option<(Vec<u8>, Instant)>,
    /// Whether the server did not answer `server/discover` in time.
    is_silent: bool,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the definitions of the latest list, once.
    pub(crate) fn take(&self) -> Option<Vec<RawTool>> {
        self.lock().list.take()
    }

    /// Notes a message that answers no request: the request that the server meant may wait for its time limit.
    pub(crate) fn note_stray(&self, problem: &str) {
        let problem = problem.chars().take(MAX_STRAY).collect();
        self.lock().stray = Some((problem, Instant::now()));
    }

    /// Notes what cannot be read, if it looks like a message. Servers also print log lines.
    pub(crate) fn note_unreadable(&self, data: &[u8], problem: &str) {
        if is_like_an_answer(data) {
            self.note_stray(&unreadable_text(data, problem));
        }
    }

    /// Notes a line that cannot be read. It may be a part of a message with several lines.
    pub(crate) fn note_line(&self, line: &[u8], problem: &str) {
        let mut kept = self.lock();
        if line.starts_with(b"{") || line.starts_with(b"[") {
            kept.lines.clear();
        }
        let is_within = !kept.lines.is_empty();
        let room = MAX_STRAY.saturating_sub(kept.lines.len());
        if is_within && room == 0 {
            // The beginning of the message has been noted.
            return;
        }
        if is_within || is_unfinished(line) {
            kept.lines.extend_from_slice(&line[..line.len().min(room)]);
            kept.lines.push(b' ');
        }
        let message = if is_within { kept.lines.clone() } else { line.to_vec() };
        if is_within && !is_unfinished(&kept.lines) {
            kept.lines.clear();
        }
        drop(kept);
        self.note_unreadable(&message, if is_within { "it has several lines" } else { problem });
    }

    /// Notes the beginning of a line that has not ended yet. An empty one ends the note.
    pub(crate) fn note_unfinished(&self, line: &[u8]) {
        let beginning = (!line.is_empty()).then(|| (line[..line.len().min(MAX_STRAY)].to_vec(), Instant::now()));
        self.lock().unfinished = beginning;
    }

    /// Returns the latest message since `start` that answers no request.
    pub(crate) fn stray_since(&self, start: Instant) -> Option<String> {
        let kept = self.lock();
        let unfinished = kept.unfinished.as_ref().filter(|(line, at)| *at >= start && is_like_an_answer(line));
        match unfinished {
            Some((line, _)) => Some(unreadable_text(line, "its line has no end")),
            None => kept.stray.as_ref().filter(|(_, at)| *at >= start).map(|(problem, _)| problem.clone()),
        }
    }

    /// Notes that the server did not answer `server/discover` in time.
    pub(crate) fn note_silence(&self) {
        self.lock().is_silent = true;
    }

    /// Returns whether the server did not answer `server/discover` in time.
    pub(crate) fn is_silent(&self) -> bool {
        self.lock().is_silent
    }

    /// Reads a message, and notes the definitions that it lists. An answer without an id is [nameless](is_nameless).
    ///
    /// # Errors
    /// Returns what is wrong with a message that cannot be read.
    pub(crate) fn read(&self, message: &[u8]) -> Result<ServerJsonRpcMessage, String> {
        self.read_answer(message, None)
    }

    /// Reads a message like [`read`](Self::read). If it is an answer without an id, it answers `id`.
    ///
    /// # Errors
    /// Returns what is wrong with a message that cannot be read.
    pub(crate) fn read_answer(&self, message: &[u8], id: Option<&RequestId>) -> Result<ServerJsonRpcMessage, String> {
        let message = &*digits::with_marks(message);
        let read = serde_json::from_slice(message);
        let normalized = if read.as_ref().is_ok_and(|read| !is_other(read)) {
            None
        } else {
            envelope::normalized(message, id).filter(|text| text.as_bytes() != message)
        };
        // What was not JSON before has no marks yet.
        let normalized = normalized.as_ref().map(|text| digits::with_marks(text.as_bytes()));
        let (message, read) = match &normalized {
            None => (message, read),
            Some(text) => (&**text, serde_json::from_slice(text)),
        };
        let list = match &read {
            Ok(read) if !is_list(read) => None,
            _ => RawList::parse(message),
        };
        let read = match (&list, read) {
            (Some(list), Err(_)) if list.has_deep() => serde_json::from_str(&list.without_deep()),
            (_, read) => read,
        };
        if let Some(list) = list.filter(|list| list.key == TOOLS) {
            self.lock().list = Some(list.tools());
        }
        read.map_err(|error| problem(message, &error))
    }
}

/// Returns whether an id stands for the one that an answer lacks.
pub(crate) fn is_nameless(id: &RequestId) -> bool {
    matches!(id, RequestId::String(id) if **id == *envelope::NAMELESS)
}

/// Returns the messages of a batch, or the one message. Protocol versions before 2025-06-18 have batches.
pub(crate) fn parts(message: &[u8]) -> Vec<&[u8]> {
    let message = message.trim_ascii();
    if message.first() == Some(&b'[')
        && let Ok(parts) = serde_json::from_slice::<Vec<&RawValue>>(message)
        && parts.len() <= MAX_BATCH
        && parts.first().is_some_and(|part| part.get().starts_with('{'))
    {
        return parts.into_iter().map(|part| part.get().as_bytes()).collect();
    }
    if message.is_empty() { Vec::new() } else { vec![message] }
}

/// Returns whether a text that cannot be read seems to be an answer, and not a line of a log or a sign of life.
pub(crate) fn is_like_an_answer(data: &[u8]) -> bool {
    begins_a_value(data) && ["jsonrpc", "result", "error"].iter().any(|key| has_key(data, key.as_bytes()))
}

fn begins_a_value(data: &[u8]) -> bool {
    matches!(data.trim_ascii().first(), Some(b'{' | b'['))
}

/// Returns whether a text is the beginning of an object or an array, as JSON or as a program prints its own, which ends later.
fn is_unfinished(data: &[u8]) -> bool {
    let (mut depth, mut quote, mut bytes) = (0_usize, None, data.iter());
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => drop(bytes.next()),
            (Some(open), byte) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    begins_a_value(data) && depth > 0
}

/// Returns whether a text has a key, in quotes as in JSON, or as programs print their own objects: `'result': 1` or `result: 1`.
fn has_key(data: &[u8], key: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    data.windows(key.len()).enumerate().filter(|(_, window)| *window == key).any(|(at, _)| {
        let (before, after) = (&data[..at], &data[at + key.len()..]);
        let after = after.strip_prefix(b"\"").or_else(|| after.strip_prefix(b"'")).unwrap_or(after);
        !before.last().is_some_and(is_part) && after.trim_ascii_start().starts_with(b":")
    })
}

/// Returns what a server has sent, on one line, and what is wrong with it.
fn unreadable_text(data: &[u8], problem: &str) -> String {
    let text = String::from_utf8_lossy(data);
    let text: Vec<&str> = text.split_whitespace().collect();
    format!("a message cannot be read: {problem}: {}", text.join(" "))
}

/// Returns the error in place of an answer that cannot be read.
pub(crate) fn unreadable(id: RequestId, problem: String) -> ServerJsonRpcMessage {
    JsonRpcMessage::error(ErrorData::new(UNREADABLE, problem, None), Some(id))
}

/// Returns whether a message is an answer that the protocol library does not know, such as a description of the server with mistakes.
fn is_other(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Response(response) if matches!(response.result, ServerResult::CustomResult(_)))
}

fn is_list(message: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Response(response) = message else { return false };
    match &response.result {
        ServerResult::ListToolsResult(_) => true,
        ServerResult::CustomResult(result) => result.0.get("tools").is_some(),
        _ => false,
    }
}

/// The keys of lists whose items are read one by one.
const TOOLS: &str = "tools";
const SKILLS: &str = "skills";

/// The parts of an answer that lists tools or skills, each as text: however deep it is nested, it is not read.
struct RawList<'m> {
    id: &'m RawValue,
    result: BTreeMap<String, &'m RawValue>,
    /// The key of the list.
    key: &'static str,
    /// The items, of which those that are nested too deep are not read.
    items: Vec<(&'m RawValue, Option<Value>)>,
}

impl<'m> RawList<'m> {
    fn parse(message: &'m [u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Answer<'m> {
            #[serde(borrow)]
            id: &'m RawValue,
            #[serde(borrow)]
            result: &'m RawValue,
        }
        let Answer { id, result } = serde_json::from_slice(message).ok()?;
        let mut result: BTreeMap<String, &RawValue> = serde_json::from_str(result.get()).ok()?;
        let key = [TOOLS, SKILLS].into_iter().find(|key| result.contains_key(*key))?;
        let items: Vec<&RawValue> = serde_json::from_str(result.remove(key)?.get()).ok()?;
        let read = |raw: &RawValue| serde_json::from_str(raw.get()).ok().filter(|item| is_within(item, MAX_DEPTH));
        let items = items.into_iter().take(MAX_KEPT).map(|raw| (raw, read(raw))).collect();
        Some(Self { id, result, key, items })
    }

    fn has_deep(&self) -> bool {
        self.items.iter().any(|(_, read)| read.is_none())
    }

    /// Returns the answer without the definitions of tools that are nested too deep, and with null in place of such entries of skills.
    fn without_deep(&self) -> String {
        let deep = (self.key == SKILLS).then_some("null");
        let items: Vec<&str> =
            self.items.iter().filter_map(|(raw, read)| read.as_ref().map(|_| raw.get()).or(deep)).collect();
        let items = format!("\"{}\":[{}]", self.key, items.join(","));
        let others = self.result.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), value.get()));
        let parts: Vec<String> = others.chain([items]).collect();
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{{}}}}}", self.id.get(), parts.join(","))
    }

    fn tools(self) -> Vec<RawTool> {
        let tool = |(raw, read): (&RawValue, Option<Value>)| match read {
            Some(tool) => RawTool::Read(tool),
            None => RawTool::TooDeep { name: name(raw) },
        };
        self.items.into_iter().map(tool).collect()
    }
}

/// Returns the name of a definition that is not read.
fn name(tool: &RawValue) -> String {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let name = serde_json::from_str(tool.get()).map_or_else(|_| "?".to_owned(), |Named { name }| name);
    name.chars().take(MAX_NAME).collect()
}

/// Returns whether a value is nested at most this deep.
fn is_within(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Array(items) => items.iter().all(|item| is_within(item, depth)),
        Value::Object(map) => map.values().all(|item| is_within(item, depth)),
        _ => true,
    }
}

/// Returns what is wrong with a message.
fn problem(message: &[u8], error: &serde_json::Error) -> String {
    if error.to_string().contains("recursion limit") {
        return "it is nested too deep".to_owned();
    }
    let read: Value = match serde_json::from_slice(message) {
        Ok(read) => read,
        Err(error) => return format!("it is not JSON: {error}"),
    };
    let has = |key: &str| read.get(key).is_some();
    let what = match &read {
        Value::Object(_) if read["jsonrpc"] != "2.0" => "it has no `\"jsonrpc\": \"2.0\"`",
        Value::Object(_) if has("method") => "its parameters do not match its method",
        Value::Object(_) if !has("result") && !has("error") => "it has neither `result` nor `error`",
        Value::Object(_) if has("result") && has("error") => "it has both `result` and `error`",
        Value::Object(_) if has("error") => "its `error` is not an object with a number `code` and a text `message`",
        Value::Object(_) if !read["result"].is_object() => "its `result` is not an object",
        Value::Object(_) => "its `result` cannot be read",
        Value::Array(_) => "it is a batch, which the protocol does not have",
        _ => "it is not an object",
    };
    what.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deep(levels: usize) -> String {
        format!("{}{}", r#"{"items":"#.repeat(levels), "1".to_owned() + &"}".repeat(levels))
    }

    fn list(tools: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":3,"result":{{"nextCursor":"2","tools":[{tools}]}}}}"#)
    }

    #[test]
    fn a_deep_definition_does_not_spoil_the_list() {
        let flat = r#"{"name":"flat","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}"#;
        for levels in [70, 130, 100_000] {
            let inbox = Inbox::default();
            let message = list(&format!(r#"{flat},{{"inputSchema":{},"name":"deep"}}"#, deep(levels)));
            let read = inbox.read(message.as_bytes()).unwrap_or_else(|problem| panic!("{levels}: {problem}"));
            let JsonRpcMessage::Response(response) = read else { panic!("{levels}") };
            let ServerResult::ListToolsResult(result) = response.result else { panic!("{levels}") };
            assert_eq!((response.id, result.next_cursor), (RequestId::Number(3), Some("2".into())));
            assert_eq!(result.tools[0].name, "flat");
            let flat = RawTool::Read(serde_json::from_str(flat).expect("it is JSON"));
            assert_eq!(inbox.take(), Some(vec![flat, RawTool::TooDeep { name: "deep".to_owned() }]), "{levels}");
            assert_eq!(inbox.take(), None);
        }
        let many = list(&vec![flat; 5_000].join(","));
        let inbox = Inbox::default();
        assert!(inbox.read(many.as_bytes()).is_ok());
        assert_eq!(inbox.take().map(|tools| tools.len()), Some(MAX_KEPT));
    }

    #[test]
    fn a_deep_entry_of_a_skill_does_not_spoil_the_list() {
        for levels in [130, 100_000] {
            let inbox = Inbox::default();
            let skills = format!(r#"{{"uri":"skill://a/SKILL.md"}},{{"frontmatter":{}}}"#, deep(levels));
            let message = format!(r#"{{"jsonrpc":"2.0","id":3,"result":{{"nextCursor":"2","skills":[{skills}]}}}}"#);
            let read = inbox.read(message.as_bytes()).unwrap_or_else(|problem| panic!("{levels}: {problem}"));
            let JsonRpcMessage::Response(response) = read else { panic!("{levels}") };
            let ServerResult::CustomResult(result) = response.result else { panic!("{levels}") };
            assert_eq!(result.0, json!({ "nextCursor": "2", "skills": [{ "uri": "skill://a/SKILL.md" }, null] }));
            assert_eq!(inbox.take(), None, "a list of skills is not a list of tools");
        }
    }

    #[test]
    fn a_message_that_cannot_be_read_says_what_is_wrong() {
        let inbox = Inbox::default();
        for (message, part) in [
            (json!({ "jsonrpc": "2.0", "id": 1 }).to_string(), "neither `result` nor `error`"),
            (json!({ "result": {} }).to_string(), "no `\"jsonrpc\": \"2.0\"`"),
            (json!({ "id": 1, "level": "info" }).to_string(), "no `\"jsonrpc\": \"2.0\"`"),
            (json!([1]).to_string(), "a batch"),
            (json!(7).to_string(), "not an object"),
            (format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, deep(200)), "nested too deep"),
            (list(r#"{"name":}"#), "not JSON"),
        ] {
            let problem = inbox.read(message.as_bytes()).expect_err(&message);
            assert!(problem.contains(part), "{message}: {problem}");
        }
        for repaired in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":null,"method":null,"params":null}"#,
            r#"{"jsonrpc":"2.0","id":1.0,"result":{"content":[{"type":"text","text":"\ud83d"}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n":NaN}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","result":{"content":[]}}"#,
            r#"{"id":1,"result":{"content":[]}}"#,
            r#"{"jsonrpc":2.0,"id":1,"error":{"code":1,"message":"no"}}"#,
        ] {
            assert!(inbox.read(repaired.as_bytes()).is_ok(), "{repaired}");
        }
        let plain = json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [] } }).to_string();
        assert!(inbox.read(plain.as_bytes()).is_ok() && inbox.take().is_none());
    }

    #[test]
    fn a_batch_has_its_messages_and_another_text_is_one() {
        for (text, count) in [
            ("[{\"id\":1},{\"id\":2}]", 2),
            (" [ {} ] ", 1),
            ("[]", 1),
            ("[1]", 1),
            ("{}", 1),
            ("starting", 1),
            (" \n", 0),
        ] {
            assert_eq!(parts(text.as_bytes()).len(), count, "{text}");
        }
    }

    #[test]
    fn what_answers_no_request_is_known_for_a_while() {
        let (inbox, begun) = (Inbox::default(), Instant::now());
        inbox.note_unreadable(b"starting", "it is not JSON");
        inbox.note_unreadable(b"{\"level\":\"info\"}", "it is not a message");
        assert_eq!(inbox.stray_since(begun), None, "servers print log lines");
        inbox.note_unreadable(b"{\"jsonrpc\":\"2.0\",\"error\":7}", &"x".repeat(10_000));
        assert!(inbox.stray_since(begun).is_some_and(|stray| stray.chars().count() == MAX_STRAY));
        assert_eq!(inbox.stray_since(Instant::now()), None, "it came before");
    }

    #[test]
    fn an_answer_in_a_form_that_no_program_reads_is_known() {
        for lines in [
            &["{", " \"jsonrpc\": \"2.0\",", " \"id\": 1,", " \"result\": {}", "}"][..],
            &["[", "  {", "    \"id\": 1,", "    \"error\": {}"],
            &["{'jsonrpc': '2.0', 'id': 1, 'result': {}}"],
            &["{ jsonrpc: '2.0', id: 1, result: {} }"],
            &["starting", "{", "  id: 1,", "  result: { content: [] }", "}"],
        ] {
            let (inbox, begun) = (Inbox::default(), Instant::now());
            for line in lines {
                inbox.note_line(line.as_bytes(), "it is not JSON");
            }
            let stray = inbox.stray_since(begun).unwrap_or_default();
            assert!(stray.starts_with("a message cannot be read: it "), "{lines:?}: {stray}");
        }
        for lines in [
            &["{\"level\":\"info\"}"][..],
            &["no result: none", "error: none"],
            &["{", "  \"level\": \"info\"", "}"],
            &["{ \"my_result\": 1 }"],
            &["[info] results"],
        ] {
            let (inbox, begun) = (Inbox::default(), Instant::now());
            for line in lines {
                inbox.note_line(line.as_bytes(), "it is not JSON");
            }
            assert_eq!(inbox.stray_since(begun), None, "{lines:?}");
        }
        let (inbox, begun) = (Inbox::default(), Instant::now());
        inbox.note_unfinished(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        assert!(inbox.stray_since(begun).is_some_and(|stray| stray.contains("its line has no end")));
        inbox.note_unfinished(b"");
        assert_eq!(inbox.stray_since(begun), None);
    }
}
