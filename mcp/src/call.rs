//! Calls a tool of a server. The call runs on the runtime of the servers, and its future on the runtime of the caller.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ElicitRequestParams, ElicitationAction,
    ErrorCode, InputRequiredResult, ProgressNotificationParam, ProtocolVersion, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use toolc::text::beginning;
use toolc::{Call, ErrorKind, ToolError, ToolResult};

use crate::ask::Questioner;
use crate::client::{Client, MAX_REPORTS};
use crate::content;
use crate::digits;
use crate::failure::{self, reason};
use crate::message::{Inbox, SHOWN_STRAY, UNREADABLE};
use crate::oauth::{Session, scopes_of};
use crate::output::OutputSchema;
use crate::passed_on;
use crate::secrets::SecretRedactor;

/// The time between two looks at a connection that is being closed.
const CLOSING: Duration = Duration::from_millis(10);

/// Whether a server can be called.
#[derive(Debug, Clone)]
pub(crate) enum Status {
    /// The server is being started, for the first time or again.
    Starting,
    Connected(Arc<Live>),
    /// The server is no longer used, for this reason.
    Unusable(String),
}

/// A connected server.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) peer: Peer<RoleClient>,
    pub(crate) client: Client,
    /// The login, if requests carry an access token.
    pub(crate) oauth: Option<Session>,
    /// What the server has sent that belongs to no call.
    pub(crate) inbox: Inbox,
    /// Ends the connection.
    pub(crate) end: Arc<Notify>,
}

/// Calls the tools of one server.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) server: String,
    pub(crate) status: watch::Receiver<Status>,
    pub(crate) runtime: Handle,
    pub(crate) redactor: Arc<SecretRedactor>,
    pub(crate) questioner: Arc<Questioner>,
    /// The time limit of a call. Questions to a person do not count.
    pub(crate) timeout: Duration,
    /// The version of the protocol that the server has named when it refused another one.
    pub(crate) version: Mutex<Option<ProtocolVersion>>,
}

/// Why a call stops early.
#[derive(Debug, Clone, Copy)]
enum Stop {
    Dropped,
    TimedOut,
}

/// What the calls of a tool need to know about it.
#[derive(Debug)]
pub(crate) struct Callee {
    /// The name that the server gave it.
    pub(crate) name: String,
    pub(crate) output: OutputSchema,
    /// Whether the `_meta` of its results is passed on to clients.
    pub(crate) passes_meta: bool,
}

impl Caller {
    /// Calls a tool, and reports its progress. Dropping the future cancels the call.
    pub(crate) async fn call(self: &Arc<Self>, target: &Arc<Callee>, arguments: Value, call: &Call<'_>) -> ToolResult {
        let Value::Object(arguments) = call.with_digits(arguments, &digits::marked) else {
            return Err(ToolError::new("the arguments are not an object"));
        };
        let params = CallToolRequestParams::new(target.name.clone()).with_arguments(arguments);
        let (reports, mut received) = mpsc::channel(MAX_REPORTS);
        // Dropped together with this future.
        let (_guard, dropped) = oneshot::channel::<()>();
        let (caller, target) = (Arc::clone(self), Arc::clone(target));
        let mut task = self.runtime.spawn(async move { caller.run(&target, params, &reports, dropped).await });
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
        self: &Arc<Self>,
        target: &Callee,
        mut params: CallToolRequestParams,
        reports: &mpsc::Sender<ProgressNotificationParam>,
        dropped: oneshot::Receiver<()>,
    ) -> ToolResult {
        let _running = self.questioner.call(&target.name);
        let begun = Instant::now();
        let mut stop = pin!(self.stop(dropped));
        let (mut rounds, mut tries) = (Rounds::default(), Tries::default());
        loop {
            let live = tokio::select! {
                live = self.live() => live?,
                stop = &mut stop => return Err(self.stopped(stop)),
            };
            let logins = async {
                match &live.oauth {
                    Some(session) => session.logins().await,
                    None => 0,
                }
            };
            let logins = tokio::select! {
                logins = logins => logins,
                stop = &mut stop => return Err(self.stopped(stop)),
            };
            let answer = match self.send(&live, params.clone(), reports, stop.as_mut()).await {
                Ok(answer) => answer,
                Err(stop) => return Err(self.stopped_after(stop, &live, begun)),
            };
            match answer {
                Ok(ServerResult::InputRequiredResult(_)) if has_sessions(&live) => {
                    return Err(
                        self.unreadable("it requires input in a form that its version of the protocol does not have")
                    );
                }
                Ok(ServerResult::InputRequiredResult(required)) => {
                    rounds.next(&required).await.map_err(|problem| self.error(&problem))?;
                    let inputs = tokio::select! {
                        inputs = self.questioner.inputs(required.input_requests.unwrap_or_default()) => inputs,
                        stop = &mut stop => return Err(self.stopped(stop)),
                    };
                    let inputs = inputs.map_err(|problem| self.error(&problem))?;
                    params.input_responses = Some(inputs).filter(|inputs| !inputs.is_empty());
                    params.request_state = required.request_state;
                }
                Ok(answer) => return self.result(answer, target),
                Err(error) => {
                    let is_removed = tokio::select! {
                        is_removed = self.remove_obstacle(&live, &error, logins, &mut tries) => is_removed?,
                        stop = &mut stop => return Err(self.stopped(stop)),
                    };
                    if !is_removed {
                        return Err(self.failed(&error));
                    }
                }
            }
        }
    }

