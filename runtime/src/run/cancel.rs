//! Cancellation: handles, and the calls that observe them.
//!
//! A handle counts cancellations. A call remembers the counts of its task and its session at its start, so that cancelling
//! them stops all running calls, but no later ones. A handle of the host, for single calls, stays cancelled.

use std::array;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A handle that cancels the calls [that have it](crate::ToolCall::with_cancel), those that are running and those that start
/// later. Clones share the same state.
///
/// ```
/// use toolc::cancel::CancelHandle;
///
/// let stop = CancelHandle::new();
/// let button = stop.clone();
/// std::thread::spawn(move || button.cancel());
/// ```
#[derive(Clone, Default)]
pub struct CancelHandle(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    count: AtomicU64,
    waiting: Mutex<Wakers>,
}

/// The wakers of waiters. Each has a slot, and free slots are used again, so that neither adding nor removing one moves others: there can be
/// as many as calls.
#[derive(Default)]
struct Wakers {
    slots: Vec<Option<Waker>>,
    free: Vec<usize>,
    /// The number of times that all wakers were taken. Earlier keys are no longer valid.
    taken: u64,
}

/// The place of a waker: the number of times that all wakers had been taken, and the slot.
type WakerKey = (u64, usize);

impl Wakers {
    fn insert(&mut self, waker: Waker) -> WakerKey {
        let slot = self.free.pop().unwrap_or(self.slots.len());
        match self.slots.get_mut(slot) {
            Some(free) => *free = Some(waker),
            None => self.slots.push(Some(waker)),
        }
        (self.taken, slot)
    }

    fn remove(&mut self, (taken, slot): WakerKey) -> Option<Waker> {
        let waker = self.slots.get_mut(slot).filter(|_| taken == self.taken)?.take()?;
        self.free.push(slot);
        Some(waker)
    }

    fn take(&mut self) -> impl Iterator<Item = Waker> + use<> {
        self.taken += 1;
        self.free.clear();
        std::mem::take(&mut self.slots).into_iter().flatten()
    }
}

impl CancelHandle {
    /// Returns a new handle.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all calls that have this handle, including later ones.
    pub fn cancel(&self) {
        self.mark();
        self.wake();
    }

    /// Counts a cancellation, without waking waiters.
    pub(crate) fn mark(&self) {
        self.0.count.fetch_add(1, Ordering::SeqCst);
    }

    /// Wakes all waiters. No lock is held meanwhile, because wakers may run any code.
    pub(crate) fn wake(&self) {
        let wakers = self.waiting().take();
        wakers.for_each(Waker::wake);
    }

    fn count(&self) -> u64 {
        self.0.count.load(Ordering::SeqCst)
    }

    fn waiting(&self) -> MutexGuard<'_, Wakers> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn watchers(&self) -> usize {
        self.waiting().slots.iter().flatten().count()
    }
}

impl fmt::Debug for CancelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelHandle").field("count", &self.count()).finish_non_exhaustive()
    }
}

/// A handle, and its count at the start of a call. The call is cancelled when the count has changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CancelEpoch<'a> {
    cancel: &'a CancelHandle,
    count: u64,
}

impl<'a> CancelEpoch<'a> {
    /// Returns an epoch that begins now: only later cancellations of the handle count.
    pub(crate) fn now(cancel: &'a CancelHandle) -> Self {
        Self { cancel, count: cancel.count() }
    }

    /// Returns an epoch that includes all cancellations of the handle, also earlier ones.
    pub(crate) const fn ever(cancel: &'a CancelHandle) -> Self {
        Self { cancel, count: 0 }
    }

    pub(crate) fn is_cancelled(self) -> bool {
        self.cancel.count() != self.count
    }

    pub(crate) fn to_owned_epoch(self) -> OwnedEpoch {
        OwnedEpoch { cancel: self.cancel.clone(), count: self.count }
    }
}

/// A [`CancelEpoch`] with a clone of its handle.
#[derive(Debug, Clone)]
pub(crate) struct OwnedEpoch {
    cancel: CancelHandle,
    count: u64,
}

impl OwnedEpoch {
    pub(crate) const fn borrow(&self) -> CancelEpoch<'_> {
        CancelEpoch { cancel: &self.cancel, count: self.count }
    }
}

/// The handles that can cancel a call: the handles of its lifetime, of the host for this call, of its task, and of its session.
pub(crate) type CancelSources<'a> = [Option<CancelEpoch<'a>>; 4];

