use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, Sender};

use super::*;
use crate::fakes::{until, wait};
use crate::result::output::ToolOutput;

fn pool(workers: usize, threads: usize, idle: Duration) -> &'static Pool {
    Box::leak(Box::new(Pool::new(workers, threads, idle)))
}

/// Work that reports its start, and ends when it is released.
struct Held {
    waiter: Pin<Box<JobHandle>>,
    begun: Receiver<()>,
    end: Sender<()>,
    life: Arc<CallLifetime>,
}

fn hold(pool: &'static Pool) -> Held {
    let (start, begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let life = Arc::<CallLifetime>::default();
    let waiter = pool.run(&life, move || {
        let _ = start.send(());
        let _ = ended.recv();
        Ok(ToolOutput::text("done"))
    });
    Held { waiter: Box::pin(waiter), begun, end, life }
}

impl Held {
    fn has_begun(&self) -> bool {
        self.begun.try_recv().is_ok()
    }

    fn finish(self) {
        self.end.send(()).unwrap();
        assert_eq!(wait(self.waiter).unwrap().as_json(), "\"done\"");
    }
}

/// Threads, and how many of them are left behind.
fn count(pool: &Pool) -> (usize, usize) {
    let queue = pool.queue();
    (queue.threads, queue.abandoned)
}

#[test]
fn what_is_beyond_the_bound_waits_in_line() {
    let pool = pool(2, 4, IDLE);
    let held = [hold(pool), hold(pool)];
    for held in &held {
        held.begun.recv().unwrap();
    }
    let third = hold(pool);
    assert!(third.life.queued.load(Ordering::Relaxed) && !third.has_begun());
    assert_eq!(count(pool), (2, 0));
    let [first, second] = held;
    first.finish();
    third.begun.recv().unwrap();
    assert!(!third.life.queued.load(Ordering::Relaxed));
    second.finish();
    third.finish();
    assert_eq!(count(pool), (2, 0), "threads are used again");
}

#[test]
fn what_is_left_behind_does_not_count_up_to_a_bound() {
    let pool = pool(1, 3, IDLE);
    let mut left = Vec::new();
    for stuck in 1..=3 {
        let Held { waiter, begun, end, .. } = hold(pool);
        begun.recv().unwrap();
        drop(waiter);
        left.push(end);
        assert_eq!(count(pool), (stuck, stuck));
    }
    // All are stuck: what comes waits, and can be taken away again.
    let (given_up, waiting) = (hold(pool), hold(pool));
    assert!(!given_up.has_begun() && !waiting.has_begun());
    drop(given_up.waiter);
    assert_eq!((count(pool), pool.queue().waiting.len()), ((3, 3), 1));
    // One of them ends after all, and takes what waits.
    drop(left.pop());
    waiting.begun.recv().unwrap();
    assert_eq!(count(pool), (3, 2));
    waiting.finish();
    // Those that come back to a place that was taken end.
    drop(left);
    until(|| count(pool) == (1, 0));
    hold(pool).finish();
}

#[test]
fn threads_with_nothing_to_do_end() {
    let pool = pool(4, 4, Duration::from_millis(1));
    for _ in 0..3 {
        [(); 4].map(|()| hold(pool)).into_iter().for_each(Held::finish);
        until(|| count(pool) == (0, 0));
    }
}

#[test]
fn what_nobody_waits_for_any_more_does_not_begin() {
    let pool = pool(1, 1, IDLE);
    let first = hold(pool);
    first.begun.recv().unwrap();
    let Held { waiter, begun, .. } = hold(pool);
    drop(waiter);
    assert!(begun.recv().is_err(), "the work is gone, and was never begun");
    first.finish();
}

#[test]
fn a_panic_costs_no_thread() {
    let pool = pool(1, 1, IDLE);
    for _ in 0..3 {
        let error = wait(pool.run(&Arc::default(), || panic!("out of numbers"))).unwrap_err();
        assert_eq!(error.kind(), crate::result::output::ErrorKind::Panicked);
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
