//! Catching panics during calls, so that they become errors and never reach the host.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The message of a panic.
pub(crate) struct Panicked(pub(crate) String);

/// Runs `work`, and returns its result or the message of its panic.
///
/// Handlers are shared between threads, and must keep their state consistent across a panic.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(Panicked::from_payload)
}

/// A future whose panic becomes its error.
pub(crate) struct CatchPanic<F>(pub(crate) F);

impl<F: Future + Unpin> Future for CatchPanic<F> {
    type Output = Result<F::Output, Panicked>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match catch(|| Pin::new(&mut self.0).poll(context)) {
            Ok(poll) => poll.map(Ok),
            Err(panicked) => Poll::Ready(Err(panicked)),
        }
    }
}

impl Panicked {
    #[cold]
    #[expect(clippy::needless_pass_by_value, reason = "the code that drops it is only needed here")]
    fn from_payload(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self(text.unwrap_or("no message").to_owned())
    }
}
