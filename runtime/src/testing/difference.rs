//! Descriptions of the differences between two JSON values.

use std::collections::BTreeSet;

use serde_json::Value;

/// The maximum number of differences that are reported.
const MAX_DIFFERENCES: usize = 20;
/// The maximum length of a value in a report, in characters.
const MAX_VALUE_CHARS: usize = 200;

/// Returns a line for each path at which `got` differs from `expected`.
pub(super) fn differences(expected: &Value, got: &Value) -> Vec<String> {
    let mut differences = Vec::new();
    compare("", Some(expected), Some(got), &mut differences);
    let more = differences.len().saturating_sub(MAX_DIFFERENCES);
    differences.truncate(MAX_DIFFERENCES);
    if more > 0 {
        differences.push(format!("and {more} more"));
    }
    differences
}

fn compare(at: &str, expected: Option<&Value>, got: Option<&Value>, differences: &mut Vec<String>) {
    match (expected, got) {
        (Some(Value::Object(expected)), Some(Value::Object(got))) => {
            let keys: BTreeSet<&String> = expected.keys().chain(got.keys()).collect();
            for key in keys {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                compare(&at, expected.get(key), got.get(key), differences);
            }
        }
        (Some(Value::Array(expected)), Some(Value::Array(got))) => {
            for index in 0..expected.len().max(got.len()) {
                compare(&format!("{at}/{index}"), expected.get(index), got.get(index), differences);
            }
        }
        (Some(Value::String(expected)), Some(Value::String(got))) if expected != got => {
            differences.push(string_difference(at, expected, got));
        }
        (expected, got) if expected == got => {}
        (expected, got) => differences.push(format!(
            "{}: expected {}, got {}",
            path_or_root(at),
            excerpt_of(expected),
            excerpt_of(got)
        )),
    }
}

/// Describes the difference of two strings: of long ones, only the first line that differs.
fn string_difference(at: &str, expected: &str, got: &str) -> String {
    let is_long = |text: &str| text.contains('\n') || text.chars().count() > MAX_VALUE_CHARS;
    if !is_long(expected) && !is_long(got) {
        return format!("{}: expected {expected:?}, got {got:?}", path_or_root(at));
    }
    let (mut expected_lines, mut got_lines) = (expected.split_inclusive('\n'), got.split_inclusive('\n'));
    let mut line = 1;
    loop {
        match (expected_lines.next(), got_lines.next()) {
            (Some(expected), Some(got)) if expected == got => line += 1,
            (expected, got) => {
                let column = common_prefix(expected.unwrap_or_default(), got.unwrap_or_default());
                let cut =
                    |text: Option<&str>| text.map_or("the end of the string".to_owned(), |text| excerpt(text, column));
                return format!("{}, line {line}: expected {}, got {}", path_or_root(at), cut(expected), cut(got));
            }
        }
    }
}

/// Returns the length of the common beginning of two lines, in characters.
fn common_prefix(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// Returns the part of a long line around the first difference.
fn excerpt(line: &str, column: usize) -> String {
    let skipped = if line.chars().count() > MAX_VALUE_CHARS { column.saturating_sub(MAX_VALUE_CHARS / 4) } else { 0 };
    let text: String = line.chars().skip(skipped).take(MAX_VALUE_CHARS).collect();
    let before = if skipped > 0 { format!("(after {skipped} characters) ") } else { String::new() };
    format!("{before}{text:?}")
}

fn path_or_root(at: &str) -> &str {
    if at.is_empty() { "at the root" } else { at }
}

fn excerpt_of(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text,
    }
}
