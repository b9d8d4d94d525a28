//! Patience: waiting for a part of the host, no longer than the call is wanted and its time lasts.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::run::cancel::CancelledFuture;
use crate::run::timer::Sleep;

/// Why nobody waits any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interrupted {
    /// The call was cancelled.
    Cancelled,
    /// It took too long.
    TimedOut,
}

/// What `work` comes to, unless the call is cancelled or `time` is over before.
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
