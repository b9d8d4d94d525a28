//! A transport that looks after the beginning of a connection, and after what belongs to no request.
//!
//! A connection is opened with `server/discover`. A server that does not answer it in time is asked to `initialize` instead. If it was only
//! slow, it answers both, and the protocol library would take the late answer for the answer to the wrong request.
//!
//! The protocol library drops an answer without an id. Here, it [belongs](crate::nameless) to a request that is open.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::json;
use tokio::time::Instant;

use crate::message::{self, Inbox, PATIENCE};
use crate::nameless::{NamelessAnswer, NamelessAnswers};

/// The transport.
pub(crate) struct ProbeTransport<T> {
    inner: T,
    /// The request with which the connection was opened, until it is answered or given up.
    probe: Option<Probe>,
    given_up: Option<RequestId>,
    answered: LateAnswer,
    /// The requests that wait for an answer, without those that wait as long as the connection is open.
    open: Vec<RequestId>,
    nameless: NamelessAnswers,
    /// The greatest id of a request so far.
    last: Option<i64>,
    /// The request `initialize`, if it follows `server/discover`.
    second: Option<RequestId>,
    inbox: Inbox,
    /// Whether the version of the protocol has no requests of servers.
    is_stateless: bool,
    /// Whether the start waits as long as it takes for the answer to the first request.
    is_patient: bool,
}

/// The request `server/discover`, and the time until which it must be answered.
#[derive(Debug)]
struct Probe {
    id: RequestId,
    until: Option<Instant>,
}

/// Whether the request that was given up has been answered with success. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LateAnswer(Arc<AtomicBool>);

impl LateAnswer {
    pub(crate) fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<T> ProbeTransport<T> {
    /// Returns the transport. `is_patient` says that no other way to begin follows if `server/discover` is not answered.
    pub(crate) fn new(inner: T, inbox: Inbox, answered: LateAnswer, is_patient: bool) -> Self {
        let (probe, given_up, open, last, second) = (None, None, Vec::new(), None, None);
        let nameless = NamelessAnswers::default();
        Self { inner, probe, given_up, answered, open, nameless, last, second, inbox, is_stateless: false, is_patient }
    }

    /// Notes what a message to the server begins or ends.
    fn sends(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Request(request) => {
                let is_first = self.last.is_none();
                if let RequestId::Number(id) = request.id {
                    self.last = self.last.max(Some(id));
                }
                match request.request {
                    ClientRequest::DiscoverRequest(_) => {
                        let until = (!self.is_patient).then(|| Instant::now() + PATIENCE);
                        self.probe = Some(Probe { id: request.id.clone(), until });
                    }
                    ClientRequest::InitializeRequest(_) => {
                        self.given_up = self.probe.take().map(|probe| probe.id).or(self.given_up.take());
                        self.is_stateless = false;
                        self.second = (!is_first).then(|| request.id.clone());
                    }
                    // It waits for changes, as long as the connection is open.
                    ClientRequest::SubscriptionsListenRequest(_) => return,
                    _ => {}
                }
                self.open.push(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.close_request(id);
                }
            }
            _ => {}
        }
    }

    /// Some servers return the number of an id as a text.
    fn close_request(&mut self, id: &RequestId) {
        self.open.retain(|open| open.to_string() != id.to_string());
    }

    /// Returns whether a request has or had this id. A server that cannot read the id of a request may answer with another, such as -1.
    fn has_been_asked(&self, id: &RequestId) -> bool {
        let number = id.to_string().parse::<i64>();
        number.is_ok_and(|number| number >= 0 && self.last.is_some_and(|last| number <= last))
    }

    /// Returns a message, unless it is an answer that names no request.
    fn named(&mut self, message: RxJsonRpcMessage<RoleClient>) -> Option<RxJsonRpcMessage<RoleClient>> {
        let answer = match message {
            JsonRpcMessage::Error(error) if error.id.as_ref().is_none_or(|id| !self.has_been_asked(id)) => {
                NamelessAnswer::Error(error.error)
            }
            JsonRpcMessage::Response(response) if message::is_nameless(&response.id) => {
                NamelessAnswer::Result(Box::new(response.result))
            }
            other => return Some(other),
        };
        // Some servers refuse `server/discover` twice, the second time without its id.
        let may_repeat = self.second.as_ref().is_some_and(|second| self.open.contains(second));
        match self.nameless.add(answer, &self.open, may_repeat) {
            None => {}
            Some(NamelessAnswer::Error(error)) => {
                self.inbox.note_stray(&format!("an error belongs to no request: {}", error.message));
            }
            Some(NamelessAnswer::Result(result)) => {
                self.inbox.note_stray(&format!("a result belongs to no request: {}", json!(result)));
            }
        }
        None
    }

