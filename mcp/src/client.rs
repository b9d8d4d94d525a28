//! Handles the messages of a server: answers pings, passes questions on to the person or the model, and records progress and changes
//! of the list of tools.

// Protocol versions since 2026-07-28 have no sampling, so its types are marked as deprecated.
#![expect(deprecated, reason = "servers with older protocol versions use it")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, SamplingCapability, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::{Notify, mpsc};

use crate::ask::{Questioner, answer_sampling};

/// The maximum number of progress reports that a call has not read yet.
pub(crate) const MAX_REPORTS: usize = 16;

/// The reports of running calls, by their tokens. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress(Arc<Mutex<HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>>>);

/// Keeps the subscription to the progress reports of a call. Dropping it ends the subscription.
pub(crate) struct ProgressGuard {
    progress: Progress,
    token: ProgressToken,
}

/// The client's side of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) questioner: Arc<Questioner>,
    pub(crate) progress: Progress,
    /// Notified when the server says that its tools have changed.
    pub(crate) tools_changed: Arc<Notify>,
    /// Notified when the server says that its resources have changed, which include its skills.
    pub(crate) resources_changed: Arc<Notify>,
    /// The version for the handshake of the protocol with sessions. The stateless protocol has a list of versions instead.
    pub(crate) version: ProtocolVersion,
}

impl Progress {
    /// Sends the reports with this token to `reports`.
    pub(crate) fn subscribe(
        &self,
        token: ProgressToken,
        reports: mpsc::Sender<ProgressNotificationParam>,
    ) -> ProgressGuard {
        self.lock().insert(token.clone(), reports);
        ProgressGuard { progress: self.clone(), token }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ProgressGuard {
    fn drop(&mut self) {
        self.progress.lock().remove(&self.token);
    }
}

impl Client {
    pub(crate) fn new(questioner: Arc<Questioner>) -> Self {
        let version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        let (tools_changed, resources_changed) = (Arc::default(), Arc::default());
        Self { questioner, progress: Progress::default(), tools_changed, resources_changed, version }
    }
}

impl ClientHandler for Client {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            answer = self.questioner.elicit(&request) => answer,
            // The server has withdrawn it.
            () = context.ct.cancelled() => Ok(ElicitResult::new(rmcp::model::ElicitationAction::Cancel)),
        }
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        tokio::select! {
            answer = answer_sampling(&self.questioner, &request) => answer,
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the server has withdrawn the request", None)),
        }
    }

    async fn on_progress(&self, report: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        if let Some(call) = self.progress.lock().get(&report.progress_token) {
            // A busy call misses a report, so that the server's other messages are not delayed.
            let _ = call.try_send(report);
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.resources_changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let itself = Implementation::new("toolc", env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        if self.questioner.can_ask() {
            let elicitation = ElicitationCapability::new();
            let elicitation = elicitation.with_form(FormElicitationCapability::new());
            capabilities.elicitation = Some(elicitation.with_url(UrlElicitationCapability::new()));
        }
        capabilities.sampling = self.questioner.sampler.as_ref().map(|_| SamplingCapability::default());
        ClientConfig::new(capabilities, itself).with_protocol_version(self.version.clone())
    }
}
