//! The stand-in for tool search in programs without the feature `search`.

use crate::call::ToolCall;
use crate::dispatch::prepared::InnerCall;
use crate::result::output::ToolResult;
use crate::session::turn::Turn;

#[expect(clippy::unused_self, reason = "the feature `search` uses it")]
impl Turn {
    pub(super) const fn inner_call<'r>(&self, _: &ToolCall<'r>) -> Option<InnerCall<'r>> {
        None
    }

    pub(super) const fn search_tool_result(&self, _: &ToolCall<'_>) -> Option<ToolResult> {
        None
    }

    pub(super) const fn search_tool(&self) -> Option<&'static str> {
        None
    }

    #[cfg(feature = "wire-mcp")]
    pub(super) const fn is_search_tool(&self, _: &str) -> bool {
        false
    }
}
