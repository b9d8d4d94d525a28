//! Many calls at once: those that a model makes in one answer overlap as far as their tools allow.

use crate::call::response::CompletedCall;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::args::SlotBuffer;
use crate::args::Slots;
use crate::call::ToolCall;
use crate::data::behaviour::Parallel;
use crate::dispatch::agent;
use crate::dispatch::agent::AgentTools;
use crate::dispatch::finish::Outcome;
use crate::dispatch::parallel_key::ParallelKey;
use crate::dispatch::running::HandlerFuture;
use crate::result::output::ToolResult;
use crate::run::cancel::CancelEpoch;
use crate::session::turn::Turn;

/// As many calls of a batch as run at a time.
const AT_ONCE: usize = 8;

impl Turn {
    /// Answers all calls that a model makes in one answer of its own, in their order.
    ///
    /// At most eight run at a time, and beside each other only what the tools' `parallel` allows: of calls that must not
    /// overlap, the earlier one ends before the later one begins. Handlers overlap where they wait: asynchronous ones for
    /// what they await, blocking ones on their threads; sync ones run one by one. Each call ends for itself, whatever
    /// becomes of the others. Tools that the agent's own loop runs are for [`batch_with`](Self::batch_with).
    pub async fn batch<'r>(&self, calls: &[ToolCall<'r>]) -> Vec<CompletedCall<'r>> {
        self.batched(calls, &|_, tool, slots| agent::no_loop(tool, slots)).await
    }

    /// The same, where `run` is the agent's own loop: what it comes to is answered as a handler's result is. It runs beside
    /// other calls of the batch as far as its tool's `parallel` allows, and for as long as it takes; when the call is
    /// cancelled, it is polled once more and dropped.
    ///
    /// ```
    /// # use toolc::agent::AgentTools;
    /// # use toolc::args::Slots;
    /// # use toolc::ToolResult;
    /// use toolc::{CompletedCall, ToolCall, ToolOutput, Turn};
    ///
    /// // `cargo xtask gen` writes this enum: a variant for each tool with `execution = "agent"`.
    /// enum AgentCall {
    ///     Delegate { goal: String },
    /// }
    /// # impl AgentTools for AgentCall {
    /// #     fn read(tool: &str, mut args: Slots<'_, '_>) -> Option<Self> {
    /// #         (tool == "delegate").then(|| AgentCall::Delegate { goal: args.value(0) })
    /// #     }
    /// # }
    ///
    /// async fn answer<'r>(turn: &Turn, calls: &[ToolCall<'r>]) -> Vec<CompletedCall<'r>> {
    ///     turn.batch_with(calls, |call, request| async move {
    ///         match call {
    ///             AgentCall::Delegate { goal } => delegate(request.id(), &goal).await,
    ///         }
    ///     })
    ///     .await
    /// }
    ///
    /// async fn delegate(id: &str, goal: &str) -> ToolResult {
    ///     Ok(ToolOutput::text(format!("done, as {id} asked: {goal}")))
    /// }
    /// ```
    pub async fn batch_with<'r, A, F>(
        &self,
        calls: &[ToolCall<'r>],
        run: impl Fn(A, ToolCall<'r>) -> F + Send + Sync,
    ) -> Vec<CompletedCall<'r>>
    where
        A: AgentTools + Send,
        F: Future<Output = ToolResult> + Send,
    {
        let run = &run;
        let agent = |at: usize, tool: &str, slots: Slots<'_, '_>| -> Option<HandlerFuture<'_>> {
            let (call, request) = (A::read(tool, slots)?, calls[at]);
            Some(Box::pin(async move { run(call, request).await }))
        };
        self.batched(calls, &agent).await
    }

    async fn batched<'r>(&self, made: &[ToolCall<'r>], agent: &BatchLoop<'_>) -> Vec<CompletedCall<'r>> {
        let calls = made;
        #[cfg(feature = "search")]
        let bridged: Vec<_> = calls.iter().map(|call| self.bridged(call)).collect();
        #[cfg(feature = "search")]
        let calls: &[ToolCall<'_>] = &(calls.iter().zip(&bridged))
            .map(|(call, bridged)| bridged.as_ref().map_or(*call, |bridged| bridged.request(call)))
            .collect::<Vec<_>>();
        let mut batch = Batch {
            turn: self,
            began: self.begin(),
            calls,
            agent,
            overlaps: calls.iter().map(|call| self.overlap(call)).collect(),
            open: (0..calls.len()).map(|at| (at, None)).collect(),
            outcomes: calls.iter().map(|_| None).collect(),
        };
        poll_fn(|context| batch.poll(context)).await;
        let mut outcomes: Vec<Outcome> = batch.outcomes.into_iter().flatten().collect();
        self.keep_to_budget(calls, &mut outcomes);
        let answers = calls.iter().zip(outcomes).map(|(call, outcome)| self.told(call, outcome));
        made.iter().zip(answers).map(|(call, answer)| CompletedCall { call: *call, answer }).collect()
    }

    /// What the call may run beside.
    fn overlap(&self, call: &ToolCall<'_>) -> Overlap<'_> {
        // What is refused before any handler sees it is in nobody's way.
        let Some(id) = self.find(call.name()) else { return Overlap::Any };
        let behaviour = &self.state().tool(id).behaviour;
        match &behaviour.parallel {
            Parallel::Always => Overlap::Any,
            Parallel::Never => Overlap::Never,
            Parallel::Keyed { key, space } => match self.read(id, call, &mut SlotBuffer::default()) {
                Ok(slots) => {
                    // The key is what the handler gets, and hooks may make another one of what was sent.
                    let is_settled = self.host().hooks.is_empty();
                    let key =
                        slots.text(self.table(id), key).filter(|_| is_settled).map(|text| ParallelKey::new(&text));
                    Overlap::Keyed { space, key, reads: behaviour.annotations.read_only }
                }
                Err(_) => Overlap::Any,
            },
        }
    }
}

/// What a call may run beside.
#[derive(Debug, Clone, PartialEq)]
enum Overlap<'a> {
    Any,
    Never,
    /// Those that have another key in this space, or only read as it does. One without a key may mean any.
    Keyed {
        space: &'a str,
        key: Option<ParallelKey>,
        reads: bool,
    },
}

