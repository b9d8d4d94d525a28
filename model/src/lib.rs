//! A client of language models. One [`Client`] stands for one model of one server. It sends conversations, reads the answer as it
//! is streamed, and repeats requests that failed for a reason that may pass.
//!
//! It speaks the [APIs](Api) for which [`toolc::wire`] reads answers and writes results. This crate adds the requests, HTTP,
//! and the errors in between. To cancel a request, drop its future: the connection is closed.
//!
//! HTTP is done by `reqwest`, with `rustls` and `ring`: dropping a future is a sound way to cancel, which a blocking client does not
//! have, and MCP needs the same library.

mod answer;
mod api;
mod client;
mod error;
mod http;
mod key;
mod retry;
mod script;
#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Event};
pub use api::{Api, assistant_message, user_message, without_thinking};
pub use client::{Client, Limits, Prices, Request, Settings};
pub use error::{ErrorKind, ModelError};
pub use key::Key;
pub use script::{Script, ScriptError};
