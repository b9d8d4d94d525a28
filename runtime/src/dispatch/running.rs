//! Running a handler: inline, or as a future that ends with its result, a panic, its time or the host's patience.

use crate::registration::ids::ToolId;
use crate::result::output::ToolResult;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::args::SlotBuffer;
use crate::args::Slots;
use crate::call::{Call, ToolCall};
use crate::dispatch::agent::AgentLoop;
use crate::panics;
use crate::provider::HandlerReply;
use crate::provider::no_agent_loop;
use crate::result::output::{ErrorKind, ToolError};
use crate::run::cancel::{CancelEpoch, CancelledFuture};
use crate::run::timer::Sleep;
use crate::session::turn::Turn;

/// When a call was cancelled that had begun.
const UNDER_WAY: &str = "before it ended: what it has done by then stays done";

pub(crate) type HandlerFuture<'a> = Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>;

impl Turn {
    /// When a call begins, as its session's switch counts.
    pub(crate) fn begin(&self) -> CancelEpoch<'_> {
        CancelEpoch::now(&self.host().cancel)
    }

    /// What a handler may know of a call.
    pub(crate) fn context<'c>(&'c self, id: ToolId, request: &ToolCall<'c>, session: CancelEpoch<'c>) -> Call<'c> {
        Call::of(self.name(id), request.or_task(&self.host().task), session, self)
    }

    /// Reads the arguments of a call and starts its handler, without hooks.
    pub(crate) fn start<'c>(
        &'c self,
        id: ToolId,
        request: &ToolCall<'_>,
        call: &'c Call<'c>,
    ) -> Result<HandlerReply<'c>, ToolError> {
        let mut buffer = SlotBuffer::default();
        let slots = self.read(id, request, &mut buffer)?;
        let reply = self.handled(id, slots, call);
        buffer.discard();
        reply
    }

    /// Starts the handler of a tool with these arguments.
    pub(crate) fn handled<'c>(
        &'c self,
        id: ToolId,
        slots: Slots<'_, '_>,
        call: &'c Call<'c>,
    ) -> Result<HandlerReply<'c>, ToolError> {
        let (provider, index) = self.state().provider(id);
        begun(call, || provider.call(index.0, slots, call))
    }

    /// Starts a tool that the agent's own loop runs.
    pub(crate) fn looped<'c>(
        &self,
        id: ToolId,
        slots: Slots<'_, '_>,
        call: &Call<'_>,
        agent: &AgentLoop<'c>,
    ) -> Result<HandlerReply<'c>, ToolError> {
        let handler = begun(call, || agent(self.name(id), slots))?;
        handler.map(HandlerReply::Later).ok_or_else(no_agent_loop)
    }

    /// Returns how long a call of a tool may take.
    pub(crate) fn time(&self, id: ToolId) -> Duration {
        self.state().tool(id).behaviour.timeout.unwrap_or(self.host().timeout)
    }

    /// Waits for a handler, but not for ever.
    pub(crate) fn wait<'c>(
        &'c self,
        id: ToolId,
        handler: HandlerFuture<'c>,
        call: &'c Call<'c>,
    ) -> impl Future<Output = ToolResult> + Send {
        // How long the agent's own loop takes is its affair.
        let limit = if self.state()[id].plan.agent_run { Duration::MAX } else { self.time(id) };
        RunningHandler { handler, call, watch: CancelledFuture::new(call.cancel_sources()), limit, alarm: None }
    }
}

/// What `begin` comes to, unless the call is not wanted any more.
fn begun<T>(call: &Call<'_>, begin: impl FnOnce() -> T) -> Result<T, ToolError> {
    if call.is_cancelled() {
        return Err(cancelled("before it began: nothing was done"));
    }
    Ok(panics::catch(begin)?)
}

/// A handler's future, while somebody waits for it. Dropped before its end, it tells whoever still works on it.
struct RunningHandler<'a> {
    handler: HandlerFuture<'a>,
    call: &'a Call<'a>,
    watch: CancelledFuture<'a>,
    limit: Duration,
    /// Set when the handler turns out to take its time.
    alarm: Option<Sleep>,
}

impl RunningHandler<'_> {
    fn handle(&mut self, context: &mut Context<'_>) -> Poll<ToolResult> {
        let handled = panics::catch(|| self.handler.as_mut().poll(context));
        handled.unwrap_or_else(|panicked| Poll::Ready(Err(panicked.into())))
    }

    /// Why to wait no longer.
    fn stopped(&mut self, context: &mut Context<'_>) -> Poll<ToolError> {
        if Pin::new(&mut self.watch).poll(context).is_ready() {
            return Poll::Ready(cancelled(UNDER_WAY));
        }
        let alarm = self.alarm.get_or_insert_with(|| Sleep::after(self.limit));
        Pin::new(alarm).poll(context).map(|()| timed_out(self.limit, self.call.is_queued()))
    }
}

impl Future for RunningHandler<'_> {
    type Output = ToolResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        match self.handle(context) {
            // It saw that before this did, and failed for it.
            Poll::Ready(Err(_)) if self.call.is_cancelled() => Poll::Ready(Err(cancelled(UNDER_WAY))),
            Poll::Ready(result) => Poll::Ready(result),
            Poll::Pending => self.stopped(context).map(|why| {
                self.call.give_up();
                // A handler that waits for this can end in order, now or never. What it did all the same is no failure.
                match self.handle(context) {
                    Poll::Ready(Ok(output)) => Ok(output),
                    Poll::Ready(Err(_)) | Poll::Pending => Err(why),
                }
            }),
        }
    }
}

impl Drop for RunningHandler<'_> {
    fn drop(&mut self) {
        self.call.give_up();
    }
}

fn cancelled(when: &str) -> ToolError {
    ToolError::of(ErrorKind::Cancelled, format!("the call was cancelled {when}"))
}

fn timed_out(limit: Duration, queued: bool) -> ToolError {
    let text = if queued {
        format!("no thread was free for the call within {limit:?}: other calls hold all of them, try again later")
    } else {
        format!(
            "the call took longer than {limit:?} and was given up: what it has done by then stays done; ask for less at \
             once"
        )
    };
    ToolError::of(ErrorKind::Timeout, text)
}

#[cfg(test)]
mod tests;
