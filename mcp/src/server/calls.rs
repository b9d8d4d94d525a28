//! Running calls. Each is a task of its own, and reports to the request that waits for it. Several requests can follow each other: a request
//! whose call has a question ends with the question, and the next request contains the answer.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ClientCapabilities;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use toolc::approval::{ApprovalDecision, ApprovalRequest, Approver};
use toolc::cancel::CancelHandle;
use toolc::{CallResponse, Dialect, HostValues, Session, Task, ToolCall};

use super::questions::{Answer, Answers, Input, Kind, NotAnswered, Question, approval, decision};

/// The number of reports of a call that wait to be sent. Further reports are dropped.
const MAX_EVENTS: usize = 16;

/// Something that a running call reports.
#[derive(Debug)]
pub(super) enum Event {
    Progress { done: f64, total: Option<f64>, message: String },
    Question(Question),
}

/// A running call. Dropping it cancels the call.
#[derive(Debug)]
pub(super) struct RunningCall {
    /// The name of the tool, as the client wrote it.
    pub(super) tool: String,
    pub(super) arguments: Value,
    events: mpsc::Receiver<Event>,
    response: JoinHandle<CallResponse>,
    /// Cancelled when the call has ended.
    ended: CancellationToken,
    cancel: CancelHandle,
    /// The question that was asked and not answered.
    pub(super) question: Option<Question>,
    /// Answers that came with the request, before there was a question.
    early_answers: BTreeMap<String, Value>,
}

/// What a call does next.
#[derive(Debug)]
pub(super) enum Next {
    Progress {
        done: f64,
        total: Option<f64>,
        message: String,
    },
    /// There is a [question](RunningCall::question).
    Question,
    Done(CallResponse),
}

/// The running calls of a session, by their ids.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<HashMap<String, ClientQuestions>>);

/// The limits on calls.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// The permits of calls that run at the same time.
    running: Arc<Semaphore>,
    /// The calls that exist, including waiting ones.
    all: Arc<Semaphore>,
}

/// The parts of a call.
#[derive(Debug)]
pub(super) struct Start<'s> {
    pub(super) session: Arc<Session>,
    pub(super) task: Arc<Task>,
    pub(super) tool: &'s str,
    pub(super) arguments: Value,
    pub(super) early_answers: BTreeMap<String, Value>,
    pub(super) capabilities: Option<ClientCapabilities>,
}

impl Limits {
    pub(super) fn new(running: usize, all: usize) -> Self {
        Self { running: Arc::new(Semaphore::new(running)), all: Arc::new(Semaphore::new(all)) }
    }

    /// Waits until no call exists.
    pub(super) async fn idle(&self, all: usize) {
        let all = u32::try_from(all).unwrap_or(u32::MAX);
        let _ = self.all.acquire_many(all).await;
    }
}

impl Calls {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, ClientQuestions>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, id: &str) -> Option<ClientQuestions> {
        self.lock().get(id).cloned()
    }

    /// Passes on a progress report, or drops it if the client does not keep up.
    pub(super) fn progress(&self, report: &toolc::Progress<'_>) {
        if let Some(call) = self.get(report.id) {
            let message = report.message.to_owned();
            let _ = call.events.try_send(Event::Progress { done: report.done, total: report.total, message });
        }
    }

    /// Starts a call, or returns `None` if too many exist.
    pub(super) fn start(self: &Arc<Self>, limits: &Limits, start: Start<'_>) -> Option<RunningCall> {
        let permit = Arc::clone(&limits.all).try_acquire_owned().ok()?;
        let id = next_id();
        let (sender, events) = mpsc::channel(MAX_EVENTS);
        let Start { session, task, tool, arguments, early_answers, capabilities } = start;
        let questions =
            ClientQuestions { events: sender, permit: Permit::default(), capabilities: Arc::new(capabilities) };
        self.lock().insert(id.clone(), questions.clone());
        let registered = Registered { calls: Arc::clone(self), id: id.clone(), _permit: permit };
        let cancel = CancelHandle::new();
        let running = Arc::clone(&limits.running);
        let (name, text, cancelled) = (tool.to_owned(), arguments.to_string(), cancel.clone());
        let ended = CancellationToken::new();
        let guard = ended.clone().drop_guard();
        let response = tokio::spawn(async move {
            let (_registered, _guard) = (registered, guard);
            questions.permit.acquire(running).await;
            let values = HostValues::new().with(Arc::new(questions));
            let turn = session.turn(Dialect::Mcp).await;
            let call = ToolCall::new(&name, &text).with_id(&id).with_task(&task);
            turn.call(&call.with_cancel(&cancelled).with_values(&values)).await
        });
        let (tool, question) = (tool.to_owned(), None);
        Some(RunningCall { tool, arguments, events, response, ended, cancel, question, early_answers })
    }
}

