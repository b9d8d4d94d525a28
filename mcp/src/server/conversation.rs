//! The state between requests: a session of tools, with its state, its approvals and its stored results.

use std::sync::Arc;

use toolc::limits::SpillStore;
use toolc::{Dialect, Session, SessionBuilder, Task, Turn};

use super::calls::{Calls, ClientApprover, QuestionText};
use super::principal::Principal;
use super::random::random_token;
use super::stored::StoredResults;
use crate::error::{ErrorKind, McpError};

/// Why the host could not make a session.
pub(super) type Failure = Box<dyn std::error::Error + Send + Sync>;
/// Returns the store of the session with the given id.
type StoreOfSession = Box<dyn Fn(&str) -> Arc<dyn SpillStore> + Send + Sync>;

/// Makes the sessions of a server. All are alike, so that the list of tools does not depend on the connection.
pub(super) struct Sessions {
    pub(super) new: Box<dyn Fn() -> Result<SessionBuilder, Failure> + Send + Sync>,
    /// Returns where the long results of a session are stored, by the session's id.
    pub(super) store: Option<StoreOfSession>,
    /// Writes the question about a call that needs approval. Without it, the approver of the session builder decides.
    pub(super) question: Option<QuestionText>,
}

/// A session of tools, and its owner.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) principal: Principal,
    pub(super) session: Arc<Session>,
    pub(super) task: Arc<Task>,
    pub(super) calls: Arc<Calls>,
    pub(super) stored: StoredResults,
}

impl Sessions {
    /// Begins a conversation. `has_session` says whether the connection has an MCP session, for which a
    /// call can be approved.
    ///
    /// # Errors
    /// Returns an error if the session is invalid, for example because of an unknown toolset.
    pub(super) fn begin(&self, principal: Principal, has_session: bool) -> Result<Conversation, McpError> {
        // The name is random: tasks with equal names would share state, and sessions with equal ids would share stored results, even
        // with earlier processes.
        let name = format!("mcp-{}", &random_token()?[..16]);
        let (calls, store) = (Arc::new(Calls::default()), self.store.as_ref().map(|store| store(&name)));
        let stored = StoredResults::new(store);
        let failed = |error: Failure| McpError::new(ErrorKind::System, error.to_string()).caused_by(error);
        let mut builder = (self.new)().map_err(failed)?.id(name.clone());
        if let Some(text) = &self.question {
            let (calls, text) = (Arc::clone(&calls), Arc::clone(text));
            builder = builder.approver(Arc::new(ClientApprover { calls, text, has_session }));
        }
        if self.store.is_some() {
            builder = builder.spill_store(Arc::new(stored.clone())).link_spilled();
        }
        let reports = Arc::clone(&calls);
        let session = builder.on_progress(move |report| reports.progress(report)).build();
        let session = Arc::new(session.map_err(|error| failed(error.into()))?);
        Ok(Conversation { principal, session, task: Arc::new(Task::new(name)), calls, stored })
    }
}

impl Conversation {
    /// Returns the current turn.
    pub(super) async fn turn(&self) -> Turn {
        self.session.turn(Dialect::Mcp).await
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // This also ends what calls left running, such as commands.
        self.session.cancel();
        self.task.end();
    }
}
