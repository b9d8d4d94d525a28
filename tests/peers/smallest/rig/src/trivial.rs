//! The tool for rig: a function.

use rig::rig_tool;
use rig::tool::ToolExecutionError;

use crate::answer::{Sort, answer};

/// Find entries by their text. Does nothing but hand its arguments back, so that a call's time is that of the way to the handler and back. Use it to compare that way with a hand-written one; there is nothing to be found with it.
#[rig_tool]
pub(crate) fn trivial(
    /// Words that must occur in an entry; case does not matter.
    query: String,
    /// How many entries to return at most.
    limit: Option<i64>,
    /// Also look at entries within entries.
    recursive: Option<bool>,
    /// In which order the entries come.
    sort: Option<Sort>,
    /// Labels that an entry must have.
    tags: Option<Vec<String>>,
) -> Result<String, ToolExecutionError> {
    answer(&query, limit, recursive, sort, tags.as_deref()).map_err(ToolExecutionError::from_error)
}
