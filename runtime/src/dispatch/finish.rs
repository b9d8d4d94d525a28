//! What a call comes to, within the limits of its tool and of the turn, before anybody is told.

use std::mem;

use crate::call::ToolCall;
use crate::call::hooks::{HostError, HostStage};
use crate::call::response::CallResponse;
use crate::dispatch::call_record::CallRecord;
use crate::registration::ids::ToolId;
use crate::result::limit;
use crate::result::limit::Shortened;
use crate::result::output::ToolResult;
use crate::session::turn::Turn;

/// A call that has come to its end, before anybody has been told.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) answer: CallResponse,
    /// The tool's position, if there is one.
    pub(crate) tool: Option<ToolId>,
    pub(crate) record: CallRecord,
    short: Short,
}

/// What became of a result that was too long.
#[derive(Debug)]
enum Short {
    /// It was not.
    No,
    /// All of it is kept elsewhere.
    Kept,
    /// It was cut; all of it, should it have to be cut again.
    Cut(String),
}

impl Turn {
    /// The text that a result comes to, within the tool's limit.
    pub(crate) fn ended(
        &self,
        tool: Option<ToolId>,
        request: &ToolCall<'_>,
        record: CallRecord,
        result: ToolResult,
    ) -> Outcome {
        let mut outcome = Outcome { answer: CallResponse::from(result), tool, record, short: Short::No };
        let trace = mem::take(&mut outcome.record.trace);
        if !outcome.answer.is_error() {
            let most = self.most(tool);
            if limit::is_over(&outcome.answer.json, most) {
                trace.scope().within(|| self.shorten(request, &mut outcome, most));
            }
        }
        trace.end(&outcome.answer);
        outcome
    }

    /// Shortens results until all of a batch keep to the turn's budget.
    pub(crate) fn keep_to_budget(&self, requests: &[ToolCall<'_>], outcomes: &mut [Outcome]) {
        let (most, is_kept) = (self.host().limits.per_turn, self.host().spill.is_some());
        let size = |outcome: &Outcome| {
            let is_kept = matches!(outcome.short, Short::Kept);
            let may_be_shortened = !outcome.answer.is_error() && !is_kept && self.most(outcome.tool) <= most;
            (outcome.answer.json.chars().count(), may_be_shortened)
        };
        let sizes: Vec<(usize, bool)> = outcomes.iter().map(size).collect();
        for (at, most) in limit::over_budget(&sizes, most, is_kept) {
            self.shorten(&requests[at], &mut outcomes[at], most);
        }
    }

    pub(crate) fn most(&self, tool: Option<ToolId>) -> usize {
        let own = tool.and_then(|id| self.state()[id].plan.max_result_chars);
        own.map_or(self.host().limits.per_call, |most| usize::try_from(most).unwrap_or(usize::MAX))
    }

    #[cold]
    fn shorten(&self, request: &ToolCall<'_>, outcome: &mut Outcome, most: usize) {
        let whole = match mem::replace(&mut outcome.short, Short::No) {
            Short::Cut(whole) => whole,
            Short::No | Short::Kept => mem::take(&mut outcome.answer.json),
        };
        let info = self.info(outcome.tool, request, &outcome.record);
        let Shortened { json, is_kept, fault } = limit::shorten(&whole, most, info.tool, self.host().spill.as_deref());
        if let Some(message) = &fault {
            self.host().note(&info, &HostError { part: "the spill", stage: HostStage::Spill, message });
        }
        outcome.answer.json = json;
        outcome.short = if is_kept { Short::Kept } else { Short::Cut(whole) };
    }
}
