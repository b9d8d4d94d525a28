//! A client of language models. A [`Client`] is for one model of one server. It sends conversations, reads answers as they are streamed,
//! and retries requests after transient failures.
//!
//! It supports the [APIs](Api) for which [`toolc::wire`] reads answers and writes results. This crate adds the requests, HTTP, and the
//! errors of both. To cancel a request, drop its future: the connection is closed.
//!
//! The crate uses `reqwest`, with `rustls` and `ring`. Dropping a future is a sound way to cancel a request, which a blocking client does
//! not have, and MCP needs the same library.

mod answer;
mod api;
mod client;
mod error;
mod history;
mod http;
mod key;
mod retry;
mod script;
#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Event};
pub use api::{Api, assistant_message, user_message};
pub use client::{Client, Limits, Prices, Request, Settings};
pub use error::{ErrorKind, ModelError};
pub use history::{without_thinking, without_tool_references};
pub use key::Key;
pub use script::{Script, ScriptError};
