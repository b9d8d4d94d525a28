//! The sources of a session: plugins and MCP servers, whose tools are added to the shipped tools, stores, skills and the
//! hub where skills of others are found, standing instructions, and the git of the project.

pub(crate) mod git;
pub(crate) mod guard;
pub(crate) mod hub;
pub(crate) mod instructions;
pub(crate) mod packages;
pub(crate) mod plugins;
mod program;
pub(crate) mod project;
pub(crate) mod servers;
pub(crate) mod skills;
pub(crate) mod stores;
pub(crate) mod web;
