//! One turn: the model works on a message of the user until it has no more calls.

use std::pin::pin;
use std::sync::Arc;

use toolc::cancel::CancelHandle;
use toolc::wire::{ModelResponse, Stop};
use toolc::{CallResponse, CompletedCall, ErrorKind, Image, ToolCall, ToolError, Turn};
use toolc_catalog::AgentCall;
use toolc_model::{ErrorKind as ModelErrorKind, Event, Request, assistant_message};

use super::budget::Budget;
use super::compact::{Keep, LONG_RESULT, SHORTEST_RESULT};
use super::conversation::{Entry, StoredCall};
use super::event::AgentEvent;
use super::interrupt::Press;
use super::mend::unfinished_results;
use super::{Agent, Interrupts, TurnError, TurnOutcome};
use crate::models::Tokens;

/// The user has ended the turn with Ctrl-C.
pub(super) struct TurnInterrupted;

/// The error of a call that Ctrl-C has ended.
pub(super) const INTERRUPTED: &str = "the user interrupted the call";

/// The outcome of a request to the model.
enum ModelReply {
    Response(Box<ModelResponse>, Tokens),
    Interrupted,
}

impl Agent {
    /// Works on a message of the user until the model is done.
    ///
    /// # Errors
    /// Returns an error if the request to the model fails. The message stays in the conversation, so that the user can continue.
    pub(crate) async fn run_turn(
        &mut self,
        message: &str,
        interrupts: &mut Interrupts,
    ) -> Result<TurnOutcome, TurnError> {
        // A turn of a helper is a part of the turn of its parent.
        if !self.is_helper {
            self.begin_changes(message);
        }
        self.task.set_user_request(message);
        self.add_user(message);
        self.work(interrupts).await
    }

    /// Returns whether the model still has to answer: the last request failed, or was interrupted.
    pub(crate) fn awaits_answer(&self) -> bool {
        self.conversation.awaits_answer()
    }

    /// Goes on with a turn that an error or the user has ended, without another message.
    ///
    /// # Errors
    /// Like [`run_turn`](Self::run_turn).
    pub(crate) async fn retry_turn(&mut self, interrupts: &mut Interrupts) -> Result<TurnOutcome, TurnError> {
        self.work(interrupts).await
    }

    async fn work(&mut self, interrupts: &mut Interrupts) -> Result<TurnOutcome, TurnError> {
        interrupts.clear();
        if !self.is_helper {
            self.budget = Budget::new(self.limits.max_iterations);
            self.helpers.set_budget(&self.budget);
            self.report_changed_instructions();
            if let Some(spending) = &self.spending {
                spending.begin_turn();
            }
        }
        let mut tokens = Tokens::default();
        let mut requests = 0;
        let result = if self.is_helper || self.wait_for_servers(interrupts).await {
            self.add_skills_of_servers().await;
            self.run_loop(&mut requests, &mut tokens, interrupts).await
        } else {
            Ok(TurnOutcome::Interrupted)
        };
        self.count_uncounted(&mut tokens);
        self.record_state();
        let outcome = match &result {
            Ok(outcome) => outcome.word(),
            Err(_) => "failed",
        };
        let text = self.redactor.text(self.last_answer());
        self.emit(&AgentEvent::Ends { outcome, text: &text, requests, tokens });
        result
    }

    async fn run_loop(
        &mut self,
        requests: &mut u32,
        tokens: &mut Tokens,
        interrupts: &mut Interrupts,
    ) -> Result<TurnOutcome, TurnError> {
        loop {
            if !self.budget.take() {
                return Ok(TurnOutcome::OutOfRequests);
            }
            *requests += 1;
            for news in self.late_servers.news() {
                self.emit(&AgentEvent::Notice { text: &news });
            }
            let turn = self.session.turn(self.model.model().definitions_dialect()).await;
            let tokens_before = self.tokens;
            self.add_background_results();
            let Ok(reserved) = self.reserve(&turn).await.map_err(|reason| self.last.over_spending_limit = reason)
            else {
                self.end_background();
                return Ok(TurnOutcome::OverSpendingLimit);
            };
            self.compact_if_needed(&turn).await?;
            self.emit(&AgentEvent::Request { number: *requests });
            let response = match self.ask_or_mend(&turn, interrupts).await {
                Ok(ModelReply::Response(response, used)) => {
                    self.tokens.add(used);
                    self.last.answered = used;
                    self.spending.iter().for_each(|spending| spending.add(used));
                    response
                }
                Err(TurnError::Model(error)) if error.kind() == ModelErrorKind::CutOff => {
                    self.emit(&AgentEvent::Notice { text: &error.to_string() });
                    return Ok(TurnOutcome::CutOff);
                }
                Err(error) => return Err(error),
                Ok(ModelReply::Interrupted) => {
                    self.end_background();
                    return Ok(TurnOutcome::Interrupted);
                }
            };
            drop(reserved);
            tokens.add(self.tokens.since(tokens_before));
            let calls = response.calls();
            if calls.is_empty() {
                match self.end_without_calls(&response, interrupts).await {
                    Some(outcome) => return Ok(outcome),
                    None => continue,
                }
            }
            if !self.run_calls(&turn, &calls, interrupts).await {
                self.end_background();
                return Ok(TurnOutcome::Interrupted);
            }
            self.count_uncounted(tokens);
            self.add_news();
        }
    }