    /// Returns a message of the server as the protocol library gets it, if it does.
    fn received(&mut self, message: RxJsonRpcMessage<RoleClient>) -> Option<RxJsonRpcMessage<RoleClient>> {
        if let JsonRpcMessage::Request(request) = &message {
            if self.is_stateless {
                let method = serde_json::to_value(&request.request).unwrap_or_default();
                let method: String = method["method"].as_str().unwrap_or("?").chars().take(100).collect();
                self.inbox.note_stray(&format!(
                    "the server sent the request `{method}`, which its version of the protocol does not have"
                ));
                return None;
            }
            return Some(message);
        }
        let message = self.named(message)?;
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let Some(id) = id else { return Some(message) };
        if !self.open.iter().any(|open| open.to_string() == id.to_string()) {
            self.inbox.note_stray(&format!("an answer has the id `{id}`, which no open request has"));
        }
        self.close_request(&id);
        if self.given_up.as_ref().is_some_and(|given_up| given_up.to_string() == id.to_string()) {
            if let JsonRpcMessage::Response(response) = &message
                && matches!(response.result, ServerResult::DiscoverResult(_))
            {
                self.answered.0.store(true, Ordering::Relaxed);
            }
            return None;
        }
        self.probe = None;
        if let JsonRpcMessage::Response(response) = &message {
            match &response.result {
                ServerResult::DiscoverResult(_) => self.is_stateless = true,
                ServerResult::InitializeResult(result) => self.is_stateless = !result.protocol_version.has_initialize(),
                _ => {}
            }
        }
        Some(message)
    }
}

/// Waits until the time is over, or forever.
async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for ProbeTransport<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.sends(&message);
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(answer) = self.nameless.next(&mut self.open)
                && let Some(answer) = self.received(answer)
            {
                return Some(answer);
            }
            let until = self.probe.as_ref().and_then(|probe| probe.until);
            let message = tokio::select! {
                message = self.inner.receive() => message?,
                () = sleep_until(self.nameless.until()) => continue,
                () = sleep_until(until) => {
                    let Some(Probe { id, .. }) = self.probe.take() else { continue };
                    self.close_request(&id);
                    self.given_up = Some(id.clone());
                    self.inbox.note_silence();
                    let text = format!("no answer within {} s", PATIENCE.as_secs());
                    return Some(JsonRpcMessage::error(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None), Some(id)));
                }
            };
            if let Some(message) = self.received(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion, ServerJsonRpcMessage};
    use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _};
    use serde_json::Value;
    use tokio::sync::mpsc;

    use super::*;

    /// The time that the server needs to start: more than the protocol library gives to `server/discover`.
    const START: Duration = Duration::from_secs(12);

    /// A server that reads its requests only after it has started.
    struct SlowServer {
        requests: mpsc::UnboundedSender<TxJsonRpcMessage<RoleClient>>,
        answers: mpsc::UnboundedReceiver<ServerJsonRpcMessage>,
    }

    impl SlowServer {
        /// `answer` returns the answer to a method.
        fn start(answer: fn(&str) -> Value) -> Self {
            let (requests, mut received) = mpsc::unbounded_channel();
            let (sender, answers) = mpsc::unbounded_channel();
            tokio::spawn(async move {
                tokio::time::sleep(START).await;
                while let Some(message) = received.recv().await {
                    let message = json!(message);
                    let Some(id) = message.get("id") else { continue };
                    let mut answer = answer(message["method"].as_str().unwrap_or_default());
                    answer["jsonrpc"] = json!("2.0");
                    answer["id"] = id.clone();
                    let _ = sender.send(serde_json::from_value(answer).expect("it is an answer"));
                }
            });
            Self { requests, answers }
        }
    }

    impl Transport<RoleClient> for SlowServer {
        type Error = Infallible;

        fn send(
            &mut self,
            message: TxJsonRpcMessage<RoleClient>,
        ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            let _ = self.requests.send(message);
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
            self.answers.recv().await
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    struct Client;

    impl ClientHandler for Client {
        fn get_info(&self) -> ClientConfig {
            ClientConfig::new(ClientCapabilities::default(), Implementation::new("test", "1"))
        }
    }

    fn newest() -> ClientLifecycleMode {
        ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        }
    }

    fn older_server(method: &str) -> Value {
        let initialized = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": { "name": "s", "version": "1" } });
        match method {
            "initialize" => json!({ "result": initialized }),
            _ => json!({ "error": { "code": -32601, "message": "Method not found" } }),
        }
    }

    fn newer_server(method: &str) -> Value {
        let discovered = json!({
            "supportedVersions": ["2026-07-28"], "capabilities": {}, "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        });
        match method {
            "server/discover" => json!({ "result": discovered }),
            _ => json!({ "error": { "code": -32601, "message": "Method not found" } }),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_answers_the_first_request_too_late_is_connected() {
        let late = LateAnswer::default();
        let transport = ProbeTransport::new(SlowServer::start(older_server), Inbox::default(), late.clone(), false);
        let connected = Client.serve_with_lifecycle(transport, newest()).await;
        assert!(connected.is_ok(), "{:?}", connected.err());
        assert!(!late.is_there());
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_answer_of_a_server_of_the_newer_era_is_noticed() {
        let late = LateAnswer::default();
        let transport = ProbeTransport::new(SlowServer::start(newer_server), Inbox::default(), late.clone(), false);
        assert!(Client.serve_with_lifecycle(transport, newest()).await.is_err(), "it does not know `initialize`");
        assert!(late.is_there());
    }
}
