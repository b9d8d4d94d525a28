//! Calls a tool of rmcp without a client: the work of its server after a request has been read. The router is created once; the plain
//! `#[tool_handler]` would create it for every call.

use rmcp::handler::server::tool::{ToolCallContext, ToolRouter};
use rmcp::model::{CallToolRequestParams, CallToolResponse, ContentBlock, JsonObject, NumberOrString};
use rmcp::service::{Peer, RequestContext, RunningService, serve_directly};
use rmcp::{RoleServer, ServerHandler};
use tokio::runtime::{Builder, Runtime};

use crate::ready::ready;

pub(crate) struct Server;

impl ServerHandler for Server {}

/// A server without a connected client. A tool call needs its peer.
pub(crate) struct Host {
    peer: Peer<RoleServer>,
    _running: RunningService<RoleServer, Server>,
    _runtime: Runtime,
}

impl Host {
    pub(crate) fn new() -> Self {
        let runtime = Builder::new_current_thread().build().expect("failed to start a runtime");
        let (here, _) = tokio::io::duplex(64);
        let running = runtime.block_on(async { serve_directly(Server, here, None) });
        Self { peer: running.peer().clone(), _running: running, _runtime: runtime }
    }

    /// Returns the text that a model gets, or the error.
    pub(crate) fn call(
        &self,
        router: &ToolRouter<Server>,
        name: &'static str,
        arguments: &str,
    ) -> Result<String, String> {
        let arguments: JsonObject = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
        let request = CallToolRequestParams::new(name).with_arguments(arguments);
        let context = RequestContext::new(NumberOrString::Number(1), self.peer.clone());
        let response = ready(router.call(ToolCallContext::new(&Server, request, context)));
        match response.map_err(|error| error.to_string())? {
            CallToolResponse::Complete(result) => match result.content.into_iter().next() {
                Some(ContentBlock::Text(text)) => Ok(text.text),
                _ => Err("the result is not text".into()),
            },
            _ => Err("the call is not complete".into()),
        }
    }
}
