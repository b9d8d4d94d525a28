//! [`Sleep`] with Tokio's timers.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::runtime::{Handle, Runtime};
use tokio::time;

use crate::panics;
use crate::run::tokio_runtime::shared;

/// A future that completes after a duration.
pub(crate) struct Sleep {
    /// The timer. `None` never completes: no thread could be started for the shared runtime.
    timer: Option<Pin<Box<time::Sleep>>>,
}

impl Sleep {
    /// Returns a future that completes after `duration`. It uses the surrounding runtime, or the shared one if there is no
    /// surrounding runtime or it has no timers.
    pub(crate) fn after(duration: Duration) -> Self {
        // Tokio panics if the runtime was built without timers.
        let surrounding = Handle::try_current().ok().and_then(|_| panics::catch(|| time::sleep(duration)).ok());
        let timer = surrounding.or_else(|| {
            let _guard = shared().map(Runtime::enter)?;
            Some(time::sleep(duration))
        });
        Self { timer: timer.map(Box::pin) }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match &mut self.timer {
            Some(timer) => timer.as_mut().poll(context),
            None => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::runtime::Builder;

    use super::*;
    use crate::fakes::wait;

    const SHORT: Duration = Duration::from_millis(10);

    #[test]
    fn a_timer_works_without_a_surrounding_runtime() {
        let started = Instant::now();
        wait(Sleep::after(SHORT));
        assert!(started.elapsed() >= SHORT);
    }

    #[test]
    fn a_timer_works_in_a_runtime_without_timers() {
        let runtime = Builder::new_current_thread().build().unwrap();
        let started = Instant::now();
        runtime.block_on(async { Sleep::after(SHORT).await });
        assert!(started.elapsed() >= SHORT);
    }

    #[test]
    fn a_timer_uses_the_clock_of_the_surrounding_runtime() {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        // A paused clock advances to the next timer as soon as nothing else can run.
        runtime.block_on(async { Sleep::after(Duration::from_hours(24)).await });
    }
}
