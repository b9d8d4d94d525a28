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
const MAX_SESSIONS_PER_PRINCIPAL: usize = 512;

/// The owners of sessions.
pub(super) struct SessionOwners {
    manager: Arc<LocalSessionManager>,
    owners: Mutex<Owners>,
    open_requests: OpenRequests,
}

/// The unanswered requests of all sessions. If two requests of a session had the same id, one would never be answered.
type OpenRequests = Arc<Mutex<HashSet<(String, RequestId)>>>;

/// A request of a session, until it is answered.
#[derive(Debug)]
pub(super) struct OpenRequest {
    open_requests: OpenRequests,
    request: (String, RequestId),
}

#[derive(Default)]
struct Owners {
    sessions: HashMap<String, Principal>,
    /// The owners of sessions that are being created, one for each session.
    reserved: Vec<Principal>,
}

/// The reservation of a place for a session that is being created.
pub(super) struct Reservation<'o> {
    owners: &'o SessionOwners,
    principal: Principal,
}

impl SessionOwners {
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        Self { manager, owners: Mutex::default(), open_requests: OpenRequests::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Owners> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a session belongs to this principal.
    pub(super) fn is_owned_by(&self, id: &HeaderValue, principal: &Principal) -> bool {
        id.to_str().is_ok_and(|id| self.lock().sessions.get(id) == Some(principal))
    }

    /// Records that a session has ended.
    pub(super) fn end(&self, id: &HeaderValue) {
        if let Ok(id) = id.to_str() {
            self.lock().sessions.remove(id);
        }
    }

    /// Records a request of a session, or returns `None` if its id is in use.
    pub(super) fn begin_request(&self, session: &HeaderValue, id: &RequestId) -> Option<OpenRequest> {
        let request = (session.to_str().ok()?.to_owned(), id.clone());
        let is_new = self.open_requests.lock().unwrap_or_else(PoisonError::into_inner).insert(request.clone());
        is_new.then(|| OpenRequest { open_requests: Arc::clone(&self.open_requests), request })
    }

    /// Reserves a place for a session. Returns `None` if there are too many.
    pub(super) async fn reserve(&self, principal: &Principal) -> Option<Reservation<'_>> {
        let alive: Vec<String> = self.manager.sessions.read().await.keys().map(ToString::to_string).collect();
        let mut owners = self.lock();
        owners.sessions.retain(|id, _| alive.contains(id));
        let all = || owners.sessions.values().chain(&owners.reserved);
        if all().count() >= MAX_SESSIONS
            || all().filter(|owner| *owner == principal).count() >= MAX_SESSIONS_PER_PRINCIPAL
        {
            return None;
        }
        owners.reserved.push(principal.clone());
        Some(Reservation { owners: self, principal: principal.clone() })
    }
}

impl Reservation<'_> {
    /// Records the session that was created.
    pub(super) fn begin(self, id: &HeaderValue) {
        if let Ok(id) = id.to_str() {
            self.owners.lock().sessions.insert(id.to_owned(), self.principal.clone());
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.open_requests.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.request);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut owners = self.owners.lock();
        if let Some(at) = owners.reserved.iter().position(|principal| *principal == self.principal) {
            owners.reserved.swap_remove(at);
        }
    }
}
