//! The pipeline of a call, which is the same for single calls, batches and the agent's own tools. A call that nothing observes takes a
//! shorter way through the same parts.
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
mod permissions;
mod prepared;
mod repaired_call;
mod running;
mod scripts;
#[cfg_attr(not(feature = "search"), path = "no_search_tools.rs")]
mod search_tools;
mod text_call;
mod unknown_tool;

use std::pin::{Pin, pin};

use crate::call::response::CallResponse;
use crate::call::{Call, ToolCall};
use crate::dispatch::guard::guarded;
use crate::panics::{self, CatchPanic};
use crate::provider::HandlerReply;
use crate::registration::ids::ToolId;
use crate::result::output::ToolResult;
use crate::run::cancel::CancelEpoch;
use crate::session::prepared::{AgentLoop, PreparedCall};
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
    /// 4. Apply the session's permissions, and judge the call's commands, if the session does. Ask the approver, if the call needs
    ///    approval.
    /// 5. Run the handler.
    /// 6. Run the hooks' [`transform_result`](crate::hooks::Hook::transform_result).
    /// 7. Scrub an error, or shorten a result that is too long.
    /// 8. Run the hooks' [`after_call`](crate::hooks::Hook::after_call).
    pub async fn call(&self, request: &ToolCall<'_>) -> CallResponse {
        let is_plain = !request.is_text() && request.origin().namespace.is_empty();
        let exact = if is_plain { self.find(request.name()) } else { None };
        let inner = if is_plain && exact.is_none() { self.only_inner_call(request) } else { None };
        let inner = inner.as_ref().map(|(name, arguments)| request.redirected(name, arguments));
        let found = inner.as_ref().unwrap_or(request);
        let id = if inner.is_some() { self.find(found.name()) } else { exact };
        let Some(id) = id.filter(|id| !self.is_observed(Some(*id))) else {
            return guarded(self.call_in_steps(request), |error| Err(error).into()).await;
        };
        // Nothing observes the call. One guard is around all of it, and writes the reply to its place, because each value that leaves a
        // guard or a future is copied.
        let mut call = PreparedCall::new(found, Some(id));
        let context = self.context(id, found, self.cancel_epoch());
        let (mut reply, mut has_begun) = (None, false);
        let panicked = panics::catch(|| reply = Some(self.reply_unobserved(id, &mut call, &context, &mut has_begun)));
        let result = match (reply, panicked) {
            (Some(HandlerReply::Ready(result)), _) => result,
            (Some(HandlerReply::Async(handler)), _) => match CatchPanic(pin!(self.wait(id, handler, &context))).await {
                Ok(result) => result,
                Err(panicked) => Err(self.panicked(&call, &panicked)),
            },
            (None, Err(panicked)) if has_begun => Err(panicked.into()),
            (None, Err(panicked)) => Err(self.panicked(&call, &panicked)),
            (None, Ok(())) => unreachable!("what does not panic replies"),
        };
        self.finish(call, result)
    }

    /// Returns the reply of the handler of a call that nothing observes. Sets `has_begun` before it calls the handler.
    #[inline]
    fn reply_unobserved<'c>(
        &'c self,
        id: ToolId,
        call: &mut PreparedCall<'_>,
        context: &'c Call<'c>,
        has_begun: &mut bool,
    ) -> HandlerReply<'c> {
        if let Err(refused) = self.check_caller(id, call.request) {
            return HandlerReply::Ready(Err(refused));
        }
        self.take_arguments(id, call, None, context, |slots| match slots {
            Ok(slots) => {
                *has_begun = true;
                self.reply(id, slots, context, &running::no_loop)
            }
            Err(error) => HandlerReply::Ready(Err(error)),
        })
    }

    /// Runs a call that is observed, or that names no tool, or not exactly, or has several calls inside it, or a text, or a
    /// namespace.
    ///
    /// The future is boxed, so that the stack frame of other calls stays small.
    #[cold]
    fn call_in_steps<'c>(
        &'c self,
        request: &'c ToolCall<'c>,
    ) -> Pin<Box<dyn Future<Output = CallResponse> + Send + 'c>> {
        Box::pin(async move {
            let expanded = self.expand(request);
            let Some(step) = expanded.single(self, *request) else { return self.call_several(request).await };
            let mut call = self.prepare_step(&step);
            let result = match step.refusal {
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
        {
            context.set_judged_start(call.judged.get().cloned());
            context.set_decisions(call.record.as_ref().map(|record| std::sync::Arc::clone(&record.decisions)));
        }
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
        self.resolve_name(name).is_some() || self.resolve_search_tool(name).is_some()
    }
}

#[cfg(test)]
mod tests;
