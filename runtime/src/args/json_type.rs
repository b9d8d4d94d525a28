//! JSON types and equality of values.

use serde_json::Value;

use super::tree::Tree;
use crate::data::bounds;
use crate::data::table::{Bound, Literal, Type, Types};
use crate::data::to_json::ToJson as _;
use crate::number;
use crate::sorted;

/// Returns whether `value` has one of `types`.
pub(super) fn fits(types: Types, value: &Value) -> bool {
    types.is_any() || types.iter().any(|t| is(t, value)) || (types.has_wide_integers() && is_whole(value))
}

/// Returns whether `value` is an integer of any size.
fn is_whole(value: &Value) -> bool {
    matches!(value, Value::Number(number) if !number.is_f64() || number.as_f64().is_some_and(|float| float.fract() == 0.0))
}

fn is(wanted: Type, value: &Value) -> bool {
    match (wanted, value) {
        (Type::Null, Value::Null)
        | (Type::Boolean, Value::Bool(_))
        | (Type::Number, Value::Number(_))
        | (Type::String, Value::String(_))
        | (Type::Array, Value::Array(_))
        | (Type::Object, Value::Object(_)) => true,
        (Type::Integer, Value::Number(number)) => number::integer(number).is_some(),
        _ => false,
    }
}

/// Returns whether `value` equals `literal`. Numbers are compared by value: 3 equals 3.0.
pub(super) fn equals(literal: &Literal, value: &Value) -> bool {
    match (literal, value) {
        (Literal::Null, Value::Null) => true,
        (Literal::Boolean(a), Value::Bool(b)) => a == b,
        (Literal::Integer(a), Value::Number(b)) => {
            bounds::compare(b, Bound::Integer(*a)).is_some_and(std::cmp::Ordering::is_eq)
        }
        (Literal::Number(a), Value::Number(b)) => {
            bounds::compare(b, Bound::Number(*a)).is_some_and(std::cmp::Ordering::is_eq)
        }
        (Literal::String(a), Value::String(b)) => a == b,
        (Literal::Json(a), Value::Array(_) | Value::Object(_)) => Tree::any(a).is_ok_and(|a| same(&a, value)),
        _ => false,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => number::equal(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Null, Value::Null) => true,
        _ => false,
    }
}

/// Writes a text that is equal exactly for values that are the [`same`].
pub(super) fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => match number::exact(number) {
            Some(integer) => out.push_str(&integer.to_string()),
            None => value.to_json(out),
        },
        Value::Array(items) => {
            out.push('[');
            for item in items {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(map) => {
            let entries: Vec<(&String, &Value)> = map.iter().collect();
            out.push('{');
            for at in sorted::positions(entries.len(), &|a, b| entries[a].0.cmp(entries[b].0)) {
                let (key, value) = entries[at];
                crate::text::json::push_string(out, key);
                out.push(':');
                canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::String(text) => crate::text::json::push_string(out, text),
        Value::Null | Value::Bool(_) => value.to_json(out),
    }
}
