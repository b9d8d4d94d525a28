//! The sources: each reads the tools of one kind of thing that exists.

pub mod clients;
pub mod document;
pub mod lists;
pub mod mcp;
pub mod openapi;
pub mod python;
pub mod yaml;
