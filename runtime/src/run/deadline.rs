//! Deadlines: waiting for a part of the host, until the call is cancelled or exceeds its time limit.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::run::cancel::CancelledFuture;
use crate::run::timer::Sleep;

/// The reason why waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupted {
    /// The call was cancelled.
    Cancelled,
    /// The time limit was exceeded.
    TimedOut,
}

/// Returns the result of `work`, unless the call is cancelled or the timeout elapses first.
pub(crate) async fn with_deadline<T>(
    work: impl Future<Output = T>,
    cancelled: CancelledFuture<'_>,
    timeout: Duration,
) -> Result<T, Interrupted> {
    let mut work = pin!(work);
    let mut cancelled = pin!(cancelled);
    let mut sleep = pin!(Sleep::after(timeout));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Ok(result)),
        Poll::Pending if cancelled.as_mut().poll(context).is_ready() => Poll::Ready(Err(Interrupted::Cancelled)),
        Poll::Pending => sleep.as_mut().poll(context).map(|()| Err(Interrupted::TimedOut)),
    })
    .await
}
