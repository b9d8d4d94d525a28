//! Values of the front matter: a tree like JSON.

use std::fmt;

use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use crate::yaml::{Kind, Node};

/// A value of the front matter. It is bounded: at most 4,096 values, nested at most 16 levels deep.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Value {
    /// A key without a value, `null` or `~`.
    #[default]
    Null,
    /// `true` or `false`, in this spelling.
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Keys with values, in the order of the file.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Returns the value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the text of a text or number.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text),
            _ => None,
        }
    }

    /// Returns whether the value is a mapping or list without items, or null.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::List(items) => items.is_empty(),
            Self::Map(pairs) => pairs.is_empty(),
            Self::Bool(_) | Self::Number(_) | Self::Text(_) => false,
        }
    }

    pub(crate) fn from_node(node: &Node) -> Self {
        match &node.kind {
            Kind::Scalar { .. } if node.is_null() => Self::Null,
            Kind::Scalar { text, plain: true } => match text.as_str() {
                "true" => Self::Bool(true),
                "false" => Self::Bool(false),
                _ if is_number(text) => Self::Number(text.clone()),
                _ => Self::Text(text.clone()),
            },
            Kind::Scalar { text, plain: false } => Self::Text(text.clone()),
            Kind::List(items) => Self::List(items.iter().map(Self::from_node).collect()),
            Kind::Map(pairs) => Self::Map(
                pairs
                    .iter()
                    .map(|(key, value)| {
                        (
                            key.scalar().map_or_else(|| Self::from_node(key).to_string(), str::to_owned),
                            Self::from_node(value),
                        )
                    })
                    .collect(),
            ),
        }
    }
}

/// Returns whether a text is a number in JSON's form.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0') || digits.starts_with("0."))
        && !digits.ends_with('.')
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Writes the value as JSON, with numbers as they are written.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(text) => f.write_str(text),
            Self::Text(text) => write_text(f, text),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Map(pairs) => {
                f.write_str("{")?;
                for (index, (key, value)) in pairs.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    write_text(f, key)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(text) => match (text.parse::<i64>(), text.parse::<f64>()) {
                (Ok(number), _) => serializer.serialize_i64(number),
                (_, Ok(number)) => serializer.serialize_f64(number),
                _ => serializer.serialize_str(text),
            },
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Map(pairs) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    #[test]
    fn values_are_written_as_json() {
        let node = parse("{a: [1, -0.5, 007, yes, true, ~], 'b c': \"x\\n\\\"\", d: {}, e: 2026-11-30}").unwrap();
        let value = Value::from_node(&node);
        let json = r#"{"a": [1, -0.5, "007", "yes", true, null], "b c": "x\n\"", "d": {}, "e": "2026-11-30"}"#;
        assert_eq!(value.to_string(), json);
        let parsed: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_value(&value).unwrap(), parsed);
        assert_eq!(value.get("e").and_then(Value::as_text), Some("2026-11-30"));
        assert!(value.get("d").is_some_and(Value::is_empty) && !value.is_empty());
    }
}
