//! The log of a session's calls on stderr, which `TOOLC_DEBUG_TOOLS=1` enables: a line when a call begins, and a line when
//! it ends. If the name was corrected, or the arguments were repaired or refused, it shows what the model sent. It contains no secrets: arguments and the values of
//! secret variables are redacted, and responses of tools with secret parameters are omitted.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::sync::Arc;

use crate::call::changes::ToolChanges;
use crate::call::hooks::{CallInfo, Hook, HookAction, HostError};
use crate::call::origin::Caller;
use crate::call::response::CallResponse;
use crate::data::to_json;
use crate::result::error::ToolError;
use crate::text::display::{Truncated, short_name};
use toolc_redact::Redactor;

/// The environment variable that enables the log.
const VARIABLE: &str = "TOOLC_DEBUG_TOOLS";
/// The maximum length of arguments and responses in the log, in characters.
const MAX_CHARS: usize = 200;
/// The maximum length of the changes of a session's tools in the log, in characters.
const MAX_CHANGES: usize = 2_000;
/// The maximum number of repairs of one call in the log.
const MAX_REPAIRS: usize = 10;

/// A hook that logs calls.
pub(crate) struct Log<W = fn(&str)> {
    write: W,
    redactor: Redactor,
}

impl Log {
    /// Returns the log on stderr, if the environment enables it.
    pub(crate) fn if_enabled(redactor: impl FnOnce() -> Redactor) -> Option<Arc<dyn Hook>> {
        let is_enabled = std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0");
        is_enabled.then(|| Arc::new(Log { write: to_stderr as fn(&str), redactor: redactor() }) as Arc<dyn Hook>)
    }
}

impl<W: Fn(&str) + Send + Sync> Hook for Log<W> {
    fn name(&self) -> &str {
        VARIABLE
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        let arguments = to_json::text(call.arguments());
        let mut begin = String::new();
        match call.caller() {
            Caller::Model => {}
            Caller::Program { id } => _ = write!(begin, "program={} ", Name(id)),
            Caller::Script => begin.push_str("script "),
        }
        if !call.namespace().is_empty() {
            let _ = write!(begin, "namespace={} ", Name(call.namespace()));
        }
        let _ = write!(begin, "arguments={}", Truncated(&self.redactor.text(&arguments), MAX_CHARS));
        if !call.repairs().is_empty() {
            let _ = write!(begin, " sent={}", Truncated(&self.redactor.text(&call.sent()), MAX_CHARS));
        }
        self.line("begins", call, format_args!("{begin}"));
        for repair in call.repairs().iter().take(MAX_REPAIRS) {
            self.line(
                "repairs",
                call,
                format_args!("{}", Truncated(&self.redactor.text(&repair.to_string()), MAX_CHARS)),
            );
        }
        Ok(HookAction::Continue)
    }

    fn after_call(&self, call: &CallInfo<'_>, response: &CallResponse) -> Result<(), ToolError> {
        let mut end = format!("took={:.1?} ", call.elapsed());
        if let Some(kind) = response.error {
            let _ = write!(end, "error={} ", kind.word());
            if call.arguments().is_null() {
                let _ = write!(end, "sent={} ", Truncated(&self.redactor.text(&call.sent()), MAX_CHARS));
            }
        }
        let _ = write!(end, "bytes={}", response.json.len());
        if !response.images.is_empty() {
            let _ = write!(end, " images={}", response.images.len());
        }
        if !response.attachments.is_empty() {
            let _ = write!(end, " attachments={}", response.attachments.len());
        }
        if !call.takes_secrets() {
            let _ = write!(end, " answer={}", Truncated(&self.redactor.text(&response.json), MAX_CHARS));
        }
        self.line("ends", call, format_args!("{end}"));
        Ok(())
    }

    fn on_tool_changes(&self, session: &str, changes: &ToolChanges<'_>) {
        let changes = changes.to_string();
        let changes = self.redactor.text(&changes);
        (self.write)(&format!("toolc: tools session={} {}\n", Name(session), Truncated(&changes, MAX_CHANGES)));
    }

    fn on_host_error(&self, call: &CallInfo<'_>, error: &HostError<'_>) {
        let error = error.redacted(call).to_string();
        self.line("fault", call, format_args!("{}", Truncated(&self.redactor.text(&error), MAX_CHARS)));
    }
}

impl<W: Fn(&str)> Log<W> {
    fn line(&self, what: &str, call: &CallInfo<'_>, more: fmt::Arguments<'_>) {
        let [tool, id, task] = [call.tool(), call.id(), call.task()].map(Name);
        let called_as = call.called_as().map(|sent| format!(" called_as={}", Name(sent))).unwrap_or_default();
        (self.write)(&format!("toolc: {what} tool={tool}{called_as} id={id} task={task} {more}\n"));
    }
}

/// Writes a line to stderr, atomically. A failure is ignored, because it must not stop a call.
fn to_stderr(line: &str) {
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// A quoted name, escaped so that it ends at the closing quote.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", short_name(self.0))
    }
}

#[cfg(test)]
mod tests;
