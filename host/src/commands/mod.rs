//! The subcommands, one file or folder each.

pub(crate) mod agent;
pub(crate) mod approvals;
pub(crate) mod batch;
pub(crate) mod chat;
pub(crate) mod config;
pub(crate) mod cron;
pub(crate) mod environments;
pub(crate) mod judge;
pub(crate) mod kanban;
pub(crate) mod mcp;
pub(crate) mod run_tools;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod tools;
pub(crate) mod trust;