/// A future that completes when one of the handles is cancelled.
pub(crate) struct CancelledFuture<'a> {
    sources: CancelSources<'a>,
    /// The key of the registered waker in each handle.
    keys: [WakerKey; 4],
    waker: Option<Waker>,
}

impl<'a> CancelledFuture<'a> {
    pub(crate) fn new(sources: CancelSources<'a>) -> Self {
        Self { sources, keys: [(0, 0); 4], waker: None }
    }

    fn is_cancelled(&self) -> bool {
        self.sources.iter().flatten().any(|epoch| epoch.is_cancelled())
    }

    fn deregister(&mut self) {
        if self.waker.take().is_some() {
            for (epoch, key) in self.sources.iter().zip(self.keys) {
                // Dropped without the lock, because dropping a waker may run any code.
                let waker = epoch.and_then(|epoch| epoch.cancel.waiting().remove(key));
                drop(waker);
            }
        }
    }
}

impl Future for CancelledFuture<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        if !this.is_cancelled() && !this.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            this.deregister();
            for (epoch, key) in this.sources.iter().zip(&mut this.keys) {
                if let Some(epoch) = epoch {
                    *key = epoch.cancel.waiting().insert(context.waker().clone());
                }
            }
            this.waker = Some(context.waker().clone());
        }
        // Checked after the waker is registered, so that no cancellation is missed.
        if this.is_cancelled() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for CancelledFuture<'_> {
    fn drop(&mut self) {
        self.deregister();
    }
}

/// A token to check whether a call is cancelled, for threads and tasks that a handler starts: see
/// [`Call::cancellation`](crate::Call::cancellation).
#[derive(Debug, Clone)]
pub struct CancellationToken(Arc<[Option<OwnedEpoch>; 4]>);

impl CancellationToken {
    pub(crate) fn new(sources: CancelSources<'_>) -> Self {
        Self(Arc::new(sources.map(|epoch| epoch.map(CancelEpoch::to_owned_epoch))))
    }

    pub(crate) fn sources(&self) -> CancelSources<'_> {
        array::from_fn(|at| self.0[at].as_ref().map(OwnedEpoch::borrow))
    }

    /// Returns whether the call is cancelled. This is cheap and can be checked often.
    pub fn is_cancelled(&self) -> bool {
        self.sources().into_iter().flatten().any(CancelEpoch::is_cancelled)
    }

    /// Completes when the call is cancelled.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + '_ {
        CancelledFuture::new(self.sources())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::fakes::wait;

    #[test]
    fn cancelling_does_not_affect_later_epochs() {
        let cancel = CancelHandle::new();
        let before = CancelEpoch::now(&cancel);
        cancel.cancel();
        let after = CancelEpoch::now(&cancel);
        assert!(before.is_cancelled() && !after.is_cancelled());
        cancel.clone().cancel();
        assert!(before.is_cancelled() && after.is_cancelled());
    }

    #[test]
    fn a_waiter_is_woken_by_each_of_its_handles() {
        for cancelled in 0..4 {
            let all = [(); 4].map(|()| CancelHandle::new());
            let cancellation = CancellationToken::new(all.each_ref().map(|cancel| Some(CancelEpoch::now(cancel))));
            let button = all[cancelled].clone();
            thread::scope(|scope| {
                scope.spawn(move || button.cancel());
                wait(cancellation.cancelled());
            });
            assert!(cancellation.is_cancelled());
            assert!(all.iter().all(|cancel| cancel.watchers() == 0));
        }
    }

    #[test]
    fn a_key_from_before_a_cancellation_removes_no_later_waker() {
        let mut wakers = Wakers::default();
        let old = [(); 2].map(|()| wakers.insert(Waker::noop().clone()));
        assert!(wakers.remove(old[0]).is_some());
        assert_eq!(wakers.insert(Waker::noop().clone()), old[0], "a free slot is used again");
        assert_eq!(wakers.take().count(), 2);
        let new = wakers.insert(Waker::noop().clone());
        assert!(old.into_iter().all(|key| wakers.remove(key).is_none()));
        assert!(wakers.remove(new).is_some() && wakers.remove(new).is_none());
    }

    #[test]
    fn a_dropped_future_deregisters_its_waker() {
        let cancel = CancelHandle::new();
        let mut context = Context::from_waker(Waker::noop());
        let mut future = CancelledFuture::new([Some(CancelEpoch::now(&cancel)), None, None, None]);
        for _ in 0..3 {
            assert!(Pin::new(&mut future).poll(&mut context).is_pending());
            assert_eq!(cancel.watchers(), 1);
        }
        drop(future);
        assert_eq!(cancel.watchers(), 0);
    }
}