    /// Returns the outcome of a turn after a response without calls, or `None` if the model must be asked again.
    async fn end_without_calls(
        &mut self,
        response: &ModelResponse,
        interrupts: &mut Interrupts,
    ) -> Option<TurnOutcome> {
        match response.stop() {
            Stop::Paused => None,
            Stop::Refused => Some(TurnOutcome::Refused),
            Stop::Length => Some(TurnOutcome::CutOff),
            _ => match self.collect_pending_results(interrupts).await {
                Ok(true) => None,
                Ok(false) => {
                    if response.text().trim().is_empty() {
                        self.emit(&AgentEvent::Notice { text: "the answer of the model is empty" });
                    }
                    Some(TurnOutcome::Done)
                }
                Err(TurnInterrupted) => {
                    self.end_background();
                    Some(TurnOutcome::Interrupted)
                }
            },
        }
    }

    /// Waits for background calls, and adds their results. Returns whether there were any. Waits for helpers only if the conversation has
    /// no further turn.
    async fn collect_pending_results(&mut self, interrupts: &mut Interrupts) -> Result<bool, TurnInterrupted> {
        let has_results = self.collect_background_results(interrupts).await?;
        Ok(has_results || self.has_single_turn && self.collect_helper_results(interrupts).await?)
    }

    /// Waits for the background helpers, and adds their results. Returns whether there were any.
    async fn collect_helper_results(&mut self, interrupts: &mut Interrupts) -> Result<bool, TurnInterrupted> {
        let helpers = Arc::clone(&self.helpers);
        let results = tokio::select! {
            biased;
            results = helpers.collect_results() => results,
            _ = interrupts.next_press() => return Err(TurnInterrupted),
        };
        let Some(results) = results else { return Ok(false) };
        let text =
            format!("[The helpers in the background have ended. Their results:]\n{}", self.redactor.text(&results));
        self.add(Entry::User(text), None);
        self.record_state();
        Ok(true)
    }

    /// Counts the tokens of helpers, second opinions and summaries.
    fn count_uncounted(&mut self, tokens: &mut Tokens) {
        let uncounted = self.uncounted.take();
        self.tokens.add(uncounted);
        tokens.add(uncounted);
    }

