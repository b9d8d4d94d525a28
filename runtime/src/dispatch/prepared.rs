//! A call whose tool has been looked up, and the record of it for observers.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::args::repairs::Repairs;
use crate::call::ToolCall;
use crate::dispatch::expanded::Step;
use crate::observe::trace::{self, Scope, Trace};
use crate::panics;
use crate::registration::ids::ToolId;
use crate::run::clock;
use crate::session::turn::Turn;
use crate::text::display::short_name;

/// A call whose tool has been looked up.
#[derive(Debug)]
pub(super) struct PreparedCall<'c> {
    pub(super) request: &'c ToolCall<'c>,
    /// The tool, or `None` if the turn does not show it.
    pub(super) tool: Option<ToolId>,
    /// Whether the model wrote another name of the tool, which was corrected.
    pub(super) is_corrected: bool,
    /// The data for observers, or `None` if no hook, approver or subscriber observes the call.
    pub(super) record: Option<Box<CallRecord>>,
    /// The repairs of the arguments. Empty before they are read.
    pub(super) repairs: Repairs,
    /// Where the command starts, if it was judged.
    #[cfg(feature = "approval")]
    pub(super) judged: std::sync::OnceLock<std::sync::Arc<crate::call::approval::shell::JudgedStart>>,
}

/// The data of a call for hooks, the approver and traces.
#[derive(Debug)]
pub(super) struct CallRecord {
    /// The redacted arguments. Null before they are read, and if they are invalid.
    pub(super) arguments: Value,
    /// The start of the call, or `None` if no hook or approver observes it, or if the system has no clock.
    pub(super) began: Option<Instant>,
    /// The time of the call, once it has ended. A batch reports its calls when all have ended.
    pub(super) took: Option<Duration>,
    pub(super) trace: Trace,
    #[cfg(feature = "approval")]
    pub(super) decisions: std::sync::Arc<crate::call::decision::Decisions>,
}

impl<'c> PreparedCall<'c> {
    /// Returns a call that no hook, approver or subscriber observes.
    #[inline]
    pub(super) fn new(request: &'c ToolCall<'c>, tool: Option<ToolId>) -> Self {
        Self {
            request,
            tool,
            is_corrected: false,
            record: None,
            repairs: Repairs::NONE,
            #[cfg(feature = "approval")]
            judged: std::sync::OnceLock::new(),
        }
    }

    /// Returns the span of the call, or no span if nothing observes the call.
    pub(super) fn scope(&self) -> Scope {
        self.record.as_ref().map_or_else(Scope::none, |record| record.trace.scope())
    }

    /// Sets the arguments that observers see.
    pub(super) fn show_arguments(&mut self, redacted: Value) {
        if let Some(record) = &mut self.record {
            record.arguments = redacted;
        }
    }
}

impl Turn {
    /// Starts a call of this tool.
    #[inline]
    pub(super) fn prepare<'c>(&self, request: &'c ToolCall<'c>, tool: Option<ToolId>) -> PreparedCall<'c> {
        let record = self.is_observed(tool).then(|| Box::new(self.record(tool, request)));
        PreparedCall { record, ..PreparedCall::new(request, tool) }
    }

    /// Starts the call of a step.
    pub(super) fn prepare_step<'s>(&self, step: &'s Step<'s>) -> PreparedCall<'s> {
        PreparedCall { is_corrected: step.is_corrected, ..self.prepare(&step.request, step.tool) }
    }

    /// Returns whether hooks, the approver or traces observe calls of this tool.
    pub(super) fn is_observed(&self, tool: Option<ToolId>) -> bool {
        self.has_interceptors(tool) || trace::is_on()
    }

    /// Starts the record of a call, without a trace if the subscriber panics.
    #[cold]
    fn record(&self, tool: Option<ToolId>, request: &ToolCall<'_>) -> CallRecord {
        let name = short_name(self.called_name(tool, request));
        let called_as = self.name_as_called(tool, request);
        let trace = || Trace::begin(request, &name, called_as, || tool.map(|id| self.table(id)));
        CallRecord {
            arguments: Value::Null,
            began: if self.has_interceptors(tool) { clock::now() } else { None },
            took: None,
            trace: panics::catch(trace).unwrap_or_default(),
            #[cfg(feature = "approval")]
            decisions: std::sync::Arc::default(),
        }
    }

    /// Returns the own name of the called tool, or what the model wrote if there is no such tool.
    pub(super) fn called_name<'c>(&'c self, tool: Option<ToolId>, request: &ToolCall<'c>) -> &'c str {
        match tool {
            Some(id) => self.name(id),
            None => self.resolve_search_tool(request.name()).unwrap_or(request.name()),
        }
    }

    /// Returns the name that the model wrote, if it was corrected.
    pub(super) fn name_as_called<'c>(&self, tool: Option<ToolId>, request: &ToolCall<'c>) -> Option<&'c str> {
        let shown = match tool {
            Some(id) => self.dialect_name(id),
            None => self.called_name(None, request),
        };
        let sent = request.name();
        (sent != shown).then_some(sent)
    }
}
