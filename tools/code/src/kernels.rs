//! The interpreters of all tasks of a host: one for each task, at most a few in all, and none that is idle for long.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::kernel::Kernel;

/// The interpreter of a task. It ends with the task.
#[derive(Debug, Default)]
pub(crate) struct TaskKernel(Mutex<Slot>);

/// Holds the interpreter of a task, if it has one. Locked while a script runs.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    kernel: Option<Placed>,
    /// Why the task no longer has the interpreter that it had.
    lost: Option<Lost>,
}

/// An interpreter, and its place among those of the host.
#[derive(Debug)]
struct Placed {
    // In this order, so that the place is free when the interpreter has ended.
    kernel: Kernel,
    #[allow(dead_code, reason = "it is free when this is dropped")]
    place: Place,
    last_used: Instant,
}

/// Why an interpreter was ended before its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// No script ran in it for a long time.
    Idle,
    /// Another task needed its place.
    Displaced,
    /// A script did not end by itself.
    Stopped,
}

/// The interpreters of a host.
#[derive(Debug)]
pub(crate) struct Kernels(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    max: usize,
    idle: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The number of interpreters, including those that are starting.
    places: usize,
    tasks: Vec<Weak<TaskKernel>>,
    has_timer: bool,
    is_closed: bool,
}

/// The right to have an interpreter, until this is dropped.
#[derive(Debug)]
pub(crate) struct Place(Arc<Shared>);

impl TaskKernel {
    /// Returns the slot, or `None` while another script of the task runs.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, Slot>> {
        match self.0.try_lock() {
            Ok(slot) => Some(slot),
            // A script whose call has panicked.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Slot {
    pub(crate) fn kernel(&mut self) -> Option<&mut Kernel> {
        self.kernel.as_mut().map(|placed| &mut placed.kernel)
    }

    pub(crate) fn put(&mut self, kernel: Kernel, place: Place) {
        self.kernel = Some(Placed { kernel, place, last_used: Instant::now() });
    }

    /// Removes the interpreter of a script that did not end by itself. It still counts until the returned value is dropped.
    pub(crate) fn stop(&mut self) -> Option<(Kernel, Place)> {
        self.lost = Some(Lost::Stopped);
        self.take()
    }

    /// Removes the interpreter. It still counts until the returned value is dropped.
    pub(crate) fn take(&mut self) -> Option<(Kernel, Place)> {
        self.kernel.take().map(|Placed { kernel, place, .. }| (kernel, place))
    }

    /// Records that a script has ended.
    pub(crate) fn touch(&mut self) {
        if let Some(placed) = &mut self.kernel {
            placed.last_used = Instant::now();
        }
    }

    /// Returns why the interpreter of earlier scripts is gone, once.
    pub(crate) fn lost(&mut self) -> Option<Lost> {
        self.lost.take()
    }

    fn lose(&mut self, why: Lost) -> Option<Placed> {
        self.lost = Some(why);
        self.kernel.take()
    }
}

impl Kernels {
    pub(crate) fn new(max: usize, idle: Duration) -> Self {
        Self(Arc::new(Shared { max, idle, state: Mutex::default(), changed: Condvar::new() }))
    }

    /// Returns a place for an interpreter of a task. If all are taken, ends the one that has been idle for the longest time; `None`
    /// if all run scripts.
    pub(crate) fn place(&self, task: &Arc<TaskKernel>) -> Option<Place> {
        loop {
            if let Some(place) = self.0.free_place(task) {
                return Some(place);
            }
            // Ends the process before its place is free.
            drop(self.0.displace()?);
        }
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        let tasks = {
            let mut state = self.0.state();
            state.is_closed = true;
            std::mem::take(&mut state.tasks)
        };
        self.0.changed.notify_all();
        for task in tasks.iter().filter_map(Weak::upgrade) {
            let kernel = task.try_lock().and_then(|mut slot| slot.take());
            drop(kernel);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn free_place(self: &Arc<Self>, task: &Arc<TaskKernel>) -> Option<Place> {
        let mut state = self.state();
        if state.places >= self.max {
            return None;
        }
        state.places += 1;
        let place = Place(Arc::clone(self));
        state.tasks.retain(|task| task.strong_count() > 0);
        if !state.tasks.iter().any(|known| Weak::ptr_eq(known, &Arc::downgrade(task))) {
            state.tasks.push(Arc::downgrade(task));
        }
        if !state.has_timer {
            let shared = Arc::clone(self);
            let timer = thread::Builder::new().name("idle interpreters".to_owned());
            // Without the thread, idle interpreters end with their tasks, or when another one needs their place.
            state.has_timer = timer.spawn(move || shared.end_idle()).is_ok();
        }
        Some(place)
    }

    /// Returns the idle interpreter that was used the longest time ago.
    fn displace(&self) -> Option<Placed> {
        let tasks = self.state().tasks.clone();
        let mut oldest: Option<(Instant, Arc<TaskKernel>)> = None;
        for task in tasks.iter().filter_map(Weak::upgrade) {
            let used = task.try_lock().and_then(|slot| Some(slot.kernel.as_ref()?.last_used));
            if let Some(used) = used
                && oldest.as_ref().is_none_or(|(oldest, _)| used < *oldest)
            {
                oldest = Some((used, task));
            }
        }
        let (_, task) = oldest?;
        // It may have begun a script in the meantime.
        task.try_lock()?.lose(Lost::Displaced)
    }

    /// Ends interpreters when they have been idle for too long, on a thread of its own, until there are none.
    fn end_idle(&self) {
        /// The interval at which a task whose script runs is looked at again.
        const AGAIN: Duration = Duration::from_secs(1);
        loop {
            let tasks = self.state().tasks.clone();
            let now = Instant::now();
            let mut next = self.idle;
            for task in tasks.iter().filter_map(Weak::upgrade) {
                let Some(mut slot) = task.try_lock() else {
                    next = next.min(AGAIN);
                    continue;
                };
                let Some(placed) = &slot.kernel else { continue };
                let age = now.saturating_duration_since(placed.last_used);
                if let Some(left) = self.idle.checked_sub(age).filter(|left| !left.is_zero()) {
                    next = next.min(left);
                } else {
                    let ended = slot.lose(Lost::Idle);
                    drop(slot);
                    drop(ended);
                }
            }
            let mut state = self.state();
            if state.is_closed || state.places == 0 {
                state.has_timer = false;
                return;
            }
            drop(self.changed.wait_timeout(state, next).unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.state().places -= 1;
        self.0.changed.notify_all();
    }
}
