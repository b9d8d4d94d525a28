//! A helper: an agent with one task, its own conversation and its own thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, watch};
use toolc::text::{beginning, without_middle};
use toolc_mcp::CheckedSchema;

use super::Base;
use crate::agent::budget::Budget;
use crate::agent::event::{AgentEvent, Observer};
use crate::agent::plan::{DELEGATE_TASK, HelperPlan, Plan};
use crate::agent::{Agent, Interrupts, TurnOutcome};
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::models::UncountedTokens;

/// The maximum length of a summary, in characters. The middle of a longer summary is left out.
const MAX_SUMMARY: usize = 12_000;
/// The maximum length of output that has a schema, as JSON.
const MAX_OUTPUT: usize = 48_000;
/// The maximum length of a goal in lists and events, in characters.
const MAX_GOAL_CHARS: usize = 200;
/// The prefix of a message of the parent.
const FROM_PARENT: &str = "A message of the agent that gave you the task: ";

/// Whether a helper runs, or how it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    /// The helper waits until another one ends, because too many run.
    Waiting,
    Running,
    Done,
    Failed,
    Refused,
    CutOff,
    OutOfBudget,
    Stopped,
}

impl Status {
    pub(super) fn has_ended(self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::CutOff => "cut_off",
            Self::OutOfBudget => "out_of_budget",
            Self::Stopped => "stopped",
        }
    }
}

/// The result of a helper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    not_approved: Vec<String>,
    #[serde(default)]
    requests: u32,
    #[serde(default)]
    seconds: u64,
}

impl Report {
    fn new(status: Status, error: Option<String>) -> Self {
        let (summary, output, not_approved, requests, seconds) = Default::default();
        Self { status, summary, output, error, not_approved, requests, seconds }
    }

    fn with_summary(self, text: &str) -> Self {
        Self {
            summary: Some(without_middle(text.trim(), MAX_SUMMARY).into_owned()).filter(|text| !text.is_empty()),
            ..self
        }
    }
}

/// The task of a helper.
pub(super) struct Job {
    pub(super) goal: String,
    pub(super) context: Option<String>,
    pub(super) schema: Option<OutputSchema>,
    /// How many levels of helpers may be below this one.
    pub(super) levels: u32,
    /// The only tools that the helper has, if the call limits it.
    pub(super) tools: Option<Vec<String>>,
}

/// The schema that the output of a helper must match.
pub(super) struct OutputSchema {
    text: String,
    checked: CheckedSchema,
}

impl OutputSchema {
    /// Checks a schema.
    ///
    /// # Errors
    /// Returns an error if the schema is invalid or too long.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        let text = schema.to_string();
        if text.len() > 20_000 {
            return Err(format!("expected a schema of at most 20000 bytes, got {}", text.len()));
        }
        Ok(Self { checked: CheckedSchema::new(schema).map_err(|error| error.to_string())?, text })
    }

    /// Returns the output in an answer: JSON, alone or in a fenced block.
    fn parse_output(&self, answer: &str) -> Result<Value, String> {
        let text = answer.trim();
        let fenced = text.strip_suffix("```").and_then(|text| {
            let start = text.find("```")?;
            text[start + 3..].split_once('\n').map(|(_, json)| json)
        });
        let text = fenced.unwrap_or(text).trim();
        if text.len() > MAX_OUTPUT {
            return Err(format!("the output has {} bytes, and {MAX_OUTPUT} are allowed", text.len()));
        }
        let value: Value = serde_json::from_str(text).map_err(|error| format!("the output is not JSON: {error}"))?;
        match self.checked.problem(&value) {
            Some(problem) => Err(problem),
            None => Ok(value),
        }
    }
}

/// A call of `delegate_task` that waits for helpers. Its progress is the number of helpers that have ended.
pub(super) struct WaitingCall {
    pub(super) id: String,
    pub(super) total: usize,
    pub(super) ended: AtomicUsize,
}

/// The parent's handle of a helper.
pub(super) struct Helper {
    pub(super) id: String,
    /// The beginning of the goal.
    pub(super) goal: String,
    pub(super) is_background: bool,
    /// The name of the task of the helper.
    task: String,
    budget: Arc<Budget>,
    began: Instant,
    stop: watch::Sender<bool>,
    status: watch::Sender<Status>,
    state: Mutex<HelperState>,
}

#[derive(Default)]
struct HelperState {
    last_call: String,
    report: Option<Report>,
}

