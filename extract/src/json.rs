//! Lays JSON out in lines, without changing it: numbers, the order of keys and repeated keys stay.

use std::borrow::Cow;

/// A text whose lines are longer than this on average, in bytes, is written for programs.
const LONG_LINE: usize = 200;
/// Deeper values are written in one line.
const MAX_INDENT: usize = 40;
/// Lists and objects that are this short, in bytes, stay in one line.
const SHORT: usize = 60;

/// Returns JSON in lines, and stops soon after `most` bytes. What has lines already is returned as it is.
pub(crate) fn laid_out(json: &str, most: usize) -> Cow<'_, str> {
    let json = json.trim();
    if json.len() <= SHORT || json.len() / (json.lines().count().max(1)) < LONG_LINE && json.contains('\n') {
        return Cow::Borrowed(json);
    }
    let (mut out, mut depth, mut at) = (String::with_capacity(most.min(json.len() * 5 / 4)), 0_usize, 0);
    let bytes = json.as_bytes();
    while at < bytes.len() && out.len() <= most {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                out.push_str(&json[at..end]);
                at = end;
                continue;
            }
            b'{' | b'[' => {
                if let Some(end) = short_end(bytes, at) {
                    push_short(&json[at..end], &mut out);
                    at = end;
                    continue;
                }
                depth += 1;
                out.push(char::from(bytes[at]));
                new_line(&mut out, depth);
            }
            b'}' | b']' => {
                if depth <= MAX_INDENT {
                    new_line(&mut out, depth.saturating_sub(1));
                }
                depth = depth.saturating_sub(1);
                out.push(char::from(bytes[at]));
            }
            b',' => {
                out.push_str(if depth > MAX_INDENT { ", " } else { "," });
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

/// Where a list or an object that begins at `start` ends, if it is short.
fn short_end(bytes: &[u8], start: usize) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(start + SHORT)];
    let (mut open, mut at) = (0_usize, start);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => open += 1,
            b'}' | b']' if open == 1 => return Some(at + 1),
            b'}' | b']' => open -= 1,
            _ => {}
        }
        at += 1;
    }
    None
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

/// Begins a line, unless the value is too deep.
fn new_line(out: &mut String, depth: usize) {
    if depth <= MAX_INDENT {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
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
        assert_eq!(laid_out(json, 10_000), expected);
        let lines = "{\n  \"a\": 1\n}";
        assert_eq!(laid_out(lines, 10_000), lines);
    }

    #[test]
    fn what_is_not_json_is_not_lost() {
        for text in ["{\"a\": \"", "]]]]", "nonsense äöü", "{\"a\\", "[,,,:::]"] {
            let long = format!("{text}{}", "x".repeat(300));
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(squeezed(&laid_out(&long, 10_000)), squeezed(&long));
        }
        let deep = "[".repeat(100_000);
        assert!(laid_out(&deep, 1 << 20).len() < deep.len() + 5_000);
    }

    #[test]
    fn layout_stops_where_no_more_is_wanted() {
        // Each comma is followed by a line of 40 indentations.
        let wide = format!("{}{}", "[".repeat(40), "1,".repeat(10_000));
        let out = laid_out(&wide, 5_000);
        assert!((5_000..5_200).contains(&out.len()), "{}", out.len());
    }
}
