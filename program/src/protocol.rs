//! The messages between the host and a program: one JSON object each.
//!
//! A program that each call starts reads one request and prints one reply. A program that stays running gets a line for each request,
//! and each of its replies is a line with the `id` of the request.

use std::path::Path;

use serde::Serialize;
use serde_json::Map;
use toolc::{Call, ErrorKind, ToolError, Value};

const EXPECTED: &str = "expected `{\"result\": ...}` or `{\"error\": \"text\"}` on stdout";

/// The kinds of errors that a program may report. The others say what the host has done.
const KINDS: [ErrorKind; 8] = [
    ErrorKind::MalformedArguments,
    ErrorKind::InvalidArguments,
    ErrorKind::UnknownTool,
    ErrorKind::Failed,
    ErrorKind::Refused,
    ErrorKind::NotFound,
    ErrorKind::Timeout,
    ErrorKind::Cancelled,
];

/// The maximum number of fields of an error. Further ones are left out.
const MAX_FIELDS: usize = 32;

/// The object that the program reads.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Request<'r> {
    /// Set if the program stays running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The stage of the call, for a hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<&'r str>,
    /// What to do with notes: `read` or `write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<&'r str>,
    /// The name of the tool.
    pub tool: &'r str,
    /// The arguments, which are valid.
    pub arguments: &'r Value,
    /// The id of the call.
    pub call_id: &'r str,
    /// The task of the session.
    pub task: &'r str,
    /// The home folder of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<&'r str>,
    /// What became of the call, for a hook that sees it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'r CallOutcome>,
}

impl<'r> Request<'r> {
    /// Returns the request for a call of a tool.
    pub fn of_call(call: &'r Call<'_>, arguments: &'r Value) -> Self {
        Request {
            id: None,
            hook: None,
            memory: None,
            tool: call.tool(),
            arguments,
            call_id: call.id(),
            task: call.task(),
            // JSON cannot hold a path that is not Unicode. Most programs do not need it, so that they run all the same.
            home: call.home().and_then(Path::to_str),
            outcome: None,
        }
    }
}

/// What became of a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The result.
    Result(Value),
    /// The error.
    Error {
        /// Its kind.
        kind: &'static str,
        /// Its message.
        message: String,
    },
}

/// The line that tells a program that the reply to a request is not needed any more.
#[derive(Debug, Serialize)]
pub(crate) struct Cancellation {
    pub(crate) cancel: u64,
}

/// The object that the program prints.
#[derive(Debug)]
pub(crate) enum ProgramReply {
    Result(Value),
    Error(ReplyError),
}

/// An error that a program reports.
#[derive(Debug, PartialEq)]
pub(crate) struct ReplyError {
    message: String,
    kind: ErrorKind,
    fields: Map<String, Value>,
}

impl ReplyError {
    /// Returns the error of the call, whose texts are redacted.
    pub(crate) fn into_tool_error(self, redact: &dyn Fn(String) -> String) -> ToolError {
        let error = ToolError::with_kind(self.kind, redact(self.message));
        self.fields
            .into_iter()
            .fold(error, |error, (name, value)| error.with_field(redact(name), redacted(value, redact)))
    }
}

