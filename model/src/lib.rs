//! A client of language models. A [`Client`] is for one model of one server. It sends conversations, reads answers as they are streamed,
//! and retries requests after transient failures.
//!
//! It supports the [APIs](Api) for which [`toolc::wire`] reads answers and writes results. This crate adds the requests, HTTP, and the
//! errors of both. To cancel a request, drop its future: the connection is closed.
//!
//! The crate uses `reqwest`, with `rustls` and `ring`. Dropping a future is a sound way to cancel a request, which a blocking client does
//! not have, and MCP needs the same library. Without the feature `client`, only what describes the APIs is built, for readers of
//! configurations.

#![cfg_attr(not(feature = "client"), expect(dead_code, reason = "only the client reads all of a record"))]

mod api;
#[cfg(feature = "client")]
mod client;
mod dialect;
mod error;
mod history;
mod key;
mod model;
mod request;

pub use api::{Api, assistant_message, user_message, user_message_with_images};
#[cfg(feature = "client")]
pub use client::{Answer, Client, Event, ListedModel, Script, ScriptError};
pub use dialect::ModelDialect;
pub use error::{ErrorKind, ModelError};
pub use history::{with_unique_call_ids, without_thinking, without_tool_references};
pub use key::Key;
pub use model::{Model, ModelTable, Prices, PricesTable};
pub use request::Request;
