//! Blocking on futures in synchronous code.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Blocks this thread until the future completes, and returns its value.
#[cfg(not(feature = "tokio"))]
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    park(future)
}

#[cfg(feature = "tokio")]
pub(crate) use in_tokio::block_on;

/// Polls the future on this thread, and parks the thread until the future is woken. Returns its value.
pub(crate) fn park<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

#[cfg(feature = "tokio")]
mod in_tokio {
    //! Parks the thread instead of calling `Runtime::block_on`, which panics within a runtime.

    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use tokio::runtime::{Handle, Runtime, RuntimeFlavor};
    use tokio::task::{block_in_place, unconstrained};

    use super::park;
    use crate::run::tokio_runtime::shared;

    /// Blocks this thread until the future completes, and returns its value.
    pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
        let current_flavor = Handle::try_current().ok().map(|handle| handle.runtime_flavor());
        if current_flavor != Some(RuntimeFlavor::MultiThread) {
            return in_shared(future);
        }
        // `block_in_place` moves the other tasks of this thread to another thread, so that a handler can wait for them. If that
        // is impossible, as in a `LocalSet`, Tokio panics before it calls the closure.
        let mut future = Some(future);
        let waited = catch_unwind(AssertUnwindSafe(|| block_in_place(|| future.take().map(park))));
        match (waited, future) {
            (Ok(Some(value)), _) => value,
            (Ok(None), _) => unreachable!("the future is taken once"),
            (Err(_), Some(future)) => in_shared(future),
            (Err(panic), None) => resume_unwind(panic),
        }
    }

    /// Blocks this thread in the context of the shared runtime.
    fn in_shared<T>(future: impl Future<Output = T>) -> T {
        let _guard = shared().map(Runtime::enter);
        // A surrounding task would exhaust its cooperative budget, which Tokio only renews when the task yields.
        park(unconstrained(future))
    }
}
