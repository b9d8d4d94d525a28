//! Parts of results besides the JSON and images: audio, and resources with an address of their own.

use std::fmt;
use std::sync::Arc;

use crate::result::error::ToolError;
use crate::result::image::Image;

/// A part of a result that only some receivers can show: MCP clients get it as it is, and a model's API gets a text in its place.
///
/// ```
/// use toolc::attachment::Attachment;
/// use toolc::{ToolOutput, ToolResult};
///
/// fn say(wav: Vec<u8>) -> ToolResult {
///     ToolOutput::text("Spoken.").with_attachment(Attachment::audio("audio/wav", wav)?)
/// }
/// # assert!(say(b"RIFF....WAVE".to_vec()).is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attachment {
    /// A sound.
    Audio(Audio),
    /// The content of a resource.
    Resource(EmbeddedResource),
}

/// A sound: the bytes of a file.
#[derive(Clone, PartialEq, Eq)]
pub struct Audio {
    media_type: Arc<str>,
    bytes: Arc<[u8]>,
}

/// The content of a resource, with its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedResource {
    uri: Arc<str>,
    media_type: Arc<str>,
    content: ResourceContent,
}

/// The content of a resource.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceContent {
    /// A text.
    Text(Arc<str>),
    /// The bytes of a file.
    Bytes(Arc<[u8]>),
}

impl Attachment {
    /// The maximum size of the content in bytes: that of an [image](Image::MAX_BYTES).
    pub const MAX_BYTES: usize = Image::MAX_BYTES;

    /// Returns a sound of this media type, such as `audio/wav`.
    ///
    /// # Errors
    /// Returns an error if the media type is not one of audio, or the sound is too large.
    pub fn audio(media_type: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Self, ToolError> {
        let bytes = bytes.into();
        check_media_type(media_type)?;
        if !media_type.starts_with("audio/") {
            return Err(ToolError::new(format!(
                "expected the media type of a sound, such as `audio/wav`, got {media_type:?}"
            )));
        }
        check_size("the sound", bytes.len())?;
        Ok(Self::Audio(Audio { media_type: media_type.into(), bytes }))
    }

    /// Returns the text of a resource. `uri` is its address, and `media_type` its type, such as `text/plain`.
    ///
    /// # Errors
    /// Returns an error if the address is not an absolute URI, the media type is not one, or the text is too long.
    pub fn text_resource(uri: &str, media_type: &str, text: impl Into<Arc<str>>) -> Result<Self, ToolError> {
        let text = text.into();
        Self::resource(uri, media_type, ResourceContent::Text(text))
    }

    /// Returns the bytes of a resource. `uri` is its address, and `media_type` its type, such as `application/pdf`.
    ///
    /// # Errors
    /// Returns an error if the address is not an absolute URI, the media type is not one, or the file is too large.
    pub fn binary_resource(uri: &str, media_type: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Self, ToolError> {
        Self::resource(uri, media_type, ResourceContent::Bytes(bytes.into()))
    }

    fn resource(uri: &str, media_type: &str, content: ResourceContent) -> Result<Self, ToolError> {
        let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if !is_scheme || uri.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(ToolError::new(format!(
                "expected the address of a resource, such as `file:///a.txt`, got {uri:?}"
            )));
        }
        check_media_type(media_type)?;
        check_size("the resource", content.len())?;
        Ok(Self::Resource(EmbeddedResource { uri: uri.into(), media_type: media_type.into(), content }))
    }

    /// Returns this part with another text, if it has one. A host replaces secrets with it.
    #[must_use]
    pub fn map_text(&self, change: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Resource(EmbeddedResource { uri, media_type, content: ResourceContent::Text(text) }) => {
                Self::Resource(EmbeddedResource {
                    uri: Arc::clone(uri),
                    media_type: Arc::clone(media_type),
                    content: ResourceContent::Text(change(text).into()),
                })
            }
            other => other.clone(),
        }
    }
}

impl Audio {
    /// Returns the media type.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl EmbeddedResource {
    /// Returns the address.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the media type.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the content.
    pub const fn content(&self) -> &ResourceContent {
        &self.content
    }
}

impl ResourceContent {
    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// Shows the type and the size.
impl fmt::Debug for Audio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Audio({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

/// Shows the size.
impl fmt::Debug for ResourceContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if let Self::Text(_) = self { "Text" } else { "Bytes" };
        write!(f, "{kind}({} bytes)", self.len())
    }
}

fn check_media_type(media_type: &str) -> Result<(), ToolError> {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "!#$&^_.+-".contains(c));
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let is_valid = essence.split_once('/').is_some_and(|(kind, name)| is_word(kind) && is_word(name))
        && media_type.chars().all(|c| c.is_ascii_graphic() || c == ' ')
        && media_type.len() <= 200;
    if is_valid {
        Ok(())
    } else {
        Err(ToolError::new(format!("expected a media type, such as `text/plain`, got {media_type:?}")))
    }
}

fn check_size(what: &str, size: usize) -> Result<(), ToolError> {
    let max = Attachment::MAX_BYTES;
    if size > max {
        return Err(ToolError::new(format!("{what} has {size} bytes, but at most {max} are allowed: make it smaller")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(result: Result<Attachment, ToolError>) -> String {
        result.unwrap_err().message().to_owned()
    }

    #[test]
    fn an_attachment_has_a_type_an_address_and_a_limited_size() {
        assert!(Attachment::audio("audio/wav", *b"RIFF").is_ok());
        assert!(Attachment::audio("audio/ogg; codecs=opus", *b"OggS").is_ok());
        assert!(why(Attachment::audio("image/png", *b"x")).contains("the media type of a sound"));
        for wrong in ["", "audio", "audio/", "/wav", "audio/w v", "audio/wav\n"] {
            assert!(why(Attachment::audio(wrong, *b"x")).contains("expected a media type"), "{wrong:?}");
        }
        assert!(Attachment::text_resource("test://a", "text/plain", "x").is_ok());
        for wrong in ["", "a.txt", "/a", "1a:b", "file:///a b", ":x"] {
            let error = why(Attachment::binary_resource(wrong, "text/plain", *b"x"));
            assert!(error.contains("the address of a resource"), "{wrong:?}: {error}");
        }
        let large = "x".repeat(Attachment::MAX_BYTES + 1);
        assert!(why(Attachment::text_resource("test://a", "text/plain", large)).contains("at most 3932160"));
    }

    #[test]
    fn debug_does_not_show_the_content() {
        let sound = Attachment::audio("audio/wav", *b"RIFF").unwrap();
        assert_eq!(format!("{sound:?}"), "Audio(Audio(audio/wav, 4 bytes))");
        let text = Attachment::text_resource("test://a", "text/plain", "hidden").unwrap();
        assert!(format!("{text:?}").contains("Text(6 bytes)"), "{text:?}");
    }

    #[test]
    fn only_texts_are_changed() {
        let text = Attachment::text_resource("test://a", "text/plain", "a secret").unwrap();
        let changed = text.map_text(|text| text.replace("secret", "word"));
        assert_eq!(changed, Attachment::text_resource("test://a", "text/plain", "a word").unwrap());
        let sound = Attachment::audio("audio/wav", *b"RIFF").unwrap();
        assert_eq!(sound.map_text(|_| unreachable!("it has no text")), sound);
    }
}
