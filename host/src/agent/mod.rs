//! The agent loop: the model answers, its calls are run, and the results are sent back, until an answer has no calls.
//!
//! [`setup`] makes an [`Agent`] from options. [`conversation`] holds the messages, [`state`] what the model must not forget, and
//! [`sent_tools`] the tool definitions that were sent. [`named_skills`] has the skills that a person, a job or a card names. [`helpers`] are agents that work for another agent. [`compact`] shortens a
//! conversation, [`record`] stores it with the [`calls`], and [`event`] defines what is reported to the terminal or a program.

mod background;
mod budget;
pub(crate) mod calls;
mod compact;
pub(crate) mod conversation;
mod event;
mod helpers;
pub(crate) mod hooks;
pub(crate) mod interrupt;
mod late_skills;
mod mend;
pub(crate) mod named_skills;
pub(crate) mod plan;
mod prompt;
mod record;
pub(crate) mod resume;
mod second_opinion;
mod sent_tools;
pub(crate) mod setup;
mod shell;
mod state;
mod turn;
pub(crate) mod undo;
mod user_message;
pub(crate) mod writer;

use std::sync::{Arc, Mutex, PoisonError};

use toolc::redaction::Redactor;
use toolc::wire::Usage;
use toolc::{Image, Session, Task, Turn};
use toolc_model::{Client, ModelError};

use background::Background;
use budget::Budget;
use conversation::Conversation;
pub(crate) use conversation::StoredCall;
pub(crate) use event::{AgentEvent, Observer};
use helpers::Helpers;
pub(crate) use interrupt::Interrupts;
use late_skills::LateSkills;
use named_skills::NamedSkills;
use record::Recorder;
use sent_tools::SentTools;
use state::{DeniedCall, TaskState};
use undo::TurnChanges;

use crate::approval::Questions;
use crate::ground::error::Error;
use crate::models::{LimitAsker, Models, Reservation, Spending, Tokens, UncountedTokens};
use crate::sources::instructions::Instructions;
use crate::sources::servers::LateServers;

/// An agent in one conversation.
pub(crate) struct Agent {
    pub(crate) session: Session,
    /// The name of the conversation.
    pub(crate) name: String,
    pub(crate) task: Task,
    pub(crate) model: Client,
    /// The model for summaries, which is usually smaller.
    pub(crate) auxiliary: Client,
    pub(crate) limits: toolc_config::Agent,
    pub(crate) system: String,
    /// The standing instructions, which are a part of `system`.
    instructions: Instructions,
    /// The skills that were named for the conversation and for the next message.
    skills: NamedSkills,
    conversation: Conversation,
    recorder: Recorder,
    redactor: Arc<Redactor>,
    observer: Observer,
    /// The MCP servers whose tools are added to the conversation once they are ready.
    late_servers: LateServers,
    /// The skills of these servers, until the first turn has added them to the instructions.
    late_skills: Option<LateSkills>,
    news: News,
    /// The unanswered questions about calls.
    questions: Questions,
    /// The calls that a person or a rule has denied.
    denied: Vec<DeniedCall>,
    /// The state of the task that was last written to the store.
    recorded_state: TaskState,
    /// The tokens of all turns, including helpers, second opinions and summaries.
    pub(crate) tokens: Tokens,
    uncounted: UncountedTokens,
    /// The limits of what requests may cost, if there are any. Helpers share them.
    spending: Option<Arc<Spending>>,
    /// Who may raise these limits.
    raise: Option<Arc<dyn LimitAsker>>,
    last: LastTurn,
    helpers: Arc<Helpers>,
    background: Background,
    /// What the last turn has changed.
    changes: TurnChanges,
    sent_tools: SentTools,
    /// Whether the server has refused its own thinking.
    is_thinking_unwanted: bool,
    /// The requests that the agent may still make: in this turn, or as a helper.
    budget: Arc<Budget>,
    is_helper: bool,
    /// The pictures of the next message, with their names.
    pictures: Vec<(String, Image)>,
    /// The number of shell commands that the user has run.
    commands: u32,
    /// Whether the conversation has only one turn. Results of helpers that come after it would be lost.
    has_single_turn: bool,
}

