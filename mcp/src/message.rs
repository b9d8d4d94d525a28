//! Reads messages of servers. The tools of a list are read one by one, so that one bad definition does not affect the others. The error of
//! a message that cannot be read describes the mistake.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::digits;

/// The code of the error that replaces an answer that cannot be read. No server sends this code, because JSON-RPC's codes are greater.
pub(crate) const UNREADABLE: ErrorCode = ErrorCode(i32::MIN);

/// The maximum depth of a definition. The protocol library reads messages of twice this depth.
const MAX_DEPTH: usize = 64;
/// The maximum number of definitions of a message that are kept: one more than are used, so that a longer list is noticed.
const MAX_KEPT: usize = 1_001;
/// The maximum length of a name that is kept of a definition that is not read.
const MAX_NAME: usize = 256;

/// A definition, as the server sent it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RawTool {
    Read(Value),
    /// The definition is nested deeper than definitions may be.
    TooDeep {
        name: String,
    },
}

/// A message that was read.
#[derive(Debug)]
pub(crate) struct ReadMessage {
    pub(crate) message: ServerJsonRpcMessage,
    /// Whether it contains everything that the server sent.
    pub(crate) is_whole: bool,
}

/// The definitions of the latest list that a server has sent. The protocol library keeps only what it knows of them, and over HTTP it drops
/// some. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists(Arc<Mutex<Option<Vec<RawTool>>>>);

impl Lists {
    /// Returns the definitions of the latest list, once.
    pub(crate) fn take(&self) -> Option<Vec<RawTool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Reads a message, and notes the definitions that it lists.
    ///
    /// # Errors
    /// Returns what is wrong with a message that cannot be read.
    pub(crate) fn read(&self, message: &[u8]) -> Result<ReadMessage, String> {
        let message = &*digits::with_marks(message);
        let read = serde_json::from_slice(message).map(|message| ReadMessage { message, is_whole: true });
        let list = match &read {
            Ok(read) if !is_list(&read.message) => None,
            _ => RawList::parse(message),
        };
        let read = match (&list, read) {
            (Some(list), Err(_)) if list.has_deep() => {
                serde_json::from_str(&list.without_deep()).map(|message| ReadMessage { message, is_whole: false })
            }
            (_, read) => read,
        };
        if let Some(list) = list {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(list.tools());
        }
        read.map_err(|error| problem(message, &error))
    }
}

/// Returns the error in place of an answer that cannot be read.
pub(crate) fn unreadable(id: RequestId, problem: String) -> ServerJsonRpcMessage {
    JsonRpcMessage::error(ErrorData::new(UNREADABLE, problem, None), Some(id))
}

fn is_list(message: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Response(response) = message else { return false };
    match &response.result {
        ServerResult::ListToolsResult(_) => true,
        ServerResult::CustomResult(result) => result.0.get("tools").is_some(),
        _ => false,
    }
}

/// The parts of an answer that lists tools, each as text: however deep it is nested, it is not read.
struct RawList<'m> {
    id: &'m RawValue,
    result: BTreeMap<String, &'m RawValue>,
    /// The definitions, of which those that are nested too deep are not read.
    tools: Vec<(&'m RawValue, Option<Value>)>,
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
        let tools: Vec<&RawValue> = serde_json::from_str(result.remove("tools")?.get()).ok()?;
        let read = |raw: &RawValue| serde_json::from_str(raw.get()).ok().filter(|tool| is_within(tool, MAX_DEPTH));
        let tools = tools.into_iter().take(MAX_KEPT).map(|raw| (raw, read(raw))).collect();
        Some(Self { id, result, tools })
    }

    fn has_deep(&self) -> bool {
        self.tools.iter().any(|(_, read)| read.is_none())
    }

    /// Returns the answer without the definitions that are nested too deep.
    fn without_deep(&self) -> String {
        let tools: Vec<&str> = self.tools.iter().filter(|(_, read)| read.is_some()).map(|(raw, _)| raw.get()).collect();
        let tools = format!("\"tools\":[{}]", tools.join(","));
        let others = self.result.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), value.get()));
        let parts: Vec<String> = others.chain([tools]).collect();
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{{}}}}}", self.id.get(), parts.join(","))
    }

    fn tools(self) -> Vec<RawTool> {
        let tool = |(raw, read): (&RawValue, Option<Value>)| match read {
            Some(tool) => RawTool::Read(tool),
            None => RawTool::TooDeep { name: name(raw) },
        };
        self.tools.into_iter().map(tool).collect()
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
            let lists = Lists::default();
            let message = list(&format!(r#"{flat},{{"inputSchema":{},"name":"deep"}}"#, deep(levels)));
            let read = lists.read(message.as_bytes()).unwrap_or_else(|problem| panic!("{levels}: {problem}"));
            let JsonRpcMessage::Response(response) = read.message else { panic!("{levels}") };
            let ServerResult::ListToolsResult(result) = response.result else { panic!("{levels}") };
            assert_eq!((response.id, result.next_cursor), (RequestId::Number(3), Some("2".into())));
            assert_eq!(result.tools[0].name, "flat");
            let flat = RawTool::Read(serde_json::from_str(flat).expect("it is JSON"));
            assert_eq!(lists.take(), Some(vec![flat, RawTool::TooDeep { name: "deep".to_owned() }]), "{levels}");
            assert_eq!(lists.take(), None);
        }
        let many = list(&vec![flat; 5_000].join(","));
        let lists = Lists::default();
        assert!(lists.read(many.as_bytes()).is_ok());
        assert_eq!(lists.take().map(|tools| tools.len()), Some(MAX_KEPT));
    }

    #[test]
    fn a_message_that_cannot_be_read_says_what_is_wrong() {
        let lists = Lists::default();
        for (message, part) in [
            (json!({ "jsonrpc": "2.0", "id": 1 }).to_string(), "neither `result` nor `error`"),
            (json!({ "id": 1, "result": {} }).to_string(), "no `\"jsonrpc\": \"2.0\"`"),
            (json!({ "jsonrpc": "2.0", "id": 1, "error": "no" }).to_string(), "`error` is not an object"),
            (json!([1]).to_string(), "a batch"),
            (json!(7).to_string(), "not an object"),
            (format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, deep(200)), "nested too deep"),
            (list(r#"{"name":}"#), "not JSON"),
        ] {
            let problem = lists.read(message.as_bytes()).expect_err(&message);
            assert!(problem.contains(part), "{message}: {problem}");
        }
        let plain = json!({ "jsonrpc": "2.0", "id": 1, "result": { "content": [] } }).to_string();
        assert!(lists.read(plain.as_bytes()).is_ok() && lists.take().is_none());
    }
}
