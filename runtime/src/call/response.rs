//! The response to a call, for the model.

use serde_json::Value;

use crate::args::repairs::Repairs;
use crate::result::attachment::Attachment;
use crate::result::error::ErrorKind;
use crate::result::image::Image;
use crate::result::limit;
use crate::result::output::{Parts, ToolOutput, ToolResult};
use crate::text::json;

/// The response to a call: always one well-formed JSON text, and optionally images, sounds and resources.
///
/// For a call that the host does not run, it can be created from a [`ToolResult`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallResponse {
    /// The JSON of the handler's result, or of the error: `{"error": message, "kind": word, "problems": [...]}`.
    pub json: String,
    /// The kind of the error, or `None` if the call succeeded. Some vendors' APIs have a flag for failed calls.
    pub error: Option<ErrorKind>,
    /// The images of the result, also if its text was shortened. Empty for an error.
    pub images: Vec<Image>,
    /// The sounds and resources of the result, also if its text was shortened. Empty for an error.
    pub attachments: Vec<Attachment>,
    /// The object `_meta` for MCP clients, which no model sees. `None` for an error.
    pub meta: Option<Box<Value>>,
    /// What was [repaired](crate::repair) in the arguments. The list is made when it is first read.
    pub repairs: Repairs,
}

impl From<ToolResult> for CallResponse {
    fn from(result: ToolResult) -> Self {
        match result {
            Ok(output) => Self::of(output, Repairs::NONE),
            Err(error) => CallResponse {
                json: error.to_json(),
                error: Some(error.kind()),
                images: Vec::new(),
                attachments: Vec::new(),
                meta: None,
                repairs: Repairs::NONE,
            },
        }
    }
}

impl CallResponse {
    /// Returns the response with this output.
    #[inline]
    pub(crate) fn of(output: ToolOutput, repairs: Repairs) -> Self {
        let (json, Parts { images, attachments, meta }) = output.into_parts();
        Self { json, error: None, images, attachments, meta, repairs }
    }

    /// Returns whether the call failed.
    pub const fn is_error(&self) -> bool {
        self.error.is_some()
    }

    /// Returns whether the limits of results have shortened [`json`](Self::json).
    pub fn is_shortened(&self) -> bool {
        limit::is_shortened(&self.json)
    }

    /// Returns [`json`](Self::json) with one line for each value, for people.
    pub fn pretty_json(&self) -> String {
        json::indented(&self.json, 0)
    }
}