    /// Returns the result of the call that an answer ends.
    fn result(&self, answer: ServerResult, target: &Callee) -> ToolResult {
        match answer {
            ServerResult::CallToolResult(result) => self.output(result, target),
            ServerResult::CustomResult(other) => {
                let result = content::with_unknown_parts(other.0).map_err(|problem| self.unreadable(&problem))?;
                self.output(result, target)
            }
            ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => {
                self.output(CallToolResult::default(), target)
            }
            ServerResult::CreateTaskResult(_) => {
                Err(self.error("answers with a task, which this client did not ask for"))
            }
            _ => Err(self.unreadable("it is not the result of a call")),
        }
    }

    /// Returns the result of a call. Its `_meta` never makes it an error, because the call has had its effect.
    fn output(&self, mut result: CallToolResult, target: &Callee) -> ToolResult {
        let meta = result.meta.take().filter(|_| target.passes_meta);
        let output = content::output(result, &target.output, &self.redactor)?;
        let meta = meta.and_then(|meta| content::redacted(&meta.0.into(), &self.redactor).ok());
        match meta.as_ref().and_then(Value::as_object).and_then(passed_on::meta) {
            Some(meta) => output.with_meta(meta),
            None => Ok(output),
        }
    }

    /// Sends a request, and waits for the answer. If the call stops, the request is cancelled at the server.
    async fn send(
        &self,
        live: &Live,
        params: CallToolRequestParams,
        reports: &mpsc::Sender<ProgressNotificationParam>,
        stop: Pin<&mut impl Future<Output = Stop>>,
    ) -> Result<Result<ServerResult, ServiceError>, Stop> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = live.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        let mut request = match sent {
            Ok(request) => request,
            Err(error) => return Ok(Err(error)),
        };
        let _progress = live.client.progress.subscribe(request.progress_token.clone(), reports.clone());
        tokio::select! {
            biased;
            answer = &mut request.rx => Ok(answer.unwrap_or(Err(ServiceError::TransportClosed))),
            stop = stop => {
                let reason = match stop {
                    Stop::Dropped => "the caller no longer waits",
                    Stop::TimedOut => "the time limit of the call is over",
                };
                let _ = request.cancel(Some(reason.to_owned())).await;
                Err(stop)
            }
        }
    }

    /// Does what the server requires before it runs the call: asks the person to open an address or to log in, or connects with another
    /// version of the protocol. Returns whether it is done, so that the call can be repeated. The server has not run the call.
    async fn remove_obstacle(
        &self,
        live: &Live,
        error: &ServiceError,
        logins: u32,
        tries: &mut Tries,
    ) -> Result<bool, ToolError> {
        if let ServiceError::McpError(refused) = error
            && refused.code == ErrorCode(failure::ADDRESS_REQUIRED)
            && self.questioner.can_ask()
            && tries.addresses()
        {
            let addresses = addresses(refused.data.as_ref());
            for address in &addresses {
                let answer = self.questioner.elicit(address).await;
                if !answer.is_ok_and(|answer| answer.action == ElicitationAction::Accept) {
                    return Ok(false);
                }
            }
            return Ok(!addresses.is_empty());
        }
        if let Some(version) = failure::supported_instead(error)
            && tries.versions()
        {
            self.set_version(version);
            live.end.notify_one();
            // The supervisor connects again.
            while !live.peer.is_transport_closed() {
                tokio::time::sleep(CLOSING).await;
            }
            return Ok(true);
        }
        let (Some(challenge), Some(session)) = (error.auth_challenge(), &live.oauth) else { return Ok(false) };
        if !self.questioner.can_ask() || !tries.logins() {
            return Ok(false);
        }
        let login = session.log_in_again(challenge, logins, &self.questioner).await;
        login.map(|()| true).map_err(|problem| self.error(&format!("requires a login: {problem}")))
    }

    /// Returns the version of the protocol to connect with, if the server has named one.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.version.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_version(&self, version: ProtocolVersion) {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
    }

    /// Waits until the call should stop.
    async fn stop(&self, dropped: oneshot::Receiver<()>) -> Stop {
        tokio::select! {
            _ = dropped => Stop::Dropped,
            () = self.questioner.worked(self.timeout) => Stop::TimedOut,
        }
    }

    fn stopped(&self, stop: Stop) -> ToolError {
        match stop {
            Stop::Dropped => ToolError::with_kind(ErrorKind::Cancelled, "the call was cancelled"),
            Stop::TimedOut => {
                let (server, seconds) = (&self.server, self.timeout.as_secs_f32());
                let text =
                    format!("the MCP server `{server}` did not answer within {seconds} s, and the call was cancelled");
                ToolError::with_kind(ErrorKind::Timeout, text)
            }
        }
    }

    /// Returns the error for a call that the server has got. A message that answers no request may be the answer that is missing.
    fn stopped_after(&self, stop: Stop, live: &Live, begun: Instant) -> ToolError {
        let error = self.stopped(stop);
        match (stop, live.inbox.stray_since(begun)) {
            (Stop::TimedOut, Some(stray)) => {
                let stray = failure::display_text(&stray, &self.redactor);
                let stray = beginning(&stray, SHOWN_STRAY);
                let text = format!("{}; meanwhile, it sent something else: {stray}", error.message());
                ToolError::with_kind(ErrorKind::Timeout, text)
            }
            _ => error,
        }
    }

    /// Waits until the server is connected.
    pub(crate) async fn live(&self) -> Result<Arc<Live>, ToolError> {
        let mut status = self.status.clone();
        loop {
            match &*status.borrow_and_update() {
                Status::Connected(live) if !live.peer.is_transport_closed() => return Ok(Arc::clone(live)),
                Status::Unusable(reason) => return Err(self.error(&format!("cannot be used: {reason}"))),
                // The connection has ended. The supervisor notices it soon.
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
            ServiceError::McpError(answer) if answer.code == UNREADABLE => self.unreadable(&answer.message),
            ServiceError::McpError(refused) => {
                let reason = failure::error_reason(refused);
                let text = format!("the MCP server `{}` refused the call: {reason}", self.server);
                let kind = match refused.code {
                    ErrorCode::INVALID_PARAMS => ErrorKind::InvalidArguments,
                    _ => ErrorKind::Failed,
                };
                ToolError::with_kind(kind, content::error(&text, &self.redactor).message())
            }
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                self.error("ended during the call, which may have had an effect: check before you repeat it")
            }
            error if error.auth_challenge().is_some() => {
                let login = format!("run `toolc mcp login {}`", self.server);
                match scopes_of(error.auth_challenge().unwrap_or_default()) {
                    Some(scopes) => {
                        self.error(&format!("refuses the call: it requires further rights ({scopes}): {login}"))
                    }
                    None => self.error(&format!("requires a login: {login}")),
                }
            }
            error => match failure::unreadable(error) {
                Some(problem) => self.unreadable(&problem),
                None => self.error(&format!("gave no result: {}", reason(error, &self.redactor))),
            },
        }
    }

    /// Returns the error for an answer that is not the result of a call.
    fn unreadable(&self, problem: &str) -> ToolError {
        let problem = failure::display_text(problem, &self.redactor);
        self.error(&format!("gave an answer that cannot be read: {problem}; the call may have had an effect"))
    }

    fn error(&self, what: &str) -> ToolError {
        ToolError::new(format!("the MCP server `{}` {what}", self.server))
    }
}

