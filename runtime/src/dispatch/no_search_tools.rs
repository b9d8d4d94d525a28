//! Replaces `search_tools` in programs without the feature `search`.

use std::borrow::Cow;
use std::future::Ready;

use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::dispatch::expanded::InnerCalls;
use crate::registration::ids::ToolId;
use crate::result::error::ToolError;
use crate::result::output::ToolResult;
use crate::session::turn::Turn;

#[expect(clippy::unused_self, reason = "the feature `search` uses it")]
impl Turn {
    pub(super) const fn only_inner_call<'r>(&self, _: &ToolCall<'r>) -> Option<(Cow<'r, str>, Cow<'r, str>)> {
        None
    }

    pub(super) const fn inner_calls<'r>(&self, _: &ToolCall<'r>) -> Option<InnerCalls<'r>> {
        None
    }

    /// Runs the calls inside a call. Only tool search has a tool with several calls inside its own.
    pub(super) fn call_several(&self, _: &ToolCall<'_>) -> Ready<CallResponse> {
        unreachable!("a call has one step without tool search")
    }

    pub(super) const fn search_tool_result(&self, _: &ToolCall<'_>) -> Option<ToolResult> {
        None
    }

    pub(super) const fn search_tool_names(&self) -> &'static [&'static str] {
        &[]
    }

    pub(super) fn with_definition(&self, _: ToolId, _: &ToolCall<'_>, error: ToolError) -> ToolError {
        error
    }
}
