//! Decides whether and when a request is retried.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant, SystemTime};

use super::settings::Limits;
use crate::error::{ErrorKind, ModelError};

/// The maximum number of times that a request to a server that cannot be reached is repeated, which takes some seconds. A busy server gets more
/// time, because limits per minute pass.
const MAX_UNREACHABLE: u32 = 4;

/// The tries of one request.
pub(crate) struct Retries {
    limits: Limits,
    max: u32,
    /// The maximum time until the answer begins, with all tries.
    timeout: Duration,
    begun: Instant,
    failed: u32,
    /// The error of the try before.
    last: Option<ModelError>,
}

/// A failure after which the request is retried, and the time until then.
pub(crate) struct Wait {
    pub(crate) error: ModelError,
    pub(crate) delay: Duration,
}

impl Retries {
    /// Returns the tries of a request that is repeated at most `max` times, and whose answer must begin within `timeout`.
    pub(crate) fn new(limits: Limits, max: u32, timeout: Duration) -> Self {
        Self { limits, max, timeout, begun: Instant::now(), failed: 0, last: None }
    }

    /// Returns the time in which the answer to this try must begin. Models that think may send nothing for minutes, but a connection that
    /// is lost is noticed by nothing else.
    pub(crate) fn time_to_begin(&self) -> Duration {
        self.timeout.saturating_sub(self.begun.elapsed()).min(self.timeout / 2)
    }

    /// Returns the number of tries, including the current one.
    pub(crate) fn tries(&self) -> u32 {
        self.failed + 1
    }

    /// Returns how long to wait after this error, or the error if the request is not retried. `begin` is the time in which the answer to
    /// this try had to begin.
    pub(crate) fn next(&mut self, error: ModelError, begin: Duration) -> Result<Wait, ModelError> {
        // The limit for all tries has cut this one short, so it does not say what is wrong.
        let is_cut_short = error.kind() == ErrorKind::TimedOut && begin < self.timeout / 2;
        if let Some(last) = self.last.take_if(|_| is_cut_short) {
            return Err(last.after_tries(self.failed).with_timeout(self.timeout));
        }
        if !error.is_transient() {
            return Err(error);
        }
        let max = if error.kind() == ErrorKind::Unreachable { self.max.min(MAX_UNREACHABLE) } else { self.max };
        if self.failed >= max {
            return Err(error.after_tries(self.tries()));
        }
        let delay = match error.retry_after() {
            Some(delay) if delay > self.limits.max_delay => return Err(error.with_long_wait(delay)),
            // A server that asks for less each time, or for nothing, is not asked again and again at once.
            Some(delay) => delay.max(self.backoff()),
            None => self.backoff(),
        };
        if self.begun.elapsed() + delay >= self.timeout {
            return Err(error.after_tries(self.tries()).with_timeout(self.timeout));
        }
        self.failed += 1;
        self.last = Some(error.clone());
        Ok(Wait { error, delay })
    }

    /// Returns a time that doubles with each failure. It has a random part, so that clients do not retry at the same time.
    fn backoff(&self) -> Duration {
        let full = self.limits.first_delay.saturating_mul(1 << self.failed.min(16)).min(self.limits.max_delay);
        let random = RandomState::new().hash_one(self.failed) % 512;
        // Between half of the time and all of it.
        full.mul_f64(0.5 + f64::from(u32::try_from(random).unwrap_or_default()) / 1024.0)
    }
}

/// Returns the time that a server asks to wait, in the header `retry-after-ms` or `retry-after`.
pub(crate) fn retry_after(milliseconds: Option<&str>, value: Option<&str>, now: SystemTime) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| (0.0..1e9).contains(number));
    if let Some(milliseconds) = milliseconds.and_then(number) {
        return Some(Duration::from_secs_f64(milliseconds / 1000.0));
    }
    let value = value?;
    match number(value) {
        Some(seconds) => Some(Duration::from_secs_f64(seconds)),
        None => Some(httpdate::parse_http_date(value.trim()).ok()?.duration_since(now).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_can_say_how_long_to_wait() {
        let now = httpdate::parse_http_date("Sun, 01 Mar 2026 12:00:00 GMT").unwrap();
        let after = |milliseconds, value| retry_after(milliseconds, value, now);
        assert_eq!(after(None, Some("7")), Some(Duration::from_secs(7)));
        assert_eq!(after(Some("250"), Some("7")), Some(Duration::from_millis(250)));
        assert_eq!(after(None, Some("Sun, 01 Mar 2026 12:00:30 GMT")), Some(Duration::from_secs(30)));
        assert_eq!(after(None, Some("Sun, 01 Mar 2026 11:00:00 GMT")), Some(Duration::ZERO));
        for nonsense in ["-1", "NaN", "soon", "1e99", ""] {
            assert_eq!(after(None, Some(nonsense)), None, "{nonsense}");
        }
    }

    #[test]
    fn a_busy_server_gets_at_least_a_minute_and_an_unreachable_one_some_seconds() {
        use crate::api::Api;
        use crate::model::Model;
        let waited = |kind| {
            let mut retries = {
                let model = Model::new(Api::ChatCompletions, "m");
                Retries::new(Limits::default(), model.retries, model.answer_timeout)
            };
            let mut waited = Duration::ZERO;
            while let Ok(wait) = retries.next(ModelError::new(kind, "busy"), Duration::MAX) {
                waited += wait.delay;
            }
            waited
        };
        for kind in [ErrorKind::RateLimited, ErrorKind::ServerFailed] {
            let waited = waited(kind);
            assert!(waited >= Duration::from_mins(1) && waited < Duration::from_mins(3), "{kind:?}: {waited:?}");
        }
        assert!(waited(ErrorKind::Unreachable) < Duration::from_secs(10));
        assert_eq!(waited(ErrorKind::Refused), Duration::ZERO);
    }

    #[test]
    fn the_time_between_tries_grows_up_to_a_limit() {
        let limits =
            Limits { first_delay: Duration::from_secs(1), max_delay: Duration::from_secs(8), ..Limits::default() };
        for (failed, longest) in [(0, 1), (1, 2), (3, 8), (40, 8)] {
            let mut retries = Retries::new(limits, failed, Duration::from_mins(1));
            retries.failed = failed;
            let delay = retries.backoff();
            let longest = Duration::from_secs(longest);
            assert!(delay <= longest && delay >= longest / 2, "{failed}: {delay:?}");
        }
    }
}
