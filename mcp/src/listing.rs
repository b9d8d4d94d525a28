//! Lists the tools of a server: all pages, bounded in number and size.

use std::collections::BTreeSet;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::{Peer, ServiceError};
use serde_json::Value;

/// The maximum number of tools.
const MAX_TOOLS: usize = 1_000;
/// The maximum number of pages.
const MAX_PAGES: usize = 100;
/// The maximum number of bytes of all definitions together.
const MAX_BYTES: usize = 8 << 20;

/// The tools of a server, each as the server sent it.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) tools: Vec<Value>,
    /// Why further tools are not listed.
    pub(crate) cut_off: Option<String>,
}

impl Listing {
    /// Asks the server for its tools. One definition that is not valid does not spoil the others.
    pub(crate) async fn read(peer: &Peer<RoleClient>) -> Result<Self, ServiceError> {
        let (mut listing, mut cursor, mut cursors, mut bytes) = (Self::default(), None, BTreeSet::new(), 0);
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let (tools, next) = match peer.send_request(request).await? {
                ServerResult::ListToolsResult(page) => {
                    let tools = page.tools.iter().map(serde_json::to_value).filter_map(Result::ok);
                    (tools.collect(), page.next_cursor)
                }
                // If one definition is not valid, the page does not have the form that the protocol requires.
                ServerResult::CustomResult(page) => match page.0.get("tools") {
                    Some(Value::Array(tools)) => (tools.clone(), page.0["nextCursor"].as_str().map(str::to_owned)),
                    _ => return Err(ServiceError::UnexpectedResponse),
                },
                _ => return Err(ServiceError::UnexpectedResponse),
            };
            for tool in tools {
                bytes += tool.to_string().len();
                if listing.tools.len() == MAX_TOOLS || bytes > MAX_BYTES {
                    let limit = if bytes > MAX_BYTES {
                        format!("their definitions have more than {} MiB", MAX_BYTES >> 20)
                    } else {
                        format!("at most {MAX_TOOLS} are used")
                    };
                    listing.cut_off = Some(limit);
                    return Ok(listing);
                }
                listing.tools.push(tool);
            }
            match next {
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