    /// Asks the model. If the server refuses the conversation as too long, or for outdated content, mends the conversation and asks again.
    async fn ask_or_mend(&mut self, turn: &Turn, interrupts: &mut Interrupts) -> Result<ModelReply, TurnError> {
        let mut keeps = [Keep::Usual, Keep::Least].into_iter();
        loop {
            let error = match self.ask(turn, interrupts).await {
                Err(TurnError::Model(error)) if error.kind() == ModelErrorKind::ContextOverflow => error,
                // The server no longer accepts thinking, because a summary, other tools or a removed secret changed earlier messages. Or it
                // never does.
                Err(TurnError::Model(error))
                    if matches!(error.kind(), ModelErrorKind::StaleThinking | ModelErrorKind::UnwantedThinking) =>
                {
                    self.is_thinking_unwanted |= error.kind() == ModelErrorKind::UnwantedThinking;
                    if self.conversation.remove_thinking(self.model.model().api) {
                        self.sent_tools.reset();
                        continue;
                    }
                    return Err(TurnError::Model(error));
                }
                // The vendor's search has found a tool that no longer exists.
                Err(TurnError::Model(error)) if error.kind() == ModelErrorKind::UndefinedTool => {
                    let defined = self.sent_tools.defined_names(turn, &self.conversation);
                    let api = self.model.model().api;
                    if self.conversation.remove_tool_references(api, &|name| defined.contains(name)) {
                        self.sent_tools.reset();
                        continue;
                    }
                    return Err(TurnError::Model(error));
                }
                // Not every model reads images. Such a request would be refused every time.
                Err(TurnError::Model(error))
                    if error.kind() == ModelErrorKind::Refused && self.conversation.remove_pictures() =>
                {
                    let text = format!("the server refused the request, so it is sent without pictures: {error}");
                    self.emit(&AgentEvent::Notice { text: &self.redactor.text(&text) });
                    continue;
                }
                other => return other,
            };
            if self.shorten_results(LONG_RESULT) {
                continue;
            }
            let Some(keep) = keeps.find(|keep| self.can_compact(*keep)) else {
                if self.shorten_results(SHORTEST_RESULT) {
                    continue;
                }
                let advice = "the last messages cannot be summarised: begin a new conversation, or use a model with a larger context";
                return Err(TurnError::TooLong(format!("{error}; {advice}")));
            };
            self.compact(turn, keep).await?;
        }
    }

