//! What a client needs to know: the model, its key and the limits of requests.

use std::time::Duration;

use crate::key::Key;
use crate::model::Model;

#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) model: Model,
    /// The key, unless the server needs none.
    pub(super) key: Option<Key>,
    pub(super) limits: Limits,
}

/// The limits of a request that a [`Model`] does not set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The maximum time to connect.
    pub(super) connect: Duration,
    /// The maximum time for reading the body of an error, which is not the answer.
    pub(super) error_body: Duration,
    /// The maximum time of one try, from the request to the end of the answer.
    pub(super) total: Duration,
    /// The time before the first retry. It doubles with each further retry, and varies at random between half of it and all of it.
    pub(super) first_delay: Duration,
    /// The maximum time before a retry. If a server asks to wait longer, the request fails.
    pub(super) max_delay: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            error_body: Duration::from_secs(10),
            total: Duration::from_mins(15),
            first_delay: Duration::from_millis(500),
            max_delay: Duration::from_mins(1),
        }
    }
}
