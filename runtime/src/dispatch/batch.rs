//! The calls that a model makes in one response. They run at the same time if their tools allow it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use crate::args::Slots;
use crate::call::ToolCall;
use crate::call::completed::CompletedCall;
use crate::call::hooks;
use crate::call::response::CallResponse;
use crate::data::behaviour::Parallel;
use crate::dispatch::agent::AgentTools;
use crate::dispatch::combined;
use crate::dispatch::expanded::{Expanded, Step};
use crate::dispatch::finish::Outcome;
use crate::dispatch::guard::guarded;
use crate::dispatch::parallel_key::ParallelKey;
use crate::dispatch::running::{self, CallArguments};
use crate::result::error::ToolError;
use crate::result::output::ToolResult;
use crate::run::cancel::CancelEpoch;
use crate::session::prepared::{HandlerFuture, PreparedCall};
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
        let failed = |error: ToolError| {
            calls.iter().map(|call| CompletedCall { call: *call, response: Err(error.clone()).into() }).collect()
        };
        guarded(pin!(self.run_steps(calls, agent)), failed).await
    }

    async fn run_steps<'r>(&self, calls: &[ToolCall<'r>], agent: &BatchLoop<'_>) -> Vec<CompletedCall<'r>> {
        let expanded: Vec<Expanded<'_>> = calls.iter().map(|call| self.expand(call)).collect();
        let (mut steps, mut counts) = (Vec::with_capacity(calls.len()), Vec::with_capacity(calls.len()));
        for (at, (call, expanded)) in calls.iter().zip(&expanded).enumerate() {
            let of_call = expanded.steps(self, *call);
            counts.push(of_call.len());
            steps.extend(of_call.into_iter().map(|step| (at, step)));
        }
        let mut batch = Batch {
            turn: self,
            session: self.cancel_epoch(),
            steps: &steps,
            agent,
            overlaps: steps.iter().map(|(_, step)| self.overlap(step)).collect(),
            open: (0..steps.len()).map(|at| (at, None)).collect(),
            outcomes: steps.iter().map(|_| None).collect(),
        };
        poll_fn(|context| batch.poll(context)).await;
        let mut outcomes: Vec<Outcome<'_>> = batch.outcomes.into_iter().flatten().collect();
        self.shorten_to_budget(&mut outcomes);
        let mut responses = steps.iter().zip(outcomes).map(|((_, step), outcome)| (step, self.report(outcome)));
        let complete = |(call, count): (&ToolCall<'r>, usize)| {
            let mut of_call: Vec<(&Step<'_>, CallResponse)> = responses.by_ref().take(count).collect();
            let response = match of_call.pop() {
                Some((_, response)) if of_call.is_empty() => response,
                last => {
                    of_call.extend(last);
                    combined::combine(of_call.into_iter().map(|(step, response)| (step.name(), response)))
                }
            };
            CompletedCall { call: *call, response }
        };
        calls.iter().zip(counts).map(complete).collect()
    }

    /// Returns which other calls of a batch may run at the same time as this one.
    fn overlap(&self, step: &Step<'_>) -> Overlap<'_> {
        // A call that never reaches a handler may overlap with any other call.
        let (request, Some(id)) = (&step.request, step.tool) else { return Overlap::Any };
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

/// Like [`AgentLoop`](crate::session::prepared::AgentLoop), for the model's call at an index of the batch.
type BatchLoop<'l> = dyn Fn(usize, &str, Slots<'_, '_>) -> Option<HandlerFuture<'l>> + Sync + 'l;

/// A batch that is running.
struct Batch<'b, 'l> {
    turn: &'b Turn,
    session: CancelEpoch<'b>,
    /// The calls, each with the index of the model's call that it belongs to.
    steps: &'b [(usize, Step<'b>)],
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
        let Self { turn, session, steps, agent, overlaps, open, outcomes } = self;
        let (turn, session, steps, agent) = (*turn, *session, *steps, *agent);
        let before = open.len();
        let mut free = MAX_CONCURRENT - open.iter().filter(|(_, running)| running.is_some()).count();
        // The constraints of the earlier calls that have not ended.
        let mut earlier: Vec<&Overlap<'_>> = Vec::new();
        open.retain_mut(|&mut (at, ref mut running)| {
            let overlap = &overlaps[at];
            if running.is_none() && free > 0 && earlier.iter().all(|earlier| earlier.allows(overlap)) {
                free -= 1;
                let (owner, step) = &steps[at];
                let agent = move |tool: &str, slots: Slots<'_, '_>| agent(*owner, tool, slots);
                *running = Some(Box::pin(async move {
                    let outcome = pin!(async {
                        let mut call = turn.prepare_step(step);
                        let result = match step.refusal {
                            Some(error) => Err(error.clone()),
                            None => turn.run(&mut call, session, &agent).await,
                        };
                        turn.end(call, result)
                    });
                    let unobserved = || PreparedCall::new(&step.request, step.tool);
                    guarded(outcome, |error| turn.end(unobserved(), Err(error))).await
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
