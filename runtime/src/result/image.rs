//! Images in results.

use std::fmt;
use std::sync::Arc;

use crate::result::error::{ErrorKind, ToolError};

/// An image in a result: PNG, JPEG, GIF or WebP, at most [3.75 MiB](Self::MAX_BYTES). See
/// [`ToolOutput::with_image`](crate::ToolOutput::with_image). Clones share the bytes.
///
/// ```
/// use toolc::{Image, ToolOutput, ToolResult};
///
/// fn screenshot(png: Vec<u8>) -> ToolResult {
///     ToolOutput::text("The page as it is now.").with_image(Image::new("image/png", png)?)
/// }
/// # assert!(screenshot(b"\x89PNG\r\n\x1a\n...".to_vec()).is_ok());
/// # assert!(screenshot(b"GIF89a...".to_vec()).is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    media_type: &'static str,
    bytes: Arc<[u8]>,
}

/// A media type, and a function that recognises files of this type by their first bytes.
type MediaType = (&'static str, fn(&[u8]) -> bool);

/// The media types that OpenAI, Anthropic and Gemini accept, according to their vision guides, as of 2026-11. Gemini does not
/// accept GIF.
const TYPES: [MediaType; 4] = [
    ("image/png", |bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", |bytes| bytes.starts_with(b"\xff\xd8\xff")),
    ("image/gif", |bytes| bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a")),
    ("image/webp", |bytes| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")),
];

impl Image {
    /// The maximum size of an image in bytes: 3.75 MiB, which is 5 MiB in base64. It is the lowest limit of any vendor: that
    /// of Anthropic's models at Amazon and Google (as of 2026-11). Because of an image over the limit, a vendor would refuse
    /// the request and all later requests of the conversation.
    pub const MAX_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;

    /// Returns an image of this media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    ///
    /// # Errors
    /// Returns an error if the media type is a different one, the bytes do not begin like a file of this type, or the image is
    /// too large. In each of these cases, a vendor would refuse the whole request.
    pub fn new(media_type: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Self, ToolError> {
        let bytes = bytes.into();
        let Some((media_type, matches)) = TYPES.into_iter().find(|(name, _)| *name == media_type) else {
            let known = TYPES.map(|(name, _)| name).join("`, `");
            return Err(invalid(format!("unsupported image type {media_type:?}: expected one of `{known}`")));
        };
        if !matches(&bytes) {
            let actual = Self::type_of(&bytes);
            let actual = actual.map_or("not a supported image".to_owned(), |name| format!("`{name}`"));
            return Err(invalid(format!("the image was declared as `{media_type}`, but its content is {actual}")));
        }
        if bytes.len() > Self::MAX_BYTES {
            let (size, max) = (bytes.len(), Self::MAX_BYTES);
            return Err(invalid(format!("the image has {size} bytes, but at most {max} are allowed: make it smaller")));
        }
        Ok(Self { media_type, bytes })
    }

    /// Returns the media type of a file that begins with these bytes, if it is an image of a type that vendors accept.
    pub fn type_of(bytes: &[u8]) -> Option<&'static str> {
        TYPES.iter().find(|(_, matches)| matches(bytes)).map(|(name, _)| *name)
    }

    /// Returns the media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub const fn media_type(&self) -> &'static str {
        self.media_type
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Shows the type and the size.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {} bytes)", self.media_type, self.bytes.len())
    }
}

fn invalid(message: String) -> ToolError {
    ToolError::with_kind(ErrorKind::Failed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first bytes of files of each type.
    const BEGINNINGS: [(&str, &[u8]); 5] = [
        ("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("image/jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF"),
        ("image/gif", b"GIF87a"),
        ("image/gif", b"GIF89a"),
        ("image/webp", b"RIFF\x24\0\0\0WEBPVP8 "),
    ];

    fn why(media_type: &str, bytes: &[u8]) -> String {
        Image::new(media_type, bytes).unwrap_err().message().to_owned()
    }

    #[test]
    fn an_image_must_match_its_media_type() {
        for (media_type, bytes) in BEGINNINGS {
            let image = Image::new(media_type, bytes).unwrap();
            assert_eq!((image.media_type(), image.bytes()), (media_type, bytes));
            assert_eq!(Image::type_of(bytes), Some(media_type));
            for (other, _) in BEGINNINGS.iter().filter(|(other, _)| *other != media_type) {
                let expected = format!("the image was declared as `{other}`, but its content is `{media_type}`");
                assert_eq!(why(other, bytes), expected);
            }
        }
        for bytes in [&b""[..], b"\x89PNG", b"RIFF\x24\0\0\0WAVEfmt ", b"<svg/>"] {
            assert_eq!(Image::type_of(bytes), None);
            assert!(why("image/webp", bytes).ends_with("its content is not a supported image"));
        }
        for media_type in ["image/jpg", "IMAGE/PNG", "image/svg+xml", ""] {
            let expected = "expected one of `image/png`, `image/jpeg`, `image/gif`, `image/webp`";
            assert!(
                why(media_type, BEGINNINGS[0].1)
                    .contains(&format!("unsupported image type {media_type:?}: {expected}"))
            );
        }
    }

    #[test]
    fn the_size_of_an_image_is_limited() {
        let mut bytes = BEGINNINGS[1].1.to_vec();
        bytes.resize(Image::MAX_BYTES, 0);
        assert!(Image::new("image/jpeg", bytes.clone()).is_ok());
        bytes.push(0);
        let expected = "the image has 3932161 bytes, but at most 3932160 are allowed: make it smaller";
        assert_eq!(why("image/jpeg", &bytes), expected);
    }

    #[test]
    fn debug_does_not_show_the_bytes() {
        let image = Image::new("image/gif", *b"GIF89a").unwrap();
        assert_eq!(format!("{image:?}"), "Image(image/gif, 6 bytes)");
    }
}
