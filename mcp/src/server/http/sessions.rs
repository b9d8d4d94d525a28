//! The owners of the protocol's sessions: a session can be used only with the token with which it was begun.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::HeaderValue;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use crate::server::principal::Principal;

/// The maximum number of sessions of all principals together.
const MAX_SESSIONS: usize = 1_024;
/// The maximum number of sessions of one principal.
const MAX_OF_PRINCIPAL: usize = 512;

/// The owners of sessions.
pub(super) struct SessionOwners {
    manager: Arc<LocalSessionManager>,
    owners: Mutex<Owners>,
    open: OpenRequests,
}

/// The unanswered requests of all sessions. If two requests of a session had the same id, one would never be answered.
type OpenRequests = Arc<Mutex<HashSet<(String, RequestId)>>>;

/// A request of a session, until it is answered.
#[derive(Debug)]
pub(super) struct OpenRequest {
    open: OpenRequests,
    request: (String, RequestId),
}

#[derive(Default)]
struct Owners {
    sessions: HashMap<String, Principal>,
    /// The owners of sessions that are being created, one for each session.
    reserved: Vec<Principal>,
}

/// Room for a session that is being made.
pub(super) struct Reserved<'o> {
    owners: &'o SessionOwners,
    principal: Principal,
}

impl SessionOwners {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        Self { manager, owners: Mutex::default(), open: OpenRequests::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Owners> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a session is one of this principal.
    pub(super) fn is_of(&self, id: &HeaderValue, principal: &Principal) -> bool {
        id.to_str().is_ok_and(|id| self.lock().sessions.get(id) == Some(principal))
    }

    /// Records that a session has ended.
    pub(super) fn end(&self, id: &HeaderValue) {
        if let Ok(id) = id.to_str() {
            self.lock().sessions.remove(id);
        }
    }

    /// Records a request of a session, or returns `None` if its id is in use.
    pub(super) fn open(&self, session: &HeaderValue, id: &RequestId) -> Option<OpenRequest> {
        let request = (session.to_str().ok()?.to_owned(), id.clone());
        let is_new = self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(request.clone());
        is_new.then(|| OpenRequest { open: Arc::clone(&self.open), request })
    }

    /// Returns room for a session, or `None` if there are too many.
    pub(super) async fn reserve(&self, principal: &Principal) -> Option<Reserved<'_>> {
        let alive: Vec<String> = self.manager.sessions.read().await.keys().map(ToString::to_string).collect();
        let mut owners = self.lock();
        owners.sessions.retain(|id, _| alive.contains(id));
        let all = || owners.sessions.values().chain(&owners.reserved);
        if all().count() >= MAX_SESSIONS || all().filter(|owner| *owner == principal).count() >= MAX_OF_PRINCIPAL {
            return None;
        }
        owners.reserved.push(principal.clone());
        Some(Reserved { owners: self, principal: principal.clone() })
    }
}

impl Reserved<'_> {
    /// Records the session that was made.
    pub(super) fn begin(self, id: &HeaderValue) {
        if let Ok(id) = id.to_str() {
            self.owners.lock().sessions.insert(id.to_owned(), self.principal.clone());
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.request);
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut owners = self.owners.lock();
        if let Some(at) = owners.reserved.iter().position(|principal| *principal == self.principal) {
            owners.reserved.swap_remove(at);
        }
    }
}
