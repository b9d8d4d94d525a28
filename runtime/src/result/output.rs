//! The result of a handler: a [`ToolOutput`], or a [`ToolError`] that the model can act on. The model gets either as one JSON
//! text; an output can also have images.

use serde_core::Serialize;
use serde_json::Value;

use crate::data::client_fields::{MAX_META, is_meta};
use crate::data::to_json::ToJson;
use crate::panics;
use crate::result::attachment::Attachment;
use crate::result::error::ToolError;
use crate::result::image::Image;
use crate::text::json;

/// The initial capacity of a typed result in bytes, which suffices for most results.
const INITIAL_CAPACITY: usize = 128;

/// The output of a handler: a JSON text, and optionally images, attachments, and information for MCP clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    pub(crate) json: String,
    /// Boxed, because few outputs have parts, and outputs are moved often.
    parts: Option<Box<Parts>>,
}

/// The parts of an output besides its JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) images: Vec<Image>,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) meta: Option<Box<Value>>,
}

impl ToolOutput {
    /// The maximum number of images in a result. It is a limit of toolc: in requests with more images, Anthropic only accepts
    /// images of at most 2,000 pixels on each side (as of 2026-11).
    pub const MAX_IMAGES: usize = 20;

    /// Creates an output from a text, which the model gets as a JSON string.
    pub fn text(text: impl AsRef<str>) -> Self {
        let mut json = String::with_capacity(text.as_ref().len() + 2);
        json::push_string(&mut json, text.as_ref());
        Self::from_json(json)
    }

    /// Creates an output from a value that can be serialized to JSON.
    ///
    /// # Errors
    /// Returns an error if `value` cannot be serialized as JSON, for example a map whose keys are not strings.
    pub fn json(value: &impl Serialize) -> Result<Self, ToolError> {
        match serde_json::to_string(value) {
            Ok(json) => Ok(Self::from_json(json)),
            Err(error) => Err(ToolError::new(format!("failed to serialize the result as JSON: {error}"))),
        }
    }

    /// Creates an output from a typed result, such as a generated `Returns`.
    pub fn typed(value: &(impl ToJson + ?Sized)) -> Self {
        let mut json = String::with_capacity(INITIAL_CAPACITY);
        value.to_json(&mut json);
        Self::from_json(json)
    }

    const fn from_json(json: String) -> Self {
        Self { json, parts: None }
    }

    /// Adds an image after the existing ones.
    ///
    /// # Errors
    /// Returns an error if the output already has [20](Self::MAX_IMAGES) images.
    pub fn with_image(mut self, image: Image) -> Result<Self, ToolError> {
        let images = &mut self.parts.get_or_insert_default().images;
        if images.len() == Self::MAX_IMAGES {
            let max = Self::MAX_IMAGES;
            return Err(ToolError::new(format!("a result can have at most {max} images: return fewer")));
        }
        images.push(image);
        Ok(self)
    }

    /// Returns the images, in the order in which the model gets them.
    pub fn images(&self) -> &[Image] {
        self.parts.as_deref().map_or(&[], |parts| &parts.images)
    }

    /// Adds a sound or a resource after the existing ones.
    ///
    /// # Errors
    /// Returns an error if the output already has [20](Self::MAX_IMAGES) attachments.
    pub fn with_attachment(mut self, attachment: Attachment) -> Result<Self, ToolError> {
        let attachments = &mut self.parts.get_or_insert_default().attachments;
        if attachments.len() == Self::MAX_IMAGES {
            let max = Self::MAX_IMAGES;
            return Err(ToolError::new(format!("a result can have at most {max} sounds and resources: return fewer")));
        }
        attachments.push(attachment);
        Ok(self)
    }

    /// Returns the sounds and resources, in order.
    pub fn attachments(&self) -> &[Attachment] {
        self.parts.as_deref().map_or(&[], |parts| &parts.attachments)
    }

    /// Sets the object `_meta` for MCP clients, which no model sees.
    ///
    /// # Errors
    /// Returns an error if `meta` is not an object, or its JSON has more than 16 KiB.
    pub fn with_meta(mut self, meta: Value) -> Result<Self, ToolError> {
        if !is_meta(&meta) {
            let text = format!("`_meta` must be an object, whose JSON has at most {MAX_META} bytes");
            return Err(ToolError::new(text));
        }
        self.parts.get_or_insert_default().meta = Some(Box::new(meta));
        Ok(self)
    }

    /// Returns the object `_meta` for MCP clients.
    pub fn meta(&self) -> Option<&Value> {
        self.parts.as_deref()?.meta.as_deref()
    }

    /// Adds the images and attachments of another output, whose JSON a hook has replaced. Its `_meta` is left out, because it may tell
    /// what the hook has removed.
    ///
    /// # Errors
    /// Returns an error if there are too many.
    pub fn with_parts_of(self, other: &Self) -> Result<Self, ToolError> {
        let output = other.images().iter().cloned().try_fold(self, Self::with_image)?;
        other.attachments().iter().cloned().try_fold(output, Self::with_attachment)
    }

    /// Returns the JSON text.
    pub fn as_json(&self) -> &str {
        &self.json
    }

    /// Returns the JSON text, without the images.
    pub fn into_json(self) -> String {
        self.json
    }

    /// Returns the JSON text, and the other parts.
    pub(crate) fn into_parts(self) -> (String, Parts) {
        (self.json, self.parts.map_or_else(Parts::default, |parts| *parts))
    }
}

/// The result of a handler.
pub type ToolResult = Result<ToolOutput, ToolError>;

/// Runs code of the host. Returns the message of its error or panic.
pub(crate) fn attempt<T>(work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, String> {
    panics::catch(work).map_err(|panicked| panicked.0)?.map_err(ToolError::into_message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_images_is_limited() {
        let image = |last: u8| Image::new("image/gif", [b"GIF89a".as_slice(), &[last]].concat()).unwrap();
        let mut output = ToolOutput::text("a film");
        for last in 0..20 {
            output = output.with_image(image(last)).unwrap();
        }
        let all = (0..20).map(image).collect::<Vec<_>>();
        assert_eq!((output.images(), output.as_json()), (&*all, "\"a film\""));
        let error = output.with_image(image(20)).unwrap_err();
        assert_eq!(error.message(), "a result can have at most 20 images: return fewer");
    }

    #[test]
    fn meta_is_limited_and_not_kept_for_a_result_of_a_hook() {
        let meta = serde_json::json!({"com.example/trace": "7"});
        let output = ToolOutput::text("a").with_meta(meta.clone()).unwrap();
        assert_eq!(output.meta(), Some(&meta));
        assert_eq!(ToolOutput::text("b").with_parts_of(&output).unwrap().meta(), None);
        for wrong in [Value::Null, serde_json::json!({"a": "x".repeat(MAX_META)})] {
            let error = ToolOutput::text("a").with_meta(wrong).unwrap_err();
            assert_eq!(error.message(), "`_meta` must be an object, whose JSON has at most 16384 bytes");
        }
    }

    #[test]
    fn a_value_that_cannot_be_serialized_is_an_error() {
        let map = std::collections::BTreeMap::from([(vec![1], 2)]);
        assert!(ToolOutput::json(&map).is_err());
        assert_eq!(ToolOutput::text("a\u{1}\"b").as_json(), "\"a\\u0001\\\"b\"");
    }
}