/// Redacts all texts of a value.
fn redacted(value: Value, redact: &dyn Fn(String) -> String) -> Value {
    match value {
        Value::String(text) => redact(text).into(),
        Value::Array(items) => items.into_iter().map(|item| redacted(item, redact)).collect(),
        Value::Object(map) => map.into_iter().map(|(name, value)| (redact(name), redacted(value, redact))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// The result of a request, and what is left to say about it.
#[derive(Debug)]
pub struct Answer {
    /// The result.
    pub value: Value,
    /// The end of the program's stderr as a clause for a message, or an empty text.
    pub excerpt: String,
}

/// Returns a message as a line.
pub(crate) fn line(message: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Returns output without a byte order mark, with which some programs begin.
fn without_mark(output: &[u8]) -> &[u8] {
    output.strip_prefix("\u{feff}".as_bytes()).unwrap_or(output)
}

/// Parses a reply: `{"result": ...}` or `{"error": "text"}`. The error says what is wrong.
pub(crate) fn parse(stdout: &[u8]) -> Result<ProgramReply, String> {
    let stdout = without_mark(stdout);
    if stdout.trim_ascii().is_empty() {
        return Err(format!("{EXPECTED}, got nothing"));
    }
    // serde_json limits the depth to 127 levels.
    let value: Value =
        serde_json::from_slice(stdout).map_err(|error| format!("{EXPECTED}, got invalid JSON: {error}"))?;
    let Value::Object(map) = value else { return Err(format!("{EXPECTED}, got JSON that is not an object")) };
    read(map)
}

/// Reads a reply. The error says what is wrong.
fn read(mut map: Map<String, Value>) -> Result<ProgramReply, String> {
    match (map.remove("result"), map.remove("error")) {
        (Some(result), None) if map.is_empty() => Ok(ProgramReply::Result(result)),
        (None, Some(Value::String(message))) => read_error(message, map).map(ProgramReply::Error),
        (None, Some(_)) if map.is_empty() => Err(format!("{EXPECTED}, got an `error` that is not a string")),
        (result, error) => {
            Err(format!("{EXPECTED}, got an object with {}", describe_keys(result.as_ref(), error.as_ref(), &map)))
        }
    }
}

/// Reads what an error has besides its message.
fn read_error(message: String, mut map: Map<String, Value>) -> Result<ReplyError, String> {
    let kind = match map.remove("kind") {
        None => ErrorKind::Failed,
        Some(word) => KINDS.into_iter().find(|kind| word == kind.word()).ok_or_else(|| {
            let words: Vec<&str> = KINDS.iter().map(|kind| kind.word()).collect();
            format!("expected one of {} as the `kind` of an error, got {word}", words.join(", "))
        })?,
    };
    let fields = match map.remove("fields") {
        None => Map::new(),
        Some(Value::Object(fields)) => fields.into_iter().take(MAX_FIELDS).collect(),
        Some(_) => return Err("expected an object as the `fields` of an error".to_owned()),
    };
    if map.is_empty() {
        return Ok(ReplyError { message, kind, fields });
    }
    let keys = describe_keys(None, Some(&Value::Null), &map);
    Err(format!("{EXPECTED}, and with an error at most `kind` and `fields`, got an object with {keys}"))
}

/// Parses a line of a program that stays running: a reply with the `id` of its request. The error says what is wrong.
pub(crate) fn parse_line(line: &[u8]) -> Result<(u64, ProgramReply), String> {
    let value: Value = serde_json::from_slice(without_mark(line))
        .map_err(|error| format!("{EXPECTED}, got a line of invalid JSON: {error}"))?;
    let Value::Object(mut map) = value else { return Err(format!("{EXPECTED}, got a line that is not an object")) };
    let id = map.remove("id").ok_or_else(|| format!("{EXPECTED}, got a line without the `id` of a request"))?;
    let id = id.as_u64().ok_or_else(|| format!("{EXPECTED}, got the `id` {id}, which no request has"))?;
    Ok((id, read(map)?))
}

/// Names the first keys of an object, for a message.
fn describe_keys(result: Option<&Value>, error: Option<&Value>, others: &Map<String, Value>) -> String {
    const MAX_KEYS: usize = 5;
    let known = [("result", result.is_some()), ("error", error.is_some())];
    let known = known.iter().filter(|(_, is_present)| *is_present).map(|(name, _)| *name);
    let names: Vec<String> =
        known.chain(others.keys().map(String::as_str)).take(MAX_KEYS).map(|key| format!("`{key}`")).collect();
    if names.is_empty() { "no keys".to_owned() } else { format!("the keys {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_error(stdout: &str) -> String {
        match parse(stdout.as_bytes()) {
            Err(problem) => problem,
            Ok(_) => panic!("a valid reply: {stdout}"),
        }
    }

    #[test]
    fn a_reply_is_an_object_with_one_key() {
        assert!(matches!(parse(b" {\"result\": null}\n"), Ok(ProgramReply::Result(Value::Null))));
        assert!(matches!(parse(b"{\"error\": \"no\"}"), Ok(ProgramReply::Error(error)) if error.message == "no"));
        assert!(matches!(parse("\u{feff}{\"result\": 1}".as_bytes()), Ok(ProgramReply::Result(_))));
        assert!(parse_error("\u{feff}\r\n").ends_with("got nothing"));
        assert!(parse_error("").ends_with("got nothing"));
        assert!(parse_error("done").contains("got invalid JSON: expected value at line 1"));
        assert!(parse_error("[]").ends_with("got JSON that is not an object"));
        assert!(parse_error("{}").ends_with("got an object with no keys"));
        assert!(parse_error("{\"error\": 5}").ends_with("got an `error` that is not a string"));
        assert!(parse_error("{\"error\": \"no\", \"result\": 1}").ends_with("the keys `result`, `error`"));
        assert!(parse_error("{\"resutl\": 1}").ends_with("the keys `resutl`"));
        assert!(parse_error("{\"result\": 1} {}").contains("got invalid JSON: trailing"));
    }

    #[test]
    fn an_error_has_a_kind_and_fields_that_are_redacted() {
        let reply = r#"{"error": "no key", "kind": "not_found", "fields": {"log": ["the key"], "key": 7}}"#;
        let Ok(ProgramReply::Error(error)) = parse(reply.as_bytes()) else { panic!("it is valid") };
        let error = error.into_tool_error(&|text| text.replace("key", "[secret]"));
        assert_eq!((error.kind(), error.message()), (ErrorKind::NotFound, "no [secret]"));
        assert_eq!(error.field("log"), Some(&serde_json::json!(["the [secret]"])));
        assert_eq!(error.field("[secret]"), Some(&Value::from(7)));
        let many: Map<String, Value> = (0..100).map(|index| (format!("{index:02}"), Value::Null)).collect();
        let Ok(ReplyError { fields, .. }) =
            read_error("no".to_owned(), Map::from_iter([("fields".to_owned(), many.into())]))
        else {
            panic!("it is valid")
        };
        assert_eq!((fields.len(), fields.contains_key("31")), (32, true));
        for (rest, problem) in [
            (r#""kind": "denied""#.to_owned(), "cancelled as the `kind` of an error, got \"denied\""),
            (r#""fields": []"#.to_owned(), "expected an object as the `fields` of an error"),
            (r#""code": 2"#.to_owned(), "got an object with the keys `error`, `code`"),
        ] {
            let found = parse_error(&format!("{{\"error\": \"no\", {rest}}}"));
            assert!(found.contains(problem), "{found}");
        }
    }

    #[test]
    fn a_deeply_nested_reply_is_refused() {
        let nested = |depth: usize| format!("{{\"result\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(nested(100).as_bytes()).is_ok());
        assert!(parse_error(&nested(100_000)).contains("recursion limit"));
    }

    #[test]
    fn a_line_of_a_resident_program_has_the_id_of_its_request() {
        assert!(matches!(parse_line(b"{\"id\": 7, \"result\": 1}"), Ok((7, ProgramReply::Result(_)))));
        let marked = "\u{feff}{\"id\": 7, \"result\": 1}";
        assert!(matches!(parse_line(marked.as_bytes()), Ok((7, ProgramReply::Result(_)))));
        let error = |line: &str| parse_line(line.as_bytes()).expect_err("it is invalid");
        assert!(error("loading model").contains("a line of invalid JSON"));
        assert!(error("[]").ends_with("a line that is not an object"));
        assert!(error("{\"result\": 1}").ends_with("a line without the `id` of a request"));
        assert!(error("{\"id\": \"7\", \"result\": 1}").ends_with("the `id` \"7\", which no request has"));
        assert!(error("{\"id\": 7}").ends_with("an object with no keys"));
    }
}
