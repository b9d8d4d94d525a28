//! The threads of blocking handlers: one bounded pool for the process, whose work is a future for any executor.
//! Availability checks have a pool of their own.
//!
//! At most [`WORKERS`] handlers work at a time; others are queued. A thread cannot be stopped from outside: when a call
//! is abandoned, its handler keeps running, but its thread no longer counts towards the limit, so that hanging calls do
//! not block others. This is bounded, too: when [`THREADS`] threads are stuck, no more are started, and calls are
//! queued until a thread ends or the calls time out. Idle threads end after [`IDLE`].

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

#[cfg(feature = "tokio")]
use tokio::runtime::Handle;

use crate::panics;
use crate::result::error::ToolError;
use crate::result::output::ToolResult;
use crate::run::lifetime::CallLifetime;
use crate::run::start_thread;
#[cfg(feature = "tokio")]
use crate::run::tokio_runtime;

/// The maximum number of handlers that work at a time, not counting abandoned ones.
const WORKERS: usize = 64;
/// The maximum number of threads.
const THREADS: usize = 256;
/// The time after which an idle thread ends.
const IDLE: Duration = Duration::from_secs(10);

pub(crate) static POOL: Pool = Pool::new(WORKERS, THREADS, IDLE);
/// The pool of availability checks, so that long calls do not delay them.
pub(crate) static CHECKS: Pool = Pool::new(WORKERS, THREADS, IDLE);

type Work = Box<dyn FnOnce() -> ToolResult + Send>;

pub(crate) struct Pool {
    max_workers: usize,
    max_threads: usize,
    max_idle: Duration,
    queue: Mutex<Queue>,
    /// Notified when a job is queued.
    arrival: Condvar,
}

struct Queue {
    waiting: VecDeque<Arc<Job>>,
    /// All threads: working, idle and abandoned ones.
    threads: usize,
    idle: usize,
    abandoned: usize,
}

/// A unit of work.
struct Job {
    life: Arc<CallLifetime>,
    state: Mutex<JobState>,
}

enum JobState {
    /// Queued, or running if the work is `None`. With the waker of the future.
    Open(Option<Work>, Option<Waker>),
    Done(ToolResult),
    /// The future was dropped, or has returned the result.
    Abandoned,
}

