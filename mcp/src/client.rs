//! What this client answers to a server on its own: nothing but pings. It notes progress, and that the list of tools has changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::NotificationContext;
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::{Notify, mpsc};

/// The maximum number of reports that wait for a call.
pub(crate) const MAX_REPORTS: usize = 16;

/// The reports of running calls, by their tokens. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress(Arc<Mutex<HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>>>);

/// Receives the reports of a call until it is dropped.
pub(crate) struct ProgressGuard {
    progress: Progress,
    token: ProgressToken,
}

/// The client's side of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Client {
    pub(crate) progress: Progress,
    /// Notified when the server says that its tools have changed.
    pub(crate) tools_changed: Arc<Notify>,
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

impl ClientHandler for Client {
    async fn on_progress(&self, report: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        if let Some(call) = self.progress.lock().get(&report.progress_token) {
            // A call that is busy misses a report rather than delaying the server's other messages.
            let _ = call.try_send(report);
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let itself = Implementation::new("toolc", env!("CARGO_PKG_VERSION"));
        // The version of the older handshake. The newer era has a list of versions instead.
        ClientConfig::new(ClientCapabilities::default(), itself)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}
