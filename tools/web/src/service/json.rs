//! Answers in JSON, read leniently: what is missing, null or of another type is nothing.

use serde_json::Value;

/// Returns what is at the end of a path of keys.
pub(crate) fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.get(key)).filter(|value| !value.is_null())
}

/// Returns a text. A number is its digits; the texts of a list are joined.
pub(crate) fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" … "),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Returns the first text at one of these paths.
pub(crate) fn texts(value: &Value, paths: &[&[&str]]) -> Option<String> {
    paths.iter().find_map(|path| text(at(value, path)?))
}

/// Returns a number that is at least 0. It may be written as a text.
pub(crate) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    (number.is_finite() && number >= 0.0).then_some(number)
}
