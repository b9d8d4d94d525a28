//! The interpreters of all tasks of a host. Each task has at most one, their total number is limited, and idle interpreters are ended.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::kernel::Kernel;

/// The interpreter of a task. The interpreter ends with the task.
#[derive(Debug, Default)]
pub(crate) struct TaskKernel {
    /// Locked while a script runs, and for a moment by what ends idle interpreters.
    slot: Mutex<Slot>,
    has_script: AtomicBool,
}

/// The slot of a task whose script runs.
#[derive(Debug)]
pub(crate) struct ScriptSlot<'t> {
    slot: MutexGuard<'t, Slot>,
    has_script: &'t AtomicBool,
}

/// Holds the interpreter of a task, if any.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    kernel: Option<RunningKernel>,
    /// Why the previous interpreter of the task was ended.
    end_reason: Option<EndReason>,
}

/// An interpreter with its permit.
#[derive(Debug)]
struct RunningKernel {
    // The interpreter is dropped first, so that it has ended when the permit is released.
    kernel: Kernel,
    permit: KernelPermit,
    last_used: Instant,
}

/// Why an interpreter was ended before its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// The interpreter was idle for too long.
    Idle,
    /// Another task needed an interpreter, and their number is limited.
    Displaced,
    /// A script in the interpreter did not end by itself.
    Stopped,
}

/// The interpreters of a host.
#[derive(Debug)]
pub(crate) struct Kernels(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    max: usize,
    idle: Duration,
    state: Mutex<KernelsState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct KernelsState {
    /// The number of interpreters, including interpreters that are starting.
    permits: usize,
    tasks: Vec<Weak<TaskKernel>>,
    has_timer: bool,
    is_closed: bool,
}

/// The permission to have an interpreter. Dropping the value releases it.
#[derive(Debug)]
pub(crate) struct KernelPermit(Arc<Shared>);

impl TaskKernel {
    /// Returns the slot for a script, or `None` while another script of the task runs.
    pub(crate) fn begin_script(&self) -> Option<ScriptSlot<'_>> {
        if self.has_script.swap(true, Ordering::AcqRel) {
            return None;
        }
        // The call of an earlier script may have panicked.
        let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        Some(ScriptSlot { slot, has_script: &self.has_script })
    }

    /// Returns the slot, or `None` while it is locked.
    fn try_lock(&self) -> Option<MutexGuard<'_, Slot>> {
        match self.slot.try_lock() {
            Ok(slot) => Some(slot),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Deref for ScriptSlot<'_> {
    type Target = Slot;

    fn deref(&self) -> &Slot {
        &self.slot
    }
}

impl DerefMut for ScriptSlot<'_> {
    fn deref_mut(&mut self) -> &mut Slot {
        &mut self.slot
    }
}

impl Drop for ScriptSlot<'_> {
    fn drop(&mut self) {
        self.has_script.store(false, Ordering::Release);
    }
}

impl Slot {
    pub(crate) fn kernel(&mut self) -> Option<&mut Kernel> {
        self.kernel.as_mut().map(|placed| &mut placed.kernel)
    }

    pub(crate) fn put(&mut self, kernel: Kernel, permit: KernelPermit) {
        self.kernel = Some(RunningKernel { kernel, permit, last_used: Instant::now() });
    }

    /// Removes the interpreter of a script that did not end by itself. The interpreter counts until the returned value is dropped.
    pub(crate) fn stop(&mut self) -> Option<(Kernel, KernelPermit)> {
        self.end_reason = Some(EndReason::Stopped);
        self.take()
    }

    /// Removes the interpreter. The interpreter counts until the returned value is dropped.
    pub(crate) fn take(&mut self) -> Option<(Kernel, KernelPermit)> {
        self.kernel.take().map(|RunningKernel { kernel, permit, .. }| (kernel, permit))
    }

    /// Records that a script has ended.
    pub(crate) fn touch(&mut self) {
        if let Some(placed) = &mut self.kernel {
            placed.last_used = Instant::now();
        }
    }

