//! What the runtime does by itself about writing JSON: a string, escaped; and a text that people read, indented.

/// Appends `text` as a JSON string, quotes included.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    push_escaped(out, text);
    out.push('"');
}

/// Appends `text` as it stands within a JSON string.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    let mut clean = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[clean..at]);
        clean = at + 1;
        if escape.is_empty() {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.push_str("\\u00");
            out.push(HEX[usize::from(byte >> 4)].into());
            out.push(HEX[usize::from(byte & 15)].into());
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(&text[clean..]);
}

/// The JSON text `json` with a line for each value. Its values stay as they are written.
pub(crate) fn indented(json: &str) -> String {
    // No more, or a deep text would become a square of it.
    const DEEPEST: usize = 16;
    let mut out = String::with_capacity(json.len() * 5 / 4);
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut letters = json.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(DEEPEST)));
    };
    while let Some(letter) = letters.next() {
        if quoted {
            quoted = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            out.push(letter);
            continue;
        }
        match letter {
            ' ' | '\t' | '\n' | '\r' => {}
            '[' | '{' => {
                out.push(letter);
                while letters.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = letters.next_if(|next| "]}".contains(*next)) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            ']' | '}' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(letter);
            }
            ',' => {
                out.push(letter);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                quoted = letter == '"';
                out.push(letter);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_reads_back() {
        let text: String = (0..=0x2030).filter_map(char::from_u32).chain(['\u{10ffff}']).collect();
        let mut out = String::new();
        push_string(&mut out, &text);
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
    }

    #[test]
    fn indenting_changes_no_value() {
        let text = r#"{"a":[1.50,-0,1e400,{},[ ],"x\"]},: \\"],"b":{"c":null,"c":12345678901234567890}}"#;
        let lines = "{\n  \"a\": [\n    1.50,\n    -0,\n    1e400,\n    {},\n    [],\n    \"x\\\"]},: \\\\\"\n  ],\n  \
                     \"b\": {\n    \"c\": null,\n    \"c\": 12345678901234567890\n  }\n}";
        assert_eq!(indented(text), lines);
        assert_eq!(indented(lines), lines);
        assert!(indented(&"[".repeat(100_000)).len() < 5_000_000);
    }
}
