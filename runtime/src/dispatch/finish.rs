//! The last step of every call: turns the result into a response within the limits, and passes it to the hooks.

use std::mem;

use crate::call::hooks::{HostError, HostStage};
use crate::call::response::CallResponse;
use crate::data::behaviour::MaxResultChars;
use crate::dispatch::guard::guard;
use crate::registration::ids::ToolId;
use crate::result::error::ToolError;
use crate::result::limit::{self, Shortened, Spill};
use crate::result::output::{ToolResult, attempt};
use crate::result::spill::StoredText;
use crate::session::prepared::PreparedCall;
use crate::session::turn::Turn;

/// A finished call, before hooks see its response.
#[derive(Debug)]
pub(super) struct Outcome<'c> {
    response: CallResponse,
    call: PreparedCall<'c>,
    shortening: Shortening,
}

/// How a result was shortened.
#[derive(Debug)]
enum Shortening {
    None,
    /// The store has the complete result.
    Stored,
    /// The result was cut. This is the complete result, in case it must be cut again.
    Cut(String),
}

impl Turn {
    /// Returns the response to a call.
    #[inline]
    pub(super) fn finish(&self, mut call: PreparedCall<'_>, result: ToolResult) -> CallResponse {
        match result {
            // The fast path of most calls: nothing observes them, and the result is short enough.
            Ok(output)
                if call.record.is_none() && !limit::is_over(output.as_json(), self.max_result_chars(call.tool)) =>
            {
                CallResponse::of(output, mem::take(&mut call.repairs))
            }
            result => guard(|| self.report(self.end(call, result)), |error| Err(error).into()),
        }
    }

    /// Turns a result into a response within the limit of the tool.
    #[cold]
    pub(super) fn end<'c>(&self, call: PreparedCall<'c>, result: ToolResult) -> Outcome<'c> {
        if let Err(error) = &result
            && let Some(message) = error.for_developer()
        {
            self.host_error(&call, &HostError { part: "the handler", stage: HostStage::Call, message });
        }
        let mut response = CallResponse::from(result);
        response.repairs = call.repairs.clone();
        let mut outcome = Outcome { response, call, shortening: Shortening::None };
        if !outcome.response.is_error() {
            let limit = self.max_result_chars(outcome.call.tool);
            if limit::is_over(&outcome.response.json, limit) {
                outcome.call.scope().within(|| self.shorten(&mut outcome, limit));
            }
        }
        if let Some(record) = &mut outcome.call.record {
            record.took = record.began.map(|began| began.elapsed());
            mem::take(&mut record.trace).end(&outcome.response);
        }
        outcome
    }

    /// Shortens results of a batch until all of them together are within the limit of a turn.
    pub(super) fn shorten_to_budget(&self, outcomes: &mut [Outcome<'_>]) {
        let (budget, has_store) = (self.config().limits.per_turn, self.spill().is_some());
        let mut sizes = Vec::with_capacity(outcomes.len());
        for outcome in outcomes.iter() {
            let is_stored = matches!(outcome.shortening, Shortening::Stored);
            let can_shorten =
                !outcome.response.is_error() && !is_stored && self.max_result_chars(outcome.call.tool) <= budget;
            sizes.push((outcome.response.json.chars().count(), can_shorten));
        }
        for (at, limit) in limit::over_budget(&sizes, budget, has_store) {
            self.shorten(&mut outcomes[at], limit);
        }
    }

    /// Passes the response to the hooks, and returns it.
    pub(super) fn report(&self, outcome: Outcome<'_>) -> CallResponse {
        let Outcome { response, call, .. } = outcome;
        if let Some(observers) = self.observers()
            && call.record.is_some()
        {
            observers.after_call(self, &call, &response);
        }
        response
    }

    /// Returns the maximum length of a result of this tool, in characters.
    fn max_result_chars(&self, tool: Option<ToolId>) -> usize {
        let own = tool.and_then(|id| self.plan(id).max_result_chars);
        own.map_or(self.config().limits.per_call, MaxResultChars::chars)
    }

    /// Returns the store for long results, with the name of the tool that reads them, if the model can call it or the host links to
    /// them.
    fn spill(&self) -> Option<Spill<'_>> {
        let config = self.config();
        let reader = config.spill_reader.as_deref().and_then(|name| self.state().find(name));
        let reader = reader.filter(|id| self.has(*id)).map(|id| self.dialect_name(id));
        let store = config.spill_store.as_deref().filter(|_| reader.is_some() || config.links_spilled)?;
        Some(Spill { store, reader })
    }

    /// Stores a text of a tool, if the model can read it.
    #[cold]
    pub(crate) fn store_text(&self, tool: &str, text: &str) -> Option<Result<StoredText, ToolError>> {
        let Spill { store, reader } = self.spill()?;
        let reader = reader?;
        let stored = attempt(|| store.store(tool, "txt", text).map_err(ToolError::from));
        Some(stored.map(|name| StoredText { name, reader: reader.to_owned() }).map_err(ToolError::new))
    }

    #[cold]
    fn shorten(&self, outcome: &mut Outcome<'_>, limit: usize) {
        let whole = match mem::replace(&mut outcome.shortening, Shortening::None) {
            Shortening::Cut(whole) => whole,
            Shortening::None | Shortening::Stored => mem::take(&mut outcome.response.json),
        };
        let tool = self.called_name(outcome.call.tool, outcome.call.request);
        let Shortened { json, is_stored, error } = limit::shorten(&whole, limit, tool, self.spill());
        if let Some(message) = &error {
            let error = HostError { part: "the spill store", stage: HostStage::Store, message };
            self.host_error(&outcome.call, &error);
        }
        outcome.response.json = json;
        outcome.shortening = if is_stored { Shortening::Stored } else { Shortening::Cut(whole) };
    }
}
