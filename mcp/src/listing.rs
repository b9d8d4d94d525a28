//! Lists the tools of a server: all pages, bounded in number and size.

use std::collections::{BTreeMap, BTreeSet};

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool};
use rmcp::service::{Peer, ServiceError};
use serde::Deserialize as _;
use serde_json::Value;

use crate::definition::size;
use crate::message::{Inbox, RawTool};
use crate::report::LeftOut;

/// The maximum number of tools.
const MAX_TOOLS: usize = 1_000;
/// The maximum number of pages.
const MAX_PAGES: usize = 100;
/// The maximum number of bytes of all definitions together.
const MAX_BYTES: usize = 8 << 20;

/// The tools of a server, each as the server sent it.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Listing {
    pub(crate) tools: Vec<Value>,
    /// The tools that cannot be used, whatever their definitions say.
    pub(crate) left_out: Vec<LeftOut>,
    /// Why further tools are not listed.
    pub(crate) cut_off: Option<String>,
}

/// A page of the list.
struct Page {
    tools: Vec<Value>,
    left_out: Vec<LeftOut>,
    next: Option<String>,
}

impl Listing {
    /// Asks the server for its tools. An invalid definition does not affect the others. `inbox` belongs to the connection.
    pub(crate) async fn read(peer: &Peer<RoleClient>, inbox: &Inbox) -> Result<Self, ServiceError> {
        let (mut listing, mut cursor, mut cursors, mut bytes) = (Self::default(), None, BTreeSet::new(), 0);
        let has_tasks = peer.peer_info().is_some_and(|info| info.protocol_version.has_initialize());
        let mut last = Vec::new();
        for _ in 0..MAX_PAGES {
            let is_empty_cursor = cursor.as_deref() == Some("");
            let page = match Page::read(peer, inbox, cursor).await {
                // Many servers write an empty cursor after the last page, and do not know it.
                Err(ServiceError::McpError(_)) if is_empty_cursor => return Ok(listing),
                // A server may have only prompts or resources.
                Err(ServiceError::McpError(refused)) if has_no_tools(peer, &refused) => return Ok(listing),
                page => page?,
            };
            if is_empty_cursor && page.tools == last {
                return Ok(listing);
            }
            last.clone_from(&page.tools);
            listing.left_out.extend(page.left_out);
            for tool in page.tools {
                bytes += size(&tool);
                if listing.tools.len() + listing.left_out.len() >= MAX_TOOLS || bytes > MAX_BYTES {
                    let limit = if bytes > MAX_BYTES {
                        format!("their definitions have more than {} MiB", MAX_BYTES >> 20)
                    } else {
                        format!("at most {MAX_TOOLS} are used")
                    };
                    listing.cut_off = Some(limit);
                    return Ok(listing);
                }
                if has_tasks && tool["execution"]["taskSupport"] == "required" {
                    let reason = "it can only be called as a task, which this program does not support".to_owned();
                    listing.left_out.push(LeftOut { tool: name(&tool), reason });
                } else {
                    listing.tools.push(without_unknown_keys(tool));
                }
            }
            match page.next {
                None => return Ok(listing),
                Some(next) if !cursors.insert(next.clone()) => {
                    listing.cut_off = Some("the server repeats a page".to_owned());
                    return Ok(listing);
                }
                Some(next) => cursor = Some(next),
            }
        }
        listing.cut_off = Some(format!("at most {MAX_PAGES} pages are read"));
        Ok(listing)
    }
}

impl Page {
    async fn read(peer: &Peer<RoleClient>, inbox: &Inbox, cursor: Option<String>) -> Result<Self, ServiceError> {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        // The list of an earlier answer is not the list of this one.
        let _ = inbox.take();
        let (passed, next) = match peer.send_request(request).await? {
            ServerResult::ListToolsResult(page) => (PassedTools::Tools(page.tools), page.next_cursor),
            // If one definition is not valid, the page does not have the form that the protocol requires.
            ServerResult::CustomResult(mut page) => match page.0.get_mut("tools").map(Value::take) {
                Some(Value::Array(tools)) => (PassedTools::Values(tools), cursor_text(&page.0["nextCursor"])),
                Some(Value::Null) => (PassedTools::Values(Vec::new()), None),
                Some(Value::Object(tools)) if tools.is_empty() => (PassedTools::Values(Vec::new()), None),
                _ => return Err(ServiceError::UnexpectedResponse),
            },
            ServerResult::EmptyResult(_) => (PassedTools::Values(Vec::new()), None),
            _ => return Err(ServiceError::UnexpectedResponse),
        };
        Ok(match inbox.take() {
            None => Self { tools: passed.values(), left_out: Vec::new(), next },
            Some(raw) => Self::new(raw, &passed, next),
        })
    }

    /// Returns the page with the definitions that the server sent. `passed` is the same page in the protocol library.
    fn new(raw: Vec<RawTool>, passed: &PassedTools, next: Option<String>) -> Self {
        let mut passed_names = BTreeMap::<&str, usize>::new();
        for name in passed.names() {
            *passed_names.entry(name).or_default() += 1;
        }
        let (mut tools, mut left_out) = (Vec::new(), Vec::new());
        let mut leave_out = |tool, reason: &str| left_out.push(LeftOut { tool, reason: reason.to_owned() });
        for tool in raw {
            match tool {
                RawTool::TooDeep { name } => leave_out(name, "its definition is nested deeper than 64 levels"),
                RawTool::Read(tool) => {
                    let count = tool["name"].as_str().and_then(|name| passed_names.get_mut(name));
                    match count {
                        Some(count) if *count > 0 => *count -= 1,
                        // The protocol library drops such a tool over HTTP in the stateless protocol.
                        _ if tool["name"].is_string() => {
                            leave_out(name(&tool), "it marks a parameter with an `x-mcp-header` that is not valid");
                            continue;
                        }
                        _ => {}
                    }
                    tools.push(tool);
                }
            }
        }
        Self { tools, left_out, next }
    }
}

/// Returns whether the error says that the server has no tools: it does not know the request, or has not announced tools.
fn has_no_tools(peer: &Peer<RoleClient>, refused: &ErrorData) -> bool {
    let announces = peer.peer_info().is_some_and(|info| info.capabilities.tools.is_some());
    refused.code == ErrorCode::METHOD_NOT_FOUND || !announces && refused.code != ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
}

/// The definitions of a page that the protocol library passes on. It reads all of them, or none.
enum PassedTools {
    Tools(Vec<Tool>),
    Values(Vec<Value>),
}

impl PassedTools {
    fn names(&self) -> Vec<&str> {
        match self {
            Self::Tools(tools) => tools.iter().map(|tool| &*tool.name).collect(),
            Self::Values(tools) => tools.iter().filter_map(|tool| tool["name"].as_str()).collect(),
        }
    }

    fn values(self) -> Vec<Value> {
        match self {
            Self::Tools(tools) => tools.iter().map(serde_json::to_value).filter_map(Result::ok).collect(),
            Self::Values(tools) => tools,
        }
    }
}

/// Returns a cursor. Some servers count pages.
fn cursor_text(cursor: &Value) -> Option<String> {
    match cursor {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a definition with the keys that the protocol has, if it has the form that the protocol requires.
fn without_unknown_keys(tool: Value) -> Value {
    Tool::deserialize(&tool).and_then(serde_json::to_value).unwrap_or(tool)
}

fn name(tool: &Value) -> String {
    tool["name"].as_str().unwrap_or("?").chars().take(100).collect()
}
