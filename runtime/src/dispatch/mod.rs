//! The pipeline of a call, which is the same for single calls, batches and the agent's own tools:
//!
//! 1. [`expanded`]: the tool is looked up, by a [corrected](misnamed) name if necessary. A call of tool search's `tool_call` is
//!    replaced by the calls inside it, and a call with a [text](text_call) by one with arguments.
//! 2. [`interceptors`]: hooks and the approver see the arguments. Skipped if there are none.
//! 3. [`running`]: the arguments are read into slots, and the handler runs.
//! 4. [`finish`]: the result becomes a response within the limits, and hooks see it.
//!
//! Every path ends in one well-formed JSON text: [guards](guard) stand around what can panic.

pub(crate) mod agent;
mod approval;
pub(crate) mod background;
pub(crate) mod batch;
mod blocking;
mod callers;
mod combined;
#[cfg(feature = "approval")]
mod commands;
mod expanded;
mod finish;
mod guard;
mod interceptors;
mod misnamed;
mod namespace;
mod parallel_key;
mod prepared;
mod repaired_call;
mod running;
mod scripts;
#[cfg_attr(not(feature = "search"), path = "no_search_tools.rs")]
mod search_tools;
mod text_call;
mod unknown_tool;

use std::pin::{Pin, pin};

use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::dispatch::expanded::Step;
use crate::dispatch::guard::guarded;
use crate::dispatch::prepared::PreparedCall;
use crate::dispatch::running::AgentLoop;
use crate::panics::CatchPanic;
use crate::provider::HandlerReply;
use crate::result::output::ToolResult;
use crate::run::cancel::CancelEpoch;
use crate::session::turn::Turn;

impl Turn {
    /// Runs a call of the model, and returns the response. Every failure, including a panic of the handler or of
    /// other code of the host, becomes an error response.
    ///
    /// The steps are:
    ///
    /// 1. Find the tool.
    /// 2. Parse, repair and validate the arguments.
    /// 3. Run the hooks' [`before_call`](crate::hooks::Hook::before_call).
    /// 4. Judge the call's commands, if the session does. Ask the approver, if the call needs approval.
    /// 5. Run the handler.
    /// 6. Run the hooks' [`transform_result`](crate::hooks::Hook::transform_result).
    /// 7. Scrub an error, or shorten a result that is too long.
    /// 8. Run the hooks' [`after_call`](crate::hooks::Hook::after_call).
    pub async fn call(&self, request: &ToolCall<'_>) -> CallResponse {
        let inner = self.only_inner_call(request);
        let inner = inner.as_ref().map(|(name, arguments)| request.redirected(name, arguments));
        let found = inner.as_ref().unwrap_or(request);
        let is_plain = !request.is_text() && request.origin().namespace.is_empty();
        let Some(id) = self.find(found.name()).filter(|_| is_plain) else {
            return guarded(self.call_unlisted(request), |error| Err(error).into()).await;
        };
        let mut call = self.prepare(found, Some(id));
        let result = self.run(&mut call, self.cancel_epoch(), &running::no_loop).await;
        self.finish(call, result)
    }

    /// Runs a call that names no tool, or not exactly, or has several calls inside it, or a text, or a namespace.
    ///
    /// The future is boxed, so that the stack frame of other calls stays small.
    #[cold]
    fn call_unlisted<'c>(
        &'c self,
        request: &'c ToolCall<'c>,
    ) -> Pin<Box<dyn Future<Output = CallResponse> + Send + 'c>> {
        Box::pin(async move {
            let expanded = self.expand(request);
            let Some(Step { request, tool, refusal }) = expanded.single(self, *request) else {
                let mut completed = self.batch(std::slice::from_ref(request)).await;
                let only = completed.pop().map(|completed| completed.response);
                return only.unwrap_or_else(|| unreachable!("a batch answers each call"));
            };
            let mut call = self.prepare(&request, tool);
            let result = match refusal {
                Some(error) => Err(error.clone()),
                None => self.run(&mut call, self.cancel_epoch(), &running::no_loop).await,
            };
            self.finish(call, result)
        })
    }

    /// Runs a prepared call up to its result, which is an error if anything on the way panics.
    async fn run(&self, call: &mut PreparedCall<'_>, session: CancelEpoch<'_>, agent: &AgentLoop<'_>) -> ToolResult {
        let result = CatchPanic(pin!(self.run_unguarded(call, session, agent))).await;
        result.unwrap_or_else(|panicked| Err(self.panicked(call, &panicked)))
    }

    async fn run_unguarded(
        &self,
        call: &mut PreparedCall<'_>,
        session: CancelEpoch<'_>,
        agent: &AgentLoop<'_>,
    ) -> ToolResult {
        let request = call.request;
        let Some(id) = call.tool else {
            let run = || self.search_tool_result(request).unwrap_or_else(|| Err(self.unknown_tool(request.name())));
            return call.scope().within(run);
        };
        let read = match self.admit(id, call, session, Some(agent))? {
            Some(interceptors) => Some(interceptors.await?),
            None => None,
        };
        #[cfg_attr(not(feature = "approval"), expect(unused_mut, reason = "only approval changes it"))]
        let mut context = self.context(id, request, session);
        #[cfg(feature = "approval")]
        context.set_judged_start(call.judged.take());
        let reply = self.take_arguments(id, call, read, &context, |slots| self.start(id, slots, &context, agent));
        let result = match reply {
            HandlerReply::Ready(result) => result,
            HandlerReply::Async(handler) => call.scope().around(self.wait(id, handler, &context)).await,
        };
        self.transform(call, session, result).await
    }

    /// Returns the session's cancel count at the start of a call.
    fn cancel_epoch(&self) -> CancelEpoch<'_> {
        CancelEpoch::now(&self.config().cancel)
    }

    /// Returns whether the model can call a tool of this name, including the tools of tool search.
    #[cfg(feature = "wire-mcp")]
    pub(crate) fn can_call(&self, name: &str) -> bool {
        self.find_called(name).is_some() || self.search_tool_called(name).is_some()
    }
}

#[cfg(test)]
mod tests;