    async fn ask(&mut self, turn: &Turn, interrupts: &mut Interrupts) -> Result<ModelReply, TurnError> {
        let api = self.model.model().api;
        let sent = self.sent_tools.for_next_request(turn, &self.conversation);
        let messages = self.conversation.messages(api, sent.messages());
        let container = self.conversation.container().map(ToOwned::to_owned);
        let request = Request {
            system: &self.system,
            messages: &messages,
            tools: sent.definitions(),
            tool_choice: sent.tool_choice(),
            betas: sent.betas(),
            container: container.as_deref(),
            may_be_empty: !self.background.is_empty() || !self.helpers.recorded().is_empty(),
        };
        let mut partial = String::new();
        let redactor = Arc::clone(&self.redactor);
        let mut redacted = redactor.stream();
        let observer = self.observer.clone();
        let mut on_event = |event: Event<'_>| match event {
            Event::Text(text) => {
                partial += text;
                let text = redacted.push(text);
                if !text.is_empty() {
                    observer(&AgentEvent::Text { text: &text });
                }
            }
            Event::Retry { error, wait } => {
                partial.clear();
                redacted.end();
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                observer(&AgentEvent::Retry { error: &redactor.text(&error.to_string()), wait_ms });
            }
        };
        let answer = tokio::select! {
            biased;
            answer = self.model.ask(&request, &mut on_event) => Some(answer),
            _ = interrupts.next_press() => None,
        };
        let rest = redacted.end();
        if !rest.is_empty() {
            self.emit(&AgentEvent::Text { text: &rest });
        }
        let Some(answer) = answer else {
            self.add_partial(&partial);
            return Ok(ModelReply::Interrupted);
        };
        let response = answer.map_err(TurnError::Model)?.response;
        // An answer without content adds no message, so the request counts as unanswered.
        if !response.messages().is_empty() {
            self.sent_tools.record_answered(sent);
        }
        let tokens = self.add_response(&response);
        Ok(ModelReply::Response(Box::new(response), tokens))
    }

    /// Adds the received part of an interrupted answer: the user has seen it, and can refer to it.
    fn add_partial(&mut self, partial: &str) {
        if !partial.trim().is_empty() {
            let text = format!("{}\n[interrupted by the user]", partial.trim_end());
            let raw = vec![assistant_message(self.model.model().api, &text)];
            self.add(Entry::Model { raw, text, calls: Vec::new() }, None);
        }
    }

    /// Reports a response and adds it to the conversation. Returns its tokens.
    fn add_response(&mut self, response: &ModelResponse) -> Tokens {
        let tokens = Tokens::new(response.usage(), self.model.model());
        let text = self.redactor.text(response.text()).into_owned();
        self.emit(&AgentEvent::Answer { text: &text, calls: response.calls().len(), tokens });
        if let [first, ..] = response.unknown() {
            let text = format!("the answer has parts of unknown types, which are sent back unchanged: {first}");
            self.emit(&AgentEvent::Notice { text: &text });
        }
        if !response.messages().is_empty() {
            self.add(Entry::answer(response), response.usage().map(|_| tokens));
            if self.is_thinking_unwanted {
                self.conversation.remove_thinking(self.model.model().api);
            }
        }
        if let Some(usage) = response.usage().filter(|usage| usage.input > 0) {
            self.conversation.set_tokens(usage.input + usage.output);
        }
        tokens
    }

    /// Runs calls and adds their results. Background calls are only started. The first Ctrl-C cancels the calls, the second one ends the
    /// turn. At a question, the first one also ends the turn, when the cancelled calls have ended. Returns whether the turn continues.
    async fn run_calls(&mut self, turn: &Turn, calls: &[ToolCall<'_>], interrupts: &mut Interrupts) -> bool {
        let cancel = CancelHandle::new();
        let calls = calls.iter().map(|call| call.with_task(&self.task));
        let (later, now): (Vec<_>, Vec<_>) = calls.partition(|call| turn.is_background(call));
        let calls: Vec<ToolCall<'_>> = now.iter().map(|call| call.with_cancel(&cancel)).collect();
        interrupts.clear();
        for call in &later {
            self.background.start(turn, call);
        }
        if calls.is_empty() {
            self.record_state();
            return true;
        }
        let (mut presses, mut is_ended) = (0, false);
        let completed = {
            let helpers = &self.helpers;
            let run = |call, request| {
                let (helpers, turn) = (Arc::clone(helpers), turn.clone());
                async move {
                    match call {
                        AgentCall::DelegateTask(args) => helpers.run(args, request, &turn).await,
                    }
                }
            };
            let mut batch = pin!(turn.batch_with(&calls, run));
            loop {
                tokio::select! {
                    biased;
                    // Comes first, so that a press at a question cancels the other calls before they ask.
                    press = interrupts.next_press() => {
                        presses += 1;
                        cancel.cancel();
                        self.background.cancel();
                        if presses > 1 {
                            break None;
                        }
                        if press == Press::AtQuestion {
                            is_ended = true;
                            continue;
                        }
                        let text = "the call is cancelled; press Ctrl-C again to end the turn";
                        self.emit(&AgentEvent::Notice { text });
                    }
                    completed = &mut batch => break Some(completed),
                }
            }
        };
        // Every API refuses a conversation in which a call has no result.
        let completed = completed.unwrap_or_else(|| calls.iter().map(|call| cancelled(*call, INTERRUPTED)).collect());
        let entry = Entry::results(self.model.model().api, &completed);
        let denied = self.denied_calls(&completed);
        let others = self.others_of(&completed);
        self.add(entry, None);
        self.remember_denied(denied);
        self.changes.add_others(others);
        self.record_state();
        presses < 2 && !is_ended
    }

    /// Adds a picture to the next message of the user.
    pub(crate) fn add_picture(&mut self, name: String, image: Image) {
        self.pictures.push((name, image));
    }

    fn add_user(&mut self, message: &str) {
        let news = self.news.take(self.task.name());
        let mut text = String::new();
        for item in &news {
            text += &format!("[{}]\n", self.redactor.text(item));
        }
        text += message;
        text += &self.skills.take_next();
        self.add(Entry::User(text), None);
        for (name, image) in std::mem::take(&mut self.pictures) {
            self.add(Entry::Picture { name, image }, None);
        }
    }

    /// Adds the pending news as a message.
    fn add_news(&mut self) {
        let news = self.news.take(self.task.name());
        if !news.is_empty() {
            let text: Vec<String> = news.iter().map(|item| format!("[{}]", self.redactor.text(item))).collect();
            self.add(Entry::User(text.join("\n")), None);
        }
    }

    /// Adds error results for calls that were running when an earlier process was killed. Every API refuses a conversation in which a call
    /// has no result.
    pub(super) fn end_unfinished(&mut self, calls: &[StoredCall]) {
        if !calls.is_empty() {
            self.add(unfinished_results(self.model.model().api, calls), None);
        }
    }

    pub(super) fn add(&mut self, entry: Entry, tokens: Option<Tokens>) {
        if let Err(error) = self.recorder.record_entry(&entry, tokens) {
            self.emit(&AgentEvent::Notice { text: &format!("the conversation is not recorded: {error}") });
        }
        self.conversation.push(entry);
    }
}

fn cancelled<'a>(call: ToolCall<'a>, why: &str) -> CompletedCall<'a> {
    let error = ToolError::with_kind(ErrorKind::Cancelled, why);
    CompletedCall { call, response: CallResponse::from(Err(error)) }
}
