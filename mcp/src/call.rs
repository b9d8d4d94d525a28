//! Calls a tool of a server. The call runs on the runtime of the servers, and its future on that of the caller.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ServerResult};
use rmcp::model::{ErrorCode, ProgressNotificationParam};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use toolc::redaction::Redactor;
use toolc::{Call, ErrorKind, ToolError, ToolResult};

use crate::client::{Client, MAX_REPORTS};
use crate::connect::reason;
use crate::content;

/// Whether a server can be called.
#[derive(Debug, Clone)]
pub(crate) enum Status {
    /// It is being started, for the first time or again.
    Starting,
    Connected(Arc<Live>),
    /// It is not used any more, for this reason.
    Unusable(String),
}

/// A connected server.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) client: Client,
}

/// Calls the tools of one server.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) server: String,
    pub(crate) status: watch::Receiver<Status>,
    pub(crate) runtime: Handle,
    pub(crate) redactor: Arc<Redactor>,
}

impl Caller {
    /// Calls a tool, and reports its progress. Dropping the future cancels the call.
    pub(crate) async fn call(self: &Arc<Self>, tool: &str, arguments: Value, call: &Call<'_>) -> ToolResult {
        let Value::Object(arguments) = arguments else {
            return Err(ToolError::new("the arguments are not an object"));
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let (reports, mut received) = mpsc::channel(MAX_REPORTS);
        // Dropped together with this future.
        let (_guard, dropped) = oneshot::channel::<()>();
        let caller = Arc::clone(self);
        let mut task = self.runtime.spawn(async move { caller.run(params, reports, dropped).await });
        loop {
            tokio::select! {
                biased;
                Some(report) = received.recv() => {
                    let message = report.message.as_deref().unwrap_or_default();
                    call.progress(report.progress, report.total, &self.redactor.text(message));
                }
                result = &mut task => {
                    return result.unwrap_or_else(|_| Err(self.error("is stopped")));
                }
            }
        }
    }

    async fn run(
        &self,
        params: CallToolRequestParams,
        reports: mpsc::Sender<ProgressNotificationParam>,
        mut dropped: oneshot::Receiver<()>,
    ) -> ToolResult {
        let live = tokio::select! {
            live = self.live() => live?,
            _ = &mut dropped => return Err(cancelled()),
        };
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = live.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let mut request = match sent {
            Ok(request) => request,
            Err(error) => return Err(self.failed(&error)),
        };
        let _progress = live.client.progress.subscribe(request.progress_token.clone(), reports);
        let answer = tokio::select! {
            biased;
            answer = &mut request.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
            _ = dropped => {
                let _ = request.cancel(Some("the caller does not wait any more".to_owned())).await;
                return Err(cancelled());
            }
        };
        match answer {
            Ok(ServerResult::CallToolResult(result)) => content::output(result, &self.redactor),
            Ok(ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_)) => {
                content::output(CallToolResult::default(), &self.redactor)
            }
            Ok(ServerResult::InputRequiredResult(_)) => {
                Err(self.error("asks a person for input, which this client does not pass on"))
            }
            Ok(ServerResult::CreateTaskResult(_)) => {
                Err(self.error("answers with a task, which this client did not ask for"))
            }
            Ok(_) => Err(self.error("gave an answer that is not the result of a call")),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Waits until the server is connected.
    async fn live(&self) -> Result<Arc<Live>, ToolError> {
        let mut status = self.status.clone();
        loop {
            match &*status.borrow_and_update() {
                Status::Connected(live) if !live.peer.is_transport_closed() => return Ok(Arc::clone(live)),
                Status::Unusable(reason) => return Err(self.error(&format!("cannot be used: {reason}"))),
                // It has ended, which is noticed soon.
                Status::Starting | Status::Connected(_) => {}
            }
            if status.changed().await.is_err() {
                return Err(self.error("is stopped"));
            }
        }
    }

    /// Returns the error for a request that got no result.
    fn failed(&self, error: &ServiceError) -> ToolError {
        match error {
            ServiceError::McpError(refused) => {
                let text = format!("the MCP server `{}` refused the call: {}", self.server, refused.message);
                let kind = match refused.code {
                    ErrorCode::INVALID_PARAMS => ErrorKind::InvalidArguments,
                    _ => ErrorKind::Failed,
                };
                ToolError::with_kind(kind, content::error(&text, &self.redactor).message())
            }
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                self.error("ended during the call, which may have had an effect: check before you repeat it")
            }
            error => self.error(&format!("did not answer: {}", reason(error, &self.redactor))),
        }
    }

    fn error(&self, what: &str) -> ToolError {
        ToolError::new(format!("the MCP server `{}` {what}", self.server))
    }
}

/// Returns the error of a call whose caller is gone.
fn cancelled() -> ToolError {
    ToolError::with_kind(ErrorKind::Cancelled, "the call was cancelled")
}
