//! Repairs texts that are almost JSON, as some servers write them: half surrogates, bytes that are not UTF-8, and numbers that JSON does
//! not have.

use std::borrow::Cow;

/// What half a surrogate pair is replaced by.
const REPLACEMENT: &[u8] = br"\ufffd";
/// Numbers that some languages write and JSON does not have. They become null.
const NO_NUMBERS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

/// Returns the text with every mistake repaired whose meaning is certain. It need not be JSON.
pub(crate) fn repaired(message: &[u8]) -> String {
    let message = message.strip_prefix(b"\xef\xbb\xbf").unwrap_or(message);
    let text: Cow<'_, str> = String::from_utf8_lossy(message);
    let (bytes, mut repaired) = (text.as_bytes(), Vec::with_capacity(text.len()));
    let (mut at, mut is_in_string) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let (taken, written): (usize, &[u8]) = match (is_in_string, byte) {
            (true, b'\\') => match escape(rest) {
                Escape::Half => (6, REPLACEMENT),
                Escape::Pair => (12, &rest[..12]),
                Escape::Other => (2, &rest[..rest.len().min(2)]),
            },
            (true, b'\t') => (1, br"\t"),
            (false, b'-' | b'I' | b'N') => match NO_NUMBERS.iter().find(|word| rest.starts_with(word)) {
                Some(word) => (word.len(), b"null"),
                None => (1, &rest[..1]),
            },
            _ => {
                is_in_string ^= byte == b'"';
                (1, &rest[..1])
            }
        };
        repaired.extend_from_slice(written);
        at += taken;
    }
    // Only ASCII was replaced.
    String::from_utf8(repaired).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// What follows a backslash.
enum Escape {
    /// Half a surrogate pair.
    Half,
    Pair,
    Other,
}

fn escape(rest: &[u8]) -> Escape {
    let is_high = |code: &u16| (0xD800..0xDC00).contains(code);
    let is_low = |code: &u16| (0xDC00..0xE000).contains(code);
    match unit(rest) {
        Some(code) if is_high(&code) && rest.get(6..).and_then(unit).is_some_and(|next| is_low(&next)) => Escape::Pair,
        Some(code) if is_high(&code) || is_low(&code) => Escape::Half,
        _ => Escape::Other,
    }
}

/// Returns the number of an escape `\uXXXX`.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn half_surrogates_and_numbers_that_json_lacks_are_replaced() {
        for (text, expected) in [
            (r#""a\ud83d""#, json!("a\u{fffd}")),
            (r#""\ude00b""#, json!("\u{fffd}b")),
            (r#""\ud83dx\ude00""#, json!("\u{fffd}x\u{fffd}")),
            (r#""\ud83d\ud83d\ude00""#, json!("\u{fffd}\u{1f600}")),
            (r#""\uD83D\n""#, json!("\u{fffd}\n")),
            (r#""\\ud83d""#, json!("\\ud83d")),
            (r#"{"\udc00":1}"#, json!({ "\u{fffd}": 1 })),
            ("[NaN,-Infinity,Infinity,-1]", json!([null, null, null, -1])),
            (r#"["NaN","a\"Infinity"]"#, json!(["NaN", "a\"Infinity"])),
            ("\"a\tb\"", json!("a\tb")),
            ("\u{feff}{}", json!({})),
        ] {
            let read: Result<Value, _> = serde_json::from_str(&repaired(text.as_bytes()));
            assert_eq!(read.ok(), Some(expected), "{text}");
        }
        assert_eq!(repaired(b"\"a\xff\""), "\"a\u{fffd}\"");
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        for text in [&b"\"\\"[..], b"\"\\u", b"\"\\ud83d\\", b"\"\\ud83d\\u", b"\"\\ud8", b"-", b"\"\\\xff", b"\\", b""]
        {
            let once = repaired(text);
            assert_eq!(repaired(once.as_bytes()), once, "{text:?}");
        }
    }
}