    /// Removes and returns the reason why the previous interpreter was ended.
    pub(crate) fn take_end_reason(&mut self) -> Option<EndReason> {
        self.end_reason.take()
    }

    fn end_for(&mut self, why: EndReason) -> Option<RunningKernel> {
        self.end_reason = Some(why);
        self.kernel.take()
    }
}

impl Kernels {
    pub(crate) fn new(max: usize, idle: Duration) -> Self {
        Self(Arc::new(Shared { max, idle, state: Mutex::default(), changed: Condvar::new() }))
    }

    /// Reserves an interpreter for a task. If the maximum number is reached, ends the interpreter that has been idle for the longest time.
    /// Returns `None` if all interpreters run scripts.
    pub(crate) fn reserve(&self, task: &Arc<TaskKernel>) -> Option<KernelPermit> {
        loop {
            if let Some(permit) = self.0.try_reserve(task) {
                return Some(permit);
            }
            // Ends the process, and then releases its permit.
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
    fn state(&self) -> MutexGuard<'_, KernelsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_reserve(self: &Arc<Self>, task: &Arc<TaskKernel>) -> Option<KernelPermit> {
        let mut state = self.state();
        if state.permits >= self.max {
            return None;
        }
        state.permits += 1;
        let permit = KernelPermit(Arc::clone(self));
        state.tasks.retain(|task| task.strong_count() > 0);
        if !state.tasks.iter().any(|known| Weak::ptr_eq(known, &Arc::downgrade(task))) {
            state.tasks.push(Arc::downgrade(task));
        }
        if !state.has_timer {
            let shared = Arc::clone(self);
            let timer = thread::Builder::new().name("idle interpreters".to_owned());
            // Without the thread, idle interpreters end with their tasks, or when other tasks need interpreters.
            state.has_timer = timer.spawn(move || shared.end_idle()).is_ok();
        }
        Some(permit)
    }

    /// Removes and returns the interpreter that has been idle for the longest time.
    fn displace(&self) -> Option<RunningKernel> {
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
        // The lock fails if the task has begun a script in the meantime.
        task.try_lock()?.end_for(EndReason::Displaced)
    }

    /// Ends interpreters that have been idle for too long, until no interpreter is left. Runs on its own thread.
    fn end_idle(&self) {
        /// How often a task with a running script is checked again.
        const BUSY_INTERVAL: Duration = Duration::from_secs(1);
        loop {
            let tasks = self.state().tasks.clone();
            let now = Instant::now();
            let mut next = self.idle;
            for task in tasks.iter().filter_map(Weak::upgrade) {
                let Some(mut slot) = task.try_lock() else {
                    next = next.min(BUSY_INTERVAL);
                    continue;
                };
                let Some(placed) = &slot.kernel else { continue };
                let age = now.saturating_duration_since(placed.last_used);
                if let Some(left) = self.idle.checked_sub(age).filter(|left| !left.is_zero()) {
                    next = next.min(left);
                } else {
                    let ended = slot.end_for(EndReason::Idle);
                    drop(slot);
                    drop(ended);
                }
            }
            let mut state = self.state();
            if state.is_closed || state.permits == 0 {
                state.has_timer = false;
                return;
            }
            drop(self.changed.wait_timeout(state, next).unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for KernelPermit {
    fn drop(&mut self) {
        self.0.state().permits -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_waits_for_the_check_of_idle_interpreters_but_not_for_another_script() {
        let task = TaskKernel::default();
        let check = task.try_lock().expect("nothing runs");
        thread::scope(|scope| {
            let begun = scope.spawn(|| task.begin_script().is_some());
            thread::sleep(Duration::from_millis(20));
            drop(check);
            assert!(begun.join().expect("it does not panic"));
        });
        let running = task.begin_script().expect("no script runs");
        assert!(task.begin_script().is_none() && task.try_lock().is_none());
        drop(running);
        assert!(task.begin_script().is_some());
    }
}
