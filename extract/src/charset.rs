//! Decodes bytes to text as browsers do: byte order mark, header, `<meta>`, and a guess.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far into a page its declaration of a character set may stand, in bytes, as the HTML standard says.
const META_BYTES: usize = 1024;

/// Decodes a document. Returns its text, and whether the character set was declared wrongly: some bytes are not in it.
pub(crate) fn decode<'b>(bytes: &'b [u8], content_type: Option<&str>) -> (Cow<'b, str>, bool) {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[length..]);
    }
    let declared = content_type.and_then(of_header).or_else(|| of_declaration(&bytes[..bytes.len().min(META_BYTES)]));
    match declared {
        // Many pages are UTF-8 whatever they declare, and no text in another encoding is valid UTF-8 by accident.
        Some(encoding) if encoding != UTF_8 && !(is_utf8(bytes) && has_multibyte(bytes)) => {
            encoding.decode_without_bom_handling(bytes)
        }
        _ if is_utf8(bytes) => UTF_8.decode_without_bom_handling(bytes),
        // A few damaged characters do not make another encoding likely.
        _ if multibyte_share(bytes) => UTF_8.decode_without_bom_handling(bytes),
        _ => WINDOWS_1252.decode_without_bom_handling(bytes),
    }
}

fn of_header(content_type: &str) -> Option<&'static Encoding> {
    let at = find(content_type.as_bytes(), b"charset=")?;
    label(&content_type.as_bytes()[at + 8..])
}

/// Finds `<meta charset=...>`, `<meta http-equiv content="...; charset=...">` and `<?xml encoding="..."?>`.
fn of_declaration(head: &[u8]) -> Option<&'static Encoding> {
    if head.starts_with(b"<?xml")
        && let Some(at) = find(head, b"encoding=")
    {
        return label(&head[at + 9..]);
    }
    let mut rest = head;
    while let Some(at) = find(rest, b"<meta") {
        rest = &rest[at + 5..];
        let tag = &rest[..rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len())];
        if let Some(at) = find(tag, b"charset=") {
            // A page that says so in readable bytes is not in UTF-16.
            return label(&tag[at + 8..])
                .map(|found| if found == UTF_16BE || found == UTF_16LE { UTF_8 } else { found });
        }
    }
    None
}

fn label(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.iter().position(|byte| !matches!(byte, b'"' | b'\'' | b' '))?;
    let name =
        bytes[start..].split(|byte| matches!(byte, b'"' | b'\'' | b';' | b' ' | b'>' | b'/' | b'?' | b',')).next()?;
    Encoding::for_label(name)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle))
}

/// Whether the bytes are UTF-8, apart from a character that was cut at their end.
fn is_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii(),
    }
}

fn has_multibyte(bytes: &[u8]) -> bool {
    !bytes.is_ascii()
}

/// Whether at least nine of ten sequences of bytes beyond ASCII are valid UTF-8.
fn multibyte_share(bytes: &[u8]) -> bool {
    let (mut valid, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    valid > broken * 9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_and_the_page_declare_the_character_set() {
        let cases: &[(&[u8], Option<&str>, &str)] = &[
            (b"caf\xe9", None, "café"),
            ("café".as_bytes(), None, "café"),
            ("café".as_bytes(), Some("text/html; charset=iso-8859-1"), "café"),
            (b"caf\xe9", Some("text/html; charset=\"ISO-8859-1\""), "café"),
            (b"<meta charset=windows-1251>\xcf", None, "<meta charset=windows-1251>П"),
            (
                b"<META http-equiv='x' content='text/html; CHARSET=Shift_JIS'>\x82\xa0",
                None,
                "<META http-equiv='x' content='text/html; CHARSET=Shift_JIS'>あ",
            ),
            (b"<?xml version='1.0' encoding='ISO-8859-2'?>\xb1", None, "<?xml version='1.0' encoding='ISO-8859-2'?>ą"),
            (b"\xef\xbb\xbfx", Some("text/html; charset=ascii"), "x"),
            (b"\xff\xfex\0", None, "x"),
            (b"x", Some("text/html; charset=nonsense"), "x"),
        ];
        for (bytes, content_type, expected) in cases {
            assert_eq!(decode(bytes, *content_type).0, *expected, "{content_type:?}");
        }
    }

    #[test]
    fn a_damaged_character_does_not_make_a_page_windows_1252() {
        let mut bytes = "äöüäöüäöüäöü".as_bytes().to_vec();
        bytes.push(0xff);
        bytes.push(b'.');
        assert_eq!(decode(&bytes, None), (Cow::from("äöüäöüäöüäöü\u{fffd}."), true));
    }
}
