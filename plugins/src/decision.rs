//! What the program of a hook decides.

use serde_json::Map;
use toolc::Value;

/// The decision of the hook `before`.
#[derive(Debug, PartialEq)]
pub(crate) enum Decision {
    Allow,
    /// The call is not run, for this reason.
    Refuse(String),
    /// These arguments replace those of the same names.
    Change(Map<String, Value>),
}

/// The decision of the hook `transform`.
#[derive(Debug, PartialEq)]
pub(crate) enum Transformation {
    Keep,
    Replace(Value),
    /// The call ends with this error.
    Fail(String),
}

impl Decision {
    /// Reads the `result` of a reply. The error says what is wrong.
    pub(crate) fn read(result: Value) -> Result<Self, String> {
        const EXPECTED: &str =
            "expected the result `\"allow\"`, `{\"refuse\": \"reason\"}` or `{\"arguments\": {...}}`";
        match only_entry(result) {
            Entry::Word(word) if word == "allow" => Ok(Self::Allow),
            Entry::Key(key, Value::String(reason)) if key == "refuse" => Ok(Self::Refuse(reason)),
            Entry::Key(key, Value::Object(arguments)) if key == "arguments" => Ok(Self::Change(arguments)),
            other => Err(format!("{EXPECTED}, got {}", other.describe())),
        }
    }
}

impl Transformation {
    /// Reads the `result` of a reply. The error says what is wrong.
    pub(crate) fn read(result: Value) -> Result<Self, String> {
        const EXPECTED: &str = "expected the result `\"keep\"`, `{\"replace\": ...}` or `{\"fail\": \"message\"}`";
        match only_entry(result) {
            Entry::Word(word) if word == "keep" => Ok(Self::Keep),
            Entry::Key(key, value) if key == "replace" => Ok(Self::Replace(value)),
            Entry::Key(key, Value::String(message)) if key == "fail" => Ok(Self::Fail(message)),
            other => Err(format!("{EXPECTED}, got {}", other.describe())),
        }
    }
}

/// A result: a word, or an object with one key.
enum Entry {
    Word(String),
    Key(String, Value),
    Other(Value),
}

fn only_entry(result: Value) -> Entry {
    match result {
        Value::String(word) => Entry::Word(word),
        Value::Object(map) if map.len() == 1 => match map.into_iter().next() {
            Some((key, value)) => Entry::Key(key, value),
            None => Entry::Other(Value::Null),
        },
        other => Entry::Other(other),
    }
}

impl Entry {
    /// Returns the beginning of the result, for a message.
    fn describe(self) -> String {
        const MAX_CHARS: usize = 100;
        let text = match self {
            Self::Word(word) => Value::String(word).to_string(),
            Self::Key(key, value) => Value::Object(Map::from_iter([(key, value)])).to_string(),
            Self::Other(value) => value.to_string(),
        };
        match text.char_indices().nth(MAX_CHARS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

/// Returns whether a text occurs in any string of a value.
pub(crate) fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| contains(item, text)),
        Value::Object(map) => map.values().any(|value| contains(value, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_decision_is_one_of_three() {
        assert_eq!(Decision::read(json!("allow")), Ok(Decision::Allow));
        assert_eq!(Decision::read(json!({"refuse": "no"})), Ok(Decision::Refuse("no".to_owned())));
        assert!(matches!(Decision::read(json!({"arguments": {"a": 1}})), Ok(Decision::Change(_))));
        for (wrong, got) in [
            (json!("approve"), "got \"approve\""),
            (json!(null), "got null"),
            (json!({}), "got {}"),
            (json!({"refuse": 5}), "got {\"refuse\":5}"),
            (json!({"arguments": {}, "refuse": "no"}), "got {\"arguments\":{},\"refuse\":\"no\"}"),
            (json!({"arguments": []}), "got {\"arguments\":[]}"),
        ] {
            let error = Decision::read(wrong).expect_err("it is wrong");
            assert!(error.ends_with(got), "{error}");
        }
        let long = Decision::read(json!("x".repeat(1_000))).expect_err("it is wrong");
        assert!(long.ends_with('…') && long.len() < 300, "{long}");
    }

    #[test]
    fn a_transformation_is_one_of_three() {
        assert_eq!(Transformation::read(json!("keep")), Ok(Transformation::Keep));
        assert_eq!(Transformation::read(json!({"replace": null})), Ok(Transformation::Replace(Value::Null)));
        assert_eq!(Transformation::read(json!({"fail": "no"})), Ok(Transformation::Fail("no".to_owned())));
        assert!(Transformation::read(json!({"replaced": 1})).is_err());
    }
}
