use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, Sender};

use super::*;
use crate::fakes::{until, wait};
use crate::result::output::ToolOutput;

fn pool(workers: usize, threads: usize, idle: Duration) -> &'static Pool {
    Box::leak(Box::new(Pool::new(workers, threads, idle)))
}

/// A job that reports its start, and runs until it is released.
struct HeldJob {
    handle: Pin<Box<JobHandle>>,
    started: Receiver<()>,
    release: Sender<()>,
    life: Arc<CallLifetime>,
}

fn hold(pool: &'static Pool) -> HeldJob {
    let (start, started) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let life = Arc::<CallLifetime>::default();
    let handle = pool.run(&life, move || {
        let _ = start.send(());
        let _ = released.recv();
        Ok(ToolOutput::text("done"))
    });
    HeldJob { handle: Box::pin(handle), started, release, life }
}

impl HeldJob {
    fn has_started(&self) -> bool {
        self.started.try_recv().is_ok()
    }

    fn finish(self) {
        self.release.send(()).unwrap();
        assert_eq!(wait(self.handle).unwrap().as_json(), "\"done\"");
    }
}

/// Returns the number of threads, and how many of them run abandoned jobs.
fn count(pool: &Pool) -> (usize, usize) {
    let queue = pool.queue();
    (queue.threads, queue.abandoned)
}

#[test]
fn work_beyond_the_limit_is_queued() {
    let pool = pool(2, 4, IDLE);
    let running = [hold(pool), hold(pool)];
    for job in &running {
        job.started.recv().unwrap();
    }
    let third = hold(pool);
    assert!(third.life.queued.load(Ordering::Relaxed) && !third.has_started());
    assert_eq!(count(pool), (2, 0));
    let [first, second] = running;
    first.finish();
    third.started.recv().unwrap();
    assert!(!third.life.queued.load(Ordering::Relaxed));
    second.finish();
    third.finish();
    assert_eq!(count(pool), (2, 0), "threads are reused");
}

#[test]
fn abandoned_jobs_do_not_count_until_all_threads_are_stuck() {
    let pool = pool(1, 3, IDLE);
    let mut abandoned = Vec::new();
    for stuck in 1..=3 {
        let HeldJob { handle, started, release, .. } = hold(pool);
        started.recv().unwrap();
        drop(handle);
        abandoned.push(release);
        assert_eq!(count(pool), (stuck, stuck));
    }
    // All threads are stuck: new jobs are queued, and can be removed from the queue.
    let dropped = hold(pool);
    let waiting = hold(pool);
    assert!(!dropped.has_started() && !waiting.has_started());
    drop(dropped.handle);
    assert_eq!((count(pool), pool.queue().waiting.len()), ((3, 3), 1));
    // A stuck job ends, and its thread takes the queued one.
    drop(abandoned.pop());
    waiting.started.recv().unwrap();
    assert_eq!(count(pool), (3, 2));
    waiting.finish();
    // The other threads end after their jobs, because another thread replaced them.
    drop(abandoned);
    until(|| count(pool) == (1, 0));
    hold(pool).finish();
}

#[test]
fn idle_threads_end() {
    let pool = pool(4, 4, Duration::from_millis(1));
    for _ in 0..3 {
        [(); 4].map(|()| hold(pool)).into_iter().for_each(HeldJob::finish);
        until(|| count(pool) == (0, 0));
    }
}

#[test]
fn a_queued_job_whose_future_is_dropped_never_starts() {
    let pool = pool(1, 1, IDLE);
    let first = hold(pool);
    first.started.recv().unwrap();
    let HeldJob { handle, started, .. } = hold(pool);
    drop(handle);
    assert!(started.recv().is_err(), "the work was dropped before it started");
    first.finish();
}

#[test]
fn a_thread_survives_a_panic() {
    let pool = pool(1, 1, IDLE);
    for _ in 0..3 {
        let error = wait(pool.run(&Arc::default(), || panic!("out of numbers"))).unwrap_err();
        assert_eq!(error.kind(), crate::result::error::ErrorKind::Panicked);
    }
    assert_eq!(count(pool), (1, 0));
    hold(pool).finish();
}

#[cfg(feature = "tokio")]
#[test]
fn work_runs_in_the_context_of_the_callers_runtime() {
    let pool = pool(1, 1, IDLE);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let count = |runtime: &tokio::runtime::Runtime| runtime.metrics().num_alive_tasks();
    let spawned = || {
        tokio::spawn(std::future::pending::<()>());
        Ok(ToolOutput::text("spawned"))
    };
    runtime.block_on(async { pool.run(&Arc::default(), spawned).await }).unwrap();
    assert_eq!(count(&runtime), 1, "the task is spawned on the caller's runtime");
    // Without a runtime, the shared one is used.
    wait(pool.run(&Arc::default(), spawned)).unwrap();
    assert_eq!(count(&runtime), 1);
}
