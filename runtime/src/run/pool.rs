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
use crate::run::lifetime::Life;
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
    line: Mutex<Line>,
    arrival: Condvar,
}

struct Line {
    waiting: VecDeque<Arc<Job>>,
    /// All threads: those at work, those that wait for some, those that are left behind.
    threads: usize,
    idle: usize,
    left: usize,
}

/// One piece of work.
struct Job {
    life: Arc<Life>,
    step: Mutex<Step>,
}

enum Step {
    /// In line, or at work (then the work is gone); and who is to know of the end.
    Open(Option<Work>, Option<Waker>),
    Done(ToolResult),
    /// Nobody wants it any more.
    Left,
}

impl Job {
    fn step(&self) -> MutexGuard<'_, Step> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    const fn new(workers: usize, threads: usize, idle: Duration) -> Self {
        let line = Line { waiting: VecDeque::new(), threads: 0, idle: 0, left: 0 };
        Self { workers, threads, idle, line: Mutex::new(line), arrival: Condvar::new() }
    }

    /// Puts `work` in line; the future is there for its result. Dropped, it takes the work out of the line again, or
    /// leaves it behind.
    pub(crate) fn run(&'static self, of: &Arc<Life>, work: impl FnOnce() -> ToolResult + Send + 'static) -> Waiter {
        of.queued.store(true, Ordering::Relaxed);
        let step = Mutex::new(Step::Open(Some(Box::new(work)), None));
        let job = Arc::new(Job { life: Arc::clone(of), step });
        let mut line = self.line();
        line.waiting.push_back(Arc::clone(&job));
        self.grow(line);
        Waiter { pool: self, job }
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that somebody takes the work in line, if that is possible.
    fn grow(&'static self, mut line: MutexGuard<'_, Line>) {
        if line.waiting.len() <= line.idle {
            drop(line);
            self.arrival.notify_one();
        } else if line.threads - line.left < self.workers && line.threads < self.threads {
            line.threads += 1;
            drop(line);
            if let Err(error) = start_thread("toolc-blocking", Box::new(|| self.work())) {
                self.fail(&error);
            }
        }
    }

    /// A thread could not be started. If there is none at all, what is in line would wait for nobody.
    fn fail(&self, error: &std::io::Error) {
        let mut line = self.line();
        line.threads -= 1;
        let alone = line.threads == line.left;
        let waiting = if alone { std::mem::take(&mut line.waiting) } else { VecDeque::new() };
        drop(line);
        for job in waiting {
            end(&job, Err(ToolError::new(format!("failed to start a thread: {error}; try again later"))));
        }
    }

    /// What a thread does.
    fn work(&self) {
        while let Some(job) = self.next() {
            let work = match &mut *job.step() {
                Step::Open(work, _) => work.take(),
                Step::Done(_) | Step::Left => None,
            };
            if let Some(work) = work {
                job.life.queued.store(false, Ordering::Relaxed);
                let result = panics::caught(work).unwrap_or_else(|panicked| Err(panicked.into()));
                if !end(&job, result) {
                    let mut line = self.line();
                    line.left -= 1;
                    // Another one has taken its place meanwhile.
                    if line.threads - line.left > self.workers {
                        line.threads -= 1;
                        return;
                    }
                }
            }
        }
    }

    /// The next piece of work. None: the thread ends.
    fn next(&self) -> Option<Arc<Job>> {
        let mut line = self.line();
        line.idle += 1;
        let (mut line, _) = self
            .arrival
            .wait_timeout_while(line, self.idle, |line| line.waiting.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        line.idle -= 1;
        let job = line.waiting.pop_front();
        if job.is_none() {
            line.threads -= 1;
        }
        job
    }

    /// Nobody waits for `job` any more.
    fn leave(&'static self, job: &Arc<Job>) {
        // In this order everywhere: the line, then the job.
        let mut line = self.line();
        let left = std::mem::replace(&mut *job.step(), Step::Left);
        match &left {
            Step::Open(None, _) => {
                line.left += 1;
                if line.waiting.is_empty() { drop(line) } else { self.grow(line) }
            }
            Step::Open(Some(_), _) => {
                line.waiting.retain(|other| !Arc::ptr_eq(other, job));
                drop(line);
            }
            Step::Done(_) | Step::Left => drop(line),
        }
        // The work and the waker go now, with nothing locked: who knows what they do.
        drop(left);
    }
}

/// Whether anybody still wanted it.
fn end(job: &Job, result: ToolResult) -> bool {
    let mut step = job.step();
    if matches!(*step, Step::Left) {
        return false;
    }
    let open = std::mem::replace(&mut *step, Step::Done(result));
    drop(step);
    if let Step::Open(_, Some(waker)) = open {
        // Whatever an executor does there, the thread goes on.
        let _ = panics::caught(|| waker.wake());
    }
    true
}

/// The future of a job.
pub(crate) struct Waiter {
    pool: &'static Pool,
    job: Arc<Job>,
}

impl Future for Waiter {
    type Output = ToolResult;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<ToolResult> {
        let waker = context.waker().clone();
        let mut step = self.job.step();
        let old = match &mut *step {
            Step::Open(_, old) => old.replace(waker),
            Step::Done(_) | Step::Left => match std::mem::replace(&mut *step, Step::Left) {
                Step::Done(result) => return Poll::Ready(result),
                _ => return Poll::Pending,
            },
        };
        drop(step);
        drop(old);
        Poll::Pending
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.pool.leave(&self.job);
    }
}

#[cfg(test)]
mod tests;