/// The values that the thread of a helper needs.
pub(super) struct HelperContext {
    pub(super) base: Base,
    pub(super) parent: String,
    pub(super) slots: Arc<Semaphore>,
    pub(super) plan: HelperPlan,
    pub(super) uncounted: UncountedTokens,
    pub(super) call: Option<Arc<WaitingCall>>,
}

impl Helper {
    /// Starts a helper.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub(super) fn start(id: String, is_background: bool, job: Job, context: HelperContext) -> Result<Arc<Self>> {
        let goal = context.base.redactor.text(&job.goal).into_owned();
        let helper = Arc::new(Self {
            goal: beginning(&show::one_line(&goal), MAX_GOAL_CHARS).into_owned(),
            is_background,
            task: context.plan.name.clone(),
            budget: Arc::clone(&context.plan.budget),
            began: Instant::now(),
            stop: watch::Sender::new(false),
            status: watch::Sender::new(Status::Waiting),
            state: Mutex::default(),
            id,
        });
        let thread_handle = Arc::clone(&helper);
        let work = move || {
            let guard = EndGuard(&thread_handle);
            let report = match crate::ground::executor() {
                Ok(runtime) => runtime.block_on(thread_handle.work(job, &context)),
                Err(error) => Report::new(Status::Failed, Some(error.to_string())),
            };
            guard.end(report, &context);
        };
        let thread = thread::Builder::new().name(helper.id.clone()).spawn(work);
        thread.map_err(|error| Error::failed("start the thread of a helper", error))?;
        Ok(helper)
    }

    /// Returns a helper that has ended in an earlier run.
    pub(super) fn from_earlier_run(id: String, goal: String, report: Report) -> Arc<Self> {
        Arc::new(Self {
            id,
            goal,
            is_background: true,
            task: String::new(),
            budget: Budget::new(0),
            began: Instant::now(),
            stop: watch::Sender::new(true),
            status: watch::Sender::new(report.status),
            state: Mutex::new(HelperState { last_call: String::new(), report: Some(report) }),
        })
    }

    pub(super) fn status(&self) -> Status {
        *self.status.borrow()
    }

    pub(super) fn report(&self) -> Option<Report> {
        self.state().report.clone()
    }

    /// Returns the prefix of the news that this helper has ended.
    pub(super) fn end_prefix(&self) -> String {
        format!("The helper {} has ended: ", self.id)
    }

    /// Asks the helper to end. Does not wait for its end.
    pub(super) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until the helper and everything that it has started have ended.
    pub(super) async fn wait_for_end(&self) {
        let mut status = self.status.subscribe();
        let _ = status.wait_for(|status| status.has_ended()).await;
    }

    /// Sends the helper a message. The model of the helper gets it with its next results.
    pub(super) fn steer(&self, base: &Base, message: &str) {
        base.news.add(&self.task, format!("{FROM_PARENT}{message}"));
    }

    /// Returns the helper as JSON for the model: its report, or its status if it has not ended.
    pub(super) fn json(&self) -> Value {
        let mut json =
            Map::from_iter([("helper_id".to_owned(), json!(self.id)), ("goal".to_owned(), json!(self.goal))]);
        let state = self.state();
        if let Some(Value::Object(report)) = state.report.as_ref().map(|report| json!(report)) {
            json.extend(report);
        } else {
            json.insert("status".to_owned(), json!(self.status()));
            if !state.last_call.is_empty() {
                json.insert("last_call".to_owned(), json!(state.last_call));
            }
            json.insert("requests".to_owned(), json!(self.budget.used()));
            json.insert("seconds".to_owned(), json!(self.began.elapsed().as_secs()));
        }
        Value::Object(json)
    }

    fn state(&self) -> MutexGuard<'_, HelperState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn work(self: &Arc<Self>, job: Job, context: &HelperContext) -> Report {
        let mut stop = self.stop.subscribe();
        let mut stop_requested = async move || drop(stop.wait_for(|stop| *stop).await);
        let slot = tokio::select! {
            biased;
            () = stop_requested() => return Report::new(Status::Stopped, Some("stopped before it began".to_owned())),
            slot = context.slots.acquire() => slot,
        };
        self.status.send_replace(Status::Running);
        let observer = &context.base.observer;
        observer(&AgentEvent::HelperBegins { helper: &self.id, goal: &self.goal, background: self.is_background });
        let mut agent = match context.agent(self) {
            Ok(agent) => agent,
            Err(error) => return Report::new(Status::Failed, Some(error.to_string())),
        };
        let mut report = tokio::select! {
            biased;
            () = stop_requested() => Report::new(Status::Stopped, Some("stopped before its end".to_owned())),
            report = job.work(&mut agent) => report,
        };
        report.not_approved = agent.not_approved();
        context.uncounted.add(agent.total_tokens());
        // Ends the helper's task with its processes and helpers, before another helper may begin.
        drop(agent);
        drop(slot);
        report
    }
}

