//! Running a handler: inline, or as a future that is waited for until the call is cancelled or exceeds its time limit.

use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::args::repaired::RepairedParameters;
use crate::args::{self, Arguments, Limits, SlotBuffer, Slots};
use crate::call::{Call, ToolCall};
use crate::panics;
use crate::provider::HandlerReply;
use crate::registration::ids::ToolId;
use crate::result::error::{ErrorKind, ToolError};
use crate::result::output::ToolResult;
use crate::run::cancel::{CancelEpoch, CancelledFuture};
use crate::run::timer::Sleep;
use crate::session::prepared::{AgentLoop, HandlerFuture, PreparedCall};
use crate::session::turn::Turn;

const WHILE_RUNNING: &str = "while it was running: its effects so far are not undone";

/// Returns a loop that takes no calls, for hosts that use [`Turn::agent_call`].
pub(crate) fn no_loop<'l>(_: &str, _: Slots<'_, '_>) -> Option<HandlerFuture<'l>> {
    None
}

/// The arguments of a call while they are read.
#[derive(Debug, Default)]
pub(super) struct CallArguments {
    /// The arguments, if they have been read already for hooks and the approver.
    pub(super) read: Option<Arguments>,
    /// The parameters that were repaired when the arguments were read for the handler.
    pub(super) repaired: RepairedParameters,
}

impl Turn {
    /// Returns the context for the handler of a call.
    #[inline]
    pub(super) fn context<'c>(&'c self, id: ToolId, request: &ToolCall<'c>, session: CancelEpoch<'c>) -> Call<'c> {
        Call::in_scope(self.name(id), request.or_task(&self.config().task), session, self)
    }

    /// Returns what `take` returns for the slots of a call, which are filled from the `arguments` that have been read, or else
    /// read from the text of the request.
    #[inline]
    pub(super) fn with_slots<T>(
        &self,
        id: ToolId,
        request: &ToolCall<'_>,
        arguments: &mut CallArguments,
        take: impl FnOnce(Result<Slots<'_, '_>, ToolError>) -> T,
    ) -> T {
        let (table, limits) = (self.table(id), Limits::default());
        let mut buffer = ManuallyDrop::new(SlotBuffer::default());
        let taken = take(match arguments.read.take() {
            None => {
                let read = args::read_and_record(request.arguments(), table, limits, &mut buffer);
                read.map(|(slots, repaired)| {
                    arguments.repaired = repaired;
                    slots
                })
            }
            Some(arguments) => Ok(arguments.fill(table, limits, &mut buffer)),
        });
        // Most handlers take everything, so that the drop glue of each slot would find nothing to free.
        if buffer.owns_memory() {
            drop(ManuallyDrop::into_inner(buffer));
        }
        taken
    }

    /// Returns what `take` returns for the slots of an admitted call, or for the error of a call that must not start. `read` are
    /// the arguments, if interceptors have read them. Records the repairs.
    #[inline]
    pub(super) fn take_arguments<T>(
        &self,
        id: ToolId,
        call: &mut PreparedCall<'_>,
        read: Option<Arguments>,
        context: &Call<'_>,
        take: impl FnOnce(Result<Slots<'_, '_>, ToolError>) -> T,
    ) -> T {
        let (request, mut arguments) = (call.request, CallArguments { read, ..CallArguments::default() });
        let mut is_corrected = call.is_corrected && arguments.read.is_none();
        let taken = call.scope().within(|| {
            self.with_slots(id, request, &mut arguments, |slots| {
                take(match slots {
                    Ok(slots) if !context.is_cancelled() => Ok(slots),
                    Ok(_) => Err(cancelled("before it started: nothing was done")),
                    Err(error) => {
                        is_corrected = false;
                        Err(self.with_definition(id, request, error))
                    }
                })
            })
        });
        if is_corrected || !arguments.repaired.is_empty() {
            call.repairs = self.record_repairs(id, call, arguments.repaired);
        }
        taken
    }

    /// Calls the handler of a tool, or the agent's own loop. Returns its reply, which may be a future that has not run yet.
    #[inline]
    pub(super) fn start<'c, 'l: 'c>(
        &'c self,
        id: ToolId,
        slots: Result<Slots<'_, '_>, ToolError>,
        call: &'c Call<'c>,
        agent: &AgentLoop<'l>,
    ) -> HandlerReply<'c> {
        let slots = match slots {
            Ok(slots) => slots,
            Err(error) => return HandlerReply::Ready(Err(error)),
        };
        let reply = panics::catch(|| self.reply(id, slots, call, agent));
        reply.unwrap_or_else(|panicked| HandlerReply::Ready(Err(panicked.into())))
    }

    /// Does the same as [`start`](Self::start) for valid arguments. A panic of the handler is not caught.
    #[inline]
    pub(super) fn reply<'c, 'l: 'c>(
        &'c self,
        id: ToolId,
        slots: Slots<'_, '_>,
        call: &'c Call<'c>,
        agent: &AgentLoop<'l>,
    ) -> HandlerReply<'c> {
        if self.plan(id).agent_run {
            agent(self.name(id), slots).map_or_else(HandlerReply::agent, HandlerReply::Async)
        } else {
            let (provider, index) = self.state().provider(id);
            provider.call(index.0, slots, call)
        }
    }

    /// Returns the time limit of a call.
    pub(super) fn time_limit(&self, id: ToolId) -> Duration {
        self.state().tool(id).behaviour.timeout.unwrap_or(self.config().timeout)
    }

    /// Waits for a handler, until the call is cancelled or exceeds its time limit. The agent's own loop has no time limit.
    pub(super) fn wait<'c>(
        &'c self,
        id: ToolId,
        handler: HandlerFuture<'c>,
        call: &'c Call<'c>,
    ) -> impl Future<Output = ToolResult> + Send {
        let limit = if self.plan(id).agent_run { Duration::MAX } else { self.time_limit(id) };
        RunningHandler { handler, call, cancelled: CancelledFuture::new(call.cancel_sources()), limit, timer: None }
    }
}

