//! [`Sleep`] without an async runtime: one thread of the process wakes futures when they are due, on any executor.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::panics;
use crate::run::{clock, start_thread};

/// The time after which the thread ends if no timer is pending.
const IDLE: Duration = Duration::from_secs(10);

static TIMER: Timer = Timer::new();

struct Timer {
    queue: Mutex<TimerQueue>,
    /// Notified when the earliest deadline changes.
    changed: Condvar,
}

struct TimerQueue {
    /// The wakers, ordered by deadline. A map, because there can be one for each running call, and removing from a sorted
    /// vector would move all later entries.
    wakers: BTreeMap<Key, Waker>,
    /// The number of the next key.
    next: u64,
    /// Whether the thread is running.
    is_running: bool,
}

/// The deadline of a timer, and a number that makes the key unique.
type Key = (Instant, u64);

/// A future that completes after a duration.
pub(crate) struct Sleep {
    /// The deadline. `None` never completes: the deadline is out of the clock's range, or the platform has no clock.
    deadline: Option<Instant>,
    /// The entry in the queue.
    registered: Option<(Key, Waker)>,
}

impl Sleep {
    /// Returns a future that completes after `duration`.
    pub(crate) fn after(duration: Duration) -> Self {
        Self { deadline: clock::now().and_then(|now| now.checked_add(duration)), registered: None }
    }

    fn unregister(&mut self) {
        if let Some((key, _)) = self.registered.take() {
            // Dropped without the lock, because dropping a waker may run any code.
            let waker = TIMER.queue().wakers.remove(&key);
            drop(waker);
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else { return Poll::Pending };
        if Instant::now() >= deadline {
            self.unregister();
            return Poll::Ready(());
        }
        let is_registered = self.registered.as_ref().is_some_and(|(_, waker)| waker.will_wake(context.waker()));
        if !is_registered {
            self.unregister();
            let key = TIMER.register(deadline, context.waker().clone());
            self.registered = Some((key, context.waker().clone()));
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.unregister();
    }
}

impl Timer {
    const fn new() -> Self {
        Self {
            queue: Mutex::new(TimerQueue { wakers: BTreeMap::new(), next: 0, is_running: false }),
            changed: Condvar::new(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, TimerQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes `waker` at `deadline`. Starts the thread if it is not running.
    fn register(&'static self, deadline: Instant, waker: Waker) -> Key {
        let mut queue = self.queue();
        let key = (deadline, queue.next);
        queue.next += 1;
        queue.wakers.insert(key, waker);
        let is_first = queue.wakers.first_key_value().is_some_and(|(first, _)| *first == key);
        let must_start = !std::mem::replace(&mut queue.is_running, true);
        drop(queue);
        if must_start {
            if start_thread("toolc-timer", Box::new(|| self.run())).is_err() {
                // The next timer tries again. If that succeeds, the thread also wakes this one.
                self.queue().is_running = false;
            }
        } else if is_first {
            self.changed.notify_one();
        }
        key
    }

    /// Wakes futures when they are due. The body of the thread.
    fn run(&self) {
        let mut queue = self.queue();
        loop {
            let now = Instant::now();
            let later = queue.wakers.split_off(&(now, u64::MAX));
            let due = std::mem::replace(&mut queue.wakers, later);
            if !due.is_empty() {
                // Without the lock, because wakers may run any code.
                drop(queue);
                for waker in due.into_values() {
                    let _ = panics::catch(|| waker.wake());
                }
                queue = self.queue();
                continue;
            }
            let until_next =
                queue.wakers.first_key_value().map(|((deadline, _), _)| deadline.saturating_duration_since(now));
            let waited = self.changed.wait_timeout(queue, until_next.unwrap_or(IDLE));
            let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            queue = guard;
            if until_next.is_none() && timeout.timed_out() && queue.wakers.is_empty() {
                queue.is_running = false;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Wake;

    use super::*;
    use crate::fakes::wait;

    #[test]
    fn a_timer_never_completes_early() {
        for millis in [30, 0, 10] {
            let duration = Duration::from_millis(millis);
            let started = Instant::now();
            wait(Sleep::after(duration));
            assert!(started.elapsed() >= duration);
        }
    }

    #[test]
    fn an_earlier_deadline_completes_before_a_later_one_that_was_set_first() {
        let mut late = Sleep::after(Duration::from_hours(1));
        assert!(Pin::new(&mut late).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        wait(Sleep::after(Duration::from_millis(5)));
        assert!(late.registered.is_some());
    }

    #[test]
    fn a_deadline_out_of_the_clocks_range_never_completes() {
        let mut never = Sleep::after(Duration::MAX);
        assert!(Pin::new(&mut never).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(never.registered.is_none());
    }

    /// A waker whose references are counted.
    struct CountedWaker;

    impl Wake for CountedWaker {
        fn wake(self: Arc<Self>) {}
    }

    #[test]
    fn a_dropped_timer_keeps_no_waker() {
        let counted = Arc::new(CountedWaker);
        let wakers = [(); 3].map(|()| Waker::from(Arc::clone(&counted)));
        let mut sleep = Sleep::after(Duration::from_hours(1));
        for waker in &wakers {
            assert!(Pin::new(&mut sleep).poll(&mut Context::from_waker(waker)).is_pending());
        }
        drop((sleep, wakers));
        assert_eq!(Arc::strong_count(&counted), 1);
    }
}
