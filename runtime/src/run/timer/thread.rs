//! Timers without a runtime: one thread of the process wakes futures at their time, for any executor.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::panics;
use crate::run::{clock, start_thread};

/// The time after which the thread ends if no timer is set.
const IDLE: Duration = Duration::from_secs(10);

static TIMER: Timer = Timer::new();

struct Timer {
    alarms: Mutex<TimerQueue>,
    changed: Condvar,
}

struct TimerQueue {
    /// As many entries as calls. A list would move all later entries at each removal.
    set: BTreeMap<Key, Waker>,
    next: u64,
    /// Whether the thread is running.
    runs: bool,
}

type Key = (Instant, u64);

/// A future that completes at its time.
pub(crate) struct Sleep {
    /// The time, or `None` for never: it is out of the clock's range, or there is no clock.
    at: Option<Instant>,
    set: Option<(Key, Waker)>,
}

impl Sleep {
    pub(crate) fn after(time: Duration) -> Self {
        Self { at: clock::now().and_then(|now| now.checked_add(time)), set: None }
    }

    fn unset(&mut self) {
        if let Some((key, _)) = self.set.take() {
            let waker = TIMER.alarms().set.remove(&key);
            drop(waker);
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(at) = self.at else { return Poll::Pending };
        if Instant::now() >= at {
            self.unset();
            return Poll::Ready(());
        }
        if !self.set.as_ref().is_some_and(|(_, waker)| waker.will_wake(context.waker())) {
            self.unset();
            self.set = Some((TIMER.set(at, context.waker().clone()), context.waker().clone()));
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.unset();
    }
}

impl Timer {
    const fn new() -> Self {
        Self { alarms: Mutex::new(TimerQueue { set: BTreeMap::new(), next: 0, runs: false }), changed: Condvar::new() }
    }

    fn alarms(&self) -> MutexGuard<'_, TimerQueue> {
        self.alarms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&'static self, at: Instant, waker: Waker) -> Key {
        let mut alarms = self.alarms();
        let key = (at, alarms.next);
        alarms.next += 1;
        alarms.set.insert(key, waker);
        let is_first = alarms.set.first_key_value().is_some_and(|(first, _)| *first == key);
        let starts = !std::mem::replace(&mut alarms.runs, true);
        drop(alarms);
        if starts {
            if start_thread("toolc-timer", Box::new(|| self.run())).is_err() {
                // The next timer tries again, and then all of them fire.
                self.alarms().runs = false;
            }
        } else if is_first {
            self.changed.notify_one();
        }
        key
    }

    /// Runs the thread.
    fn run(&self) {
        let mut alarms = self.alarms();
        loop {
            let now = Instant::now();
            let later = alarms.set.split_off(&(now, u64::MAX));
            let due = std::mem::replace(&mut alarms.set, later);
            if !due.is_empty() {
                // Without the lock, because wakers may run any code.
                drop(alarms);
                for waker in due.into_values() {
                    let _ = panics::catch(|| waker.wake());
                }
                alarms = self.alarms();
                continue;
            }
            let first = alarms.set.first_key_value().map(|((at, _), _)| at.saturating_duration_since(now));
            let waited = self.changed.wait_timeout(alarms, first.unwrap_or(IDLE));
            let (woken, ended) = waited.unwrap_or_else(PoisonError::into_inner);
            alarms = woken;
            if first.is_none() && ended.timed_out() && alarms.set.is_empty() {
                alarms.runs = false;
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
    fn it_rings_not_before_its_time() {
        for millis in [30, 0, 10] {
            let (started, time) = (Instant::now(), Duration::from_millis(millis));
            wait(Sleep::after(time));
            assert!(started.elapsed() >= time);
        }
    }

    #[test]
    fn an_earlier_one_rings_before_a_later_one_that_was_set_first() {
        let mut late = Sleep::after(Duration::from_hours(1));
        assert!(Pin::new(&mut late).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        wait(Sleep::after(Duration::from_millis(5)));
        assert!(late.set.is_some());
    }

    #[test]
    fn one_too_far_away_never_rings() {
        let mut never = Sleep::after(Duration::MAX);
        assert!(Pin::new(&mut never).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(never.set.is_none());
    }

    struct Counted;

    impl Wake for Counted {
        fn wake(self: Arc<Self>) {}
    }

    #[test]
    fn who_no_longer_waits_is_forgotten() {
        let counted = Arc::new(Counted);
        let wakers = [(); 3].map(|()| Waker::from(Arc::clone(&counted)));
        let mut alarm = Sleep::after(Duration::from_hours(1));
        for waker in &wakers {
            assert!(Pin::new(&mut alarm).poll(&mut Context::from_waker(waker)).is_pending());
        }
        drop((alarm, wakers));
        assert_eq!(Arc::strong_count(&counted), 1);
    }
}
