//! Calls with their responses.

use crate::call::ToolCall;
use crate::call::response::CallResponse;

/// A call with its response.
#[derive(Debug, Clone)]
pub struct CompletedCall<'a> {
    /// The call.
    pub call: ToolCall<'a>,
    /// The response.
    pub response: CallResponse,
}
