//! Calls in the background: the model continues while they run, and gets their results later, with the same ids.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::call::completed::CompletedCall;
use crate::call::response::CallResponse;
use crate::call::{OwnedToolCall, ToolCall};
use crate::result::error::{ErrorKind, ToolError};
use crate::run::block_on::block_on;
use crate::run::start_thread;
use crate::session::turn::Turn;

/// The maximum number of calls of a process that run in the background. Each has its own thread.
const MAX_CALLS: usize = 64;

/// The number of calls in the background that run now.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// A call that runs in the background: see [`Turn::call_in_background`]. It is a future of its response.
///
/// Dropping it does not stop the call. To stop the call, cancel its task, its session or its own [handle](crate::ToolCall::with_cancel), as
/// for any other call.
#[must_use = "the model waits for the result of every call"]
pub struct BackgroundCall {
    call: OwnedToolCall,
    state: Arc<Mutex<BackgroundState>>,
}

enum BackgroundState {
    /// With the waker of the future.
    Running(Option<Waker>),
    Done(CallResponse),
    /// The response was taken.
    Taken,
}

impl Turn {
    /// Returns whether a call should run in the background: its tool declares `background`, and the model continues without the result
    /// ([`is_async`](crate::origin::CallOrigin::is_async)).
    pub fn is_background(&self, request: &ToolCall<'_>) -> bool {
        let declares = |id| self.state().tool(id).behaviour.background;
        request.origin().is_async && self.resolve_name(request.name()).is_some_and(declares)
    }

    /// Starts a call in the background, and returns immediately. In all other respects, it is like [`call`](Self::call). The call runs on
    /// its own thread. With the feature `tokio`, it runs within the process's Tokio runtime.
    ///
    /// Continue the conversation without an answer to the call. When it is [done](BackgroundCall::is_done), append the result of the
    /// [completed call](BackgroundCall::completed): the vendor matches it to the call by the id.
    ///
    /// At most 64 calls of a process run in the background. A further call ends with an error at once.
    pub fn call_in_background(&self, request: &ToolCall<'_>) -> BackgroundCall {
        let call = request.to_owned_call();
        let state = Arc::new(Mutex::new(BackgroundState::Running(None)));
        let running = RunningCall { state: Arc::clone(&state) };
        if RUNNING.fetch_add(1, Ordering::SeqCst) >= MAX_CALLS {
            let error =
                ToolError::new(format!("{MAX_CALLS} calls already run in the background: wait for one of them"));
            running.end(CallResponse::from(Err(error)));
            return BackgroundCall { call, state };
        }
        let (turn, owned) = (self.clone(), call.clone());
        let work = Box::new(move || {
            let response = block_on(turn.call(&owned.borrow()));
            running.end(response);
        });
        // If no thread can be started, dropping `running` ends the call.
        let _ = start_thread("toolc-background", work);
        BackgroundCall { call, state }
    }
}

impl BackgroundCall {
    /// Returns the call.
    pub fn call(&self) -> ToolCall<'_> {
        self.call.borrow()
    }

    /// Returns whether the call has ended.
    pub fn is_done(&self) -> bool {
        !matches!(*lock(&self.state), BackgroundState::Running(_))
    }

    /// Returns the call with its response, to write its [result](crate::wire::Api::results). Returns `None` if the call still runs, or if
    /// the response was already returned.
    pub fn completed(&self) -> Option<CompletedCall<'_>> {
        let response = take(&mut lock(&self.state))?;
        Some(CompletedCall { call: self.call(), response })
    }
}

/// Takes the response out of a state that has one.
fn take(state: &mut BackgroundState) -> Option<CallResponse> {
    match std::mem::replace(state, BackgroundState::Taken) {
        BackgroundState::Done(response) => Some(response),
        other => {
            *state = other;
            None
        }
    }
}

impl Future for BackgroundCall {
    type Output = CallResponse;

    /// # Panics
    /// If the response was returned before.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CallResponse> {
        let mut state = lock(&self.state);
        match &mut *state {
            BackgroundState::Running(waker) => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
            done => Poll::Ready(take(done).expect("the response of a call was returned before")),
        }
    }
}

impl fmt::Debug for BackgroundCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = self.call();
        f.debug_struct("BackgroundCall")
            .field("name", &call.name())
            .field("id", &call.id())
            .field("is_done", &self.is_done())
            .finish_non_exhaustive()
    }
}

fn lock(state: &Mutex<BackgroundState>) -> MutexGuard<'_, BackgroundState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call that ends in any case: dropping it ends the call with an error.
struct RunningCall {
    state: Arc<Mutex<BackgroundState>>,
}

impl RunningCall {
    fn end(self, response: CallResponse) {
        self.finish(response);
    }

    fn finish(&self, response: CallResponse) {
        let mut state = lock(&self.state);
        if let BackgroundState::Running(waker) = &mut *state {
            let waker = waker.take();
            *state = BackgroundState::Done(response);
            drop(state);
            RUNNING.fetch_sub(1, Ordering::SeqCst);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let error = ToolError::with_kind(ErrorKind::Panicked, "the call ended unexpectedly");
        self.finish(CallResponse::from(Err(error)));
    }
}

#[cfg(test)]
mod tests;
