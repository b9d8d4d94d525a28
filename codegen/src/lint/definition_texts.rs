//! Checks of texts in definitions that are not in a manifest, such as those of an MCP server.

use std::ops::Range;

use super::injection;
use super::rules::invisible_character;

/// Returns what the first manipulation of a model in a text does, such as "overrides other instructions", and where: the finding of the
/// rule `injection-phrase`.
pub fn manipulation(text: &str) -> Option<(&'static str, Range<usize>)> {
    injection::find(text).map(|found| (found.what, found.span))
}

/// Returns the name of the first invisible character that its neighbours do not need: the finding of the rule `invisible-unicode`.
pub fn hidden_character(text: &str) -> Option<String> {
    invisible_character(text)
}
