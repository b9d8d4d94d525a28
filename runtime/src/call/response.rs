//! What a model gets as the answer to a call.

use crate::call::ToolCall;
use crate::result::image::Image;
use crate::result::output::{ErrorKind, ToolOutput, ToolResult};

/// A call's answer: always one well-formed JSON text, and what images the handler shows beside it.
///
/// A host makes one of a result, for calls that it does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallResponse {
    /// The handler's result, or `{"error": text, "kind": word, "problems": [...]}`.
    pub json: String,
    /// Why the call failed, if it did. Some providers want to be told beside the text.
    pub error: Option<ErrorKind>,
    /// The images of a result, whole, be its text shortened or not. An error has none.
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
    /// Whether the call failed.
    pub const fn is_error(&self) -> bool {
        self.error.is_some()
    }
}

/// A call of a batch, and its answer.
#[derive(Debug, Clone)]
pub struct CompletedCall<'a> {
    /// What the model asked for.
    pub call: ToolCall<'a>,
    /// What it gets.
    pub answer: CallResponse,
}
