//! Where the tools of a session come from besides the shipped ones, and what they need: plugins, MCP servers, stores, the project's git.

pub(crate) mod git;
pub(crate) mod packages;
pub(crate) mod plugins;
pub(crate) mod project;
pub(crate) mod servers;
pub(crate) mod stores;
