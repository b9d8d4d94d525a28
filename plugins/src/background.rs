//! Blocking work on a thread of its own, for code that is asynchronous.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

/// The result of work on another thread. Dropping it tells the work to stop.
#[derive(Debug)]
pub(crate) struct Background<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<ThreadState<T>>,
    is_dropped: AtomicBool,
}

#[derive(Debug)]
struct ThreadState<T> {
    result: Option<T>,
    /// Whether the thread has ended.
    has_ended: bool,
    waker: Option<Waker>,
}

/// Tells the work whether its result is not needed any more.
#[derive(Debug)]
pub(crate) struct StopFlag<T>(Arc<Shared<T>>);

impl<T> StopFlag<T> {
    pub(crate) fn should_stop(&self) -> bool {
        self.0.is_dropped.load(Ordering::Relaxed)
    }
}

/// Wakes the future when the thread ends, also by a panic.
impl<T> Drop for StopFlag<T> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.has_ended = true;
        if let Some(waker) = state.waker.take() {
            drop(state);
            waker.wake();
        }
    }
}

/// Runs `work` on a thread.
///
/// # Errors
/// If no thread can be started.
pub(crate) fn run<T, W>(work: W) -> io::Result<Background<T>>
where
    T: Send + 'static,
    W: FnOnce(&StopFlag<T>) -> T + Send + 'static,
{
    let state = ThreadState { result: None, has_ended: false, waker: None };
    let shared = Arc::new(Shared { state: Mutex::new(state), is_dropped: AtomicBool::new(false) });
    let flag = StopFlag(Arc::clone(&shared));
    thread::Builder::new().name("hook of a plugin".to_owned()).spawn(move || {
        let result = work(&flag);
        flag.0.state.lock().unwrap_or_else(PoisonError::into_inner).result = Some(result);
    })?;
    Ok(Background(shared))
}

/// The output is `None` if the work has panicked.
impl<T> Future for Background<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.has_ended {
            return Poll::Ready(state.result.take());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        self.0.is_dropped.store(true, Ordering::Relaxed);
    }
}
