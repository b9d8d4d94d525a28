//! Shows calls and texts of several lines.

use serde_json::Value;
use toolc::text::beginning;

use super::counted;
use super::glyphs::one_line;

/// Escapes the control characters of a text, and keeps its line breaks.
pub(crate) fn lines(text: &str) -> String {
    text.split('\n').map(|line| one_line(line.trim_end_matches('\r'))).collect::<Vec<_>>().join("\n")
}

/// Returns a call on one line of at most `width` columns: `📖 read_file a.txt, limit=5`.
pub(crate) fn call(emoji: &str, tool: &str, arguments: &Value, width: usize) -> String {
    let mut parts = Vec::new();
    if let Some(arguments) = arguments.as_object() {
        for (index, (name, value)) in arguments.iter().enumerate() {
            let value = match value {
                Value::String(text) => one_line(text),
                // Objects would fill the line without saying much.
                Value::Array(items) if items.iter().any(Value::is_object) => counted(items.len(), "item"),
                other => one_line(&other.to_string()),
            };
            // The first argument usually says what the call is about.
            parts.push(if index == 0 && arguments.len() == 1 { value } else { format!("{}={value}", one_line(name)) });
        }
    }
    let emoji = if emoji.is_empty() { String::new() } else { format!("{} ", one_line(emoji)) };
    let text = format!("{emoji}{} {}", one_line(tool), parts.join(", "));
    beginning(text.trim_end(), width).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_one_line_without_control_characters() {
        assert_eq!(call("📖", "read_file", &json!({"path": "a.txt"}), 80), "📖 read_file a.txt");
        assert_eq!(call("", "x", &json!({"a": "b\n\u{1b}[2J", "c": [1]}), 80), "x a=b⏎<U+001B>[2J, c=[1]");
        assert_eq!(call("📋", "todo", &json!({"todos": [{ "id": "a" }, { "id": "b" }]}), 80), "📋 todo 2 items");
        assert_eq!(call("", "x", &json!({"a": "y".repeat(100)}), 10), "x yyyyyyyy…");
        assert_eq!(call("", "x", &Value::Null, 10), "x");
        assert_eq!(lines("a\r\nb\u{7}\n"), "a\nb<U+0007>\n");
    }
}