impl HelperContext {
    fn agent(&self, helper: &Arc<Helper>) -> Result<Agent> {
        let Base { make, selection, toolsets, approver, observer, .. } = &self.base;
        // A background helper asks no questions: the user does not see it, and may be typing.
        let approver = approver.clone().filter(|_| !helper.is_background);
        make(Plan {
            selection,
            toolsets: toolsets.clone(),
            source: "helper",
            observer: helper_observer(helper, observer.clone(), self.call.clone()),
            approver,
            resume: None,
            worker: None,
            helper: Some(self.plan.clone()),
            skills: Vec::new(),
        })
    }
}

impl Job {
    fn message(&self) -> String {
        let mut text = format!("Your task:\n{}\n", self.goal.trim());
        if let Some(context) = self.context.as_deref().map(str::trim).filter(|context| !context.is_empty()) {
            text += &format!("\nWhat you need to know:\n{context}\n");
        }
        if let Some(schema) = &self.schema {
            text += &format!("\nYour last answer must be only JSON that matches this schema:\n{}\n", schema.text);
        }
        text
    }

    async fn work(&self, agent: &mut Agent) -> Report {
        let mut message = self.message();
        let mut is_retry = false;
        loop {
            let outcome = agent.run_turn(&message, &mut Interrupts::new()).await;
            let answer = agent.last_answer();
            let (status, error) = match outcome {
                Ok(TurnOutcome::Done) => {
                    // The parent may have sent a message after the last results.
                    let news = agent.take_news();
                    if news.iter().any(|text| text.starts_with(FROM_PARENT)) {
                        message = news.join("\n");
                        continue;
                    }
                    match self.schema.as_ref().map(|schema| schema.parse_output(answer)) {
                        None if answer.trim().is_empty() => {
                            (Status::Failed, "the helper ended without an answer".to_owned())
                        }
                        None => return Report::new(Status::Done, None).with_summary(answer),
                        Some(Ok(output)) => {
                            return Report { output: Some(output), ..Report::new(Status::Done, None) };
                        }
                        Some(Err(problem)) if !is_retry => {
                            is_retry = true;
                            message = format!(
                                "Your last answer does not match the schema: {problem}. Answer again, with only the JSON."
                            );
                            continue;
                        }
                        Some(Err(problem)) => {
                            let error =
                                format!("the answer does not match output_schema, even after a retry: {problem}");
                            (Status::Failed, error)
                        }
                    }
                }
                Ok(TurnOutcome::Refused) => (Status::Refused, "the model refused".to_owned()),
                Ok(TurnOutcome::CutOff) => (Status::CutOff, "the answer was cut off at the token limit".to_owned()),
                Ok(TurnOutcome::OutOfRequests) => (Status::OutOfBudget, "the helper used up its requests".to_owned()),
                Ok(TurnOutcome::OverSpendingLimit) => (Status::OutOfBudget, agent.over_spending_limit().to_owned()),
                Ok(TurnOutcome::Interrupted) => (Status::Stopped, "interrupted".to_owned()),
                Err(error) => (Status::Failed, error.to_string()),
            };
            return Report::new(status, Some(error)).with_summary(answer);
        }
    }
}

/// Reports the end of a helper to its parent, even if the thread of the helper panics.
struct EndGuard<'h>(&'h Arc<Helper>);

