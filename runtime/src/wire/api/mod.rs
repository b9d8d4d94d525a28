//! The APIs of models: one file each, and one line each in [`Api`].

#[cfg(feature = "wire-anthropic")]
mod anthropic;
#[cfg(feature = "wire-openai")]
mod chat;
mod events;
#[cfg(feature = "wire-gemini")]
mod gemini;
mod response;
#[cfg(feature = "wire-openai")]
mod responses;
mod stream;

pub use response::{ModelResponse, Stop};
pub use stream::Stream;

use crate::call::response::CompletedCall;
use crate::data::dialect::{Dialect, DialectApi};
use crate::wire::node::{Node, no_error};
use crate::wire::{LONGEST_BODY, WireError};
use serde_json::value::RawValue;

/// The maximum size of a stream: 256 MiB. Each word of the model comes with some hundred bytes around it.
pub const LONGEST_STREAM: usize = 256 << 20;
/// The maximum size of one event of a stream: 64 MiB. The last one may repeat the complete response.
pub const LONGEST_EVENT: usize = 64 << 20;
/// The maximum number of calls in one response.
pub const MOST_CALLS: usize = 1024;

/// A vendor's API. It determines how responses are parsed, and how results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// OpenAI's Chat Completions, which many other servers speak: `POST /chat/completions`, with the conversation in `messages`.
    #[cfg(feature = "wire-openai")]
    ChatCompletions,
    /// OpenAI's Responses: `POST /responses`, with the conversation in `input`.
    #[cfg(feature = "wire-openai")]
    Responses,
    /// Anthropic's Messages: `POST /v1/messages`, with the conversation in `messages`.
    #[cfg(feature = "wire-anthropic")]
    Anthropic,
    /// Gemini's `generateContent` and `streamGenerateContent?alt=sse`, with the conversation in `contents`.
    #[cfg(feature = "wire-gemini")]
    Gemini,
}

/// The functions for one vendor's API.
struct Vendor {
    /// Parses a complete response.
    parse: fn(&Node<'_>) -> Result<ModelResponse, WireError>,
    /// Starts to parse a streamed response.
    assemble: fn() -> Box<dyn Assemble>,
    /// Writes the messages to append to the conversation.
    results: fn(&[CompletedCall<'_>]) -> Vec<Box<RawValue>>,
}

/// The state of a streamed response.
trait Assemble: Send + Sync {
    /// Processes the data of one event, and appends its visible text to `shown`.
    fn event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError>;

    /// Returns the response at the end of the stream.
    fn end(&mut self) -> Result<ModelResponse, WireError>;
}

impl Api {
    fn vendor(self) -> &'static Vendor {
        match self {
            #[cfg(feature = "wire-openai")]
            Self::ChatCompletions => &chat::VENDOR,
            #[cfg(feature = "wire-openai")]
            Self::Responses => &responses::VENDOR,
            #[cfg(feature = "wire-anthropic")]
            Self::Anthropic => &anthropic::VENDOR,
            #[cfg(feature = "wire-gemini")]
            Self::Gemini => &gemini::VENDOR,
        }
    }

    /// Returns the API whose requests contain definitions in `dialect`, or `None` if it is not the API of a model, or its
    /// feature is off.
    pub const fn from_dialect(dialect: Dialect) -> Option<Self> {
        match dialect.shape().api {
            #[cfg(feature = "wire-openai")]
            DialectApi::ChatCompletions => Some(Self::ChatCompletions),
            #[cfg(feature = "wire-openai")]
            DialectApi::Responses => Some(Self::Responses),
            #[cfg(not(feature = "wire-openai"))]
            DialectApi::ChatCompletions | DialectApi::Responses => None,
            #[cfg(feature = "wire-anthropic")]
            DialectApi::Messages => Some(Self::Anthropic),
            #[cfg(not(feature = "wire-anthropic"))]
            DialectApi::Messages => None,
            #[cfg(feature = "wire-gemini")]
            DialectApi::GenerateContent => Some(Self::Gemini),
            #[cfg(not(feature = "wire-gemini"))]
            DialectApi::GenerateContent => None,
            DialectApi::None => None,
        }
    }

    /// Parses a complete response: the body, as the server sent it.
    ///
    /// # Errors
    /// Returns [`WireError::Api`] if the body is the API's own error, and [`WireError::Malformed`] if it does not match
    /// the API's schema, or was cut within a call.
    pub fn parse(self, body: &str) -> Result<ModelResponse, WireError> {
        if body.len() > LONGEST_BODY {
            return Err(WireError::new("", format!("at most {LONGEST_BODY} bytes"), format!("{} bytes", body.len())));
        }
        let body = Node::root(body, "")?;
        no_error(&body)?;
        (self.vendor().parse)(&body)
    }

    /// Starts to parse a streamed response.
    pub fn stream(self) -> Stream {
        Stream::new(self, (self.vendor().assemble)())
    }

    /// Returns the messages with the results of calls, to append to the conversation: messages, items or contents,
    /// depending on the API. Pass the results of all calls of one response together.
    pub fn results(self, answers: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
        if answers.is_empty() { Vec::new() } else { (self.vendor().results)(answers) }
    }
}