/// Information about the last turn.
#[derive(Debug, Default)]
struct LastTurn {
    /// Which limit of what may be spent it would have passed.
    over_spending_limit: String,
    /// The tokens of the last answer of the model.
    answered: Tokens,
}

/// News for the models of all tasks, such as the end of a background process. A model gets them with its next message.
#[derive(Debug, Clone, Default)]
pub(crate) struct News(Arc<Mutex<Vec<(String, String)>>>);

/// The maximum number of pending news of a task. The oldest are dropped.
const MAX_NEWS: usize = 100;

impl News {
    pub(crate) fn add(&self, task: &str, text: String) {
        let mut news = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if news.iter().filter(|(owner, _)| owner == task).count() == MAX_NEWS
            && let Some(oldest) = news.iter().position(|(owner, _)| owner == task)
        {
            news.remove(oldest);
        }
        news.push((task.to_owned(), text));
    }

    /// Removes the news of a task that begin with `prefix`.
    pub(crate) fn remove(&self, task: &str, prefix: &str) {
        let mut news = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        news.retain(|(owner, text)| owner != task || !text.starts_with(prefix));
    }

    /// Removes and returns the news of a task.
    pub(crate) fn take(&self, task: &str) -> Vec<String> {
        let mut news = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        news.extract_if(.., |(owner, _)| owner == task).map(|(_, text)| text).collect()
    }
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnOutcome {
    /// The model answered without further calls.
    Done,
    /// The model refused to answer.
    Refused,
    /// The answer was cut off at a token limit.
    CutOff,
    /// The model used up its requests.
    OutOfRequests,
    /// The next request would pass a limit of what may be spent.
    OverSpendingLimit,
    /// The user interrupted the turn.
    Interrupted,
}

impl TurnOutcome {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::CutOff => "cut_off",
            Self::OutOfRequests => "out_of_requests",
            Self::OverSpendingLimit => "over_spending_limit",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Why a turn failed.
#[derive(Debug)]
pub(crate) enum TurnError {
    Model(ModelError),
    /// The conversation is too long, and cannot be shortened.
    TooLong(String),
}

impl std::fmt::Display for TurnError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Model(error) => error.fmt(f),
            Self::TooLong(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for TurnError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Model(error) => Some(error),
            Self::TooLong(_) => None,
        }
    }
}

impl From<TurnError> for Error {
    fn from(error: TurnError) -> Self {
        Self::Other(Box::new(error))
    }
}

impl Agent {
    /// Reports the beginning of the conversation.
    pub(crate) async fn announce(&self, directory: &std::path::Path) {
        let model = self.model.model();
        let turn = self.session.turn(model.definitions_dialect()).await;
        self.emit(&AgentEvent::Session {
            session: &self.name,
            model: model.name(),
            api: model.api.word(),
            directory: &directory.display().to_string(),
            tools: turn.tools().count(),
            instructions: &self.instructions.paths(),
        });
    }

    /// Waits a moment for MCP servers that are still starting, if this was not done before. Returns whether the turn continues, which a
    /// press of Ctrl-C ends.
    pub(crate) async fn wait_for_servers(&self, interrupts: &mut Interrupts) -> bool {
        let awaited = self.late_servers.awaited();
        if !awaited.is_empty() {
            self.emit(&AgentEvent::Waiting { servers: &awaited });
        }
        let news = tokio::select! {
            biased;
            news = self.late_servers.wait() => news,
            _ = interrupts.next_press() => return false,
        };
        for text in &news {
            self.emit(&AgentEvent::Notice { text });
        }
        true
    }

    /// Starts the MCP servers for which the session does not wait, if they are not started yet. The first turn does so, too.
    pub(crate) fn release_servers(&self) {
        self.late_servers.release();
    }

    /// Returns the names of the MCP servers that are still starting.
    pub(crate) fn starting_servers(&self) -> Vec<String> {
        self.late_servers.awaited()
    }

    /// Reports files with instructions that have changed. The conversation keeps the text that it began with.
    fn report_changed_instructions(&mut self) {
        for path in self.instructions.take_changed() {
            let text = format!(
                "{path} has changed: this conversation keeps the earlier text, and a new one reads the file again"
            );
            self.emit(&AgentEvent::Notice { text: &text });
        }
    }