impl EndGuard<'_> {
    fn end(self, report: Report, context: &HelperContext) {
        let helper = self.0;
        let HelperContext { base, parent, call, .. } = context;
        let report = Report { requests: helper.budget.used(), seconds: helper.began.elapsed().as_secs(), ..report };
        let status = report.status;
        helper.state().report = Some(report);
        (base.observer)(&AgentEvent::HelperEnds {
            helper: &helper.id,
            outcome: status.word(),
            requests: helper.budget.used(),
            milliseconds: u64::try_from(helper.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            background: helper.is_background,
        });
        if let Some(call) = call {
            let ended = call.ended.fetch_add(1, Ordering::SeqCst) + 1;
            progress(&base.observer, call, ended, &format!("{} has ended", helper.id));
        }
        // The parent knows about a helper that it has stopped.
        if helper.is_background && status != Status::Stopped {
            let begins = helper.end_prefix();
            let text = format!("{begins}{}. Read its result with {DELEGATE_TASK}, action read", status.word());
            base.news.add(parent, text);
        }
        helper.status.send_replace(status);
    }
}

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        if !self.0.status().has_ended() {
            let error = "the helper ended unexpectedly".to_owned();
            self.0.state().report.get_or_insert_with(|| Report::new(Status::Failed, Some(error)));
            self.0.status.send_replace(Status::Failed);
        }
    }
}

/// Returns the observer of a helper. It forwards to the observer of the parent what a person should see.
fn helper_observer(helper: &Arc<Helper>, parent: Observer, call: Option<Arc<WaitingCall>>) -> Observer {
    let helper = Arc::clone(helper);
    let background = helper.is_background;
    Arc::new(move |event| match *event {
        AgentEvent::CallBegins { tool, emoji, arguments, .. } => {
            let call_text = show::call("", tool, arguments, MAX_GOAL_CHARS);
            if let Some(call) = &call {
                progress(&parent, call, call.ended.load(Ordering::SeqCst), &format!("{}: {call_text}", helper.id));
            }
            helper.state().last_call = call_text;
            parent(&AgentEvent::HelperCall { helper: &helper.id, tool, emoji, arguments, background });
        }
        AgentEvent::Notice { text } if !background => {
            parent(&AgentEvent::Notice { text: &format!("{}: {text}", helper.id) });
        }
        AgentEvent::HelperBegins { helper, goal, background: is_nested } => {
            parent(&AgentEvent::HelperBegins { helper, goal, background: background || is_nested });
        }
        AgentEvent::HelperCall { helper, tool, emoji, arguments, background: is_nested } => {
            let background = background || is_nested;
            parent(&AgentEvent::HelperCall { helper, tool, emoji, arguments, background });
        }
        AgentEvent::HelperEnds { helper, outcome, requests, milliseconds, background: is_nested } => {
            let background = background || is_nested;
            parent(&AgentEvent::HelperEnds { helper, outcome, requests, milliseconds, background });
        }
        _ => {}
    })
}

#[expect(clippy::cast_precision_loss, reason = "there are few helpers")]
fn progress(observer: &Observer, call: &WaitingCall, ended: usize, message: &str) {
    let (done, total) = (ended as f64, Some(call.total as f64));
    observer(&AgentEvent::Progress { id: &call.id, tool: DELEGATE_TASK, done, total, message });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_may_be_in_a_fenced_block_and_must_match_the_schema() {
        let schema = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } });
        let schema = OutputSchema::new(&schema).expect("valid schema");
        for answer in ["{\"n\":1}", " {\"n\":1}\n", "```json\n{\"n\":1}\n```", "Here it is:\n```\n{\"n\":1}\n```\n"] {
            assert_eq!(schema.parse_output(answer), Ok(json!({ "n": 1 })), "{answer}");
        }
        for (answer, problem) in [("one", "not JSON"), ("", "not JSON"), ("{}", "required"), ("{\"n\":\"1\"}", "`/n`")]
        {
            let error = schema.parse_output(answer).expect_err(answer);
            assert!(error.contains(problem), "{error}");
        }
        assert!(
            schema.parse_output(&format!("[{}]", "0,".repeat(MAX_OUTPUT))).expect_err("too long").contains("bytes")
        );
    }

    #[test]
    fn an_invalid_or_long_schema_is_refused() {
        for schema in [json!({ "type": "number or so" }), json!({ "$ref": "https://example.com/x.json" })] {
            assert!(OutputSchema::new(&schema).is_err(), "{schema}");
        }
        assert!(
            OutputSchema::new(&json!({ "enum": vec!["word"; 5000] })).map(drop).expect_err("long").contains("20000")
        );
    }

    #[test]
    fn a_long_summary_keeps_its_beginning_and_its_end() {
        let whole = format!("ä{}z", "-".repeat(MAX_SUMMARY));
        let text = without_middle(&whole, MAX_SUMMARY);
        assert!(text.starts_with('ä') && text.ends_with('z'), "{text}");
        assert!(text.contains("[2 characters are left out]") && text.chars().count() < MAX_SUMMARY + 50, "{text}");
    }
}
