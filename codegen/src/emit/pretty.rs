//! JSON over several lines, out of JSON without white space: as `serde_json` writes it, without a tree in between.

/// `json` with each entry and item on a line of its own, and a line break at its end.
pub(super) fn lines(json: &str) -> String {
    inner(json, 0) + "\n"
}

/// The same for what stands `depth` levels deep, without a line break at its end.
pub(super) fn inner(json: &str, mut depth: usize) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let new_line = |out: &mut String, depth: usize| {
        out.push('\n');
        (0..depth).for_each(|_| out.push_str("  "));
    };
    let mut rest = json;
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        match letter {
            '"' => {
                length = string(rest);
                out.push_str(&rest[..length]);
            }
            '{' | '[' if rest[1..].starts_with(['}', ']']) => {
                length = 2;
                out.push_str(&rest[..2]);
            }
            '{' | '[' => {
                depth += 1;
                out.push(letter);
                new_line(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                new_line(&mut out, depth);
                out.push(letter);
            }
            ',' => {
                out.push(letter);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            other => out.push(other),
        }
        rest = &rest[length..];
    }
    out
}

/// The length of the string with which `json` begins, quotes included.
fn string(json: &str) -> usize {
    let mut escaped = true;
    let end = json.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(json.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn it_is_what_serde_json_writes() {
        let odd = json!({
            "": {}, "[]": [], "{\"a\":1}": [[[]], {"\\": "\\\"", "b": "\u{1f600}, {"}, [1, -2.5e300, true, null]], "é": "",
        });
        for value in [odd, json!([]), json!({}), json!("a, b"), json!(1), Value::Null, json!([{}])] {
            assert_eq!(lines(&value.to_string()), format!("{value:#}\n"));
        }
    }
}
