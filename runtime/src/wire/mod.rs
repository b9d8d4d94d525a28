//! A vendor's messages: tool calls out of a model's response, their results back into the conversation, so that a host's
//! loop is parse, [batch](crate::Turn::batch), render.
//!
//! ```text
//! response ──Api::parse──▶ Response ──calls()──▶ Turn::batch ──▶ answers ──Api::results──▶ the conversation
//! stream ────Stream::push, finish──▲  └─messages()───────────────────────────────────────────▲
//! ```
//!
//! Nothing here talks to a network: texts come in, texts go out. What comes in is bounded; what is not as the API's
//! schema says is a [`WireError`] with its place, and never a call with half of its arguments. What goes back
//! to the vendor of what it sent is the same to the letter.

mod api;
mod error;
mod node;

pub use api::response::{Response, Stop};
pub use api::stream::Stream;
pub use api::{Api, LONGEST_BODY, LONGEST_EVENT, LONGEST_STREAM, MOST_CALLS};
pub use error::WireError;
