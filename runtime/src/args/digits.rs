//! The digits of numbers, as the model wrote them. A [`Number`](serde_json::Number) rounds numbers beyond 64 bits, and loses the spelling of
//! fractions: `3.10` becomes `3.1`. The text of the arguments still has both.

use serde_json::{Map, Value};

use super::literal::{Spelling, spelling};
use super::open::spelled;
use super::origin::sent_key;
use crate::data::table::Table;
use crate::data::to_json;
use crate::number;

/// Replaces the strings that repair has made from numbers by what the model wrote.
#[cold]
pub(super) fn restore_strings(text: &str, repaired: &mut Value, table: &Table) {
    restore(text, repaired, table, &mut |value, sent| {
        if let (Value::String(converted), Spelling::Number(digits)) = (&mut *value, sent)
            && number::parse(digits).is_some_and(|number| to_json::text(&Value::Number(number)) == *converted)
        {
            *value = digits.into();
        }
    });
}

/// Replaces each number of `arguments` that is not the number in `text`, digit by digit, by what `write` returns for the digits.
pub(crate) fn restore_numbers(text: &str, arguments: &mut Value, write: &dyn Fn(&str) -> Value) {
    if !holds_float(arguments) {
        return;
    }
    restore(text, arguments, &Table::default(), &mut |value, sent| {
        let Value::Number(number) = &*value else { return };
        if !number.is_f64() {
            return;
        }
        let digits = match sent {
            Spelling::Number(digits) => number::parse(digits).map(|sent| (sent, digits.to_owned())),
            Spelling::Text(digits) => number::number_from(digits).zip(number::json_text(digits)),
        };
        // A hook may have changed the number.
        if let Some((sent, digits)) = digits
            && sent.as_f64() == number.as_f64()
            && number.to_string() != digits
        {
            *value = write(&digits);
        }
    });
}

/// Calls `each` with every value that is neither an array nor an object, and what the model wrote in its place.
fn restore(text: &str, value: &mut Value, table: &Table, each: &mut dyn FnMut(&mut Value, Spelling<'_>)) {
    if let Some(sent) = spelled(text) {
        walk(value, &sent, table, each);
    }
}

fn walk(value: &mut Value, sent: &Value, table: &Table, each: &mut dyn FnMut(&mut Value, Spelling<'_>)) {
    // The array or object of a string.
    if let (Value::Array(_) | Value::Object(_), Some(Spelling::Text(text))) = (&*value, spelling(sent))
        && let Some(inner) = spelled(text)
        && inner.is_array() == value.is_array()
    {
        return walk(value, &inner, table, each);
    }
    match (value, sent) {
        (Value::Array(items), Value::Array(sent)) => {
            for (item, sent) in items.iter_mut().zip(sent) {
                walk(item, sent, table, each);
            }
        }
        (Value::Object(map), Value::Object(sent)) => {
            for (key, sent_key) in keys(map, sent, table) {
                if let (Some(value), Some(sent)) = (map.get_mut(&key), sent.get(&sent_key)) {
                    walk(value, sent, table, each);
                }
            }
        }
        // A value of which repair has made an array.
        (Value::Array(items), sent) => {
            if let [item] = &mut items[..] {
                walk(item, sent, table, each);
            }
        }
        (value, sent) => {
            if let Some(sent) = spelling(sent) {
                each(value, sent);
            }
        }
    }
}

/// Returns the keys of an object, each with the key that was sent.
fn keys(map: &Map<String, Value>, sent: &Map<String, Value>, table: &Table) -> Vec<(String, String)> {
    let with_sent = |key: &String| sent_key(table, key, sent, map).map(|sent| (key.clone(), sent.to_owned()));
    map.keys().filter_map(with_sent).collect()
}

pub(super) fn holds_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(holds_float),
        Value::Object(map) => map.values().any(holds_float),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restored(text: &str, arguments: &str) -> String {
        let mut value = serde_json::from_str(arguments).unwrap();
        restore_numbers(text, &mut value, &|digits| format!("={digits}").into());
        value.to_string()
    }

    #[test]
    fn numbers_get_the_digits_that_were_sent() {
        for (sent, arguments, expected) in [
            (r#"{"a":123456789012345678901}"#, r#"{"a":1.2345678901234568e20}"#, r#"{"a":"=123456789012345678901"}"#),
            (r#"{"a":[1.50,-0,1e5,2.5]}"#, r#"{"a":[1.5,-0.0,100000.0,2.5]}"#, r#"{"a":["=1.50","=-0","=1e5",2.5]}"#),
            (r#"{"a":" +01.50 "}"#, r#"{"a":1.5}"#, r#"{"a":"=1.50"}"#),
            (r#"{"a":"{'b': [.250]}"}"#, r#"{"a":{"b":[0.25]}}"#, r#"{"a":{"b":[0.25]}}"#),
            (r#"{"a":"{'b': [0.250]}"}"#, r#"{"a":{"b":[0.25]}}"#, r#"{"a":{"b":["=0.250"]}}"#),
            (r#"{"fileSize":1.0e1,}"#, r#"{"file_size":10.0}"#, r#"{"file_size":"=1.0e1"}"#),
            (r#"{"a":1.10}"#, r#"{"a":[1.1]}"#, r#"{"a":["=1.10"]}"#),
            (r#""{\"a\":1.10}""#, r#"{"a":1.1}"#, r#"{"a":"=1.10"}"#),
            ("```json\n{\"a\":1.10}\n```", r#"{"a":1.1}"#, r#"{"a":"=1.10"}"#),
            (r#"{}{"a":1.10}"#, r#"{"a":1.1}"#, r#"{"a":"=1.10"}"#),
            // A hook has changed these.
            (r#"{"a":1.10}"#, r#"{"a":1.2}"#, r#"{"a":1.2}"#),
            (r#"{"a":1.10}"#, r#"{"b":1.1}"#, r#"{"b":1.1}"#),
            (r#"{"a":1.10"#, r#"{"a":1.1}"#, r#"{"a":1.1}"#),
        ] {
            assert_eq!(restored(sent, arguments), expected, "{sent}");
        }
    }
}
