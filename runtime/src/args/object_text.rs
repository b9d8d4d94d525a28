//! The object in the text of arguments, as JSON.

use std::borrow::Cow;

use serde_json::Value;

use super::Limits;
use super::literal::{Spelling, spelling};
use super::open::{parse_arguments, spelled};
use crate::text::json;

/// Returns the JSON of the object that a call with these arguments passes to its tool, as far as it is known without a schema: the text
/// itself if that is the JSON of an object, or else the object that is read in it, with the digits of the model. Returns `None` if the
/// arguments cannot be read.
pub(crate) fn object_text(text: &str) -> Option<Cow<'_, str>> {
    let limits = Limits::default();
    let mut json = Cow::Borrowed(text);
    let (mut value, mut repaired) = parse_arguments(text, limits).ok()?;
    // Arguments as a whole may be a string.
    if let Value::String(inner) = value {
        (value, repaired) = parse_arguments(&inner, limits).ok()?;
        json = inner.into();
    }
    if !value.is_object() {
        return None;
    }
    if repaired.is_none() {
        return Some(match json {
            Cow::Borrowed(json) => json.trim().into(),
            Cow::Owned(json) => json.trim().to_owned().into(),
        });
    }
    let mut out = String::with_capacity(text.len());
    match spelled(&json) {
        Some(spelled) => write(&mut out, &spelled),
        // Missing arguments.
        None => out = value.to_string(),
    }
    Some(out.into())
}

/// Writes a value with the digits of its numbers.
fn write(out: &mut String, spelled: &Value) {
    match (spelling(spelled), spelled) {
        (Some(Spelling::Number(digits)), _) => out.push_str(digits),
        (Some(Spelling::Text(text)), _) => json::push_string(out, text),
        (None, Value::Array(items)) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write(out, item);
            }
            out.push(']');
        }
        (None, Value::Object(entries)) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                json::push_string(out, key);
                out.push(':');
                write(out, value);
            }
            out.push('}');
        }
        (None, other) => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_written_as_the_object_that_is_read_in_them() {
        for (text, expected) in [
            (r#" {"b": 1.50, "a": {"c":"x"}} "#, Some(r#"{"b": 1.50, "a": {"c":"x"}}"#)),
            ("", Some("{}")),
            (" \n", Some("{}")),
            ("null", Some("{}")),
            (r#""""#, Some("{}")),
            (r#""{\"a\": 1.50}""#, Some(r#"{"a": 1.50}"#)),
            (r#""{}""#, Some("{}")),
            ("{'a': True, 'b': [None, 3.10,], 'c': \"it's\"}", Some(r#"{"a":true,"b":[null,3.10],"c":"it's"}"#)),
            ("{\"a\": \"x\ny\"}", Some(r#"{"a":"x\ny"}"#)),
            (r#"{"a":123456789012345678901234567890,}"#, Some(r#"{"a":123456789012345678901234567890}"#)),
            (r#"{"a":1.0}{"a":1.0}"#, Some(r#"{"a":1.0}"#)),
            (r#"{}{"a":"n1"}"#, Some(r#"{"a":"n1"}"#)),
            ("```json\n{\"a\": 1e5}\n```", Some(r#"{"a":1e5}"#)),
            (r#"{"a":1}{"a":2}"#, None),
            (r#"{"a": "#, None),
            ("[1]", None),
            ("7", None),
            ("x", None),
            (r#""x""#, None),
        ] {
            assert_eq!(object_text(text).as_deref(), expected, "{text}");
        }
    }
}
