//! Messages of vendors: parses the calls in a model's response, and writes their results into the conversation, so that
//! a host's loop is parse, [batch](crate::Turn::batch), write.
//!
//! ```text
//! response ──Api::parse──▶ ModelResponse ──calls()──▶ Turn::batch ──▶ answers ──Api::results──▶ the conversation
//! stream ────Stream::push, finish──▲  └─messages()───────────────────────────────────────────▲
//! ```
//!
//! This module does not use the network: its input and output are strings. The input is bounded. A message that does
//! not match the API's schema is a [`WireError`] with its place, never a call with half of its arguments. The model's
//! messages are sent back to the vendor unchanged.

#[cfg(feature = "__wire-api")]
mod api;
mod error;
mod image;
#[cfg(feature = "wire-mcp")]
pub mod mcp;
mod node;
mod write;

#[cfg(feature = "__wire-api")]
pub use api::{Api, LONGEST_EVENT, LONGEST_STREAM, MOST_CALLS, ModelResponse, Stop, Stream};
pub use error::WireError;

/// The maximum size of a message: 64 MiB, including images.
pub const LONGEST_BODY: usize = 64 << 20;
