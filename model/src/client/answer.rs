//! The answer of a model, and the events until it is complete.

use std::time::Duration;

use toolc::wire::ModelResponse;

use crate::error::ModelError;

/// The answer of a model.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The text and the calls.
    pub response: ModelResponse,
    /// The duration of the last try.
    pub elapsed: Duration,
    /// The number of tries, at least 1.
    pub tries: u32,
}

/// An event before an answer is complete.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// The next part of the text.
    Text(&'a str),
    /// The request failed, and will be sent again. The text of earlier events does not belong to the answer.
    Retry {
        /// The error of the request.
        error: &'a ModelError,
        /// The time until the request is sent again.
        wait: Duration,
    },
}
