//! The threads of blocking handlers: one pool for the process, bounded, and work on them as a future of any executor.
//! What handlers are asked about their tools has a pool of its own.
//!
//! At most [`WORKERS`] handlers work at a time, others wait in line. Nothing stops a thread from outside: a call that is
//! given up leaves its handler behind, and that one's thread no longer counts, so that calls which hang do not take the
//! pool away from others. That, too, is bounded: with [`THREADS`] threads all stuck, no more are started, and whatever
//! comes waits in line until one of them ends or its own time is over. Threads with nothing to do end after a while.

use crate::result::output::ToolResult;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::panics;
use crate::result::output::ToolError;
use crate::run::lifetime::CallLifetime;
use crate::run::start_thread;

/// As many handlers as work at a time, whose calls are waited for.
const WORKERS: usize = 64;
/// As many threads as there ever are.
const THREADS: usize = 256;
/// How long a thread waits for work before it ends.
const IDLE: Duration = Duration::from_secs(10);

pub(crate) static POOL: Pool = Pool::new(WORKERS, THREADS, IDLE);
/// Another one, for what handlers are asked about their tools: calls that take long are no reason not to ask.
pub(crate) static CHECKS: Pool = Pool::new(WORKERS, THREADS, IDLE);

type Work = Box<dyn FnOnce() -> ToolResult + Send>;

pub(crate) struct Pool {
    workers: usize,
    threads: usize,
    idle: Duration,
    queue: Mutex<Queue>,
    arrival: Condvar,
}

struct Queue {
    waiting: VecDeque<Arc<Job>>,
    /// All threads: those at work, those that wait for some, those that are left behind.
    threads: usize,
    idle: usize,
    abandoned: usize,
}

/// One piece of work.
struct Job {
    life: Arc<CallLifetime>,
    state: Mutex<JobState>,
}

enum JobState {
    /// In line, or at work (then the work is gone); and who is to know of the end.
    Open(Option<Work>, Option<Waker>),
    Done(ToolResult),
    /// Nobody wants it any more.
    Abandoned,
}

impl Job {
    fn state(&self) -> MutexGuard<'_, JobState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    const fn new(workers: usize, threads: usize, idle: Duration) -> Self {
        let queue = Queue { waiting: VecDeque::new(), threads: 0, idle: 0, abandoned: 0 };
        Self { workers, threads, idle, queue: Mutex::new(queue), arrival: Condvar::new() }
    }

    /// Puts `work` in line; the future is there for its result. Dropped, it takes the work out of the line again, or
    /// leaves it behind.
    pub(crate) fn run(
        &'static self,
        of: &Arc<CallLifetime>,
        work: impl FnOnce() -> ToolResult + Send + 'static,
    ) -> JobHandle {
        of.queued.store(true, Ordering::Relaxed);
        let state = Mutex::new(JobState::Open(Some(Box::new(work)), None));
        let job = Arc::new(Job { life: Arc::clone(of), state });
        let mut queue = self.queue();
        queue.waiting.push_back(Arc::clone(&job));
        self.grow(queue);
        JobHandle { pool: self, job }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that somebody takes the work in line, if that is possible.
    fn grow(&'static self, mut queue: MutexGuard<'_, Queue>) {
        if queue.waiting.len() <= queue.idle {
            drop(queue);
            self.arrival.notify_one();
        } else if queue.threads - queue.abandoned < self.workers && queue.threads < self.threads {
            queue.threads += 1;
            drop(queue);
            if let Err(error) = start_thread("toolc-blocking", Box::new(|| self.work())) {
                self.fail(&error);
            }
        }
    }

    /// A thread could not be started. If there is none at all, what is in line would wait for nobody.
    fn fail(&self, error: &std::io::Error) {
        let mut queue = self.queue();
        queue.threads -= 1;
        let alone = queue.threads == queue.abandoned;
        let waiting = if alone { std::mem::take(&mut queue.waiting) } else { VecDeque::new() };
        drop(queue);
        for job in waiting {
            end(&job, Err(ToolError::new(format!("failed to start a thread: {error}; try again later"))));
        }
    }

    /// What a thread does.
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
                    // Another one has taken its place meanwhile.
                    if queue.threads - queue.abandoned > self.workers {
                        queue.threads -= 1;
                        return;
                    }
                }
            }
        }
    }

    /// The next piece of work. None: the thread ends.
    fn next(&self) -> Option<Arc<Job>> {
        let mut queue = self.queue();
        queue.idle += 1;
        let (mut queue, _) = self
            .arrival
            .wait_timeout_while(queue, self.idle, |queue| queue.waiting.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        queue.idle -= 1;
        let job = queue.waiting.pop_front();
        if job.is_none() {
            queue.threads -= 1;
        }
        job
    }

    /// Nobody waits for `job` any more.
    fn abandon(&'static self, job: &Arc<Job>) {
        // In this order everywhere: the line, then the job.
        let mut queue = self.queue();
        let left = std::mem::replace(&mut *job.state(), JobState::Abandoned);
        match &left {
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
        // The work and the waker go now, with nothing locked: who knows what they do.
        drop(left);
    }
}

/// Whether anybody still wanted it.
fn end(job: &Job, result: ToolResult) -> bool {
    let mut state = job.state();
    if matches!(*state, JobState::Abandoned) {
        return false;
    }
    let open = std::mem::replace(&mut *state, JobState::Done(result));
    drop(state);
    if let JobState::Open(_, Some(waker)) = open {
        // Whatever an executor does there, the thread goes on.
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
        let old = match &mut *state {
            JobState::Open(_, old) => old.replace(waker),
            JobState::Done(_) | JobState::Abandoned => match std::mem::replace(&mut *state, JobState::Abandoned) {
                JobState::Done(result) => return Poll::Ready(result),
                _ => return Poll::Pending,
            },
        };
        drop(state);
        drop(old);
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
