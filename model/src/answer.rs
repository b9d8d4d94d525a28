//! The answer of a model, and what happens until it is complete.

use std::time::Duration;

use toolc::wire::ModelResponse;

use crate::error::ModelError;

/// The answer of a model.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The text and the calls.
    pub response: ModelResponse,
    /// The time of the last try.
    pub elapsed: Duration,
    /// The number of tries, at least 1.
    pub tries: u32,
}

/// What happens until an answer is complete.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// The next part of the text.
    Text(&'a str),
    /// The request failed, and is sent again. The answer begins anew: text that was passed on does not belong to it.
    Retry {
        /// Why.
        error: &'a ModelError,
        /// The time until it is sent.
        wait: Duration,
    },
}
