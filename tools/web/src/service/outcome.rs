//! What a request to a service led to.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

/// What a request to a service led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// There is an answer.
    Ok,
    /// The service has found nothing.
    Empty,
    /// What was paid for, or is free, is used up.
    Quota,
    /// The service refuses the key, or its settings forbid the request. A person must change something.
    Auth,
    /// There were too many requests within a short time.
    Rate,
    /// The service, or what protects it, does not serve this machine or this page.
    Blocked,
    /// There was no answer in time.
    Timeout,
    /// The service cannot be reached, has failed, or its answer has another form than it publishes.
    Broken,
}

impl Outcome {
    /// Returns the name, such as `ok`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Empty => "empty",
            Self::Quota => "quota",
            Self::Auth => "auth",
            Self::Rate => "rate",
            Self::Blocked => "blocked",
            Self::Timeout => "timeout",
            Self::Broken => "broken",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A request to a service that has brought nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Why. It is never [`Outcome::Ok`].
    pub outcome: Outcome,
    /// What the service says about it, and what a person can do. It contains no key.
    pub detail: String,
    /// The time after which the service can be asked again, if it says so.
    pub retry_after: Option<Duration>,
}

impl Failure {
    pub(crate) fn new(outcome: Outcome, detail: impl Into<String>) -> Self {
        Self { outcome, detail: detail.into(), retry_after: None }
    }

    /// Returns the failure of an answer that has another form than the service publishes.
    pub(crate) fn broken(detail: impl Into<String>) -> Self {
        Self::new(Outcome::Broken, detail)
    }
}

/// A service that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// The name of its account, such as `brave`.
    pub service: &'static str,
    /// What it led to.
    pub outcome: Outcome,
    /// The time that it took, in milliseconds.
    pub millis: u64,
    /// More about it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether it was asked. If not, it rests, since it has recently answered with [`Outcome::Quota`] or [`Outcome::Rate`].
    pub was_asked: bool,
}

impl Tried {
    /// Returns whether the person must see this, although another service has answered: only a person can mend it.
    pub fn must_be_shown(&self) -> bool {
        self.outcome == Outcome::Auth
    }
}
