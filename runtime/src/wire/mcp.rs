//! The server side of MCP: reads a client's JSON-RPC message, and returns what the host must do or send. The host
//! transports the messages, over stdio or HTTP.
//!
//! Source: the schemas of the protocol versions 2024-11-05 to 2026-07-28.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::data::dialect::Dialect;
use crate::result::attachment::{Attachment, ResourceContent};
use crate::result::error::ErrorKind;
use crate::run::progress::Progress;
use crate::session::turn::Turn;
use crate::text::json;
use crate::wire::image::base64;
use crate::wire::node::{Node, Object};
use crate::wire::write::value;
use crate::wire::{MAX_BODY_BYTES, WireError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

/// The protocol versions in which a connection begins with `initialize`, the newest first. Batches only exist in 2025-03-26,
/// whose servers must accept them. The server keeps no state, so it accepts them from every client.
const SESSION_VERSIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The protocol version in which each request contains its version.
const STATELESS_VERSION: &str = "2026-07-28";
/// The key of the version in a request's `_meta`.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// The maximum number of messages in a batch.
const MAX_BATCH: usize = 1024;
/// The default number of tools on one page of `tools/list`.
const DEFAULT_PAGE_SIZE: usize = 250;

/// The protocol's error codes.
mod code {
    pub(super) const NOT_JSON: i32 = -32700;
    pub(super) const INVALID_REQUEST: i32 = -32600;
    pub(super) const UNKNOWN_METHOD: i32 = -32601;
    pub(super) const INVALID_PARAMS: i32 = -32602;
    pub(super) const INTERNAL: i32 = -32603;
    pub(super) const UNSUPPORTED_VERSION: i32 = -32022;
}

/// An MCP server: answers the messages of clients. It keeps no state between messages.
#[derive(Debug, Clone)]
pub struct Server {
    name: String,
    version: String,
    instructions: String,
    page_size: usize,
}

/// The action that a client's message requires of the host.
#[derive(Debug, Clone)]
pub enum Incoming {
    /// Send this line to the client.
    Reply(String),
    /// Run this call, and send its [result](Request::result) to the client.
    Call(Request),
    /// Cancel the call with this [id](ToolCall::id), and send nothing: the client does not wait for its result.
    Cancelled(String),
    /// Do all of this, in any order, and send all replies and results as [one line](Incoming::reply_with).
    Batch(Vec<Incoming>),
    /// Do nothing.
    Nothing,
}

/// A client's request to run a tool.
#[derive(Debug, Clone)]
pub struct Request {
    /// The id of the request, a string or a number.
    id: Box<RawValue>,
    name: String,
    arguments: String,
    progress: Option<Box<RawValue>>,
    era: Era,
}

/// The generation of the protocol, which determines the form of responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    /// [`SESSION_VERSIONS`]: a connection begins with `initialize`.
    Sessions,
    /// [`STATELESS_VERSION`]: each request contains the protocol version.
    Stateless,
}

/// A JSON-RPC error.
struct RpcError {
    code: i32,
    message: String,
    /// The JSON text of the error's `data`, or an empty string.
    data: String,
}

