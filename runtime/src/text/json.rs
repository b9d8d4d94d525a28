//! Writing JSON: escaping strings, and indenting for people.

/// Appends `text` as a JSON string, quotes included.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    if plain_len(text.as_bytes()) == text.len() {
        out.push_str(text);
    } else {
        push_escaped(out, text);
    }
    out.push('"');
}

/// Appends `text`, escaped for a JSON string, without quotes.
pub(crate) fn push_escaped(out: &mut String, mut text: &str) {
    loop {
        let (clean, rest) = text.split_at(plain_len(text.as_bytes()));
        out.push_str(clean);
        let Some(&byte) = rest.as_bytes().first() else { return };
        let escape = match byte {
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            b'"' => "\\\"",
            b'\\' => "\\\\",
            _ => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(HEX[usize::from(byte >> 4)].into());
                out.push(HEX[usize::from(byte & 15)].into());
                ""
            }
        };
        out.push_str(escape);
        text = &rest[1..];
    }
}

/// Returns the number of bytes before the first one that needs escaping: a quote, a backslash or a control character.
#[inline]
pub(crate) fn plain_len(text: &[u8]) -> usize {
    let mut rest = text;
    while let Some((bytes, after)) = rest.split_first_chunk() {
        if let Some(found) = first_special(*bytes) {
            return text.len() - rest.len() + found;
        }
        rest = after;
    }
    // The last eight bytes overlap with bytes that have already been checked.
    if let Some(bytes) = text.last_chunk() {
        return first_special(*bytes).map_or(text.len(), |found| text.len() - 8 + found);
    }
    if let (Some([a, b, c, d]), Some([e, f, g, h])) = (text.first_chunk(), text.last_chunk())
        && first_special([*a, *b, *c, *d, *e, *f, *g, *h]).is_none()
    {
        return text.len();
    }
    text.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(text.len())
}

/// Returns the index of the first of these bytes that needs escaping.
#[inline]
fn first_special(bytes: [u8; 8]) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let word = u64::from_le_bytes(bytes);
    // Checks all eight bytes at once: the subtraction sets the high bit of each byte less than `limit`. A borrow can also set
    // it in later bytes, but the lowest match is always correct.
    let less_than = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    // XOR with 2 exchanges the quote, 0x22, and the space, 0x20, and leaves control characters below 0x20. So one comparison finds
    // both. XOR with the backslash turns it into zero.
    let controls_and_quotes = less_than(word ^ (ONES * 2), 0x21);
    let backslashes = less_than(word ^ (ONES * u64::from(b'\\')), 1);
    let matches = (controls_and_quotes | backslashes) & HIGH;
    (matches != 0).then(|| (matches.trailing_zeros() / 8) as usize)
}

/// Returns `json` with one line for each value. Values are copied as they are written. The lines after the first are indented
/// by at least `depth` levels of two spaces.
pub fn indented(json: &str, mut depth: usize) -> String {
    // Without a limit, the size would be quadratic for deeply nested JSON.
    const MAX_INDENT: usize = 16;
    let mut out = String::with_capacity(json.len() * 2);
    let mut rest = json;
    let new_line = |out: &mut String, depth: usize| {
        const INDENT: &str = "                                ";
        out.push('\n');
        out.push_str(&INDENT[..2 * depth.min(MAX_INDENT)]);
    };
    while let Some(&byte) = rest.as_bytes().first() {
        let mut len = 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'[' | b'{' => {
                out.push(byte.into());
                let content = rest[1..].trim_ascii_start();
                len = rest.len() - content.len();
                if let Some(end @ (b']' | b'}')) = content.as_bytes().first() {
                    out.push((*end).into());
                    len += 1;
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(byte.into());
            }
            b',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            b':' => out.push_str(": "),
            b'"' => {
                len = string_len(rest).unwrap_or(rest.len());
                out.push_str(&rest[..len]);
            }
            _ => {
                let end = rest.find([' ', '\t', '\n', '\r', ',', ':', '[', ']', '{', '}', '"']);
                len = end.unwrap_or(rest.len());
                out.push_str(&rest[..len]);
            }
        }
        rest = &rest[len..];
    }
    out
}

/// Returns the length of the JSON string at the beginning of `json`, quotes included, or `None` if it does not end or has
/// control characters.
pub(crate) fn string_len(json: &str) -> Option<usize> {
    let bytes = json.as_bytes();
    let mut end = 1;
    loop {
        end += plain_len(bytes.get(end..)?);
        match bytes.get(end)? {
            b'"' => return Some(end + 1),
            b'\\' => end += 2,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_survives_a_round_trip() {
        let text: String = (0..=0x2030).filter_map(char::from_u32).chain(['\u{10ffff}']).collect();
        let mut out = String::new();
        push_string(&mut out, &text);
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
    }

    #[test]
    fn escapes_are_found_at_every_position() {
        for length in 0..=20 {
            let clean = "ü".repeat(length / 2) + &"x".repeat(length % 2);
            assert_eq!((clean.len(), plain_len(clean.as_bytes())), (length, length));
            for at in (0..length).filter(|at| clean.is_char_boundary(*at)) {
                for escaped in ["\"", "\\", "\n", "\u{1f}"] {
                    let text = [&clean[..at], escaped, &clean[at..], escaped].concat();
                    assert_eq!(plain_len(text.as_bytes()), at, "{text:?}");
                    let mut out = String::new();
                    push_string(&mut out, &text);
                    assert_eq!(out, serde_json::to_string(&text).unwrap());
                }
            }
        }
    }

    #[test]
    fn indenting_preserves_values() {
        let text = r#"{"a":[1.50,-0,1e400,{},[ ],"x\"]},: \\"],"b":{"c":null,"c":12345678901234567890}}"#;
        let lines = "{\n  \"a\": [\n    1.50,\n    -0,\n    1e400,\n    {},\n    [],\n    \"x\\\"]},: \\\\\"\n  ],\n  \
                     \"b\": {\n    \"c\": null,\n    \"c\": 12345678901234567890\n  }\n}";
        assert_eq!(indented(text, 0), lines);
        assert_eq!(indented(lines, 0), lines);
        assert_eq!(indented("[1]", 1), "[\n    1\n  ]");
        assert!(indented(&"[".repeat(100_000), 0).len() < 5_000_000);
        for cut_off in ["", "\"", "\"\\", "\"\\ü", "[\"é", "nulé", "]"] {
            assert_eq!(indented(cut_off, 0).trim_start(), cut_off.replace('[', "[\n  "));
        }
    }
}
