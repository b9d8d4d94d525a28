//! The records of calls: what was sent and what ran, who decided about it, where and when it ran, and how it ended. They are stored with
//! the conversation, and `toolc why --call` shows them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolc::approval::CallDecision;
use toolc::hooks::{CallInfo, Hook};
use toolc::origin::Caller;
use toolc::redaction::Redactor;
use toolc::text::without_middle;
use toolc::{CallResponse, Registry, ToolError};
use toolc_store::NewCall;

use crate::ground::time;

/// The maximum number of calls that wait for the next message of the conversation. Further calls are not recorded.
const MAX_PENDING: usize = 1000;
/// The maximum length of arguments and of messages, in characters. Of longer ones, the middle is left out.
const MAX_TEXT: usize = 4000;
/// The maximum number of repairs and of decisions of a call.
const MAX_ITEMS: usize = 20;

/// What is known about a call, besides its id, its tool and its start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CallDetails {
    /// The name that the model wrote, if it was corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) called_as: Option<String>,
    /// `model`, `program`, `script` or `person`.
    pub(crate) caller: String,
    /// The helper whose model made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) helper: Option<String>,
    /// The home toolset of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) toolset: Option<String>,
    /// The arguments that were sent.
    pub(crate) sent: String,
    /// The arguments that ran, if they differ. `None` as well if the arguments were invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ran: Option<String>,
    pub(crate) repairs: Vec<StoredRepair>,
    /// Whether the command rules have judged the call.
    pub(crate) judged: bool,
    pub(crate) decisions: Vec<StoredDecision>,
    pub(crate) environment: String,
    pub(crate) directory: String,
    pub(crate) milliseconds: u64,
    /// The part of the time that the call has waited for decisions.
    pub(crate) milliseconds_waited: u64,
    /// The kind of the error, if the call failed.
    pub(crate) error: Option<String>,
    /// The message of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// The length of the result for the model.
    pub(crate) bytes: u64,
    /// How the limits of results have shortened it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shortened: Option<StoredShortening>,
}

/// A repair of the arguments, or of the name of the tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredRepair {
    pub(crate) path: String,
    pub(crate) rule: String,
    pub(crate) from: String,
    pub(crate) to: String,
    /// The repair as a sentence.
    pub(crate) text: String,
}

/// A decision about whether the call may run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredDecision {
    pub(crate) verdict: String,
    pub(crate) reasons: Vec<StoredReason>,
    pub(crate) decision: String,
    pub(crate) decided_by: String,
    pub(crate) time: String,
    pub(crate) milliseconds: u64,
}

/// A reason of a decision.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredReason {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    pub(crate) text: String,
}

/// How the limits of results have shortened a result.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredShortening {
    /// The length of the whole result, in characters.
    pub(crate) chars: u64,
    /// The characters that are lost.
    pub(crate) missing: u64,
    /// The file that has the whole result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
}

/// The calls of a conversation that have ended, and that the next message is stored with. The helpers of the conversation share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallLog {
    pending: Arc<Mutex<Pending>>,
    helper: Option<Arc<Helper>>,
}

#[derive(Debug, Default)]
struct Pending {
    calls: Vec<RecordedCall>,
    /// The numbers of calls that scripts have made so far, by the names of the calls that run the scripts.
    scripts: HashMap<String, u32>,
    /// The id of the running call that the person has made.
    of_person: Option<String>,
}

/// The helper whose calls are recorded.
#[derive(Debug)]
struct Helper {
    id: String,
    /// The name of the call that has started it.
    call: String,
}

/// A call that has ended.
#[derive(Debug)]
pub(crate) struct RecordedCall {
    name: String,
    inside: Option<String>,
    tool: String,
    began: SystemTime,
    details: String,
}

impl RecordedCall {
    pub(crate) fn as_new(&self) -> NewCall<'_> {
        let Self { name, inside, tool, began, details } = self;
        NewCall { call: name, inside: inside.as_deref(), tool, began: *began, details }
    }
}

impl CallLog {
    /// Returns the log for a helper that the call of this id has started.
    pub(crate) fn of_helper(&self, id: &str, call: &str) -> Self {
        let helper = Helper { id: id.to_owned(), call: self.name(call) };
        Self { pending: Arc::clone(&self.pending), helper: Some(Arc::new(helper)) }
    }

    /// Sets the id of the call that the person makes next.
    pub(super) fn set_of_person(&self, id: &str) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).of_person = Some(id.to_owned());
    }

    fn is_of_person(&self, id: &str) -> bool {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).of_person.as_deref() == Some(id)
    }

    /// Removes and returns the calls that have ended.
    pub(crate) fn take(&self) -> Vec<RecordedCall> {
        std::mem::take(&mut self.pending.lock().unwrap_or_else(PoisonError::into_inner).calls)
    }

    /// Returns the name of the call of this id. The ids of different conversations can be equal.
    fn name(&self, id: &str) -> String {
        match &self.helper {
            Some(helper) => format!("{}/{id}", helper.id),
            None => id.to_owned(),
        }
    }

    fn add(&self, call: &CallInfo<'_>, details: String) {
        let name = self.name(call.id());
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, inside) = if call.caller() == Caller::Script {
            let number = pending.scripts.entry(name.clone()).or_default();
            *number += 1;
            (format!("{name}/{number}"), Some(name))
        } else {
            pending.scripts.remove(&name);
            (name, self.helper.as_ref().map(|helper| helper.call.clone()))
        };
        if pending.calls.len() < MAX_PENDING {
            let began = call.began().map_or_else(SystemTime::now, to_system_time);
            pending.calls.push(RecordedCall { name, inside, tool: call.tool().to_owned(), began, details });
        }
    }
}

