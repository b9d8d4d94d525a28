//! A span for each call, with names from OpenTelemetry's semantic conventions for GenAI tool executions, and events for
//! hosts.
//!
//! <https://github.com/open-telemetry/semantic-conventions-genai>, `gen_ai.execute_tool`, as of 2026-11. They are not
//! stable yet. `tracing-opentelemetry` uses `otel.name` and `otel.status_code` as the name and the status of the span.

use std::fmt::Display;
use std::mem;

use tracing::instrument::{Instrument as _, Instrumented};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Span, debug, event_enabled, field, info, info_span, warn};

use crate::args::repairs::{Repair, Repairs};
use crate::args::{Arguments, Limits};
use crate::call::ToolCall;
use crate::call::changes::ToolChanges;
use crate::call::hooks::{CallInfo, HostError};
use crate::call::response::CallResponse;
use crate::data::table::Table;
use crate::result::error::ErrorKind;
use crate::text::display::short_name;

/// Returns whether a subscriber may be interested in calls.
pub(crate) fn is_on() -> bool {
    LevelFilter::current() >= LevelFilter::INFO
}

/// Returns the current span of the caller.
pub(crate) fn current() -> Scope {
    Scope(Span::current())
}

/// Logs that a new turn has no tools of a project, because their definitions were not generated for its dialect.
pub(crate) fn undeclared_dialect(reason: impl Display) {
    warn!(target: "toolc", { %reason }, "the tools of a project are hidden");
}

/// Logs why a new turn hides granted tools, and which failed checks count as flakes.
pub(crate) fn turn_made<'t, R: Display>(
    flakes: impl Iterator<Item = (&'t str, R)>,
    hidden: impl Iterator<Item = (&'t str, R)>,
) {
    for (tool, reason) in flakes {
        debug!(target: "toolc", { "gen_ai.tool.name" = tool, %reason }, "a failed check counts as a flake");
    }
    for (tool, reason) in hidden {
        debug!(target: "toolc", { "gen_ai.tool.name" = tool, %reason }, "a tool is hidden");
    }
}

/// Logs what differs between the tools of two turns of a session.
pub(crate) fn tools_changed(session: &str, changes: &ToolChanges<'_>) {
    info!(target: "toolc", { "gen_ai.conversation.id" = id(session), %changes }, "the tools of a session changed");
}

/// Logs that a part of the host failed.
pub(crate) fn host_error(call: &CallInfo<'_>, error: &HostError<'_>) {
    let error = error.redacted(call);
    warn!(
        target: "toolc",
        { "gen_ai.tool.name" = &*short_name(call.tool()), "gen_ai.tool.call.id" = id(call.id()), part = error.part },
        "{error}",
    );
}

/// The span of a call. Dropping it before [`end`](Self::end) records the call as cancelled.
#[derive(Debug)]
pub(crate) struct Trace {
    span: Span,
    shows_result: bool,
}

impl Trace {
    /// Opens a span. `name` is the called tool's own name, or what the model wrote. `called_as` is the name that was corrected, and
    /// `table` describes the arguments.
    pub(crate) fn begin<'t>(
        request: &ToolCall<'_>,
        name: &str,
        called_as: Option<&str>,
        table: impl FnOnce() -> Option<&'t Table>,
    ) -> Self {
        let span = info_span!(
            target: "toolc",
            "execute_tool",
            otel.name = &*format!("execute_tool {name}"),
            otel.status_code = field::Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = name,
            gen_ai.tool.call.id = id(request.id()),
            gen_ai.tool.type = "function",
            gen_ai.tool.call.arguments = field::Empty,
            gen_ai.tool.call.result = field::Empty,
            error.type = field::Empty,
            toolc.task = request.task(),
            toolc.called_as = called_as.map(short_name),
            toolc.repairs = field::Empty,
        );
        if span.is_disabled() || !event_enabled!(target: "toolc::content", Level::TRACE) {
            return Self { span, shows_result: false };
        }
        let table = table();
        if let Some(table) = table {
            let limits = Limits::default();
            if let Ok((arguments, _)) = Arguments::read(request.arguments(), table, limits) {
                span.record("gen_ai.tool.call.arguments", &*arguments.redacted(table, limits).to_string());
            }
        }
        Self { span, shows_result: !table.is_some_and(Table::has_secrets) }
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope(self.span.clone())
    }

    pub(crate) fn end(mut self, response: &CallResponse) {
        // Disables `Drop`, which reports that the call was dropped.
        let span = mem::replace(&mut self.span, Span::none());
        if !response.repairs.is_empty() && !span.is_disabled() {
            show_repairs(&span, &response.repairs);
        }
        if self.shows_result {
            span.record("gen_ai.tool.call.result", &*response.json);
        }
        if let Some(kind) = response.error {
            failed(&span, kind);
        }
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self { span: Span::none(), shows_result: false }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if !self.span.is_disabled() {
            failed(&self.span, ErrorKind::Cancelled);
        }
    }
}

/// Records the number of repairs, and logs them. Values are content, like the arguments.
#[cold]
fn show_repairs(span: &Span, repairs: &Repairs) {
    span.record("toolc.repairs", repairs.len());
    for Repair { path, rule, from, to } in repairs {
        let rule = rule.id();
        if event_enabled!(target: "toolc::content", Level::TRACE) {
            debug!(target: "toolc", parent: span, path, rule, from, to, "an argument was repaired");
        } else {
            debug!(target: "toolc", parent: span, path, rule, "an argument was repaired");
        }
    }
}

fn failed(span: &Span, kind: ErrorKind) {
    span.record("error.type", kind.word());
    span.record("otel.status_code", "ERROR");
    match kind {
        ErrorKind::Timeout => info!(target: "toolc", parent: span, "a call exceeded its time limit"),
        ErrorKind::Cancelled => info!(target: "toolc", parent: span, "a call was cancelled"),
        _ => {}
    }
}

/// The span in which work runs.
pub(crate) struct Scope(Span);

impl Scope {
    /// Returns no span.
    pub(crate) const fn none() -> Self {
        Self(Span::none())
    }

    pub(crate) fn around<F: Future>(self, future: F) -> Instrumented<F> {
        future.instrument(self.0)
    }

    pub(crate) fn within<T>(self, work: impl FnOnce() -> T) -> T {
        self.0.in_scope(work)
    }
}

/// Returns the id, or `None` if it is empty.
fn id(id: &str) -> Option<&str> {
    (!id.is_empty()).then_some(id)
}
