//! Arguments of calls that are not a JSON object. The result of the call reports them to the model. Some APIs accept only an object in the
//! model's message, which these functions write.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::text::json;
use crate::wire::node::{Node, without_lone_surrogates};
use crate::wire::write::raw_json;
use serde_json::Value;
use serde_json::value::RawValue;

/// The key of the text of arguments that are not an object. Anthropic's guide to the streaming of arguments uses it.
const INVALID_KEY: &str = "INVALID_JSON";

/// Returns the JSON of arguments that a stream has assembled: their text as a string if it is not JSON, or exceeds the limits of
/// a message.
pub(super) fn assembled(text: &str) -> Box<RawValue> {
    let json = without_lone_surrogates(text);
    Node::root(&json, "").map_or_else(|_| raw_json(quoted(text)), |node| node.json.to_owned())
}

/// Returns the object for a text that is not an object: the object that is in the text, or one with the text.
pub(super) fn as_object(text: &str) -> String {
    match Node::root(text, "") {
        Ok(node) if node.json.get().starts_with('{') => text.to_owned(),
        _ => format!(r#"{{"{INVALID_KEY}":{}}}"#, quoted(text)),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    json::push_string(&mut out, text);
    out
}

/// Returns a number that is the same for arguments that are equal as JSON.
pub(super) fn fingerprint(arguments: &str) -> u64 {
    fn of(value: &Value) -> u64 {
        let mut hasher = DefaultHasher::new();
        match value {
            Value::Null => 0_u8.hash(&mut hasher),
            Value::Bool(value) => value.hash(&mut hasher),
            Value::Number(number) => number.as_f64().map(f64::to_bits).hash(&mut hasher),
            Value::String(text) => text.hash(&mut hasher),
            Value::Array(items) => items.iter().map(of).for_each(|item| item.hash(&mut hasher)),
            // The order of keys does not count.
            Value::Object(entries) => {
                let entry = |(key, value): (&String, &Value)| {
                    let mut hasher = DefaultHasher::new();
                    (key, of(value)).hash(&mut hasher);
                    hasher.finish()
                };
                entries.iter().map(entry).fold(1, u64::wrapping_add).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
    of(&serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into()))
}

#[cfg(all(test, feature = "wire-anthropic", feature = "wire-gemini"))]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_not_an_object_become_one() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
        for (text, expected) in [
            (r#"{"a":1}"#, r#"{"a":1}"#.to_owned()),
            ("[1]", r#"{"INVALID_JSON":"[1]"}"#.to_owned()),
            (r#"{"a": tru}"#, r#"{"INVALID_JSON":"{\"a\": tru}"}"#.to_owned()),
            (&deep, format!(r#"{{"INVALID_JSON":{}}}"#, quoted(&deep))),
        ] {
            assert_eq!(as_object(text), expected);
        }
        assert_eq!(assembled(r#"{"a": tru}"#).get(), r#""{\"a\": tru}""#);
        assert_eq!(assembled(&deep).get(), quoted(&deep));
        assert_eq!(assembled(" [1.50] ").get(), "[1.50]");
        assert_eq!(assembled(r#"{"a":"\ud83d"}"#).get(), r#"{"a":"\ufffd"}"#);
    }

    #[test]
    fn equal_arguments_have_one_fingerprint() {
        let one = fingerprint(r#"{"a":[1,{"b":null}],"c":"x"}"#);
        assert_eq!(one, fingerprint(r#" {"c":"\u0078", "a":[1.0,{"b":null}]}"#));
        for other in [r#"{"a":[{"b":null},1],"c":"x"}"#, r#"{"a":[1,{"c":null}],"b":"x"}"#, "{", "[]"] {
            assert_ne!(one, fingerprint(other), "{other}");
        }
    }
}