/// The hook that records calls.
pub(super) struct CallRecorder {
    log: CallLog,
    registry: Registry,
    redactor: Arc<Redactor>,
    /// The kind of environment and the directory of calls whose task has none.
    place: (&'static str, PathBuf),
}

impl CallRecorder {
    pub(super) fn new(
        log: CallLog,
        registry: Registry,
        redactor: Arc<Redactor>,
        place: (&'static str, PathBuf),
    ) -> Self {
        Self { log, registry, redactor, place }
    }

    /// Returns a text without secrets, shortened.
    fn text(&self, text: &str) -> String {
        without_middle(&self.redactor.kept_text(text), MAX_TEXT).into_owned()
    }

    fn details(&self, call: &CallInfo<'_>, response: &CallResponse) -> CallDetails {
        let sent = call.sent();
        let ran = Some(call.arguments()).filter(|ran| !ran.is_null() && parsed(&sent).as_ref() != Some(ran));
        let repairs = call.repairs().iter().take(MAX_ITEMS).map(|repair| StoredRepair {
            path: self.text(&repair.path),
            rule: repair.rule.id().to_owned(),
            from: self.text(&repair.from),
            to: self.text(&repair.to),
            text: self.text(&repair.to_string()),
        });
        let decisions = call.decisions();
        let waited = decisions.iter().map(|decision| decision.waited).sum();
        let (kind, default) = &self.place;
        let directory = call.start_directory().map(ToOwned::to_owned).or_else(|| call.directory());
        let result = parsed(&response.json).unwrap_or_default();
        CallDetails {
            called_as: call.called_as().map(|name| self.text(name)),
            caller: if self.log.is_of_person(call.id()) { PERSON } else { caller_word(call.caller()) }.to_owned(),
            helper: self.log.helper.as_ref().map(|helper| helper.id.clone()),
            toolset: self.registry.tool(call.tool()).map(|tool| tool.toolset.into_owned()),
            sent: self.text(&sent),
            ran: ran.map(|ran| self.text(&ran.to_string())),
            repairs: repairs.collect(),
            judged: call.is_judged(),
            decisions: decisions.iter().take(MAX_ITEMS).map(|decision| self.decision(decision)).collect(),
            environment: call.environment().map_or_else(|| (*kind).to_owned(), |kind| kind.to_string()),
            directory: directory.unwrap_or_else(|| default.clone()).display().to_string(),
            milliseconds: milliseconds(call.elapsed()),
            milliseconds_waited: milliseconds(waited),
            error: response.error.map(|kind| kind.word().to_owned()),
            message: response.error.and(result["error"].as_str()).map(|message| self.text(message)),
            bytes: response.json.len() as u64,
            shortened: response.is_shortened().then(|| StoredShortening {
                chars: result["chars"].as_u64().unwrap_or_default(),
                missing: result["missing"].as_u64().unwrap_or_default(),
                file: result["file"].as_str().map(|file| self.text(file)),
            }),
        }
    }

    fn decision(&self, decision: &CallDecision) -> StoredDecision {
        let reasons = decision.reasons.iter().take(MAX_ITEMS);
        StoredDecision {
            verdict: decision.verdict.word().to_owned(),
            reasons: reasons
                .map(|reason| StoredReason { rule: reason.rule.clone(), text: self.text(&reason.text) })
                .collect(),
            decision: decision.decision.word().to_owned(),
            decided_by: decision.decided_by.word().to_owned(),
            time: time::text(decision.at.map_or_else(SystemTime::now, to_system_time)),
            milliseconds: milliseconds(decision.waited),
        }
    }
}

impl Hook for CallRecorder {
    fn name(&self) -> &'static str {
        "the record of calls"
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        let details = self.details(call, response);
        self.log.add(call, serde_json::to_string(&details).map_err(|error| ToolError::new(error.to_string()))?);
        Ok(())
    }
}

/// The caller of the shell commands that a person types.
pub(crate) const PERSON: &str = "person";

fn caller_word(caller: Caller<'_>) -> &'static str {
    match caller {
        Caller::Model => "model",
        Caller::Program { .. } => "program",
        Caller::Script => "script",
        _ => "other",
    }
}

fn parsed(json: &str) -> Option<Value> {
    serde_json::from_str(json).ok()
}

fn to_system_time(instant: Instant) -> SystemTime {
    let now = SystemTime::now();
    now.checked_sub(instant.elapsed()).unwrap_or(now)
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