impl Job {
    fn state(&self) -> MutexGuard<'_, JobState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    const fn new(max_workers: usize, max_threads: usize, max_idle: Duration) -> Self {
        let queue = Queue { waiting: VecDeque::new(), threads: 0, idle: 0, abandoned: 0 };
        Self { max_workers, max_threads, max_idle, queue: Mutex::new(queue), arrival: Condvar::new() }
    }

    /// Queues `work`, and returns a future of its result. Dropping the future removes the work from the queue, or
    /// abandons it.
    pub(crate) fn run(
        &'static self,
        life: &Arc<CallLifetime>,
        work: impl FnOnce() -> ToolResult + Send + 'static,
    ) -> JobHandle {
        life.queued.store(true, Ordering::Relaxed);
        let state = Mutex::new(JobState::Open(Some(in_context(work)), None));
        let job = Arc::new(Job { life: Arc::clone(life), state });
        let mut queue = self.queue();
        queue.waiting.push_back(Arc::clone(&job));
        self.grow(queue);
        JobHandle { pool: self, job }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread for queued work, if possible.
    fn grow(&'static self, mut queue: MutexGuard<'_, Queue>) {
        if queue.waiting.len() <= queue.idle {
            drop(queue);
            self.arrival.notify_one();
        } else if queue.threads - queue.abandoned < self.max_workers && queue.threads < self.max_threads {
            queue.threads += 1;
            drop(queue);
            if let Err(error) = start_thread("toolc-blocking", Box::new(|| self.work())) {
                self.fail(&error);
            }
        }
    }

    /// Handles a thread that could not be started. Without any thread, queued work fails.
    fn fail(&self, error: &std::io::Error) {
        let mut queue = self.queue();
        queue.threads -= 1;
        let no_worker_left = queue.threads == queue.abandoned;
        let waiting = if no_worker_left { std::mem::take(&mut queue.waiting) } else { VecDeque::new() };
        drop(queue);
        for job in waiting {
            end(&job, Err(ToolError::new(format!("failed to start a thread: {error}; try again later"))));
        }
    }

    /// Runs jobs on a thread.
    fn work(&self) {
        while let Some(job) = self.next() {
            let work = match &mut *job.state() {
                JobState::Open(work, _) => work.take(),
                JobState::Done(_) | JobState::Abandoned => None,
            };
            if let Some(work) = work {
                job.life.queued.store(false, Ordering::Relaxed);
                let result = panics::catch(work).unwrap_or_else(|panicked| Err(panicked.into()));
                if !end(&job, result) {
                    let mut queue = self.queue();
                    queue.abandoned -= 1;
                    // Another thread was started in the meantime.
                    if queue.threads - queue.abandoned > self.max_workers {
                        queue.threads -= 1;
                        return;
                    }
                }
            }
        }
    }

    /// Returns the next job, or `None` if the thread should end.
    fn next(&self) -> Option<Arc<Job>> {
        let mut queue = self.queue();
        queue.idle += 1;
        let (mut queue, _) = self
            .arrival
            .wait_timeout_while(queue, self.max_idle, |queue| queue.waiting.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        queue.idle -= 1;
        let job = queue.waiting.pop_front();
        if job.is_none() {
            queue.threads -= 1;
        }
        job
    }

    /// Abandons `job`, whose future is dropped: removes it from the queue, or no longer counts its thread.
    fn abandon(&'static self, job: &Arc<Job>) {
        // Lock order everywhere: the queue, then the job.
        let mut queue = self.queue();
        let state = std::mem::replace(&mut *job.state(), JobState::Abandoned);
        match &state {
            JobState::Open(None, _) => {
                queue.abandoned += 1;
                if queue.waiting.is_empty() { drop(queue) } else { self.grow(queue) }
            }
            JobState::Open(Some(_), _) => {
                queue.waiting.retain(|other| !Arc::ptr_eq(other, job));
                drop(queue);
            }
            JobState::Done(_) | JobState::Abandoned => drop(queue),
        }
        // The work and the waker are dropped without a lock, because they may run any code.
        drop(state);
    }
}

/// Returns work that runs in the context of the caller's Tokio runtime, or of the shared one if there is none. The threads
/// are the pool's, not those of Tokio's `spawn_blocking`, because dropping a runtime waits for those, even if a handler hangs.
#[cfg(feature = "tokio")]
fn in_context(work: impl FnOnce() -> ToolResult + Send + 'static) -> Work {
    let runtime = tokio_runtime::current();
    Box::new(move || {
        let _guard = runtime.as_ref().map(Handle::enter);
        work()
    })
}

#[cfg(not(feature = "tokio"))]
fn in_context(work: impl FnOnce() -> ToolResult + Send + 'static) -> Work {
    Box::new(work)
}

/// Completes `job`. Returns whether its result was still wanted.
fn end(job: &Job, result: ToolResult) -> bool {
    let mut state = job.state();
    if matches!(*state, JobState::Abandoned) {
        return false;
    }
    let open = std::mem::replace(&mut *state, JobState::Done(result));
    drop(state);
    if let JobState::Open(_, Some(waker)) = open {
        // A panic of the executor must not end the thread.
        let _ = panics::catch(|| waker.wake());
    }
    true
}

/// The future of a job.
pub(crate) struct JobHandle {
    pool: &'static Pool,
    job: Arc<Job>,
}

impl Future for JobHandle {
    type Output = ToolResult;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        let waker = context.waker().clone();
        let mut state = self.job.state();
        let old_waker = match &mut *state {
            JobState::Open(_, current) => current.replace(waker),
            JobState::Done(_) | JobState::Abandoned => match std::mem::replace(&mut *state, JobState::Abandoned) {
                JobState::Done(result) => return Poll::Ready(result),
                _ => return Poll::Pending,
            },
        };
        drop(state);
        // Without the lock, because dropping a waker may run any code.
        drop(old_waker);
        Poll::Pending
    }
}

impl Drop for JobHandle {
    fn drop(&mut self) {
        self.pool.abandon(&self.job);
    }
}

#[cfg(test)]
mod tests;
