//! The hooks of the agent loop: [`Reporter`] reports calls, [`SecretFilter`] removes secrets from results. [`RedactedStore`] removes
//! them from stored results.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use serde_json::value::RawValue;
use toolc::attachment::Attachment;
use toolc::hooks::{CallInfo, Hook, HookAction, HostError};
use toolc::limits::SpillStore;
use toolc::redaction::Redactor;
use toolc::{CallResponse, ToolError, ToolOutput, ToolResult};
use toolc_cli::ResultStore;

use super::event::{AgentEvent, Observer};

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
        });
        Ok(())
    }

    fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
        let text = format!("{} failed: {}", error.part, error.message);
        (self.observer)(&AgentEvent::Notice { text: &self.redactor.text(&text) });
    }
}

/// Replaces secrets in results, before they are stored or reach the model.
pub(crate) struct SecretFilter(pub(crate) Arc<Redactor>);

impl Hook for SecretFilter {
    fn name(&self) -> &'static str {
        "the filter of secrets"
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn transform_result(&self, _: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        match result {
            Ok(output) => {
                let redacted = self.0.text(output.as_json());
                let without = |attachment: &Attachment| attachment.map_text(|text| self.0.text(text).into_owned());
                let attachments: Vec<Attachment> = output.attachments().iter().map(without).collect();
                let meta = output.meta().and_then(|meta| without_secrets(meta, &self.0));
                if redacted == output.as_json() && attachments == output.attachments() && meta.as_ref() == output.meta()
                {
                    return Ok(None);
                }
                let json = RawValue::from_string(redacted.into_owned())
                    .map_err(|error| ToolError::new(format!("the result without secrets is not JSON: {error}")))?;
                let images = output.images().iter().cloned();
                let output = images.into_iter().try_fold(ToolOutput::json(&json)?, ToolOutput::with_image)?;
                let output = attachments.into_iter().try_fold(output, ToolOutput::with_attachment)?;
                // The placeholder of a secret can be longer than the secret, and make the metadata too long.
                let with_meta = meta.and_then(|meta| output.clone().with_meta(meta).ok());
                Ok(Some(Ok(with_meta.unwrap_or(output))))
            }
            Err(error) => {
                let message = error.to_string();
                let redacted = self.0.text(&message);
                Ok((redacted != message).then(|| Err(ToolError::with_kind(error.kind(), redacted.into_owned()))))
            }
        }
    }
}

/// Returns a value without secrets, or `None` if the redacted text is no longer JSON.
fn without_secrets(value: &Value, redactor: &Redactor) -> Option<Value> {
    serde_json::from_str(&redactor.text(&value.to_string())).ok()
}

/// A store of long results that removes secrets. Handlers also store texts that no hook has seen.
pub(crate) struct RedactedStore {
    pub(crate) results: ResultStore,
    pub(crate) redactor: Arc<Redactor>,
}

impl SpillStore for RedactedStore {
    fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        self.results.store(tool, extension, &self.redactor.text(text))
    }
}
