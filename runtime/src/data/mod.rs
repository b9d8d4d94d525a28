//! The declarations of tool providers as plain data, and their packed form in generated code.

pub mod behaviour;
pub(crate) mod bounds;
pub(crate) mod catalog;
pub mod client_fields;
pub(crate) mod dialect;
mod distribution;
pub(crate) mod fields;
pub(crate) mod hidden_reason;
pub(crate) mod layout_text;
pub(crate) mod list_format;
pub mod name;
pub mod pack;
pub(crate) mod python;
pub mod requirement;
pub(crate) mod secret;
pub mod segment;
pub mod table;
pub mod text_rule;
pub mod to_json;
