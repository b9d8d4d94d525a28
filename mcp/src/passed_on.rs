//! The data that `toolc mcp serve` passes on from MCP servers to its clients, and that no model sees: icons of tools, and `_meta` of
//! tools and results.

use serde_json::{Map, Value};
use toolc::client_fields::{MAX_ICONS, is_icon, is_meta, is_meta_key};

/// The keys without a prefix that have a meaning in the protocol, between one client and its server.
const PROTOCOL_KEYS: &[&str] = &["progressToken", "traceparent", "tracestate", "baggage"];
/// The labels of prefixes that the protocol reserves.
const RESERVED: &[&str] = &["modelcontextprotocol", "mcp"];
/// The key of MCP Apps, which is also their prefix. Such keys refer to resources, which are not passed on.
const APPS: &str = "ui";

/// Returns the icons of a definition, at most [`MAX_ICONS`]. Icons that are not pictures or are too large are left out.
pub(crate) fn icons(definition: &Value) -> Option<Value> {
    let icons = definition["icons"].as_array()?.iter().filter(|icon| is_icon(icon)).take(MAX_ICONS);
    let icons: Vec<Value> = icons.cloned().collect();
    (!icons.is_empty()).then(|| icons.into())
}

/// Returns the part of `_meta` that is passed on. `None` if nothing is left, or if the rest is too large.
pub(crate) fn meta(meta: &Map<String, Value>) -> Option<Value> {
    let passed = meta.iter().filter(|(key, _)| is_passed_on(key)).map(|(key, value)| (key.clone(), value.clone()));
    let passed = Value::Object(passed.collect());
    (passed.as_object().is_some_and(|passed| !passed.is_empty()) && is_meta(&passed)).then_some(passed)
}

/// Returns whether a key belongs to neither the protocol nor MCP Apps, and has the form that the protocol requires.
fn is_passed_on(key: &str) -> bool {
    if !is_meta_key(key) {
        return false;
    }
    let Some((prefix, _)) = key.split_once('/') else { return !PROTOCOL_KEYS.contains(&key) && key != APPS };
    // In `io.modelcontextprotocol/`, the second label is reserved. Before 2025-11-25, it was the first: `modelcontextprotocol.io/`.
    let belongs_to_protocol = prefix.split('.').take(2).any(|label| RESERVED.contains(&label));
    !belongs_to_protocol && prefix != APPS
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_of_the_protocol_are_not_passed_on() {
        for passed in
            ["com.example/kind", "com.example.mcp/kind", "example/kind", "com.mcp-tools/x", "kind", "com.example/"]
        {
            assert!(is_passed_on(passed), "{passed}");
        }
        for dropped in [
            "io.modelcontextprotocol/serverInfo",
            "dev.mcp/x",
            "org.modelcontextprotocol.api/x",
            "com.mcp.tools/x",
            "modelcontextprotocol.io/x",
            "mcp.dev/x",
            "mcp/x",
            "progressToken",
            "traceparent",
            "tracestate",
            "baggage",
            "ui",
            "ui/resourceUri",
            "",
            "/x",
            "_private",
            "com..example/x",
            "com.example/x/y",
            "1com.example/x",
            "a b",
        ] {
            assert!(!is_passed_on(dropped), "{dropped}");
        }
    }

    #[test]
    fn meta_without_a_key_or_with_too_much_is_left_out() {
        let passed = |value: Value| meta(value.as_object().expect("it is an object"));
        assert_eq!(passed(json!({ "a": 1, "mcp.dev/b": 2 })), Some(json!({ "a": 1 })));
        assert_eq!(passed(json!({ "mcp.dev/b": 2 })), None);
        assert_eq!(passed(json!({ "a": "x".repeat(16 << 10) })), None);
    }

    #[test]
    fn icons_that_are_not_pictures_and_those_above_the_limit_are_left_out() {
        let picture = json!({ "src": "https://example.com/i.png", "theme": "dark" });
        let (script, plain) = (json!({ "src": "javascript:alert(1)" }), json!({ "src": "http://example.com/i.png" }));
        assert_eq!(icons(&json!({ "icons": [script, picture, plain, 7] })), Some(json!([picture])));
        assert_eq!(icons(&json!({ "icons": vec![&picture; 20] })), Some(json!(vec![&picture; 8])));
        assert_eq!((icons(&json!({ "icons": [script] })), icons(&json!({}))), (None, None));
    }
}
