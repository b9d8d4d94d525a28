//! Lays JSON out in lines, without changing it: numbers, the order of keys and repeated keys stay.

use std::borrow::Cow;

/// A text whose lines are longer than this on average, in bytes, is written for programs.
const LONG_LINE: usize = 200;
/// Deeper values are written in one line.
const MAX_INDENT: usize = 40;
/// Lists and objects that are this short, in bytes, stay in one line.
const SHORT: usize = 60;

/// Returns JSON in lines. What has lines already is returned as it is.
pub(crate) fn laid_out(json: &str) -> Cow<'_, str> {
    let json = json.trim();
    if json.len() <= SHORT || json.len() / (json.lines().count().max(1)) < LONG_LINE && json.contains('\n') {
        return Cow::Borrowed(json);
    }
    let ends = ends(json);
    let (mut out, mut depth, mut at) = (String::with_capacity(json.len() * 5 / 4), 0_usize, 0);
    let bytes = json.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                out.push_str(&json[at..end]);
                at = end;
                continue;
            }
            b'{' | b'[' => {
                let end = ends.get(&at).copied();
                if let Some(end) = end.filter(|end| end - at < SHORT || depth >= MAX_INDENT) {
                    push_short(&json[at..=end], &mut out);
                    at = end + 1;
                    continue;
                }
                depth += 1;
                out.push(char::from(bytes[at]));
                new_line(&mut out, depth);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(char::from(bytes[at]));
            }
            b',' => {
                out.push(',');
                new_line(&mut out, depth);
            }
            b':' => out.push_str(": "),
            byte if byte.is_ascii_whitespace() => {}
            _ => {
                let end = json[at..]
                    .find(['"', '{', '}', '[', ']', ',', ':', ' ', '\n', '\t', '\r'])
                    .map_or(bytes.len(), |end| at + end);
                out.push_str(&json[at..end.max(at + 1)]);
                at = end.max(at + 1);
                continue;
            }
        }
        at += 1;
    }
    Cow::Owned(out)
}

/// Where each list and object ends.
fn ends(json: &str) -> std::collections::HashMap<usize, usize> {
    let (mut open, mut ends, mut at) = (Vec::new(), std::collections::HashMap::new(), 0);
    let bytes = json.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => open.push(at),
            b'}' | b']' => {
                if let Some(start) = open.pop() {
                    ends.insert(start, at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    ends
}

/// Where a string that begins at `at` ends, after its quotation mark.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// Appends JSON in one line.
fn push_short(json: &str, out: &mut String) {
    let bytes = json.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'"' {
            let end = string_end(bytes, at);
            out.push_str(&json[at..end]);
            at = end;
            continue;
        }
        let c = json[at..].chars().next().unwrap_or(' ');
        match c {
            ',' => out.push_str(", "),
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
        at += c.len_utf8();
    }
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_one_line_gets_lines() {
        let json = r#"{"id":12345678901234567890,"name":"a \"b\", {c}: [d]","tags":["x","y"],"inner":{"list":[{"a":1.50,"b":null},{"a":2,"b":"a text that is longer than what fits into a line of sixty bytes"}]}}"#;
        let expected = r#"{
  "id": 12345678901234567890,
  "name": "a \"b\", {c}: [d]",
  "tags": ["x", "y"],
  "inner": {
    "list": [
      {"a": 1.50, "b": null},
      {
        "a": 2,
        "b": "a text that is longer than what fits into a line of sixty bytes"
      }
    ]
  }
}"#;
        assert_eq!(laid_out(json), expected);
        let lines = "{\n  \"a\": 1\n}";
        assert_eq!(laid_out(lines), lines);
    }

    #[test]
    fn what_is_not_json_is_not_lost() {
        for text in ["{\"a\": \"", "]]]]", "nonsense äöü", "{\"a\\", "[,,,:::]"] {
            let long = format!("{text}{}", "x".repeat(300));
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(squeezed(&laid_out(&long)), squeezed(&long));
        }
        let deep = "[".repeat(100_000);
        assert!(laid_out(&deep).len() < deep.len() * 90);
    }
}
