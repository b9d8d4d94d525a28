//! The response to a call, for the model.

use crate::call::ToolCall;
use crate::result::image::Image;
use crate::result::output::{ErrorKind, ToolOutput, ToolResult};

/// The response to a call: always one well-formed JSON text, and optionally images of the handler.
///
/// A host creates one from a result, for calls that it does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallResponse {
    /// The handler's result, or `{"error": message, "kind": word, "problems": [...]}`.
    pub json: String,
    /// The reason of the failure, if the call failed. Some vendors' APIs want it in addition to the text.
    pub error: Option<ErrorKind>,
    /// The images of a result, which are kept even if its text was shortened. An error has none.
    pub images: Vec<Image>,
}

impl From<ToolResult> for CallResponse {
    fn from(result: ToolResult) -> Self {
        match result {
            Ok(ToolOutput { json, images }) => CallResponse { json, error: None, images },
            Err(error) => CallResponse { json: error.to_json(), error: Some(error.kind()), images: Vec::new() },
        }
    }
}

impl CallResponse {
    /// Returns whether the call failed.
    pub const fn is_error(&self) -> bool {
        self.error.is_some()
    }
}

/// A call with its response.
#[derive(Debug, Clone)]
pub struct CompletedCall<'a> {
    /// The call.
    pub call: ToolCall<'a>,
    /// The response.
    pub response: CallResponse,
}
