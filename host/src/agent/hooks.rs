//! The hook of the agent loop that reports calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use toolc::hooks::{CallInfo, Hook, HookAction, HostError};
use toolc::redaction::Redactor;
use toolc::{CallResponse, ToolError};

use super::event::{AgentEvent, Observer};
use crate::approval;

/// Reports calls to an observer.
pub(super) struct Reporter {
    pub(super) observer: Observer,
    pub(super) redactor: Arc<Redactor>,
    /// The emojis of tools, by their names.
    pub(super) emojis: HashMap<String, String>,
    /// The ids and tools of calls that have begun. A call that does not reach a handler is reported as begun when it ends. Calls inside a
    /// call of `tool_call` have the id of the outer call.
    pub(super) begun: Mutex<Vec<(String, String)>>,
}

impl Reporter {
    fn begin(&self, call: &CallInfo<'_>) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.iter().any(|(id, tool)| id == call.id() && tool == call.tool()) {
            return;
        }
        begun.push((call.id().to_owned(), call.tool().to_owned()));
        drop(begun);
        let emoji = self.emojis.get(call.tool()).map_or("", String::as_str);
        let arguments = self.redactor.text(&call.arguments().to_string()).into_owned();
        let arguments = serde_json::from_str(&arguments).unwrap_or_default();
        (self.observer)(&AgentEvent::CallBegins { id: call.id(), tool: call.tool(), emoji, arguments: &arguments });
    }
}

impl Hook for Reporter {
    fn name(&self) -> &'static str {
        "the report of calls"
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        self.begin(call);
        Ok(HookAction::Continue)
    }

    fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        self.begin(call);
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.retain(|(id, tool)| id != call.id() || tool != call.tool());
        drop(begun);
        (self.observer)(&AgentEvent::CallEnds {
            id: call.id(),
            tool: call.tool(),
            milliseconds: u64::try_from(call.elapsed().as_millis()).unwrap_or(u64::MAX),
            error: response.error.map(toolc::ErrorKind::word),
            repairs: response.repairs.iter().count(),
            json: &self.redactor.text(&response.json),
            unanswered: response.error.is_some() && call.decisions().iter().any(approval::is_unanswered),
        });
        Ok(())
    }

    fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
        let text = format!("{} failed: {}", error.part, error.message);
        (self.observer)(&AgentEvent::Notice { text: &self.redactor.text(&text) });
    }
}
