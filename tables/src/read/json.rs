//! Converts TOML values to JSON: defaults, examples and the values of enums.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The place of a value that JSON cannot represent, and the reason.
pub type NotJson = (Range<usize>, String);

/// Converts a TOML value to JSON. `{ json = '...' }` represents values that TOML does not have, such as null.
pub fn json(value: &Spanned<DeValue<'_>>) -> Result<Value, NotJson> {
    let refuse = |why: &str| Err((value.span(), why.to_owned()));
    match value.get_ref() {
        DeValue::String(text) => Ok(Value::String(text.to_string())),
        DeValue::Boolean(flag) => Ok(Value::Bool(*flag)),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(integer) => Ok(Value::from(integer)),
            Err(_) => refuse("this integer does not fit 64 bits"),
        },
        DeValue::Float(float) => match float.as_str().parse().ok().and_then(serde_json::Number::from_f64) {
            Some(number) => Ok(Value::Number(number)),
            None => refuse("JSON has no infinity and no NaN"),
        },
        DeValue::Datetime(_) => refuse("JSON has no dates: write it as a string"),
        DeValue::Array(items) => items.iter().map(json).collect::<Result<_, _>>().map(Value::Array),
        DeValue::Table(table) => match written_as_json(table) {
            Some(text) => serde_json::from_str(text).or_else(|error| refuse(&format!("this is not JSON: {error}"))),
            None => table
                .iter()
                .map(|(key, value)| Ok((key.get_ref().to_string(), json(value)?)))
                .collect::<Result<_, NotJson>>()
                .map(Value::Object),
        },
    }
}

/// Returns the text of `{ json = '...' }`.
pub fn written_as_json<'t>(table: &'t DeTable<'_>) -> Option<&'t str> {
    if table.len() == 1 { table.get("json")?.get_ref().as_str() } else { None }
}
