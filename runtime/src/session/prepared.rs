//! A call whose tool has been looked up, and the record of it for observers.

use std::pin::Pin;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::args::Slots;
use crate::args::repairs::Repairs;
use crate::call::ToolCall;
use crate::observe::trace::{Scope, Trace};
use crate::registration::ids::ToolId;
use crate::result::output::ToolResult;

pub(crate) type HandlerFuture<'a> = Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>;

/// The agent's own loop: a function that returns the future of a call, or `None` if the loop does not take the call.
pub(crate) type AgentLoop<'l> = dyn Fn(&str, Slots<'_, '_>) -> Option<HandlerFuture<'l>> + Sync + 'l;

/// A call whose tool has been looked up.
#[derive(Debug)]
pub(crate) struct PreparedCall<'c> {
    pub(crate) request: &'c ToolCall<'c>,
    /// The tool, or `None` if the turn does not show it.
    pub(crate) tool: Option<ToolId>,
    /// Whether the model wrote another name of the tool, which was corrected.
    pub(crate) is_corrected: bool,
    /// The data for observers, or `None` if no hook, approver or subscriber observes the call.
    pub(crate) record: Option<Box<CallRecord>>,
    /// The repairs of the arguments. Empty before they are read.
    pub(crate) repairs: Repairs,
    /// Where the command starts, if it was judged.
    #[cfg(feature = "approval")]
    pub(crate) judged: std::sync::OnceLock<std::sync::Arc<crate::call::approval::shell::JudgedStart>>,
}

/// The data of a call for hooks, the approver and traces.
#[derive(Debug)]
pub(crate) struct CallRecord {
    /// The redacted arguments. Null before they are read, and if they are invalid.
    pub(crate) arguments: Value,
    /// The start of the call, or `None` if no hook or approver observes it, or if the system has no clock.
    pub(crate) began: Option<Instant>,
    /// The time of the call, once it has ended. A batch reports its calls when all have ended.
    pub(crate) took: Option<Duration>,
    pub(crate) trace: Trace,
    #[cfg(feature = "approval")]
    pub(crate) decisions: std::sync::Arc<crate::call::decision::Decisions>,
}

impl<'c> PreparedCall<'c> {
    /// Returns a call that no hook, approver or subscriber observes.
    #[inline]
    pub(crate) fn new(request: &'c ToolCall<'c>, tool: Option<ToolId>) -> Self {
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
    pub(crate) fn scope(&self) -> Scope {
        self.record.as_ref().map_or_else(Scope::none, |record| record.trace.scope())
    }

    /// Sets the arguments that observers see.
    pub(crate) fn show_arguments(&mut self, redacted: Value) {
        if let Some(record) = &mut self.record {
            record.arguments = redacted;
        }
    }
}
