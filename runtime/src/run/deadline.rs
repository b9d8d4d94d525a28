//! Deadlines: waiting for a part of the host, until the call is cancelled or its time is over.

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
    /// The time was over.
    TimedOut,
}

/// Returns the result of `work`, unless the call is cancelled or `time` is over first.
pub(crate) async fn with_deadline<T>(
    work: impl Future<Output = T>,
    cancelled: CancelledFuture<'_>,
    time: Duration,
) -> Result<T, Interrupted> {
    let mut waits = (pin!(work), pin!(cancelled), pin!(Sleep::after(time)));
    poll_fn(|context| match waits.0.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Ok(done)),
        Poll::Pending if waits.1.as_mut().poll(context).is_ready() => Poll::Ready(Err(Interrupted::Cancelled)),
        Poll::Pending => waits.2.as_mut().poll(context).map(|()| Err(Interrupted::TimedOut)),
    })
    .await
}
