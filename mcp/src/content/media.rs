//! The bytes of images and sounds, and their types. Servers often declare a wrong type, and the bytes show the right one.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use toolc::{Image, ToolError};

const ANY_PADDING: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// Decodes the data of a part: base64 in either alphabet, with or without padding and line breaks, also as a `data:` URL.
pub(super) fn bytes(data: &str) -> Result<Vec<u8>, String> {
    let data = data.trim();
    let is_url = data.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
    let data = if is_url { data.split_once(',').map_or("", |(_, data)| data) } else { data };
    let data: String = data.chars().filter(|c| !c.is_whitespace()).collect();
    let data = data.replace("%2B", "+").replace("%2F", "/").replace("%3D", "=");
    let alphabet = if data.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    GeneralPurpose::new(alphabet, ANY_PADDING).decode(data).map_err(|_| "its data is not base64".to_owned())
}

/// Returns an image with the type that its bytes show. If they show none, the error is about the declared type.
pub(super) fn image(declared: &str, bytes: Vec<u8>) -> Result<Image, ToolError> {
    picture(&bytes).unwrap_or_else(|| Image::new(declared, bytes))
}

/// Returns bytes as an image, if they are one of a type that vendors accept.
pub(super) fn picture(bytes: &[u8]) -> Option<Result<Image, ToolError>> {
    Image::type_of(bytes).map(|media_type| Image::new(media_type, bytes))
}

/// Returns the type of a sound: the declared one, or the one that its bytes show if none is declared.
pub(super) fn sound_type(declared: &str, bytes: &[u8]) -> String {
    let declared = declared.trim().to_ascii_lowercase();
    let shown = match bytes {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some("audio/wav"),
        [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xf3 | 0xf2, ..] => Some("audio/mpeg"),
        [b'O', b'g', b'g', b'S', ..] => Some("audio/ogg"),
        [b'f', b'L', b'a', b'C', ..] => Some("audio/flac"),
        _ => None,
    };
    match shown {
        Some(shown) if !declared.starts_with("audio/") => shown.to_owned(),
        _ => declared,
    }
}

/// Returns whether a text has the form of a media type.
pub(super) fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
    let kind = text.split(';').next().unwrap_or_default().trim();
    kind.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_decoded_in_each_form_of_base64() {
        let expected = b"\xfb\xff\xfe GIF".to_vec();
        for data in [
            "+//+IEdJRg==",
            "+//+IEdJRg",
            "-__-IEdJRg==",
            "-__-IEdJRg",
            "+//+\nIEdJ\r\nRg==\n",
            " +//+IEdJRg== ",
            "data:image/png;base64,+//+IEdJRg==",
            "DATA:;base64,+//+IEdJRg",
            "data:image/png;base64,%2B//+IEdJRg%3D%3D",
        ] {
            assert_eq!(bytes(data).as_ref(), Ok(&expected), "{data}");
        }
        for data in ["%%%", "data:image/png;base64,é", "a", "<svg/>"] {
            assert!(bytes(data).is_err(), "{data}");
        }
    }

    #[test]
    fn the_bytes_of_an_image_show_its_type() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        for declared in ["image/png", "image/jpeg", "image/jpg", "IMAGE/PNG", "image/png; charset=x", "text/plain", ""]
        {
            assert_eq!(
                image(declared, png.clone()).map(|image| image.media_type()).ok(),
                Some("image/png"),
                "{declared}"
            );
        }
        let webp = b"RIFF\x24\0\0\0WEBPVP8 ".to_vec();
        assert_eq!(image("image/png", webp).map(|image| image.media_type()).ok(), Some("image/webp"));
        assert!(image("image/svg+xml", b"<svg/>".to_vec()).is_err());
    }

    #[test]
    fn the_bytes_of_a_sound_show_its_type_if_none_is_declared() {
        for (declared, bytes, expected) in [
            ("audio/x-wav", &b"RIFF\0\0\0\0WAVE"[..], "audio/x-wav"),
            ("", b"RIFF\0\0\0\0WAVE", "audio/wav"),
            ("application/octet-stream", b"ID3\x04", "audio/mpeg"),
            ("text/plain", b"OggS\0", "audio/ogg"),
            ("text/plain", b"nothing", "text/plain"),
        ] {
            assert_eq!(sound_type(declared, bytes), expected);
        }
    }
}
