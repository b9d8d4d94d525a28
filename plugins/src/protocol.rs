//! The messages between the host and a program: one JSON object each.
//!
//! A program that each call starts reads one request and prints one reply. A program that stays running gets a line for each request,
//! and each of its replies is a line with the `id` of the request.

use serde::Serialize;
use serde_json::Map;
use toolc::Value;

const EXPECTED: &str = "expected `{\"result\": ...}` or `{\"error\": \"text\"}` on stdout";

/// The object that the program reads.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Request<'r> {
    /// Set if the program stays running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<u64>,
    /// The stage of the call, for a hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hook: Option<&'r str>,
    /// What to do with notes: `read` or `write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<&'r str>,
    pub(crate) tool: &'r str,
    pub(crate) arguments: &'r Value,
    pub(crate) call_id: &'r str,
    pub(crate) task: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) home: Option<&'r str>,
    /// What became of the call, for a hook that sees it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<&'r CallOutcome>,
}

/// What became of a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallOutcome {
    Result(Value),
    Error { kind: &'static str, message: String },
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
    Error(String),
}

/// The result of a request, and what is left to say about it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) value: Value,
    /// The end of the program's stderr as a clause for a message, or an empty text.
    pub(crate) excerpt: String,
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
        (None, Some(Value::String(text))) if map.is_empty() => Ok(ProgramReply::Error(text)),
        (None, Some(other)) if map.is_empty() && !other.is_string() => {
            Err(format!("{EXPECTED}, got an `error` that is not a string"))
        }
        (result, error) => {
            Err(format!("{EXPECTED}, got an object with {}", describe_keys(result.as_ref(), error.as_ref(), &map)))
        }
    }
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
        assert!(matches!(parse(b"{\"error\": \"no\"}"), Ok(ProgramReply::Error(text)) if text == "no"));
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
