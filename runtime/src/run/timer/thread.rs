//! [`Sleep`] without an async runtime: one thread of the process wakes futures when they are due, on any executor.

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
    /// The timers that wait, in slots. Free slots are used again, so that neither adding nor removing one moves others: there can be one
    /// for each running call. A tree would be much more machine code.
    slots: Vec<Option<Waiting>>,
    free: Vec<usize>,
    /// The number of the next timer.
    number: u64,
    /// A time that is not later than the earliest deadline, or `None` if no timer waits.
    earliest: Option<Instant>,
    /// Whether the thread is running.
    is_running: bool,
}

struct Waiting {
    number: u64,
    deadline: Instant,
    waker: Waker,
}

/// The slot of a timer, and its number.
type Key = (usize, u64);

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
            let waiting = TIMER.queue().remove(key);
            drop(waiting);
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
            queue: Mutex::new(TimerQueue {
                slots: Vec::new(),
                free: Vec::new(),
                number: 0,
                earliest: None,
                is_running: false,
            }),
            changed: Condvar::new(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, TimerQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes `waker` at `deadline`. Starts the thread if it is not running.
    fn register(&'static self, deadline: Instant, waker: Waker) -> Key {
        let mut queue = self.queue();
        let is_first = queue.earliest.is_none_or(|earliest| deadline < earliest);
        let key = queue.insert(deadline, waker);
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
            let due = queue.take_due(now);
            if !due.is_empty() {
                // Without the lock, because wakers may run any code.
                drop(queue);
                for waiting in due {
                    let _ = panics::catch(|| waiting.waker.wake());
                }
                queue = self.queue();
                continue;
            }
            let until_next = queue.earliest.map(|deadline| deadline.saturating_duration_since(now));
            let waited = self.changed.wait_timeout(queue, until_next.unwrap_or(IDLE));
            let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            queue = guard;
            if until_next.is_none() && timeout.timed_out() && queue.earliest.is_none() {
                queue.is_running = false;
                return;
            }
        }
    }
}

impl TimerQueue {
    fn insert(&mut self, deadline: Instant, waker: Waker) -> Key {
        let (number, slot) = (self.number, self.free.pop().unwrap_or(self.slots.len()));
        self.number += 1;
        self.earliest = Some(self.earliest.map_or(deadline, |earliest| earliest.min(deadline)));
        let waiting = Some(Waiting { number, deadline, waker });
        match self.slots.get_mut(slot) {
            Some(free) => *free = waiting,
            None => self.slots.push(waiting),
        }
        (slot, number)
    }

    /// Removes a timer, if it still waits.
    fn remove(&mut self, (slot, number): Key) -> Option<Waiting> {
        let waiting = self.slots.get_mut(slot)?.take_if(|waiting| waiting.number == number);
        if waiting.is_some() {
            self.free.push(slot);
        }
        waiting
    }

    /// Removes the timers that are due, and finds the earliest deadline of the others.
    fn take_due(&mut self, now: Instant) -> Vec<Waiting> {
        let mut due = Vec::new();
        self.earliest = None;
        for (slot, waiting) in self.slots.iter_mut().enumerate() {
            let Some(deadline) = waiting.as_ref().map(|waiting| waiting.deadline) else { continue };
            if deadline <= now {
                due.extend(waiting.take());
                self.free.push(slot);
            } else if self.earliest.is_none_or(|earliest| deadline < earliest) {
                self.earliest = Some(deadline);
            }
        }
        if self.earliest.is_none() {
            (self.slots, self.free) = (Vec::new(), Vec::new());
        }
        due
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

    #[test]
    fn a_slot_that_is_used_again_is_not_freed_by_its_earlier_timer() {
        let mut queue = Timer::new().queue.into_inner().unwrap();
        let now = Instant::now();
        let later = now + Duration::from_mins(1);
        let (due, waits) = (queue.insert(now, Waker::noop().clone()), queue.insert(later, Waker::noop().clone()));
        assert_eq!((queue.take_due(now).len(), queue.earliest), (1, Some(later)));
        let sooner = queue.insert(now + Duration::from_secs(1), Waker::noop().clone());
        assert_eq!((sooner.0, queue.earliest), (due.0, Some(now + Duration::from_secs(1))));
        assert!(queue.remove(due).is_none());
        assert!(queue.remove(sooner).is_some() && queue.remove(sooner).is_none());
        assert!(queue.take_due(now).is_empty());
        assert_eq!(queue.earliest, Some(later));
        assert!(queue.remove(waits).is_some());
        assert!(queue.take_due(later).is_empty());
        assert_eq!((queue.earliest, queue.slots.len(), queue.free.len()), (None, 0, 0));
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
