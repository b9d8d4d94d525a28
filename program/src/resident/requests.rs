//! The requests to a process that stays running, and when it must end.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::protocol::ProgramReply;

/// The interval at which `should_stop` is called.
const POLL: Duration = Duration::from_millis(10);
/// The time in which a program must answer a request that was cancelled.
const CANCELLED: Duration = Duration::from_secs(5);

/// Why a request has no reply.
#[derive(Debug)]
pub(super) enum Ended {
    /// The process has ended before it could get the request.
    BeforeRequest,
    /// The process has ended, for this reason, and may have got the request.
    DuringRequest(String),
    /// The request cannot be sent for this reason. The process runs on.
    Refused(String),
    /// `should_stop` has returned true.
    Stopped,
}

/// The requests to a process.
#[derive(Debug)]
pub(super) struct Requests {
    state: Mutex<RequestState>,
    changed: Condvar,
}

#[derive(Debug)]
struct RequestState {
    next: u64,
    open: HashMap<u64, OpenRequest>,
    /// When the last request was sent or answered.
    last_used: Instant,
    /// Whether the process is ended when no request is open.
    is_retired: bool,
    /// Why the process gets no more requests.
    end: Option<String>,
}

/// A request that the program has not answered, or whose reply nothing has taken yet.
#[derive(Debug)]
enum OpenRequest {
    Sent,
    Answered(ProgramReply),
    /// The program must answer until then.
    Cancelled(Instant),
}

impl Requests {
    pub(super) fn new() -> Self {
        let state =
            RequestState { next: 1, open: HashMap::new(), last_used: Instant::now(), is_retired: false, end: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns the id of a new request, or `None` if the process takes no more.
    pub(super) fn open(&self) -> Option<u64> {
        let mut state = self.state();
        if state.end.is_some() {
            return None;
        }
        let id = state.next;
        state.next += 1;
        state.open.insert(id, OpenRequest::Sent);
        state.last_used = Instant::now();
        Some(id)
    }

    /// Removes a request that was not sent.
    pub(super) fn forget(&self, id: u64) {
        self.state().open.remove(&id);
        self.changed.notify_all();
    }

    /// Waits for the reply to a request.
    pub(super) fn wait(&self, id: u64, should_stop: &dyn Fn() -> bool) -> Result<ProgramReply, Ended> {
        loop {
            let mut state = self.state();
            if let Some(OpenRequest::Answered(_)) = state.open.get(&id)
                && let Some(OpenRequest::Answered(reply)) = state.open.remove(&id)
            {
                drop(state);
                self.changed.notify_all();
                return Ok(reply);
            }
            if let Some(why) = &state.end {
                return Err(Ended::DuringRequest(why.clone()));
            }
            drop(self.changed.wait_timeout(state, POLL).unwrap_or_else(PoisonError::into_inner));
            if should_stop() {
                let mut state = self.state();
                // If the reply has arrived in the meantime, it counts.
                if let Some(open @ OpenRequest::Sent) = state.open.get_mut(&id) {
                    *open = OpenRequest::Cancelled(Instant::now() + CANCELLED);
                    drop(state);
                    self.changed.notify_all();
                    return Err(Ended::Stopped);
                }
            }
        }
    }

    /// Adds the reply to a request. The error says why there is no such request.
    pub(super) fn answer(&self, id: u64, reply: ProgramReply) -> Result<(), String> {
        let mut state = self.state();
        match state.open.get_mut(&id) {
            Some(open @ OpenRequest::Sent) => *open = OpenRequest::Answered(reply),
            Some(OpenRequest::Cancelled(_)) => drop(state.open.remove(&id)),
            Some(OpenRequest::Answered(_)) | None => {
                return Err(format!("it replied to the request {id}, which is not open"));
            }
        }
        state.last_used = Instant::now();
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Ends the process for this reason, unless it ends already for another one.
    pub(super) fn end(&self, why: String) {
        self.state().end.get_or_insert(why);
        self.changed.notify_all();
    }

    /// Waits until the process must be ended, or has ended.
    pub(super) fn wait_for_end(&self, idle: Duration) {
        let mut state = self.state();
        while state.end.is_none() {
            let now = Instant::now();
            let cancelled = state.open.values().filter_map(|open| match open {
                OpenRequest::Cancelled(until) => Some(*until),
                _ => None,
            });
            let first = cancelled.min();
            let is_idle = state.open.is_empty();
            if first.is_some_and(|until| until <= now) {
                state.end = Some(format!("it did not answer a cancelled request within {CANCELLED:?}"));
            } else if is_idle && (state.is_retired || now.duration_since(state.last_used) >= idle) {
                state.end = Some("it was not needed any more".to_owned());
            } else {
                let deadline = if is_idle { state.last_used.checked_add(idle) } else { first };
                let wait = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(now));
                state = match wait {
                    Duration::MAX => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                    wait => self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0,
                };
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Ends the process as soon as no request is open.
    pub(super) fn retire(&self) {
        self.state().is_retired = true;
        self.changed.notify_all();
    }

    /// Returns whether the process takes no more requests.
    pub(super) fn has_ended(&self) -> bool {
        let state = self.state();
        state.end.is_some() || state.is_retired
    }

    /// Returns since when no request is open, or `None` if one is.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        state.open.is_empty().then_some(state.last_used)
    }

    fn state(&self) -> MutexGuard<'_, RequestState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
