//! What a provider says of its tools, as plain data, and how generated code brings it.

pub mod behaviour;
pub(crate) mod dialect;
mod draw;
pub mod fields;
pub mod pack;
pub mod requirement;
pub(crate) mod secret;
pub mod segment;
pub(crate) mod spec;
pub mod table;
pub mod to_json;
pub(crate) mod tokens;
pub(crate) mod words;