impl Server {
    /// Returns a server with this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), instructions: String::new(), page_size: DEFAULT_PAGE_SIZE }
    }

    /// Sets the instructions that a client may show to its model. Empty by default.
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<String>) -> Self {
        Self { instructions: instructions.into(), ..self }
    }

    /// Sets the number of tools on one page of `tools/list`: 250 by default. 0 counts as 1.
    #[must_use]
    pub fn with_page_size(self, tools: usize) -> Self {
        Self { page_size: tools.max(1), ..self }
    }

    /// Processes one message: the text of a JSON-RPC object, or of a batch of them. `turn` has the tools for the client; its
    /// dialect must be [`Mcp`](Dialect::Mcp). Invalid messages lead to a [`Reply`](Incoming::Reply) with an error.
    pub fn receive(&self, message: &str, turn: &Turn) -> Incoming {
        if message.len() > MAX_BODY_BYTES {
            let message = format!("the message is larger than {MAX_BODY_BYTES} bytes");
            return Incoming::Reply(RpcError::new(code::INVALID_REQUEST, message).write(None));
        }
        let node = match Node::root(message, "") {
            Ok(node) => node,
            Err(error) => return Incoming::Reply(RpcError::new(code::NOT_JSON, error.to_string()).write(None)),
        };
        if node.json.get().starts_with('[') {
            return self.receive_batch(&node, turn).unwrap_or_else(|error| Incoming::Reply(error.write(None)));
        }
        self.receive_one(&node, turn)
    }

    fn receive_batch(&self, batch: &Node<'_>, turn: &Turn) -> Result<Incoming, RpcError> {
        let items = batch.items().map_err(|error| RpcError::invalid(&error))?;
        if items.is_empty() || items.len() > MAX_BATCH {
            let text = format!("expected a batch of 1 to {MAX_BATCH} messages, got {}", items.len());
            return Err(RpcError::new(code::INVALID_REQUEST, text));
        }
        let parts: Vec<Incoming> = items.iter().map(|item| self.receive_part(item, turn)).collect();
        let is_nothing = parts.iter().all(|part| matches!(part, Incoming::Nothing));
        Ok(if is_nothing { Incoming::Nothing } else { Incoming::Batch(parts) })
    }

    /// Processes a message of a batch.
    fn receive_part(&self, item: &Node<'_>, turn: &Turn) -> Incoming {
        let method = item.object().ok().and_then(|message| message.get("method")?.text().ok());
        if method.as_deref() == Some("initialize") {
            let id = item.object().ok().and_then(|message| id(&message).ok().flatten());
            let text = "`initialize` must not be part of a batch";
            return Incoming::Reply(RpcError::new(code::INVALID_REQUEST, text).write(id));
        }
        self.receive_one(item, turn)
    }

    fn receive_one(&self, node: &Node<'_>, turn: &Turn) -> Incoming {
        let Ok(message) = node.object() else {
            let error = RpcError::new(code::INVALID_REQUEST, "expected a JSON object");
            return Incoming::Reply(error.write(None));
        };
        // Never reply to a response, whatever its id: two peers that did so would never stop.
        if message.get("method").is_none() && ["result", "error"].iter().any(|key| message.get(key).is_some()) {
            return Incoming::Nothing;
        }
        let id = match id(&message) {
            Ok(id) => id,
            Err(error) => return Incoming::Reply(RpcError::invalid(&error).write(None)),
        };
        self.read(&message, id, turn).unwrap_or_else(|error| match (id, message.get("method")) {
            // A notification gets no response.
            (None, Some(_)) => Incoming::Nothing,
            _ => Incoming::Reply(error.write(id)),
        })
    }

    fn read(&self, message: &Object<'_>, id: Option<&RawValue>, turn: &Turn) -> Result<Incoming, RpcError> {
        let invalid = |error: WireError| RpcError::invalid(&error);
        if message.non_empty_text("jsonrpc").map_err(invalid)? != "2.0" {
            return Err(RpcError::new(code::INVALID_REQUEST, "`jsonrpc` must be \"2.0\""));
        }
        let method = message.non_empty_text("method").map_err(invalid)?;
        let params = match message.get("params") {
            Some(params) => params.object().map_err(|error| RpcError::params(&error))?,
            None => Object::empty("/params"),
        };
        let Some(id) = id else {
            return Ok(match params.get("requestId") {
                Some(id) if method == "notifications/cancelled" => Incoming::Cancelled(id.json.get().to_owned()),
                _ => Incoming::Nothing,
            });
        };
        let meta =
            params.get("_meta").map(|meta| meta.object()).transpose().map_err(|error| RpcError::params(&error))?;
        let era = era(meta.as_ref())?;
        let result = match &*method {
            "initialize" => self.initialize(&params)?,
            "ping" => String::from("{}"),
            "server/discover" => self.discover(),
            "tools/list" => self.list(&params, turn, era)?,
            "tools/call" => {
                let token = meta.and_then(|meta| meta.get("progressToken")).filter(|token| is_id(token.json));
                let progress = token.map(|token| token.json.to_owned());
                return parse_call(&params, id, progress, era)
                    .map(Incoming::Call)
                    .map_err(|error| RpcError::params(&error));
            }
            _ => return Err(RpcError::new(code::UNKNOWN_METHOD, format!("unknown method `{}`", truncated(&method)))),
        };
        Ok(Incoming::Reply(reply(id, &result, era)))
    }

    fn initialize(&self, params: &Object<'_>) -> Result<String, RpcError> {
        let requested = params.non_empty_text("protocolVersion").map_err(|error| RpcError::params(&error))?;
        let version = SESSION_VERSIONS.iter().find(|version| **version == requested).unwrap_or(&SESSION_VERSIONS[0]);
        let mut out = format!(r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":"#);
        self.push_info(&mut out);
        self.push_instructions(&mut out);
        out.push('}');
        Ok(out)
    }

    fn discover(&self) -> String {
        let versions: Vec<&str> = [STATELESS_VERSION].iter().chain(SESSION_VERSIONS).copied().collect();
        let mut out = format!(r#"{{"supportedVersions":["{}"],"#, versions.join(r#"",""#));
        out.push_str(r#""capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","#);
        out.push_str(r#""_meta":{"io.modelcontextprotocol/serverInfo":"#);
        self.push_info(&mut out);
        out.push('}');
        self.push_instructions(&mut out);
        out.push('}');
        out
    }

    fn push_info(&self, out: &mut String) {
        out.push_str(r#"{"name":"#);
        json::push_string(out, &self.name);
        out.push_str(r#","version":"#);
        json::push_string(out, &self.version);
        out.push('}');
    }

    fn push_instructions(&self, out: &mut String) {
        if !self.instructions.is_empty() {
            out.push_str(r#","instructions":"#);
            json::push_string(out, &self.instructions);
        }
    }

    /// Returns a page of the tools. The cursor of the next page contains the position of its first tool, and a hash of the
    /// definitions: after they have changed, the cursor is refused.
    fn list(&self, params: &Object<'_>, turn: &Turn, era: Era) -> Result<String, RpcError> {
        if turn.dialect() != Dialect::Mcp {
            return Err(RpcError::new(code::INTERNAL, "the turn of this host is not in the dialect `mcp`"));
        }
        let internal = |_| RpcError::new(code::INTERNAL, "a tool's definition is not JSON");
        let tools: Vec<&RawValue> = serde_json::from_str(turn.definitions()).map_err(internal)?;
        let mut hasher = DefaultHasher::new();
        turn.definitions().hash(&mut hasher);
        let list_hash = hasher.finish();
        let start = match params.optional_text("cursor").map_err(|error| RpcError::params(&error))? {
            None => 0,
            Some(cursor) => {
                let found = cursor_position(&cursor, list_hash);
                found.filter(|position| (1..tools.len()).contains(position)).ok_or_else(|| {
                    let text = "invalid cursor: the tools have changed since the first page, so list them again without a cursor";
                    RpcError::new(code::INVALID_PARAMS, text)
                })?
            }
        };
        let end = start.saturating_add(self.page_size).min(tools.len());
        let page: Vec<_> = tools[start..end].iter().map(|tool| definition_for(tool, era)).collect();
        let mut out = format!(r#"{{"tools":[{}]"#, page.join(","));
        if end < tools.len() {
            let _ = write!(out, r#","nextCursor":"{end}-{list_hash:x}""#);
        }
        if era == Era::Stateless {
            // No caching: the tools may change at any time.
            out.push_str(r#","ttlMs":0,"cacheScope":"private""#);
        }
        out.push('}');
        Ok(out)
    }
}

impl Incoming {
    /// Returns the calls to run, in order.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.parts().iter().filter_map(|part| if let Incoming::Call(request) = part { Some(request) } else { None })
    }

    /// Returns the ids of the calls to cancel.
    pub fn cancelled(&self) -> impl Iterator<Item = &str> {
        self.parts().iter().filter_map(|part| if let Incoming::Cancelled(id) = part { Some(&**id) } else { None })
    }

    fn parts(&self) -> &[Incoming] {
        if let Incoming::Batch(parts) = self { parts } else { std::slice::from_ref(self) }
    }

    /// Returns the line to send, or `None` if nothing is sent. `result` returns the [result](Request::result) of each call, or
    /// `None` for a call that the client has cancelled.
    pub fn reply_with(&self, mut result: impl FnMut(&Request) -> Option<String>) -> Option<String> {
        let replies = self.parts().iter().filter_map(|part| match part {
            Incoming::Reply(reply) => Some(reply.clone()),
            Incoming::Call(request) => result(request),
            Incoming::Cancelled(_) | Incoming::Batch(_) | Incoming::Nothing => None,
        });
        let mut replies: Vec<String> = replies.collect();
        match self {
            Incoming::Batch(_) => (!replies.is_empty()).then(|| format!("[{}]", replies.join(","))),
            _ => replies.pop(),
        }
    }
}

/// Returns the position in a cursor, or `None` if the cursor is malformed or belongs to a list with another hash.
fn cursor_position(cursor: &str, list_hash: u64) -> Option<usize> {
    let (position, hash) = cursor.split_once('-')?;
    if u64::from_str_radix(hash, 16) != Ok(list_hash) {
        return None;
    }
    position.parse().ok()
}

/// Returns the id of a request, or `None` for a notification.
fn id<'a>(message: &Object<'a>) -> Result<Option<&'a RawValue>, WireError> {
    let Some((_, id)) = message.all().find(|(key, _)| *key == "id") else { return Ok(None) };
    if is_id(id) {
        Ok(Some(id))
    } else {
        Err(Node { json: id, path: message.path_of("id") }.unexpected("a string or a number"))
    }
}

/// Returns whether a JSON value is a string or a number. Neither contains a line break.
fn is_id(json: &RawValue) -> bool {
    matches!(json.get().as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'))
}

/// Returns the generation of the protocol version in a request's `_meta`. Without a version, it is [`Era::Sessions`].
fn era(meta: Option<&Object<'_>>) -> Result<Era, RpcError> {
    let Some(version) = meta.and_then(|meta| meta.get(VERSION_KEY)) else { return Ok(Era::Sessions) };
    let version = version.text().map_err(|error| RpcError::params(&error))?;
    match &*version {
        STATELESS_VERSION => Ok(Era::Stateless),
        version if SESSION_VERSIONS.contains(&version) => Ok(Era::Sessions),
        _ => {
            let supported =
                [STATELESS_VERSION].iter().chain(SESSION_VERSIONS).copied().collect::<Vec<_>>().join(r#"",""#);
            let mut data = format!(r#"{{"supported":["{supported}"],"requested":"#);
            json::push_string(&mut data, &truncated(&version));
            data.push('}');
            Err(RpcError { data, ..RpcError::new(code::UNSUPPORTED_VERSION, "unsupported protocol version") })
        }
    }
}

fn parse_call(
    params: &Object<'_>,
    id: &RawValue,
    progress: Option<Box<RawValue>>,
    era: Era,
) -> Result<Request, WireError> {
    let arguments = params.object_arguments("arguments")?;
    Ok(Request { id: id.to_owned(), name: params.non_empty_text("name")?, arguments, progress, era })
}

impl Request {
    /// Returns the call. Its id is the JSON text of the request's id, so that `7` and `"7"` differ.
    pub fn call(&self) -> ToolCall<'_> {
        ToolCall::new(&self.name, &self.arguments).with_id(self.id.get())
    }

    /// Returns the message with the response to the call, as one line. `turn` is the turn that ran the call.
    pub fn result(&self, turn: &Turn, response: &CallResponse) -> String {
        // Only an unknown tool of the turn is a protocol error. A handler may return the same kind for the model to see.
        if response.error == Some(ErrorKind::UnknownTool) && !turn.can_call(&self.name) {
            return RpcError::new(code::INVALID_PARAMS, error_message(&response.json)).write(Some(&self.id));
        }
        // If a tool has an output schema, clients refuse a result without structured content, unless the result is an error. A
        // shortened result does not match the schema, so it is sent as an error.
        let definition = turn.find_called(&self.name).map(|id| turn.definition(id)).unwrap_or_default();
        let is_typed = Node::root(&definition, "")
            .and_then(|definition| definition.object())
            .is_ok_and(|definition| has_output_schema(&definition, self.era));
        let is_error = response.is_error() || (is_typed && response.is_shortened());
        let mut out = format!(r#"{{"content":{}"#, content(response));
        if is_typed && !is_error && (self.era == Era::Stateless || response.json.starts_with('{')) {
            out.push_str(r#","structuredContent":"#);
            out.push_str(&value(&response.json));
        }
        let _ = write!(out, r#","isError":{is_error}}}"#);
        reply(&self.id, &out, self.era)
    }

    /// Returns a progress notification, or `None` if the client did not ask for progress.
    pub fn progress(&self, progress: &Progress<'_>) -> Option<String> {
        let token = self.progress.as_ref()?.get();
        let mut out = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{}"#,
            number(progress.done)
        );
        if let Some(total) = progress.total {
            let _ = write!(out, r#","total":{}"#, number(total));
        }
        if !progress.message.is_empty() {
            out.push_str(r#","message":"#);
            json::push_string(&mut out, progress.message);
        }
        out.push_str("}}");
        Some(out)
    }
}

/// Returns the content for the model: strings as plain text, all other values as JSON text, then the images.
fn content(response: &CallResponse) -> String {
    let text = serde_json::from_str::<String>(&response.json).map_or(Cow::Borrowed(&*response.json), Cow::Owned);
    let mut out = String::from(r#"[{"type":"text","text":"#);
    json::push_string(&mut out, &text);
    for image in &response.images {
        let _ = write!(out, r#"}},{{"type":"image","data":"{}","mimeType":"{}""#, base64(image), image.media_type());
    }
    for attachment in &response.attachments {
        push_attachment(&mut out, attachment);
    }
    out.push_str("}]");
    out
}

/// Appends an attachment, without the brace at its end.
fn push_attachment(out: &mut String, attachment: &Attachment) {
    match attachment {
        Attachment::Audio(audio) => {
            let _ = write!(out, r#"}},{{"type":"audio","data":"{}","mimeType":"#, STANDARD.encode(audio.bytes()));
            json::push_string(out, audio.media_type());
        }
        Attachment::Resource(resource) => {
            out.push_str(r#"},{"type":"resource","resource":{"uri":"#);
            json::push_string(out, resource.uri());
            out.push_str(r#","mimeType":"#);
            json::push_string(out, resource.media_type());
            match resource.content() {
                ResourceContent::Text(text) => {
                    out.push_str(r#","text":"#);
                    json::push_string(out, text);
                }
                ResourceContent::Bytes(bytes) => {
                    let _ = write!(out, r#","blob":"{}""#, STANDARD.encode(bytes));
                }
            }
            out.push('}');
        }
    }
}

/// Returns the definition of a tool for clients of this era. In [`Era::Sessions`], results must be objects, and clients
/// would refuse the whole list because of another `outputSchema`.
fn definition_for(tool: &RawValue, era: Era) -> Cow<'_, str> {
    let Ok(definition) = (Node { json: tool, path: String::new() }).object() else { return tool.get().into() };
    if definition.get("outputSchema").is_none() || has_output_schema(&definition, era) {
        return tool.get().into();
    }
    let mut out = String::from("{");
    for (key, value) in definition.all().filter(|(key, _)| *key != "outputSchema") {
        if out.len() > 1 {
            out.push(',');
        }
        json::push_string(&mut out, key);
        out.push(':');
        out.push_str(value.get());
    }
    out.push('}');
    out.into()
}

/// Returns whether clients of this era see the output schema of a definition.
fn has_output_schema(definition: &Object<'_>, era: Era) -> bool {
    let schema = definition.get("outputSchema");
    match era {
        Era::Stateless => schema.is_some(),
        Era::Sessions => schema.and_then(|schema| schema.object().ok()?.text("type").ok()).as_deref() == Some("object"),
    }
}

/// Returns the message of an error response.
fn error_message(json: &str) -> String {
    let error = Node::root(json, "").and_then(|node| node.object()?.text("error"));
    error.unwrap_or_else(|_| "unknown tool".to_owned())
}

/// Replaces infinities and NaN, which JSON cannot represent, by 0.
fn number(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// Returns the beginning of a client's text, to quote it in an error.
fn truncated(text: &str) -> String {
    crate::text::display::Truncated(text, 64).to_string()
}

/// Returns the response with `result`, the text of an object. It is one line: in JSON, raw line breaks only occur between
/// values, so they are replaced by spaces.
fn reply(id: &RawValue, result: &str, era: Era) -> String {
    let id = id.get();
    let result = match (era, result.strip_prefix('{')) {
        (Era::Stateless, Some("}")) => Cow::Borrowed(r#"{"resultType":"complete"}"#),
        (Era::Stateless, Some(rest)) => format!(r#"{{"resultType":"complete",{rest}"#).into(),
        _ => result.into(),
    };
    let reply = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    if reply.contains(['\n', '\r']) { reply.replace(['\n', '\r'], " ") } else { reply }
}

impl RpcError {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: String::new() }
    }

    fn invalid(error: &WireError) -> Self {
        Self::new(code::INVALID_REQUEST, error.to_string())
    }

    fn params(error: &WireError) -> Self {
        Self::new(code::INVALID_PARAMS, error.to_string())
    }

    /// Returns the response with this error.
    fn write(&self, id: Option<&RawValue>) -> String {
        let id = id.map_or("null", RawValue::get);
        let mut out = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{},"message":"#, self.code);
        json::push_string(&mut out, &self.message);
        if !self.data.is_empty() {
            out.push_str(r#","data":"#);
            out.push_str(&self.data);
        }
        out.push_str("}}");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::{Fake, tool};
    use crate::render::search_tools::ToolSearch;
    use crate::result::error::ToolError;

    fn turn(dialect: Dialect) -> Turn {
        Fake::new([tool("find", "web", &[])]).registry().session().build().unwrap().turn_blocking(dialect)
    }

    fn request(rest: &str) -> Request {
        let message = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{{"name":"find"{rest}}}}}"#);
        match Server::new("s", "1").receive(&message, &turn(Dialect::Mcp)) {
            Incoming::Call(request) => request,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_batch_is_answered_in_one_line() {
        let session = Fake::new([tool("find", "web", &[])]).every_dialect().registry().session().build().unwrap();
        let (server, turn) = (Server::new("s", "1"), session.turn_blocking(Dialect::Mcp));
        let run = |request: &Request| Some(request.result(&turn, &crate::fakes::wait(turn.call(&request.call()))));
        let sent = |message: &str| server.receive(message, &turn).reply_with(run);
        let ping = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let answer = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let call = r#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"find"}}"#;
        let batch = format!("[{},{notification},{call},{}]", ping(1), ping(2));
        let reply = sent(&batch).unwrap();
        assert!(
            reply.starts_with(&format!("[{},", answer(1))) && reply.ends_with(&format!(",{}]", answer(2))),
            "{reply}"
        );
        assert!(reply.contains(r#""id":"c","result":{"content""#) && reply.matches("jsonrpc").count() == 3, "{reply}");
        assert_eq!(sent(&format!("[{notification},{notification}]")), None);
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        let incoming = server.receive(&format!("[{call},{cancel}]"), &turn);
        assert_eq!(incoming.requests().map(|request| request.call().id().to_owned()).collect::<Vec<_>>(), [r#""c""#]);
        assert_eq!(incoming.cancelled().collect::<Vec<_>>(), ["7"]);
        assert_eq!(incoming.reply_with(|_| None), None);
        // Mistakes in a batch are answered one by one, and an empty batch with one error.
        let reply = sent(&format!("[1,[],{}]", ping(1))).unwrap();
        assert!(reply.matches("-32600").count() == 2 && reply.ends_with(&format!("{}]", answer(1))), "{reply}");
        let reply = sent("[]").unwrap();
        assert!(reply.starts_with('{') && reply.contains("-32600"), "{reply}");
        let many = format!("[{}1]", "1,".repeat(MAX_BATCH));
        assert!(sent(&many).unwrap().starts_with('{'));
        let initialize =
            r#"[{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]"#;
        let reply = sent(initialize).unwrap();
        assert!(reply.contains(r#""id":5,"error""#) && reply.contains("must not be part of a batch"), "{reply}");
    }

    #[test]
    fn progress_is_sent_only_with_a_progress_token() {
        let progress =
            Progress { tool: "find", id: "\"a\"", task: "t", done: 1.5, total: Some(f64::INFINITY), message: "on it" };
        assert_eq!(request("").progress(&progress), None);
        assert_eq!(request(r#","_meta":{"progressToken":[7]}"#).progress(&progress), None, "it is not a token");
        let notification = request(r#","_meta":{"progressToken":7}"#).progress(&progress).unwrap();
        let params = r#"{"progressToken":7,"progress":1.5,"total":0,"message":"on it"}"#;
        assert_eq!(notification, format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#));
    }

    #[test]
    fn the_id_of_a_call_is_the_json_of_the_requests_id() {
        assert_eq!(request("").call().id(), r#""a""#);
    }

    #[test]
    fn responses_of_a_client_get_no_reply() {
        for id in ["1", "null", "[]"] {
            for member in [r#""result":{}"#, r#""error":{"code":-32600,"message":"no"}"#] {
                let message = format!(r#"{{"jsonrpc":"2.0","id":{id},{member}}}"#);
                let incoming = Server::new("s", "1").receive(&message, &turn(Dialect::Mcp));
                assert!(matches!(incoming, Incoming::Nothing), "{message}: {incoming:?}");
            }
        }
    }

    #[test]
    fn a_response_is_one_line_whatever_a_handler_writes() {
        let definition = "{\n\"name\": \"find\",\n\"outputSchema\": {\"type\": \"object\"}}";
        let fake = Fake::new([tool("find", "web", &[])])
            .defined("find", Some(vec![crate::data::segment::Segment::Text(definition.into())]))
            .every_dialect();
        let turn = fake.registry().session().build().unwrap().turn_blocking(Dialect::Mcp);
        let response = CallResponse {
            json: "{\r\n\"a\": \"b\\n\"\n}".to_owned(),
            error: None,
            images: Vec::new(),
            attachments: Vec::new(),
            repairs: crate::args::repairs::Repairs::NONE,
        };
        let result = request("").result(&turn, &response);
        assert!(result.contains(r#""structuredContent":{  "a": "b\n" }"#), "{result}");
        let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let Incoming::Reply(list) = Server::new("s", "1").receive(list, &turn) else { panic!("expected a reply") };
        assert!(list.contains(r#"{ "name": "find", "#) && !list.contains('\n'), "{list}");
    }

    #[test]
    fn only_an_unknown_tool_is_a_protocol_error() {
        let response = CallResponse::from(Err(ToolError::with_kind(ErrorKind::UnknownTool, "no such tool")));
        let turn = Fake::new([tool("find", "web", &[])]).every_dialect().registry().session();
        let turn = turn.tool_search(ToolSearch::with_threshold(0)).build().unwrap().turn_blocking(Dialect::Mcp);
        for (name, expected) in [("find", "isError"), ("tool_describe", "isError"), ("fond", "-32602")] {
            let request = Request { name: name.to_owned(), ..request("") };
            let result = request.result(&turn, &response);
            assert!(result.contains(expected) && result.contains("no such tool"), "{name}: {result}");
        }
    }

    #[test]
    fn session_clients_only_see_output_schemas_of_objects() {
        let tool = |schema| RawValue::from_string(format!(r#"{{"name":"t","outputSchema":{schema}}}"#)).unwrap();
        for (schema, is_shown) in [
            (r#"{"type":"object"}"#, true),
            (r#"{"type":"array"}"#, false),
            (r#"{"type":["object","null"]}"#, false),
            (r##"{"$ref":"#/$defs/a"}"##, false),
            ("{}", false),
        ] {
            let tool = tool(schema);
            assert_eq!(definition_for(&tool, Era::Stateless), tool.get());
            let expected = if is_shown { tool.get() } else { r#"{"name":"t"}"# };
            assert_eq!(definition_for(&tool, Era::Sessions), expected, "{schema}");
        }
    }

    #[test]
    fn a_turn_in_another_dialect_is_an_internal_error() {
        let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let Incoming::Reply(reply) = Server::new("s", "1").receive(message, &turn(Dialect::OpenAi)) else {
            panic!("expected a reply")
        };
        assert!(reply.contains("-32603"), "{reply}");
    }
}
