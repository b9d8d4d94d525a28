//! The vendors' APIs, one module each.

#[cfg(feature = "wire-anthropic")]
mod anthropic;
mod arguments;
mod array;
#[cfg(feature = "wire-openai")]
mod chat;
mod edits;
mod events;
mod found;
#[cfg(feature = "wire-gemini")]
mod gemini;
mod ids;
#[cfg(feature = "wire-gemini")]
mod interactions;
mod response;
#[cfg(feature = "wire-openai")]
mod responses;
mod sent_back;
mod stop;
mod stream;
mod update;
mod usage;

pub use response::{ModelResponse, Stop, UnknownItem};
pub use stream::Stream;
pub use update::ConversationTools;
pub use usage::Usage;

use std::borrow::Cow;

use crate::call::completed::CompletedCall;
use crate::data::dialect::{Dialect, DialectApi};
use crate::session::turn::Turn;
use crate::wire::api::update::AppendedTools;
use crate::wire::body::{is_json, other_body};
use crate::wire::node::{Node, no_error, without_lone_surrogates};
use crate::wire::write::raw_json;
use crate::wire::{MAX_BODY_BYTES, WireError};
use serde_json::value::RawValue;

/// The maximum size of a stream in bytes: 256 MiB. Each token of the model is sent in an event of some hundred bytes.
pub const MAX_STREAM_BYTES: usize = 256 << 20;
/// The maximum size of one event of a stream in bytes: 64 MiB, like a whole message, because the last event may repeat
/// the complete response.
pub const MAX_EVENT_BYTES: usize = 64 << 20;
/// The maximum number of calls in one response.
pub const MAX_CALLS: usize = 1024;

/// A vendor's API, which determines how responses are parsed and how results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// OpenAI's Chat Completions, which many other servers implement: `POST /chat/completions`, with the conversation in
    /// `messages`.
    #[cfg(feature = "wire-openai")]
    ChatCompletions,
    /// OpenAI's Responses: `POST /responses`, with the conversation in `input`.
    #[cfg(feature = "wire-openai")]
    Responses,
    /// Anthropic's Messages: `POST /v1/messages`, with the conversation in `messages`.
    #[cfg(feature = "wire-anthropic")]
    Anthropic,
    /// Gemini's `generateContent` and `streamGenerateContent`, with the conversation in `contents`. With and without `alt=sse`, which says
    /// whether a streamed response is events or a JSON array.
    #[cfg(feature = "wire-gemini")]
    Gemini,
    /// Gemini's Interactions: `POST /interactions`, with the conversation, a list of steps, in `input`, and with `"store": false`.
    /// Alternatively, the server stores the steps: a request then has `previous_interaction_id`, and only the new steps in `input`.
    #[cfg(feature = "wire-gemini")]
    Interactions,
}

/// The functions for one vendor's API.
struct Vendor {
    /// Parses a complete response.
    parse: fn(&Node<'_>) -> Result<ModelResponse, WireError>,
    /// Starts to parse a streamed response.
    assemble: fn() -> Box<dyn ResponseAssembler>,
    /// Returns what is sent back of the messages of one response.
    sent_back: fn(&[Box<RawValue>]) -> Vec<Box<RawValue>>,
    /// Writes the messages to append to the conversation.
    results: fn(&[CompletedCall<'_>]) -> Vec<Box<RawValue>>,
    /// Returns the change of a conversation's tools to those of a turn as messages, or `None` if the API does not accept it as
    /// messages.
    /// Both are in the same dialect, with the same tools of the vendor.
    tool_update: fn(&ConversationTools, &Turn) -> Option<AppendedTools>,
}

/// The state of a streamed response.
trait ResponseAssembler: Send + Sync {
    /// Processes the data of one event, and appends its visible text to `shown`.
    fn push_event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError>;

    /// Returns the key of the type in an event. Some servers send the type only as the name of the event.
    fn type_key(&self) -> &'static str {
        "type"
    }

    /// Returns whether the server may send the events as the items of a JSON array.
    fn reads_arrays(&self) -> bool {
        false
    }

    /// Processes `[DONE]`, with which the streams of some APIs end.
    fn push_done(&mut self) {}

    /// Returns the response at the end of the stream.
    fn finish(&mut self) -> Result<ModelResponse, WireError>;
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
            #[cfg(feature = "wire-gemini")]
            Self::Interactions => &interactions::VENDOR,
        }
    }

    /// Returns the API whose requests contain definitions in `dialect`, or `None` if the dialect does not belong to a
    /// vendor's API (`Mcp`, `TypeScript`), or if the feature of the API is disabled.
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
            #[cfg(feature = "wire-gemini")]
            DialectApi::Interactions => Some(Self::Interactions),
            #[cfg(not(feature = "wire-gemini"))]
            DialectApi::GenerateContent | DialectApi::Interactions => None,
            DialectApi::None => None,
        }
    }

    /// Parses a complete response that was not streamed. `body` is the body as the server sent it, of at most [`MAX_BODY_BYTES`].
    ///
    /// # Errors
    /// Returns [`WireError::Api`] if the API reports an error, [`WireError::UnexpectedBody`] if the body is neither a JSON object nor an array,
    /// [`WireError::CutOff`] if it ends within a call, and [`WireError::Malformed`] if it does not match the API's schema or exceeds a
    /// limit.
    pub fn parse(self, body: &str) -> Result<ModelResponse, WireError> {
        if body.len() > MAX_BODY_BYTES {
            return Err(WireError::new("", format!("at most {MAX_BODY_BYTES} bytes"), format!("{} bytes", body.len())));
        }
        let body = body.strip_prefix('\u{feff}').unwrap_or(body);
        if !is_json(body) {
            return Err(other_body(body));
        }
        let body = Node::root(body, "")?;
        no_error(&body)?;
        Ok((self.vendor().parse)(&body)?.with_messages(|messages| self.sent_back(messages)))
    }

    /// Returns messages of one response in the form in which they are sent back: without what a server may refuse, although it sends it.
    /// [`ModelResponse::messages`] are in this form. This method is for conversations that a host has stored in another form.
    pub fn sent_back(self, messages: &[Box<RawValue>]) -> Vec<Box<RawValue>> {
        let valid = |message: &RawValue| match without_lone_surrogates(message.get()) {
            Cow::Borrowed(_) => message.to_owned(),
            Cow::Owned(json) => raw_json(json),
        };
        (self.vendor().sent_back)(&messages.iter().map(|message| valid(message)).collect::<Vec<_>>())
    }

    /// Returns a parser of one streamed response.
    pub fn stream(self) -> Stream {
        Stream::new(self, (self.vendor().assemble)())
    }

    /// Writes the results of calls as JSON values to append to the conversation: messages, items or contents, depending on
    /// the API. Pass the calls of one response together, in order.
    pub fn results(self, completed_calls: &[CompletedCall<'_>]) -> Vec<Box<RawValue>> {
        if completed_calls.is_empty() { Vec::new() } else { (self.vendor().results)(completed_calls) }
    }
}
