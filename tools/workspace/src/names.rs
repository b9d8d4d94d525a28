//! The form of paths in texts: names that are not UTF-8, or have control characters, are escaped, so that a model can repeat them.
//!
//! A byte that cannot be shown is written as `\xHH`, with two hexadecimal digits. A backslash is escaped, too, if an `x` follows it, so that
//! no two paths have the same form. On Windows, nothing is escaped: names have no control characters, and the backslash separates names.

use std::path::{Path, PathBuf};

/// Returns a path or a name as text.
#[cfg(unix)]
pub fn escape(path: impl AsRef<Path>) -> String {
    use std::os::unix::ffi::OsStrExt;
    escape_bytes(path.as_ref().as_os_str().as_bytes())
}

/// Returns a path or a name as text.
#[cfg(not(unix))]
pub fn escape(path: impl AsRef<Path>) -> String {
    path.as_ref().to_string_lossy().into_owned()
}

/// Returns the path whose text is `text`.
#[cfg(unix)]
pub fn unescape(text: &str) -> PathBuf {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    PathBuf::from(OsString::from_vec(unescape_bytes(text)))
}

/// Returns the path whose text is `text`.
#[cfg(not(unix))]
pub fn unescape(text: &str) -> PathBuf {
    PathBuf::from(text)
}

/// Returns the text of a path whose bytes are `bytes`.
pub fn escape_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut chars = chunk.valid().chars().peekable();
        while let Some(c) = chars.next() {
            if is_special(c) || c == '\\' && chars.peek() == Some(&'x') {
                push_escaped(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                text.push(c);
            }
        }
        push_escaped(&mut text, chunk.invalid());
    }
    text
}

fn push_escaped(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push_str(&format!("\\x{byte:02x}"));
    }
}

/// Returns whether a character would change the line or the direction of a text.
fn is_special(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}' | '\u{feff}')
}

#[cfg_attr(not(any(unix, test)), expect(dead_code, reason = "used on Unix"))]
fn unescape_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        if let [b'\\', b'x', high, low, after @ ..] = rest
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            bytes.push(16 * high + low);
            rest = after;
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_one_form() {
        for (bytes, text) in [
            (&b"plain name.txt"[..], "plain name.txt"),
            ("Grüße/日本".as_bytes(), "Grüße/日本"),
            (b"caf\xe9.txt", r"caf\xe9.txt"),
            (br"caf\xe9.txt", r"caf\x5cxe9.txt"),
            (br"a\b\\y", r"a\b\\y"),
            (b"a\nb\tc\x7f", r"a\x0ab\x09c\x7f"),
            (b"\\\xff", r"\\xff"),
            (br"\x", r"\x5cx"),
            ("\u{202e}txt.exe".as_bytes(), r"\xe2\x80\xaetxt.exe"),
            ("\u{85}".as_bytes(), r"\xc2\x85"),
        ] {
            assert_eq!((&*escape_bytes(bytes), unescape_bytes(text)), (text, bytes.to_vec()));
        }
        assert_eq!(unescape_bytes(r"\xg1\x1"), br"\xg1\x1");
        assert_eq!(unescape_bytes(r"\xE9"), b"\xe9");
    }

    #[test]
    fn any_bytes_survive_escape_and_unescape() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 40).unwrap()
        };
        let mut texts = std::collections::HashMap::new();
        for _ in 0..50_000 {
            let pieces: [&[u8]; 9] = [b"\\", b"x", b"5c", b"e9", b"\xe9", b"\n", b"\xc3\xa9", b"\xc3", b"a"];
            let bytes: Vec<u8> = (0..random() % 7).flat_map(|_| pieces[random() % 9].to_vec()).collect();
            let text = escape_bytes(&bytes);
            assert_eq!(unescape_bytes(&text), bytes, "{text}");
            assert!(!text.contains(char::is_control));
            assert_eq!(texts.entry(text).or_insert_with(|| bytes.clone()), &bytes, "two names have one form");
        }
    }
}
