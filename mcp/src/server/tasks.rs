//! Calls that continue in the background, with the extension `io.modelcontextprotocol/tasks`: the client gets a handle, and asks for the
//! result. A handle belongs to one principal, and is unknown to all others.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, DetailedTask, Task};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::Value;

use super::calls::{Next, RunningCall};
use super::principal::Principal;
use super::questions::{NotAnswered, Question};

/// The number of tasks of one principal.
const MAX_TASKS: usize = 64;
/// The time that a task has, and for which its result is kept afterwards.
const LIFETIME: Duration = Duration::from_mins(30);
/// How often a client should ask.
const POLL_INTERVAL_MS: u64 = 1_000;

/// The tasks of all principals.
#[derive(Default)]
pub(super) struct Tasks {
    manager: TaskManager,
    owners: Mutex<HashMap<String, Principal>>,
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tasks").field("len", &self.lock().len()).finish_non_exhaustive()
    }
}

/// Turns the response to a call into a result.
pub(super) type Finish = Box<dyn FnOnce(&toolc::CallResponse) -> Result<CallToolResult, ErrorData> + Send>;

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Principal>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether another task of this principal can begin.
    pub(super) fn has_room(&self, principal: &Principal) -> bool {
        let mut owners = self.lock();
        owners.retain(|id, _| self.manager.get_task(id).is_ok());
        owners.values().filter(|owner| *owner == principal).count() < MAX_TASKS
    }

    /// Continues a call as a task.
    pub(super) fn spawn(&self, principal: &Principal, call: RunningCall, finish: Finish) -> Task {
        let options = TaskOptions::new()
            .with_ttl_ms(u64::try_from(LIFETIME.as_millis()).unwrap_or(u64::MAX))
            .with_poll_interval_ms(POLL_INTERVAL_MS);
        let mut owners = self.lock();
        let task = self.manager.spawn(options, |context| Box::pin(run(context, call, finish)));
        owners.insert(task.task_id.clone(), principal.clone());
        task
    }

    /// Cancels all tasks, and forgets them.
    pub(super) fn stop(&self) {
        self.lock().clear();
        self.manager.shutdown();
    }

    /// Returns the state of a task.
    ///
    /// # Errors
    /// Returns an error if this principal has no task of this id.
    pub(super) fn get(&self, id: &str, principal: &Principal) -> Result<DetailedTask, ErrorData> {
        self.check(id, principal)?;
        self.manager.get_task(id)
    }

    /// Passes answers to a task.
    ///
    /// # Errors
    /// Returns an error if this principal has no task of this id.
    pub(super) fn update(
        &self,
        id: &str,
        principal: &Principal,
        responses: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<(), ErrorData> {
        self.check(id, principal)?;
        self.manager.update_task(id, responses)
    }

    /// Cancels a task.
    ///
    /// # Errors
    /// Returns an error if this principal has no task of this id.
    pub(super) fn cancel(&self, id: &str, principal: &Principal) -> Result<(), ErrorData> {
        self.check(id, principal)?;
        self.manager.cancel_task(id)
    }

    fn check(&self, id: &str, principal: &Principal) -> Result<(), ErrorData> {
        if self.lock().get(id) == Some(principal) {
            return Ok(());
        }
        Err(ErrorData::invalid_params("unknown task: it does not exist, was deleted, or belongs to someone else", None))
    }
}

/// Drives a call to its end. The task asks its questions.
async fn run(context: TaskContext, mut call: RunningCall, finish: Finish) -> Result<CallToolResult, TaskExit> {
    let mut questions = 0;
    loop {
        let next = tokio::select! {
            next = call.next() => next,
            () = context.cancelled() => return Err(TaskExit::Cancelled),
        };
        match next {
            Next::Progress { message, .. } if message.is_empty() => {}
            Next::Progress { message, .. } => context.set_status_message(message),
            Next::Question => {
                questions += 1;
                ask(&context, &mut call, questions).await?;
            }
            Next::Done(response) => return finish(&response).map_err(TaskExit::Error),
        }
    }
}

/// Asks the questions of a call, and waits for all answers. The keys of a task's questions must be unique.
async fn ask(context: &TaskContext, call: &mut RunningCall, number: usize) -> Result<(), TaskExit> {
    let requests = call.question.as_ref().map(Question::requests).unwrap_or_default();
    let mut responses = BTreeMap::new();
    for (key, request) in requests {
        let answer = tokio::select! {
            answer = context.request_input(format!("{key}-{number}"), request) => answer?,
            () = context.cancelled() => return Err(TaskExit::Cancelled),
            () = call.ended() => return Ok(()),
        };
        responses.insert(key, answer);
    }
    let answers = call.question.as_ref().map(|question| question.read(&responses));
    if let Some(answers) = answers {
        call.answer(answers.map_err(NotAnswered::Invalid));
    }
    Ok(())
}
