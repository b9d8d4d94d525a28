//! A vendor's messages: tool calls out of a model's response, their results back into the conversation, so that a host's
//! loop is parse, [batch](crate::Turn::batch), render.
//!
//! ```text
//! response ──Api::parse──▶ ModelResponse ──calls()──▶ Turn::batch ──▶ answers ──Api::results──▶ the conversation
//! stream ────Stream::push, finish──▲  └─messages()───────────────────────────────────────────▲
//! ```
//!
//! Nothing here talks to a network: texts come in, texts go out. What comes in is bounded; what is not as the API's
//! schema says is a [`WireError`] with its place, and never a call with half of its arguments. What goes back
//! to the vendor of a whole response is the same to the letter.

#[cfg(any(feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini"))]
mod api;
mod error;
mod image;
#[cfg(feature = "wire-mcp")]
pub mod mcp;
mod node;
mod write;

#[cfg(any(feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini"))]
pub use api::{Api, LONGEST_EVENT, LONGEST_STREAM, MOST_CALLS, ModelResponse, Stop, Stream};
pub use error::WireError;

/// Bytes of a message: 64 MiB. Pictures come within it.
pub const LONGEST_BODY: usize = 64 << 20;
