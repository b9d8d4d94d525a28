//! The server side of MCP: reads a client's JSON-RPC message, and returns what the host must do or send. The host
//! transports the messages, over stdio or HTTP.
//!
//! Source: the schemas of the protocol versions 2024-11-05 to 2026-07-28.

mod input;
mod result;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

pub use input::{Form, FormAnswer};

use crate::call::ToolCall;
use crate::data::dialect::Dialect;
use crate::run::progress::Progress;
use crate::session::turn::Turn;
use crate::text::json;
use crate::wire::node::{Node, Object};
use crate::wire::{MAX_BODY_BYTES, WireError};
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

/// The type of a result without questions.
const COMPLETE: &str = "complete";

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
    ttl: Duration,
    scope: CacheScope,
}

/// Who may use a cached response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CacheScope {
    /// Only the client that asked.
    #[default]
    Private,
    /// Every client, also those of other users.
    Public,
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
    input: input::Input,
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
    /// The maximum time for which clients may cache a response: a day. The client of the SDK for Python caches nothing for longer.
    pub const MAX_CACHE_TTL: Duration = Duration::from_hours(24);

    /// Returns a server with this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            instructions: String::new(),
            page_size: DEFAULT_PAGE_SIZE,
            ttl: Duration::ZERO,
            scope: CacheScope::Private,
        }
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

    /// Sets how long clients may cache the list of tools and the description of the server, and whether they may share them. `ttl` is sent
    /// in whole milliseconds, and counts as at most [a day](Self::MAX_CACHE_TTL). By default, it is zero, because the tools may change at
    /// any time. With [`Public`](CacheScope::Public), the list must be the same for all users. Only clients of the protocol version
    /// 2026-07-28 get these settings.
    #[must_use]
    pub fn with_cache(self, ttl: Duration, scope: CacheScope) -> Self {
        Self { ttl: ttl.min(Self::MAX_CACHE_TTL), scope, ..self }
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
        let is_response = message.all().any(|(key, _)| ["result", "error"].contains(&key));
        if is_response && message.get("method").is_none() {
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
            "initialize" => self.initialize(&params),
            "ping" => String::from("{}"),
            "server/discover" => self.discover(),
            "tools/list" => self.list(&params, turn, era)?,
            "tools/call" => {
                return parse_call(&params, id, meta.as_ref(), era)
                    .map(Incoming::Call)
                    .map_err(|error| RpcError::params(&error));
            }
            _ => return Err(RpcError::new(code::UNKNOWN_METHOD, format!("unknown method `{}`", truncated(&method)))),
        };
        Ok(Incoming::Reply(reply(id, &result, era, COMPLETE)))
    }

    fn initialize(&self, params: &Object<'_>) -> String {
        // A client without a version, or with an unknown one, gets the newest.
        let requested = params.optional_text("protocolVersion").ok().flatten().unwrap_or_default();
        let version = SESSION_VERSIONS.iter().find(|version| **version == requested).unwrap_or(&SESSION_VERSIONS[0]);
        let mut out = format!(r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":"#);
        self.push_info(&mut out);
        self.push_instructions(&mut out);
        out.push('}');
        out
    }

    fn discover(&self) -> String {
        let versions: Vec<&str> = [STATELESS_VERSION].iter().chain(SESSION_VERSIONS).copied().collect();
        let mut out = format!(r#"{{"supportedVersions":["{}"],"#, versions.join(r#"",""#));
        out.push_str(r#""capabilities":{"tools":{}}"#);
        self.push_cache(&mut out);
        out.push_str(r#","_meta":{"io.modelcontextprotocol/serverInfo":"#);
        self.push_info(&mut out);
        out.push('}');
        self.push_instructions(&mut out);
        out.push('}');
        out
    }

    fn push_cache(&self, out: &mut String) {
        let scope = match self.scope {
            CacheScope::Private => "private",
            CacheScope::Public => "public",
        };
        let _ = write!(out, r#","ttlMs":{},"cacheScope":"{scope}""#, self.ttl.as_millis());
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
        // Some clients send an empty cursor for the first page.
        let cursor = params.optional_text("cursor").map_err(|error| RpcError::params(&error))?;
        let start = match cursor.filter(|cursor| !cursor.is_empty()) {
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
        let page: Vec<_> = tools[start..end].iter().map(|tool| result::definition_for(tool, era)).collect();
        let mut out = format!(r#"{{"tools":[{}]"#, page.join(","));
        if end < tools.len() {
            let _ = write!(out, r#","nextCursor":"{end}-{list_hash:x}""#);
        }
        if era == Era::Stateless {
            self.push_cache(&mut out);
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

    /// Returns the line to send, or `None` if the client gets no reply. `result` returns the [result](Request::result) of each call, or
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

fn parse_call(params: &Object<'_>, id: &RawValue, meta: Option<&Object<'_>>, era: Era) -> Result<Request, WireError> {
    let token = meta.and_then(|meta| meta.get("progressToken")).filter(|token| is_id(token.json));
    let progress = token.map(|token| token.json.to_owned());
    let arguments = params.object_arguments("arguments")?;
    let (id, name, input) = (id.to_owned(), params.non_empty_text("name")?, input::Input::read(params, meta)?);
    Ok(Request { id, name, arguments, progress, era, input })
}

impl Request {
    /// Returns the call. Its id is the JSON text of the request's id, so that `7` and `"7"` differ.
    pub fn call(&self) -> ToolCall<'_> {
        ToolCall::new(&self.name, &self.arguments).with_id(self.id.get())
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

/// Replaces infinities and NaN, which JSON cannot represent, by 0.
fn number(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// Returns the beginning of a client's text, to quote it in an error.
fn truncated(text: &str) -> String {
    crate::text::display::Truncated(text, 64).to_string()
}

/// Returns the response with `result`, the text of an object of this type. It is one line: in JSON, raw line breaks only occur between
/// values, so they are replaced by spaces.
fn reply(id: &RawValue, result: &str, era: Era, kind: &str) -> String {
    let id = id.get();
    let result = match (era, result.strip_prefix('{')) {
        (Era::Stateless, Some("}")) => format!(r#"{{"resultType":"{kind}"}}"#).into(),
        (Era::Stateless, Some(rest)) => format!(r#"{{"resultType":"{kind}",{rest}"#).into(),
        _ => Cow::Borrowed(result),
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
mod tests;