/// The future of a handler, with the cancellation and the time limit of its call. If it is dropped early, the handler's
/// threads and tasks see that the call is cancelled.
struct RunningHandler<'a> {
    handler: HandlerFuture<'a>,
    call: &'a Call<'a>,
    cancelled: CancelledFuture<'a>,
    limit: Duration,
    /// Set when the handler is first pending.
    timer: Option<Sleep>,
}

impl RunningHandler<'_> {
    fn poll_handler(&mut self, context: &mut Context<'_>) -> Poll<ToolResult> {
        match panics::catch(|| self.handler.as_mut().poll(context)) {
            Ok(poll) => poll,
            Err(panicked) => Poll::Ready(Err(panicked.into())),
        }
    }

    /// Polls the cancellation and the time limit. Ready with an error if the call must end now.
    fn poll_interrupted(&mut self, context: &mut Context<'_>) -> Poll<ToolError> {
        if Pin::new(&mut self.cancelled).poll(context).is_ready() {
            return Poll::Ready(cancelled(WHILE_RUNNING));
        }
        let timer = self.timer.get_or_insert_with(|| Sleep::after(self.limit));
        Pin::new(timer).poll(context).map(|()| timed_out(self.limit, self.call.is_queued()))
    }
}

impl Future for RunningHandler<'_> {
    type Output = ToolResult;

    // Not inlined, so that the stack frame of calls with a sync handler stays small.
    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        match self.poll_handler(context) {
            // The handler saw the cancellation first, and failed because of it.
            Poll::Ready(Err(_)) if self.call.is_cancelled() => return Poll::Ready(Err(cancelled(WHILE_RUNNING))),
            Poll::Ready(result) => return Poll::Ready(result),
            Poll::Pending => {}
        }
        let Poll::Ready(error) = self.poll_interrupted(context) else { return Poll::Pending };
        self.call.abandon();
        // One last poll, so that a handler that waits for the cancellation can clean up. If it now returns a result, it counts.
        match self.poll_handler(context) {
            Poll::Ready(Ok(output)) => Poll::Ready(Ok(output)),
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Ready(Err(error)),
        }
    }
}

impl Drop for RunningHandler<'_> {
    fn drop(&mut self) {
        self.call.abandon();
    }
}

fn cancelled(when: &str) -> ToolError {
    ToolError::with_kind(ErrorKind::Cancelled, format!("the call was cancelled {when}"))
}

fn timed_out(limit: Duration, queued: bool) -> ToolError {
    let text = if queued {
        format!("the call was not run: all threads were busy with other calls for {limit:?}. Try again later")
    } else {
        format!(
            "the call exceeded its time limit of {limit:?} and was abandoned. Its effects so far are not undone. Try a \
             smaller request"
        )
    };
    ToolError::with_kind(ErrorKind::Timeout, text)
}

#[cfg(test)]
mod tests;
