//! The calls that a model makes in one response: they run at the same time as far as their tools allow it.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::args::Slots;
use crate::call::ToolCall;
use crate::call::completed::CompletedCall;
use crate::call::hooks;
use crate::data::behaviour::Parallel;
use crate::dispatch::agent::AgentTools;
use crate::dispatch::finish::Outcome;
use crate::dispatch::parallel_key::ParallelKey;
use crate::dispatch::prepared::InnerCall;
use crate::dispatch::running::{self, CallArguments, HandlerFuture};
use crate::result::output::ToolResult;
use crate::run::cancel::CancelEpoch;
use crate::session::turn::Turn;

/// The maximum number of calls of a batch that run at the same time.
const MAX_CONCURRENT: usize = 8;

impl Turn {
    /// Runs all calls of one response of the model, and returns them with their responses, in the same order.
    ///
    /// At most eight calls run at the same time. The tools' [`parallel`](crate::behaviour::Behaviour::parallel) determines
    /// which calls may overlap: of two calls that must not overlap, the earlier one ends before the later one begins. Async
    /// handlers run concurrently on this task, blocking handlers on threads of the pool, and sync handlers one by one. A
    /// failed call does not affect the others.
    ///
    /// Calls of tools that the agent's own loop runs fail: see [`batch_with`](Self::batch_with).
    pub async fn batch<'r>(&self, calls: &[ToolCall<'r>]) -> Vec<CompletedCall<'r>> {
        self.run_batch(calls, &|_, tool, slots| running::no_loop(tool, slots)).await
    }

    /// Runs all calls like [`batch`](Self::batch), and calls of agent-run tools with `run`. The results of `run` are treated
    /// like those of handlers, and `parallel` applies in the same way, but such calls have no time limit. When one is
    /// cancelled, its future is polled once more and then dropped.
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
        self.run_batch(calls, &agent).await
    }

    async fn run_batch<'r>(&self, calls: &[ToolCall<'r>], agent: &BatchLoop<'_>) -> Vec<CompletedCall<'r>> {
        let inner: Vec<Option<InnerCall<'_>>> = calls.iter().map(|call| self.unwrapped(call)).collect();
        let mut requests: Vec<ToolCall<'_>> = calls.to_vec();
        for (request, inner) in requests.iter_mut().zip(&inner) {
            if let Some(inner) = inner {
                *request = inner.request(request);
            }
        }
        let mut batch = Batch {
            turn: self,
            session: self.cancel_epoch(),
            requests: &requests,
            agent,
            overlaps: requests.iter().map(|request| self.overlap(request)).collect(),
            open: (0..requests.len()).map(|at| (at, None)).collect(),
            outcomes: requests.iter().map(|_| None).collect(),
        };
        poll_fn(|context| batch.poll(context)).await;
        let mut outcomes: Vec<Outcome<'_>> = batch.outcomes.into_iter().flatten().collect();
        self.shorten_to_budget(&mut outcomes);
        let complete =
            |(call, outcome): (&ToolCall<'r>, _)| CompletedCall { call: *call, response: self.report(outcome) };
        calls.iter().zip(outcomes).map(complete).collect()
    }

    /// Returns which other calls of a batch may run at the same time as this one.
    fn overlap(&self, request: &ToolCall<'_>) -> Overlap<'_> {
        // A call that never reaches a handler may overlap with any other call.
        let Some(id) = self.find(request.name()) else { return Overlap::Any };
        let behaviour = &self.state().tool(id).behaviour;
        let (key, space) = match &behaviour.parallel {
            Parallel::Always => return Overlap::Any,
            Parallel::Never => return Overlap::Never,
            Parallel::Keyed { key, space } => (key, space),
        };
        let key = {
            let arguments = &mut CallArguments::default();
            self.with_slots(id, request, arguments, |slots| slots.map(|slots| slots.text(self.table(id), key)))
        };
        let Ok(key) = key else { return Overlap::Any };
        // If a hook may still change the arguments, the key that the handler will see is unknown.
        let may_change =
            self.config().hooks.iter().any(|hook| hooks::changes_arguments(&**hook, &self.state().tool(id).name));
        // Some models fill in parameters that they do not need with an empty text.
        let key = key.filter(|key| !may_change && !key.is_empty());
        Overlap::Keyed { space, key: key.map(|text| ParallelKey::new(&text)), reads: behaviour.annotations.read_only }
    }
}

/// Which other calls of a batch may run at the same time as a call.
#[derive(Debug, Clone, PartialEq)]
enum Overlap<'a> {
    Any,
    Never,
    /// All calls except those with the same key in this space, unless both only read. A call whose key is unknown conflicts
    /// with every key.
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
                if space != other_space || (*reads && *other_reads) {
                    return true;
                }
                match (key, other_key) {
                    (Some(key), Some(other)) => !key.may_equal(other),
                    _ => false,
                }
            }
        }
    }
}

/// Like [`AgentLoop`](super::running::AgentLoop), for the call at an index of the batch.
type BatchLoop<'l> = dyn Fn(usize, &str, Slots<'_, '_>) -> Option<HandlerFuture<'l>> + Sync + 'l;

/// A batch that is running.
struct Batch<'b, 'l> {
    turn: &'b Turn,
    session: CancelEpoch<'b>,
    requests: &'b [ToolCall<'b>],
    agent: &'b BatchLoop<'l>,
    overlaps: Vec<Overlap<'b>>,
    /// The unfinished calls in order: the index of each, and its future if it has started.
    open: Vec<(usize, Option<RunningCall<'b>>)>,
    outcomes: Vec<Option<Outcome<'b>>>,
}

type RunningCall<'b> = Pin<Box<dyn Future<Output = Outcome<'b>> + Send + 'b>>;

impl Batch<'_, '_> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        // The end of one call may allow others to start.
        while self.advance(context) {}
        if self.open.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Starts all calls that may start, and polls all running calls. Returns whether any call has ended.
    fn advance(&mut self, context: &mut Context<'_>) -> bool {
        let Self { turn, session, requests, agent, overlaps, open, outcomes } = self;
        let (turn, session, requests, agent) = (*turn, *session, *requests, *agent);
        let before = open.len();
        let mut free = MAX_CONCURRENT - open.iter().filter(|(_, running)| running.is_some()).count();
        // The constraints of the earlier calls that have not ended.
        let mut earlier: Vec<&Overlap<'_>> = Vec::new();
        open.retain_mut(|&mut (at, ref mut running)| {
            let overlap = &overlaps[at];
            if running.is_none() && free > 0 && earlier.iter().all(|earlier| earlier.allows(overlap)) {
                free -= 1;
                let agent = move |tool: &str, slots: Slots<'_, '_>| agent(at, tool, slots);
                *running = Some(Box::pin(async move {
                    let mut call = turn.prepare(&requests[at]);
                    let result = turn.run(&mut call, session, &agent).await;
                    turn.end(call, result)
                }));
            }
            if let Some(future) = running
                && let Poll::Ready(outcome) = future.as_mut().poll(context)
            {
                outcomes[at] = Some(outcome);
                return false;
            }
            if free > 0 && !earlier.contains(&overlap) {
                earlier.push(overlap);
            }
            true
        });
        open.len() < before
    }
}

#[cfg(test)]
mod tests;
