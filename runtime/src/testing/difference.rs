//! Descriptions of the differences between two JSON values.

use std::collections::BTreeSet;

use serde_json::Value;

/// The maximum number of differences that are reported.
const MOST: usize = 20;
/// The maximum length of a value in a report, in characters.
const LONGEST: usize = 200;

/// Returns a line for each place where `got` differs from `expected`.
pub(super) fn differences(expected: &Value, got: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", Some(expected), Some(got), &mut found);
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found
}

fn compare(at: &str, expected: Option<&Value>, got: Option<&Value>, found: &mut Vec<String>) {
    match (expected, got) {
        (Some(Value::Object(expected)), Some(Value::Object(got))) => {
            let keys: BTreeSet<&String> = expected.keys().chain(got.keys()).collect();
            for key in keys {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                compare(&at, expected.get(key), got.get(key), found);
            }
        }
        (Some(Value::Array(expected)), Some(Value::Array(got))) => {
            for index in 0..expected.len().max(got.len()) {
                compare(&format!("{at}/{index}"), expected.get(index), got.get(index), found);
            }
        }
        (Some(Value::String(expected)), Some(Value::String(got))) if expected != got => {
            found.push(in_text(at, expected, got));
        }
        (expected, got) if expected == got => {}
        (expected, got) => found.push(format!("{}: expected {}, got {}", place(at), shown(expected), shown(got))),
    }
}

/// Describes the first line in which two strings differ.
fn in_text(at: &str, expected: &str, got: &str) -> String {
    let is_long = |text: &str| text.contains('\n') || text.chars().count() > LONGEST;
    if !is_long(expected) && !is_long(got) {
        return format!("{}: expected {expected:?}, got {got:?}", place(at));
    }
    let (mut here, mut there) = (expected.split_inclusive('\n'), got.split_inclusive('\n'));
    let mut line = 1;
    loop {
        match (here.next(), there.next()) {
            (Some(expected), Some(got)) if expected == got => line += 1,
            (expected, got) => {
                let column = common(expected.unwrap_or_default(), got.unwrap_or_default());
                let cut = |text: Option<&str>| text.map_or("its end".to_owned(), |text| excerpt(text, column));
                return format!("{}, line {line}: expected {}, got {}", place(at), cut(expected), cut(got));
            }
        }
    }
}

/// Returns the length of the common beginning of two lines, in characters.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// Returns the part of a long line around the first difference.
fn excerpt(line: &str, column: usize) -> String {
    let skipped = if line.chars().count() > LONGEST { column.saturating_sub(LONGEST / 4) } else { 0 };
    let text: String = line.chars().skip(skipped).take(LONGEST).collect();
    let before = if skipped > 0 { format!("(after {skipped} characters) ") } else { String::new() };
    format!("{before}{text:?}")
}

fn place(at: &str) -> &str {
    if at.is_empty() { "at the top" } else { at }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text,
    }
}
