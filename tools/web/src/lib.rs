//! The handlers of the shipped toolset `web`.
//!
//! - [`search`] asks vendors of web search, one after another.
//! - [`readers`] asks vendors that read a page, where this machine cannot.
//! - [`vendor`] is what both have in common: accounts, outcomes, and the chain of vendors.

pub mod readers;
pub mod search;
pub mod vendor;