    /// Continues the conversation with other models. What another API has written is sent as text, and thinking is not sent to another model.
    pub(crate) fn switch_to(&mut self, models: &Models) {
        let (before, api) = (self.model.model().api, models.main.model().api);
        self.model = models.main.clone();
        self.auxiliary = models.auxiliary.clone();
        self.recorder.set_model(models.main.clone());
        if before == api {
            self.conversation.remove_thinking(api);
        } else {
            self.recorder.make_text(&mut self.conversation);
        }
        self.conversation.forget_count();
        self.sent_tools.reset();
        self.is_thinking_unwanted = false;
        self.last.answered = Tokens::default();
    }

    pub(crate) fn emit(&self, event: &AgentEvent<'_>) {
        (self.observer)(event);
    }

    /// Returns the messages of the conversation, in the format of the API.
    pub(crate) fn messages(&self) -> serde_json::Value {
        let messages = self.conversation.messages(self.model.model().api, &[]);
        messages
            .iter()
            .map(|message| serde_json::from_str::<serde_json::Value>(message.get()).unwrap_or_default())
            .collect()
    }

    /// Returns the calls that were not approved or were refused.
    fn not_approved(&self) -> Vec<String> {
        self.denied.iter().map(|denied| denied.call.clone()).collect()
    }

    /// Waits until the next request may be sent. It is expected to cost as much as the last one; the first one, as much as its input.
    ///
    /// # Errors
    /// Returns why it may not be sent, because it would pass a limit.
    async fn reserve(&self, turn: &Turn) -> Result<Option<Reservation>, String> {
        let Some(spending) = &self.spending else { return Ok(None) };
        let model = self.model.model();
        let mut expected = Tokens { input: self.tokens_of_request(turn), ..Tokens::default() };
        expected.output = self.last.answered.output;
        expected.cost = model.prices.as_ref().map(|prices| {
            let mut usage = Usage::default();
            usage.input = expected.input;
            self.last.answered.cost.unwrap_or_else(|| prices.cost(usage))
        });
        let reserved = spending.reserve(model, expected, self.raise.as_deref()).await;
        for text in spending.take_notes() {
            self.emit(&AgentEvent::Notice { text: &text });
        }
        reserved.map(Some)
    }

    /// Returns which limit of what may be spent the last turn would have passed.
    pub(crate) fn over_spending_limit(&self) -> &str {
        &self.last.over_spending_limit
    }

    /// Returns the limits of what may be spent, and what was spent of them.
    pub(crate) fn budget_status(&self) -> Option<String> {
        self.spending.as_ref().map(|spending| spending.status())
    }

    /// Returns the tokens of all turns, including tokens that were not counted yet.
    fn total_tokens(&self) -> Tokens {
        let mut tokens = self.tokens;
        tokens.add(self.uncounted.take());
        tokens
    }

    /// Removes and returns the pending news of this agent.
    fn take_news(&self) -> Vec<String> {
        self.news.take(self.task.name())
    }

    /// Returns the last text of the model.
    pub(crate) fn last_answer(&self) -> &str {
        self.conversation.last_answer()
    }

    /// Returns the last texts of the user and the model, in order, and whether each is the user's.
    pub(crate) fn last_texts(&self, count: usize) -> Vec<(bool, &str)> {
        self.conversation.last_texts(count)
    }

    /// Returns an estimate of the tokens of the conversation and the tool definitions.
    pub(crate) async fn context_tokens(&self) -> u64 {
        let turn = self.session.turn(self.model.model().definitions_dialect()).await;
        self.tokens_of_request(&turn)
    }
}

impl Drop for Agent {
    /// Ends the helpers and the task, and drops pending news.
    fn drop(&mut self) {
        // A resumed conversation can read the unread results of helpers.
        self.record_state();
        self.helpers.end();
        self.task.end();
        self.news.take(self.task.name());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_gets_its_own_news() {
        let news = News::default();
        for number in 0..=MAX_NEWS {
            news.add("a", format!("a{number}"));
        }
        news.add("b", "b0".to_owned());
        let taken = news.take("a");
        assert_eq!((taken.len(), taken[0].as_str()), (MAX_NEWS, "a1"));
        assert_eq!(news.take("a"), [""; 0]);
        assert_eq!(news.take("b"), ["b0"]);
    }
}
