//! Work on a thread of its own, as a future of any executor.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

use crate::{Output, ToolError, panics};

type Result = std::result::Result<Output, ToolError>;

/// What the thread and the future share.
#[derive(Default)]
struct Shared {
    result: Option<Result>,
    waker: Option<Waker>,
}

/// Starts `work` at once; the future is there for its result.
pub(crate) fn run(work: impl FnOnce() -> Result + Send + 'static) -> impl Future<Output = Result> + Send {
    let shared = Arc::new(Mutex::new(Shared::default()));
    let started = {
        let shared = Arc::clone(&shared);
        thread::Builder::new().name("toolc-blocking".to_owned()).spawn(move || {
            let result = panics::caught(work).unwrap_or_else(|panicked| Err(panicked.into()));
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.result = Some(result);
            let waker = shared.waker.take();
            drop(shared);
            if let Some(waker) = waker {
                waker.wake();
            }
        })
    };
    let mut failed = started.err().map(|error| ToolError::new(format!("failed to start a thread: {error}")));
    poll_fn(move |context| {
        if let Some(error) = failed.take() {
            return Poll::Ready(Err(error));
        }
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = shared.result.take() {
            return Poll::Ready(result);
        }
        shared.waker = Some(context.waker().clone());
        Poll::Pending
    })
}
