//! What is kept of a call under way for those who watch it, which is nothing where nobody does.

use std::time::Instant;

use serde_json::Value;

use crate::call::ToolCall;
use crate::observe::trace::Trace;
use crate::registration::ids::ToolId;
use crate::run::clock;
use crate::session::turn::Turn;

#[derive(Debug, Default)]
pub(crate) struct CallRecord {
    /// What anybody may see of its arguments: null where nobody looks, or they could not be read.
    pub(crate) arguments: Value,
    /// None: nobody asks, or there is no clock.
    pub(crate) began: Option<Instant>,
    pub(crate) trace: Trace,
}

impl Turn {
    /// The record of a call that begins now.
    pub(crate) fn record(&self, tool: Option<ToolId>, request: &ToolCall<'_>) -> CallRecord {
        let is_watched = tool.map_or(!self.host().hooks.is_empty(), |id| self.is_watched(id));
        let began = is_watched.then(clock::now).flatten();
        CallRecord {
            arguments: Value::Null,
            began,
            trace: Trace::begin(request, tool.map(|id| self.name(id)), || tool.map(|id| self.table(id))),
        }
    }
}
