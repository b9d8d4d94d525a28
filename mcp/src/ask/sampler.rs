//! The host's model, for servers that ask it for an answer.

use std::error::Error;
use std::fmt;
use std::pin::Pin;

/// Asks the host's model.
pub trait Sampler: Send + Sync + fmt::Debug {
    /// Returns the answer of the model. Dropping the future cancels the request.
    fn sample<'a>(&'a self, request: &'a SampleRequest) -> SampleFuture<'a>;
}

/// The answer of a model, or why there is none.
pub type SampleFuture<'a> = Pin<Box<dyn Future<Output = Result<Sample, Box<dyn Error + Send + Sync>>> + Send + 'a>>;

/// A request to the host's model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleRequest {
    /// The instructions. May be empty.
    pub system: String,
    /// The messages, in their order.
    pub messages: Vec<SampleMessage>,
    /// The maximum number of tokens of the answer.
    pub max_tokens: u32,
}

/// A message of a request to the host's model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleMessage {
    /// Whether it is a message of the model.
    pub is_of_model: bool,
    /// The text.
    pub text: String,
}

/// The answer of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The name of the model.
    pub model: String,
    /// The text.
    pub text: String,
    /// Whether the answer was cut off at the maximum number of tokens.
    pub is_cut_off: bool,
}

impl SampleMessage {
    /// Returns the message as one line for a person, or more if its text has more.
    pub(super) fn shown(&self) -> String {
        format!("{}: {}", if self.is_of_model { "model" } else { "user" }, self.text)
    }
}