/// Returns whether the server has a version of the protocol that begins with a handshake.
fn has_sessions(live: &Live) -> bool {
    live.peer.peer_info().is_some_and(|info| info.protocol_version.has_initialize())
}

/// The rounds of a call whose results require input.
#[derive(Debug, Default)]
struct Rounds {
    all: u32,
    /// The number of consecutive rounds without a question: the server only wants to be called again.
    idle: u32,
}

impl Rounds {
    /// The maximum number.
    const MAX: u32 = 10;

    /// Begins a round. Without a question, waits before the call is repeated.
    async fn next(&mut self, required: &InputRequiredResult) -> Result<(), String> {
        self.all += 1;
        if self.all > Self::MAX {
            return Err(format!("requires input too often: at most {} rounds are answered", Self::MAX));
        }
        if required.input_requests.as_ref().is_some_and(|requests| !requests.is_empty()) {
            self.idle = 0;
            return Ok(());
        }
        self.idle += 1;
        tokio::time::sleep(Duration::from_millis(50 << self.idle.min(5))).await;
        Ok(())
    }
}

/// How often that was done which the server requires.
#[derive(Debug, Default)]
struct Tries {
    addresses: u32,
    logins: u32,
    versions: u32,
}

impl Tries {
    /// The maximum number of logins for a call: one for missing rights, and one if rights are still missing.
    const MAX_LOGINS: u32 = 2;

    fn addresses(&mut self) -> bool {
        self.addresses += 1;
        self.addresses == 1
    }

    fn versions(&mut self) -> bool {
        self.versions += 1;
        self.versions == 1
    }

    fn logins(&mut self) -> bool {
        self.logins += 1;
        self.logins <= Self::MAX_LOGINS
    }
}

/// Returns the addresses that an error of a server asks to open.
fn addresses(data: Option<&Value>) -> Vec<ElicitRequestParams> {
    /// The maximum number.
    const MAX: usize = 3;
    let elicitations = data.and_then(|data| data["elicitations"].as_array()).map(Vec::as_slice).unwrap_or_default();
    let read = |value: &Value| serde_json::from_value(value.clone()).ok();
    let is_address = |params: &ElicitRequestParams| matches!(params, ElicitRequestParams::UrlElicitationParams { .. });
    elicitations.iter().take(MAX).filter_map(read).filter(is_address).collect()
}
