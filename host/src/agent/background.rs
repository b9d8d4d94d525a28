//! Calls in the background: the model continues while they run. Each request contains the results of the calls that have ended since
//! the previous request.

use std::pin::Pin;

use toolc::background::BackgroundCall;
use toolc::cancel::CancelHandle;
use toolc::{CallResponse, CompletedCall, ErrorKind, ToolCall, ToolError, Turn};

use super::conversation::Entry;
use super::event::AgentEvent;
use super::turn::{INTERRUPTED, TurnInterrupted};
use super::{Agent, Interrupts};

/// The background calls of a conversation: running calls, and ended calls whose results were not yet sent to the model.
#[derive(Default)]
pub(super) struct Background {
    calls: Vec<RunningCall>,
    /// Cancels all calls.
    cancel: CancelHandle,
}

struct RunningCall {
    call: BackgroundCall,
    /// The response, if the call has ended.
    response: Option<CallResponse>,
}

impl RunningCall {
    /// Returns whether the call has ended. If so, `response` has its response.
    fn has_ended(&mut self) -> bool {
        if self.response.is_none() {
            self.response = self.call.completed().map(|completed| completed.response);
        }
        self.response.is_some()
    }
}

impl Background {
    /// Starts a call in the background.
    pub(super) fn start(&mut self, turn: &Turn, call: &ToolCall<'_>) {
        let call = turn.call_in_background(&call.with_cancel(&self.cancel));
        self.calls.push(RunningCall { call, response: None });
    }

    /// Returns whether the model has got the results of all calls.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Cancels all calls. Those that start later are not affected.
    pub(super) fn cancel(&mut self) {
        std::mem::take(&mut self.cancel).cancel();
    }

    /// Returns the name and the arguments, as one text, of each call whose result was not yet sent to the model.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        self.calls.iter().map(|running| {
            let call = running.call.call();
            format!("{} {}", call.name(), call.arguments())
        })
    }

    /// Waits until all calls have ended.
    async fn wait_for_all(&mut self) {
        for running in &mut self.calls {
            if running.response.is_none() {
                running.response = Some(Pin::new(&mut running.call).await);
            }
        }
    }
}

impl Agent {
    /// Adds the results of the calls that have ended to the conversation.
    pub(super) fn add_background_results(&mut self) {
        let ended: Vec<RunningCall> = self.background.calls.extract_if(.., RunningCall::has_ended).collect();
        if !ended.is_empty() {
            self.add_call_results(&ended);
            self.record_state();
        }
    }

    /// Waits for all background calls, and adds their results. Returns whether there were any. The first Ctrl-C cancels the calls, and the
    /// second one ends the turn.
    pub(super) async fn collect_background_results(
        &mut self,
        interrupts: &mut Interrupts,
    ) -> Result<bool, TurnInterrupted> {
        if self.background.calls.is_empty() {
            return Ok(false);
        }
        let mut is_cancelled = false;
        loop {
            tokio::select! {
                biased;
                () = self.background.wait_for_all() => break,
                _ = interrupts.next_press() => {
                    self.background.cancel();
                    if is_cancelled {
                        return Err(TurnInterrupted);
                    }
                    is_cancelled = true;
                    let text = "the calls in the background are cancelled; press Ctrl-C again to end the turn";
                    self.emit(&AgentEvent::Notice { text });
                }
            }
        }
        self.add_background_results();
        Ok(true)
    }

    /// Cancels all background calls, and adds their results. A call that has not ended gets an error as its result.
    pub(super) fn end_background(&mut self) {
        self.background.cancel();
        let mut ended = std::mem::take(&mut self.background.calls);
        for running in &mut ended {
            if !running.has_ended() {
                let error = ToolError::with_kind(ErrorKind::Cancelled, INTERRUPTED);
                running.response = Some(CallResponse::from(Err(error)));
            }
        }
        self.add_call_results(&ended);
    }

    fn add_call_results(&mut self, ended: &[RunningCall]) {
        let completed = ended.iter().filter_map(|RunningCall { call, response }| {
            let response = response.clone()?;
            Some(CompletedCall { call: call.call(), response })
        });
        // A summary may have replaced a call. APIs refuse a result without its call, so such a result is sent as a message of the user.
        let (known, others): (Vec<_>, Vec<_>) =
            completed.partition(|completed| self.conversation.has_call(completed.call.id()));
        let denied = [self.denied_calls(&known), self.denied_calls(&others)].concat();
        if !known.is_empty() {
            self.add(Entry::results(self.model.model().api, &known), None);
        }
        for CompletedCall { call, response } in &others {
            let text =
                format!("[The call of {} in the background has ended. Its result:]\n{}", call.name(), response.json);
            self.add(Entry::User(self.redactor.text(&text).into_owned()), None);
        }
        self.remember_denied(denied);
    }
}
