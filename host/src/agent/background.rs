//! Calls in the background: the model continues while they run. Each request has the results of the calls that have ended since the
//! previous request.

use std::pin::Pin;

use toolc::background::BackgroundCall;
use toolc::cancel::CancelHandle;
use toolc::{CallResponse, CompletedCall, ErrorKind, ToolCall, ToolError, Turn};

use super::conversation::Entry;
use super::event::AgentEvent;
use super::turn::{INTERRUPTED, Pressed};
use super::{Agent, Interrupts};

/// The calls of a conversation in the background: those that run, and those whose results the model has not got yet.
#[derive(Default)]
pub(super) struct Background {
    calls: Vec<Running>,
    /// Cancels all of them.
    cancel: CancelHandle,
}

struct Running {
    call: BackgroundCall,
    /// The response, if it has ended.
    response: Option<CallResponse>,
}

impl Running {
    /// Returns whether the call has ended. If so, `response` has its response.
    fn has_ended(&mut self) -> bool {
        if self.response.is_none() {
            self.response = self.call.completed().map(|completed| completed.response);
        }
        self.response.is_some()
    }
}

impl Background {
    /// Starts a call.
    pub(super) fn start(&mut self, turn: &Turn, call: &ToolCall<'_>) {
        let call = turn.call_in_background(&call.with_cancel(&self.cancel));
        self.calls.push(Running { call, response: None });
    }

    /// Cancels all calls. Those that start later are not affected.
    pub(super) fn cancel(&mut self) {
        std::mem::take(&mut self.cancel).cancel();
    }

    /// Returns the name and the arguments of each call whose result the model has not got yet, as one text.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        self.calls.iter().map(|running| {
            let call = running.call.call();
            format!("{} {}", call.name(), call.arguments())
        })
    }

    /// Waits until all calls have ended.
    async fn ended(&mut self) {
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
        let ended: Vec<Running> = self.background.calls.extract_if(.., Running::has_ended).collect();
        if !ended.is_empty() {
            self.add_results_of(&ended);
            self.record_state();
        }
    }

    /// Waits for all calls, and adds their results. Returns whether there were any calls. The first Ctrl-C cancels them, and the second one
    /// ends the turn.
    pub(super) async fn results_of_background(&mut self, interrupts: &mut Interrupts) -> Result<bool, Pressed> {
        if self.background.calls.is_empty() {
            return Ok(false);
        }
        let mut is_cancelled = false;
        loop {
            tokio::select! {
                biased;
                () = self.background.ended() => break,
                () = interrupts.pressed() => {
                    self.background.cancel();
                    if is_cancelled {
                        return Err(Pressed);
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

    /// Cancels all calls, and adds their results: a call that still ran was cancelled.
    pub(super) fn end_background(&mut self) {
        self.background.cancel();
        let mut ended = std::mem::take(&mut self.background.calls);
        for running in &mut ended {
            if !running.has_ended() {
                let error = ToolError::with_kind(ErrorKind::Cancelled, INTERRUPTED);
                running.response = Some(CallResponse::from(Err(error)));
            }
        }
        self.add_results_of(&ended);
    }

    fn add_results_of(&mut self, ended: &[Running]) {
        let completed = ended.iter().filter_map(|Running { call, response }| {
            let response = response.clone()?;
            Some(CompletedCall { call: call.call(), response })
        });
        // A summary may have replaced the call. The API refuses a result without its call, so such a result is a message of the user.
        let (known, others): (Vec<_>, Vec<_>) =
            completed.partition(|completed| self.conversation.has_call(completed.call.id()));
        let denied = [self.denied_of(&known), self.denied_of(&others)].concat();
        if !known.is_empty() {
            self.add(Entry::results(self.model.settings().api, &known), None);
        }
        for CompletedCall { call, response } in &others {
            let text =
                format!("[The call of {} in the background has ended. Its result:]\n{}", call.name(), response.json);
            self.add(Entry::User(self.redactor.text(&text).into_owned()), None);
        }
        self.remember_denied(denied);
    }
}
