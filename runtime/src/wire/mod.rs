//! Vendors' messages: parses a model's response into calls, and writes the results of the calls as messages. A host's
//! loop is: parse, [batch](crate::Turn::batch), write.
//!
//! ```text
//! response ──Api::parse──▶ ModelResponse ──calls()──▶ Turn::batch ──▶ completed calls ──Api::results──▶ the conversation
//! stream ────Stream::push, finish──▲  └─messages()───────────────────────────────────────────────────▲
//! ```
//!
//! This module does not use the network: its input and output are strings. The size of the input is limited. A message
//! that does not match the API's schema is a [`WireError`] with the path of the invalid value. It never becomes a call with
//! truncated arguments. The model's own messages are returned without what servers refuse, and some calls get new ids.

#![cfg_attr(
    not(all(feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini", feature = "wire-mcp")),
    allow(dead_code, reason = "each vendor uses a part of it")
)]

#[cfg(feature = "__wire-api")]
mod api;
#[cfg(feature = "__wire-api")]
mod attachment;
#[cfg(feature = "__wire-api")]
mod body;
mod error;
mod image;
#[cfg(feature = "wire-mcp")]
pub mod mcp;
mod node;
mod write;

#[cfg(feature = "__wire-api")]
pub use api::{
    Api, ConversationTools, MAX_CALLS, MAX_EVENT_BYTES, MAX_STREAM_BYTES, ModelResponse, Stop, Stream, UnknownItem,
    Usage,
};
pub use error::WireError;

/// The maximum size of a message in bytes: 64 MiB, including images.
pub const MAX_BODY_BYTES: usize = 64 << 20;
