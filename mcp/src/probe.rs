//! A transport that ignores late answers to an abandoned request.
//!
//! A connection is opened with `server/discover`. A server that does not answer it in time is asked to `initialize` instead. If it was only
//! slow, it answers both, and the protocol library would take the late answer for the answer to the wrong request.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// The transport.
pub(crate) struct ProbeTransport<T> {
    inner: T,
    /// The request with which the connection was opened, until it is given up.
    probe: Option<RequestId>,
    given_up: Option<RequestId>,
    answered: LateAnswer,
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
    pub(crate) fn new(inner: T, answered: LateAnswer) -> Self {
        Self { inner, probe: None, given_up: None, answered }
    }

    /// Returns whether a message answers the request that was given up.
    fn is_late(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let (Some(id), Some(given_up)) = (id, &self.given_up) else { return false };
        // Some servers return the number as a text.
        id == given_up || id.to_string() == given_up.to_string()
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
        if let JsonRpcMessage::Request(request) = &message {
            match request.request {
                ClientRequest::DiscoverRequest(_) => self.probe = Some(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.given_up = self.probe.take(),
                _ => {}
            }
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.inner.receive().await?;
            if !self.is_late(&message) {
                return Some(message);
            }
            if let JsonRpcMessage::Response(response) = &message
                && matches!(response.result, ServerResult::DiscoverResult(_))
            {
                self.answered.0.store(true, Ordering::Relaxed);
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
    use serde_json::{Value, json};
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
        let transport = ProbeTransport::new(SlowServer::start(older_server), late.clone());
        let connected = Client.serve_with_lifecycle(transport, newest()).await;
        assert!(connected.is_ok(), "{:?}", connected.err());
        assert!(!late.is_there());
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_answer_of_a_server_of_the_newer_era_is_noticed() {
        let late = LateAnswer::default();
        let transport = ProbeTransport::new(SlowServer::start(newer_server), late.clone());
        assert!(Client.serve_with_lifecycle(transport, newest()).await.is_err(), "it does not know `initialize`");
        assert!(late.is_there());
    }
}
