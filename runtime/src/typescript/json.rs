//! JSON values that keep the order of keys, whichever map `serde_json` was built with: the text of a declaration must not depend on
//! the features of a program.

use std::collections::HashMap;
use std::fmt;

use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::text::json::push_string;
use crate::text::prose::KeywordValue;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Boolean(bool),
    Number(Number),
    String(String),
    Array(Vec<Json>),
    /// In the order of the text, each key once.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a text that is nested at most 127 levels deep, which is the limit of `serde_json`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Returns the entry of an object.
    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the entries, none if the value is not an object.
    pub(super) fn entries(&self) -> &[(String, Json)] {
        if let Json::Object(entries) = self { entries } else { &[] }
    }

    /// Returns the items, none if the value is not an array.
    pub(super) fn items(&self) -> &[Json] {
        if let Json::Array(items) = self { items } else { &[] }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    /// Returns the target of a JSON Pointer.
    pub(super) fn pointer(&self, pointer: &str) -> Option<&Json> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, token| match value {
            Json::Object(_) => value.get(&token.replace("~1", "/").replace("~0", "~")),
            Json::Array(items) => items.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }
}

impl KeywordValue for Json {
    fn as_count(&self) -> Option<u64> {
        if let Json::Number(number) = self { number.as_u64() } else { None }
    }

    fn as_text(&self) -> Option<&str> {
        self.as_str()
    }

    fn as_items(&self) -> Option<&[Self]> {
        if let Json::Array(items) = self { Some(items) } else { None }
    }

    fn is_false(&self) -> bool {
        *self == Json::Boolean(false)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| {
            let mut out = String::new();
            push_string(&mut out, text);
            out
        };
        match self {
            Json::Null => f.write_str("null"),
            Json::Boolean(flag) => write!(f, "{flag}"),
            Json::Number(number) => write!(f, "{number}"),
            Json::String(text) => f.write_str(&quoted(text)),
            Json::Array(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Json::Object(entries) => {
                f.write_str("{")?;
                for (at, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{}:{value}", if at > 0 { "," } else { "" }, quoted(key))?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Returns a number from its JSON text, as `serde_json` reads it without `arbitrary_precision`.
fn number(text: &str) -> Option<Json> {
    let integer = text.parse().map(u64::into).or_else(|_| text.parse().map(i64::into));
    integer.ok().or_else(|| Number::from_f64(text.parse().ok()?)).map(Json::Number)
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyJson;

        impl<'de> Visitor<'de> for AnyJson {
            type Value = Json;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }

            fn visit_bool<E>(self, flag: bool) -> Result<Json, E> {
                Ok(Json::Boolean(flag))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
                Ok(Json::Number(number.into()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
                Ok(Json::Number(number.into()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Json, E> {
                Number::from_f64(number).map(Json::Number).ok_or_else(|| E::custom("a number that JSON does not have"))
            }

            fn visit_str<E>(self, text: &str) -> Result<Json, E> {
                Ok(Json::String(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
                let mut all = Vec::new();
                while let Some(item) = items.next_element()? {
                    all.push(item);
                }
                Ok(Json::Array(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
                let mut all: Vec<(String, Json)> = Vec::new();
                let mut positions: HashMap<String, usize> = HashMap::new();
                while let Some((key, value)) = entries.next_entry::<String, Json>()? {
                    // Another crate in the program may have enabled `arbitrary_precision`, with which numbers come so.
                    if let ("$serde_json::private::Number", Json::String(text), true) = (&*key, &value, all.is_empty())
                    {
                        return number(text).ok_or_else(|| A::Error::custom("a number that JSON does not have"));
                    }
                    // As in `serde_json`, the last value of a key counts.
                    if let Some(&at) = positions.get(&key) {
                        all[at].1 = value;
                    } else {
                        positions.insert(key.clone(), all.len());
                        all.push((key, value));
                    }
                }
                Ok(Json::Object(all))
            }
        }

        deserializer.deserialize_any(AnyJson)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_keys_is_kept() {
        let text = r#"{"b":[1,-2,1.5,true,null],"a":{"z":"\"\\\n","y":{}}}"#;
        let json = Json::parse(text).unwrap();
        assert_eq!(json.to_string(), text);
        assert_eq!(json.pointer("/a/z").and_then(Json::as_str), Some("\"\\\n"));
        assert_eq!(json.pointer("/b/1").map(Json::to_string).as_deref(), Some("-2"));
        assert_eq!((json.pointer("/b/9"), json.pointer("x")), (None, None));
        assert_eq!(Json::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap().to_string(), r#"{"a":3,"b":2}"#);
        assert_eq!(Json::parse(&"[".repeat(200)), None);
    }
}
