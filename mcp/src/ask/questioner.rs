//! Asks the person on behalf of one server: only while a call of this client runs, one question at a time, bounded in number and time.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ErrorCode, ErrorData};
use tokio::sync::{Mutex, watch};

use super::sampler::Sampler;
use super::{Answer, Asker, Question};
use crate::secrets::SecretRedactor;

/// The maximum number of questions of a server, from the first of its running calls to the end of the last.
const MAX_QUESTIONS: usize = 20;
/// The time that questions can add to the time limit of a call.
pub(crate) const MAX_ASKED: Duration = Duration::from_mins(30);

/// What answers the requests of one server.
#[derive(Debug)]
pub(crate) struct Questioner {
    pub(crate) server: String,
    pub(super) asker: Option<Arc<dyn Asker>>,
    pub(crate) sampler: Option<Arc<dyn Sampler>>,
    /// The time limit for an answer.
    timeout: Duration,
    pub(super) redactor: Arc<SecretRedactor>,
    /// Held while a question is open. All servers share it.
    turn: Arc<Mutex<()>>,
    /// The tools that are running, and how often the server has asked meanwhile.
    running: watch::Sender<Running>,
    /// The number of questions that are open or wait for their turn.
    open: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Running {
    tools: Vec<String>,
    questions: usize,
}

/// A running call. The server can ask until it is dropped.
#[derive(Debug)]
pub(crate) struct CallGuard {
    questioner: Arc<Questioner>,
    tool: String,
}

/// Why a server may not ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotNow {
    NoCall,
    TooMany,
}

impl Questioner {
    pub(crate) fn new(
        server: &str,
        asker: Option<Arc<dyn Asker>>,
        sampler: Option<Arc<dyn Sampler>>,
        timeout: Duration,
        redactor: Arc<SecretRedactor>,
        turn: Arc<Mutex<()>>,
    ) -> Self {
        let (running, open) = (watch::Sender::default(), watch::Sender::default());
        Self { server: server.to_owned(), asker, sampler, timeout, redactor, turn, running, open }
    }

    /// Returns whether a person can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.asker.is_some()
    }

    /// Records that a tool is called.
    pub(crate) fn call(self: &Arc<Self>, tool: &str) -> CallGuard {
        self.running.send_modify(|running| running.tools.push(tool.to_owned()));
        CallGuard { questioner: Arc::clone(self), tool: tool.to_owned() }
    }

    /// Returns a question of the server about its running calls, and counts it.
    ///
    /// # Errors
    /// Returns why the server may not ask now.
    pub(super) fn question(&self, kind: super::QuestionKind, message: &str) -> Result<Question, NotNow> {
        /// The maximum number of characters of a message.
        const MAX_MESSAGE: usize = 4_000;
        let mut tools = Err(NotNow::NoCall);
        self.running.send_if_modified(|running| {
            tools = if running.tools.is_empty() {
                Err(NotNow::NoCall)
            } else if running.questions == MAX_QUESTIONS {
                Err(NotNow::TooMany)
            } else {
                running.questions += 1;
                Ok(running.tools.clone())
            };
            false
        });
        let message = message.chars().take(MAX_MESSAGE).collect();
        Ok(Question { tools: tools?, message, ..Question::new(&self.server, kind) })
    }

    /// Returns a question of this crate about a request of the server, and counts it.
    ///
    /// # Errors
    /// Returns the error for the server, if it may not ask now.
    pub(crate) fn begin_question(&self, kind: super::QuestionKind) -> Result<Question, ErrorData> {
        self.question(kind, "").map_err(ErrorData::from)
    }

    /// Returns a text without secrets.
    pub(crate) fn redacted(&self, text: &str) -> String {
        self.redactor.text(text).into_owned()
    }

    /// Asks the person. Without one, after the time limit, and at the end of all calls, the question is cancelled.
    pub(crate) async fn ask(&self, question: &Question) -> Answer {
        let Some(asker) = &self.asker else { return Answer::Cancel };
        let _open = Open::new(&self.open);
        let is_about_calls = !question.tools.is_empty();
        let mut running = self.running.subscribe();
        let answered = async {
            let _turn = self.turn.lock().await;
            tokio::time::timeout(self.timeout, asker.ask(question)).await.unwrap_or(Answer::Cancel)
        };
        let no_call = async {
            if is_about_calls {
                let _ = running.wait_for(|running| running.tools.is_empty()).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            answer = answered => answer,
            () = no_call => Answer::Cancel,
        }
    }

    /// Waits until work has taken this time, which does not pass while a question is open.
    pub(crate) async fn worked(&self, mut left: Duration) {
        let mut open = self.open.subscribe();
        loop {
            if open.wait_for(|open| *open == 0).await.is_err() {
                return;
            }
            let begun = tokio::time::Instant::now();
            tokio::select! {
                () = tokio::time::sleep(left) => return,
                _ = open.wait_for(|open| *open > 0) => left = left.saturating_sub(begun.elapsed()),
            }
        }
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.questioner.running.send_modify(|running| {
            if let Some(at) = running.tools.iter().position(|tool| *tool == self.tool) {
                running.tools.remove(at);
            }
            if running.tools.is_empty() {
                running.questions = 0;
            }
        });
    }
}

impl NotNow {
    fn reason(self) -> String {
        match self {
            Self::NoCall => "no call of this client is running, so nothing can be asked".to_owned(),
            Self::TooMany => format!("at most {MAX_QUESTIONS} questions can be asked during a call"),
        }
    }
}

/// The error for a server that may not ask now.
impl From<NotNow> for ErrorData {
    fn from(not_now: NotNow) -> Self {
        Self::new(ErrorCode::INVALID_REQUEST, not_now.reason(), None)
    }
}

/// An open question.
struct Open<'a>(&'a watch::Sender<usize>);

impl<'a> Open<'a> {
    fn new(open: &'a watch::Sender<usize>) -> Self {
        open.send_modify(|open| *open += 1);
        Self(open)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}
