//! Registration: the tool providers of one process, the names that they claim, and the state that turns are made from.

pub(crate) mod atoms;
mod claims;
pub(crate) mod definition_table;
pub(crate) mod dialect_names;
pub(crate) mod given_name;
pub(crate) mod ids;
mod name_hash;
pub(crate) mod name_index;
pub(crate) mod refusal;
pub(crate) mod rendered;
pub(crate) mod repair_counts;
pub(crate) mod requirements;
#[cfg(feature = "search")]
pub(crate) mod search_index;
pub(crate) mod state;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The id of a registered tool provider, for replacing and removing it. Ids are unique in a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderId(u64);

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "provider number {}", self.0)
    }
}

impl ProviderId {
    /// Returns an id greater than all previous ones.
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Names of tools that are reserved for tool search.
pub(crate) const RESERVED_TOOLS: [&str; 3] = ["tool_call", "tool_describe", "tool_search"];
/// Names of toolsets that stand for all tools.
pub(crate) const EVERYTHING: [&str; 2] = ["all", "*"];