/// Returns the id of a call, which is unique in this process.
fn next_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("mcp-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A call that is listed, until it has ended.
struct Registered {
    calls: Arc<Calls>,
    id: String,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
    }
}

/// The permission to run. A call that waits for a person gives it up, so that others can run.
#[derive(Debug, Clone, Default)]
struct Permit(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Permit {
    async fn acquire(&self, running: Arc<Semaphore>) {
        // The semaphore is never closed.
        let permit = running.acquire_owned().await.ok();
        *self.lock() = permit;
    }

    fn release(&self) {
        drop(self.lock().take());
    }

    fn lock(&self) -> MutexGuard<'_, Option<OwnedSemaphorePermit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningCall {
    /// Waits until the call does something.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            tokio::select! {
                biased;
                Some(event) = self.events.recv() => match event {
                    Event::Progress { done, total, message } => return Next::Progress { done, total, message },
                    Event::Question(question) => {
                        if let Some(question) = self.answered_early(question) {
                            self.question = Some(question);
                            return Next::Question;
                        }
                    }
                },
                response = &mut self.response => return Next::Done(response.unwrap_or_else(|error| stopped(&error))),
            }
        }
    }

    /// Answers a question of the tool with what came with the request. Returns the question if that does not answer it. Whether a call
    /// may run is never answered before it was asked.
    fn answered_early(&self, question: Question) -> Option<Question> {
        if question.kind != Kind::Handler {
            return Some(question);
        }
        match question.read(&self.early_answers) {
            Ok(answers) => {
                question.answer(Ok(answers));
                None
            }
            Err(_) => Some(question),
        }
    }

    /// Answers the question of the call.
    pub(super) fn answer(&mut self, answers: Result<Answers, NotAnswered>) {
        if let Some(question) = self.question.take() {
            question.answer(answers);
        }
    }

    /// Waits until the call has ended, for example because its question was not answered in time. [`next`](Self::next) then returns its
    /// response.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

fn stopped(error: &tokio::task::JoinError) -> CallResponse {
    let kind = if error.is_panic() { toolc::ErrorKind::Panicked } else { toolc::ErrorKind::Cancelled };
    CallResponse::from(Err(toolc::ToolError::with_kind(kind, "the call was stopped")))
}

/// Asks the MCP client. A handler gets it from [`Call::value`](toolc::Call::value) if its tool is served to MCP clients.
#[derive(Debug, Clone)]
pub struct ClientQuestions {
    events: mpsc::Sender<Event>,
    permit: Permit,
    capabilities: Arc<Option<ClientCapabilities>>,
}

impl ClientQuestions {
    /// Returns whether the client declares that it can be asked for this.
    pub fn supports(&self, input: &Input) -> bool {
        input.is_supported(self.capabilities.as_ref().as_ref())
    }

    /// Asks for inputs, each with a key that is unique in the call, and waits until all are answered. The call can be cancelled
    /// meanwhile: in 2026-07-28, a client that cannot be asked gets an error of the protocol instead of a result.
    ///
    /// # Errors
    /// Returns an error if the client cannot be asked, or its answer is not valid.
    pub async fn ask(
        &self,
        inputs: impl IntoIterator<Item = (String, Input)>,
    ) -> Result<BTreeMap<String, Answer>, NotAnswered> {
        self.ask_about(Kind::Handler, inputs).await
    }

    async fn ask_about(
        &self,
        kind: Kind,
        inputs: impl IntoIterator<Item = (String, Input)>,
    ) -> Result<Answers, NotAnswered> {
        let (question, answered) = Question::new(kind, inputs).map_err(NotAnswered::Invalid)?;
        self.permit.release();
        // Without a request that waits for the call, there is no client to ask.
        if self.events.send(Event::Question(question)).await.is_err() {
            return Err(NotAnswered::ClientCannotAsk);
        }
        answered.await.unwrap_or(Err(NotAnswered::ClientCannotAsk))
    }
}

/// Writes the question about a call, for a person. The flag is whether the call can be approved for the session.
pub(super) type QuestionText = Arc<dyn Fn(&ApprovalRequest<'_>, bool) -> String + Send + Sync>;

/// Asks the client of each call that needs approval.
pub(super) struct ClientApprover {
    pub(super) calls: Arc<Calls>,
    pub(super) text: QuestionText,
    /// Whether there is a session for which a call can be approved.
    pub(super) has_session: bool,
}

impl Approver for ClientApprover {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        let offers_session = self.has_session && request.offers_session();
        let form = approval(&(self.text)(request, offers_session), offers_session);
        let call = self.calls.get(request.call.id());
        Box::pin(async move {
            match call {
                Some(call) => decision(call.ask_about(Kind::Approval, form).await),
                None => decision(Err(NotAnswered::ClientCannotAsk)),
            }
        })
    }

    fn asks_one_at_a_time(&self) -> bool {
        // Without a session, a question ends its request, and the client may never answer.
        self.has_session
    }
}
