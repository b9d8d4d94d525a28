//! Patience: waiting for a part of the host, no longer than the call is wanted and its time lasts.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::run::cancel::Watch;
use crate::run::timer::Alarm;

/// Why nobody waits any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The call was cancelled.
    Cancelled,
    /// It took too long.
    Time,
}

/// What `work` comes to, unless the call is cancelled or `time` is over before.
pub(crate) async fn patiently<T>(
    work: impl Future<Output = T>,
    cancelled: Watch<'_>,
    time: Duration,
) -> Result<T, Lost> {
    let mut waits = (pin!(work), pin!(cancelled), pin!(Alarm::after(time)));
    poll_fn(|context| match waits.0.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Ok(done)),
        Poll::Pending if waits.1.as_mut().poll(context).is_ready() => Poll::Ready(Err(Lost::Cancelled)),
        Poll::Pending => waits.2.as_mut().poll(context).map(|()| Err(Lost::Time)),
    })
    .await
}
