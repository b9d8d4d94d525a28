//! Calls that wait for an answer between two requests, in the stateless protocol. The name under which a call waits is the
//! `requestState` of the protocol: random, and valid once, for a limited time, and only for the same call of the same principal.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::calls::RunningCall;
use super::principal::Principal;
use super::random::random_token;

/// The number of calls that wait, of all principals and of one.
const MAX_PARKED: usize = 256;
const MAX_OF_ONE: usize = 64;
/// The time for which a call waits. The time limits of approvals and of tools are shorter by default.
const MAX_AGE: Duration = Duration::from_mins(10);

/// The calls that wait.
#[derive(Debug, Default)]
pub(super) struct ParkedCalls(Mutex<HashMap<String, ParkedCall>>);

#[derive(Debug)]
struct ParkedCall {
    principal: Principal,
    call: RunningCall,
    since: Instant,
}

impl ParkedCalls {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, ParkedCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a call, and returns the name under which it waits.
    ///
    /// # Errors
    /// Returns the call if too many wait, or there is no name.
    pub(super) fn park(&self, principal: &Principal, call: RunningCall) -> Result<String, Box<RunningCall>> {
        let Ok(state) = random_token() else { return Err(Box::new(call)) };
        let mut parked = self.lock();
        parked.retain(|_, parked| parked.since.elapsed() < MAX_AGE);
        let of_one = parked.values().filter(|parked| parked.principal == *principal).count();
        if parked.len() >= MAX_PARKED || of_one >= MAX_OF_ONE {
            return Err(Box::new(call));
        }
        parked.insert(state.clone(), ParkedCall { principal: principal.clone(), call, since: Instant::now() });
        Ok(state)
    }

    /// Cancels all calls.
    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    /// Takes the call that waits under a name, if it is the same call of the same principal.
    pub(super) fn take(
        &self,
        state: &str,
        principal: &Principal,
        tool: &str,
        arguments: &serde_json::Value,
    ) -> Option<RunningCall> {
        let mut parked = self.lock();
        parked.retain(|_, parked| parked.since.elapsed() < MAX_AGE);
        let is_same = |parked: &&ParkedCall| {
            parked.principal == *principal && parked.call.tool == tool && parked.call.arguments == *arguments
        };
        parked.get(state).filter(is_same)?;
        parked.remove(state).map(|parked| parked.call)
    }
}