impl Overlap<'_> {
    fn allows(&self, other: &Self) -> bool {
        match (self, other) {
            (Overlap::Never, _) | (_, Overlap::Never) => false,
            (Overlap::Any, _) | (_, Overlap::Any) => true,
            (
                Overlap::Keyed { space, key, reads },
                Overlap::Keyed { space: other_space, key: other_key, reads: other_reads },
            ) => {
                let same = || key.as_ref().zip(other_key.as_ref()).is_none_or(|(key, other)| key.may_be(other));
                space != other_space || (*reads && *other_reads) || !same()
            }
        }
    }
}

/// What the agent's own loop makes of the call at a position of the batch.
type BatchLoop<'l> = dyn Fn(usize, &str, Slots<'_, '_>) -> Option<HandlerFuture<'l>> + Sync + 'l;

/// A batch under way.
struct Batch<'b, 'r, 'l> {
    turn: &'b Turn,
    began: CancelEpoch<'b>,
    calls: &'b [ToolCall<'r>],
    agent: &'b BatchLoop<'l>,
    overlaps: Vec<Overlap<'b>>,
    /// The calls that have no answer yet, in order. None: not begun.
    open: Vec<(usize, Option<Running<'b>>)>,
    outcomes: Vec<Option<Outcome>>,
}

type Running<'b> = Pin<Box<dyn Future<Output = Outcome> + Send + 'b>>;

impl Batch<'_, '_, '_> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        // When one has ended, others may begin.
        while self.advance(context) {}
        if self.open.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Begins what can begin, and polls what runs. Whether any has ended.
    fn advance(&mut self, context: &mut Context<'_>) -> bool {
        let Self { turn, began, calls, agent, overlaps, open, outcomes } = self;
        let (turn, began, calls, agent) = (*turn, *began, *calls, *agent);
        let before = open.len();
        let mut room = AT_ONCE - open.iter().filter(|(_, running)| running.is_some()).count();
        // The earlier ones that have no answer yet.
        let mut earlier: Vec<&Overlap<'_>> = Vec::new();
        open.retain_mut(|&mut (at, ref mut running)| {
            let overlap = &overlaps[at];
            if running.is_none() && room > 0 && earlier.iter().all(|earlier| earlier.allows(overlap)) {
                room -= 1;
                let agent = move |tool: &str, slots: Slots<'_, '_>| agent(at, tool, slots);
                *running = Some(Box::pin(async move { turn.outcome(&calls[at], began, &agent).await }));
            }
            if let Some(future) = running
                && let Poll::Ready(outcome) = future.as_mut().poll(context)
            {
                outcomes[at] = Some(outcome);
                return false;
            }
            if room > 0 && !earlier.contains(&overlap) {
                earlier.push(overlap);
            }
            true
        });
        open.len() < before
    }
}

#[cfg(test)]
mod tests;
