//! A question that waits for its answer on its own thread, because reading a terminal blocks.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Waker};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// An open question: a future of the answer, for which a thread waits. Dropping the future withdraws the question and restores the
/// terminal.
pub(crate) struct OpenQuestion<T> {
    shared: Arc<Shared<T>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared<T> {
    is_withdrawn: AtomicBool,
    answer: Mutex<(Option<T>, Option<Waker>)>,
}

impl<T> Shared<T> {
    fn set_answer(&self, decision: T) {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.0 = Some(decision);
        let waker = answer.1.take();
        drop(answer);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Locked while a question is on the terminal.
static TERMINAL_LOCK: Mutex<()> = Mutex::new(());

/// Waits until no other question is on the terminal. Returns `None` if this question is withdrawn meanwhile.
fn lock_terminal(is_withdrawn: &AtomicBool) -> Option<MutexGuard<'static, ()>> {
    loop {
        match TERMINAL_LOCK.try_lock() {
            Ok(lock) => return Some(lock),
            Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
            Err(TryLockError::WouldBlock) if is_withdrawn.load(Ordering::Relaxed) => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(50)),
        }
    }
}

impl<T: Send + 'static> OpenQuestion<T> {
    /// Asks the question on a new thread. `ask` gets a flag that is set when the question is withdrawn. `failed` returns the answer if
    /// no thread can be started.
    pub(crate) fn ask(
        ask: impl FnOnce(&AtomicBool) -> T + Send + 'static,
        failed: impl FnOnce(io::Error) -> T,
    ) -> Self {
        let shared = Arc::new(Shared { is_withdrawn: AtomicBool::new(false), answer: Mutex::new((None, None)) });
        let thread_shared = Arc::clone(&shared);
        let ask = move || {
            if let Some(_lock) = lock_terminal(&thread_shared.is_withdrawn) {
                thread_shared.set_answer(ask(&thread_shared.is_withdrawn));
            }
        };
        let thread = thread::Builder::new().name("question".to_owned()).spawn(ask);
        let thread = thread.map_err(|error| shared.set_answer(failed(error))).ok();
        Self { shared, thread }
    }
}

impl<T> Future for OpenQuestion<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut answer = self.shared.answer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(decision) = answer.0.take() {
            return Poll::Ready(decision);
        }
        answer.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

impl<T> Drop for OpenQuestion<T> {
    fn drop(&mut self) {
        self.shared.is_withdrawn.store(true, Ordering::Relaxed);
        // The thread checks the flag within a tenth of a second, and restores the terminal.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
