//! Parsing JSON text into a tree, with two checks that `serde_json::Value` lacks: the depth, and duplicate keys.

use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::expectation_text;
use super::literal::{self, Spelling};
use crate::number;

/// Whether another crate in the program has enabled the feature `arbitrary_precision` of `serde_json`, which represents
/// numbers as strings.
const NUMBERS_ARE_STRINGS: bool = size_of::<Number>() == size_of::<String>();

/// With that feature, the deserializer represents a number that is not a 64-bit integer as an object with this key and a
/// string.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// The beginning of the error message about the depth.
pub(super) const TOO_DEEP: &str = "arrays and objects are nested too deeply";

/// The beginning of the error message about numbers, which `serde_json` uses, too.
pub(super) const OUT_OF_RANGE: &str = "number out of range";

/// A parser of one value.
#[derive(Clone, Copy)]
pub(super) struct Tree {
    /// The maximum depth of nested arrays and objects.
    pub(super) depth: usize,
    /// Whether a duplicate key is an error; otherwise, the last one wins.
    pub(super) unique: bool,
}

impl Tree {
    /// Parses any JSON text.
    pub(super) fn any(text: &str) -> serde_json::Result<Value> {
        Self { depth: 127, unique: false }.parse(text)
    }

    /// Parses the whole `text` as one value.
    pub(super) fn parse(self, text: &str) -> serde_json::Result<Value> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let mut value = self.deserialize(&mut deserializer)?;
        deserializer.end()?;
        if holds_ambiguous(&value)
            && let Some(spelled) = literal::spelled_value(text)
        {
            read_exactly(&mut value, &spelled);
        }
        Ok(value)
    }

    fn inner<E: Error>(self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Self { depth, ..self }),
            None => Err(E::custom(TOO_DEEP)),
        }
    }
}

/// Returns whether a float may be an integer that the deserializer has rounded, as of `9007199254740993.0`.
fn holds_ambiguous(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64() && number.as_f64().is_some_and(number::is_ambiguous),
        Value::Array(items) => items.iter().any(holds_ambiguous),
        Value::Object(map) => map.values().any(holds_ambiguous),
        _ => false,
    }
}

/// Reads floats again from their digits, which `spelled` has.
fn read_exactly(value: &mut Value, spelled: &Value) {
    match (value, spelled) {
        (Value::Array(items), Value::Array(spelled)) => {
            items.iter_mut().zip(spelled).for_each(|(item, spelled)| read_exactly(item, spelled));
        }
        (Value::Object(map), Value::Object(spelled)) => {
            for (key, value) in map {
                if let Some(spelled) = spelled.get(key) {
                    read_exactly(value, spelled);
                }
            }
        }
        (Value::Number(number), spelled) if number.is_f64() => {
            if let Some(Spelling::Number(digits)) = literal::spelling(spelled)
                && let Some(exact) = number::parse(digits)
            {
                *number = exact;
            }
        }
        _ => {}
    }
}

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom(OUT_OF_RANGE))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if NUMBERS_ARE_STRINGS && key == NUMBER_KEY && object.is_empty() {
                let number = number::parse(&map.next_value::<String>()?).map(Value::Number);
                return number.ok_or_else(|| A::Error::custom(OUT_OF_RANGE));
            }
            let value = map.next_value_seed(inner)?;
            match object.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(entry) if self.unique => {
                    let key = expectation_text::quoted(entry.key());
                    return Err(A::Error::custom(format_args!("the key {key} occurs twice in one object")));
                }
                Entry::Occupied(mut entry) => {
                    entry.insert(value);
                }
            }
        }
        Ok(Value::Object(object))
    }
}
