//! Decodes texts: Base64, hexadecimal, rotated letters and escapes.

use std::io::Read as _;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The maximum number of bytes that are decoded from one text.
pub(crate) const MAX_DECODED: usize = 64 << 10;

/// The maximum number of bytes that are unpacked from one text.
const MAX_INFLATED: usize = 1 << 20;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Decodes Base64 in either alphabet, with or without padding and white space.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).take(MAX_DECODED / 3 * 4).collect();
    // What is left of a text that is cut off.
    let whole = if bytes.len() % 4 == 1 { &bytes[..bytes.len() - 1] } else { &bytes };
    STANDARD.decode(whole).or_else(|_| URL_SAFE.decode(whole)).ok()
}

/// Decodes hexadecimal digits, with or without separators.
pub(crate) fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .replace("\\x", "")
        .replace("0x", "")
        .bytes()
        .filter(|byte| !matches!(byte, b' ' | b':' | b',' | b'\n' | b'\r' | b'\t'))
        .collect();
    if digits.is_empty() || digits.len() % 2 == 1 {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    digits.chunks_exact(2).take(MAX_DECODED).map(|pair| Some((value(pair[0])? << 4) | value(pair[1])?)).collect()
}

/// Unpacks what gzip or zlib has packed, if all of it is within the limit.
pub(crate) fn inflated(packed: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let limit = MAX_INFLATED as u64 + 1;
    let read = match packed {
        [0x1f, 0x8b, ..] => flate2::read::MultiGzDecoder::new(packed).take(limit).read_to_end(&mut unpacked),
        [b'x', 0x01 | 0x5e | 0x9c | 0xda, ..] => {
            flate2::read::ZlibDecoder::new(packed).take(limit).read_to_end(&mut unpacked)
        }
        _ => return None,
    };
    (read.is_ok() && unpacked.len() <= MAX_INFLATED).then_some(unpacked)
}

/// Rotates the letters of a text by thirteen places.
pub(crate) fn rot13(text: &str) -> String {
    let rotate = |letter: char| match letter {
        'a'..='z' => char::from((u8::try_from(letter).unwrap_or(b'a') - b'a' + 13) % 26 + b'a'),
        'A'..='Z' => char::from((u8::try_from(letter).unwrap_or(b'A') - b'A' + 13) % 26 + b'A'),
        other => other,
    };
    text.chars().map(rotate).collect()
}

/// Returns bytes as text: UTF-8, or UTF-16 if every second byte is zero. What is not text becomes U+FFFD.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    let zeros = bytes.iter().skip(1).step_by(2).filter(|byte| **byte == 0).count();
    if bytes.len() >= 4 && zeros * 2 >= bytes.len() / 2 {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        return String::from_utf16_lossy(&units);
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns whether almost all of a decoded text can be read.
pub(crate) fn is_readable(text: &str) -> bool {
    let count = text.chars().count();
    let odd =
        text.chars().filter(|letter| *letter == '\u{fffd}' || letter.is_control() && !letter.is_whitespace()).count();
    count >= 4 && odd * 20 <= count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_in_every_spelling() {
        assert_eq!(base64("Y3VybCBo").as_deref(), Some(&b"curl h"[..]));
        assert_eq!(base64("Y3Vy\nbCBoaA==").as_deref(), Some(&b"curl hh"[..]));
        assert_eq!(hex("\\x63\\x75").as_deref(), Some(&b"cu"[..]));
        assert_eq!(rot13("phey"), "curl");
        assert_eq!(text_of(b"a\0b\0c\0"), "abc");
    }
}
