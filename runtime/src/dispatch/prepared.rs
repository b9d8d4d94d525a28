//! Starting a call: the record of it, if anything observes the call.

use serde_json::Value;

use crate::call::ToolCall;
use crate::dispatch::expanded::Step;
use crate::observe::trace::{self, Trace};
use crate::panics;
use crate::registration::ids::ToolId;
use crate::run::clock;
use crate::session::prepared::{CallRecord, PreparedCall};
use crate::session::turn::Turn;
use crate::text::display::short_name;

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
