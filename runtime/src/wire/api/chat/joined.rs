//! Values of a streamed message that later chunks may extend. They keep the text that the server sent: numbers of any size, the order
//! of keys, and escapes.

use std::collections::BTreeMap;

use crate::text::json;
use crate::wire::WireError;
use crate::wire::node::{MAX_VALUES, Node, Object, measure, without_lone_surrogates};
use crate::wire::write::{list, raw_json};
use serde_json::value::RawValue;

/// Keys whose strings are streamed in fragments, which are concatenated. Two fragments may be equal.
const FRAGMENT_KEYS: &[&str] = &[
    "refusal",
    "arguments",
    "input",
    "text",
    "reasoning",
    "reasoning_content",
    "reasoning_text",
    "thinking",
    "data",
    "transcript",
];
/// Keys whose strings are sent complete in one chunk. Some servers repeat them in every chunk.
const WHOLE_KEYS: &[&str] = &["id", "type", "role", "name"];

/// The entries of an object.
pub(super) type Entries = BTreeMap<String, Joined>;

#[derive(Debug)]
pub(super) enum Joined {
    /// The content of a string with its escapes: a fragment may end between the halves of a surrogate pair.
    Text(String),
    List(Vec<Box<RawValue>>),
    /// An object that several chunks have sent.
    Object(Entries),
    /// Any other value, or the object of one chunk.
    Whole(Box<RawValue>),
}

/// Returns the content of a JSON string, with its escapes, or `None` for any other value.
pub(super) fn content(json: &RawValue) -> Option<&str> {
    json.get().strip_prefix('"')?.strip_suffix('"')
}

/// Returns the string with this content.
pub(super) fn string(content: &str) -> Box<RawValue> {
    raw_json(format!("\"{}\"", without_lone_surrogates(content)))
}

/// Counts all values of a new value.
pub(super) fn count(new: &Node<'_>, values: &mut usize) -> Result<(), WireError> {
    *values += measure(new.json.get()).1;
    if *values > MAX_VALUES {
        return Err(WireError::new(&*new.path, format!("at most {MAX_VALUES} values in all"), "more"));
    }
    Ok(())
}

/// Merges the value of `key` in a chunk into the accumulated value: strings and arrays are concatenated, objects are
/// merged key by key, and otherwise the latest value wins. A string that equals the accumulated one is a repetition and
/// is dropped, except for [`FRAGMENT_KEYS`]. `values` counts all values.
pub(super) fn join(known: &mut Entries, key: &str, new: &Node<'_>, values: &mut usize) -> Result<(), WireError> {
    let Some(old) = known.get_mut(key) else {
        count(new, values)?;
        known.insert(key.to_owned(), Joined::new(new)?);
        return Ok(());
    };
    match (old, Joined::new(new)?) {
        (Joined::Text(old), Joined::Text(text)) if WHOLE_KEYS.contains(&key) => {
            if old.is_empty() {
                *old = text;
            } else if !text.is_empty() && *old != text {
                return Err(new.unexpected("the same value as before"));
            }
        }
        (Joined::Text(old), Joined::Text(text)) => {
            if *old != text || FRAGMENT_KEYS.contains(&key) {
                old.push_str(&text);
            }
        }
        (Joined::List(old), Joined::List(items)) => {
            count(new, values)?;
            old.extend(items);
        }
        (old, joined) => {
            if let Ok(object) = new.object()
                && let Some(entries) = old.entries()?
            {
                let known = object.all().filter_map(|(key, _)| Some((key, object.get(key)?)));
                return known.into_iter().try_for_each(|(key, new)| join(entries, key, &new, values));
            }
            count(new, values)?;
            *old = joined;
        }
    }
    Ok(())
}

impl Joined {
    fn new(node: &Node<'_>) -> Result<Self, WireError> {
        Ok(match (content(node.json), node.json.get().starts_with('[')) {
            (Some(content), _) => Self::Text(content.to_owned()),
            (None, true) => Self::List(node.items()?.into_iter().map(|item| item.json.to_owned()).collect()),
            (None, false) => Self::Whole(node.json.to_owned()),
        })
    }

    /// Returns the string with this text.
    pub(super) fn text(text: &str) -> Self {
        let mut content = String::with_capacity(text.len());
        json::push_escaped(&mut content, text);
        Self::Text(content)
    }

    /// Returns the entries if this is an object.
    pub(super) fn entries(&mut self) -> Result<Option<&mut Entries>, WireError> {
        if let Self::Whole(json) = self
            && json.get().starts_with('{')
        {
            let object = Node { json, path: String::new() }.object()?;
            let entry =
                |(key, json): (&str, &RawValue)| Ok((key.to_owned(), Self::new(&Node { json, path: String::new() })?));
            *self = Self::Object(object.all().map(entry).collect::<Result<Entries, WireError>>()?);
        }
        Ok(if let Self::Object(entries) = self { Some(entries) } else { None })
    }

    /// Returns the JSON of the value.
    pub(super) fn json(&self) -> Box<RawValue> {
        match self {
            Self::Text(content) => string(content),
            Self::List(items) => raw_json(list(items)),
            Self::Object(entries) => object(entries),
            Self::Whole(json) => json.clone(),
        }
    }
}

/// Returns the JSON of an object without a key.
pub(super) fn without(object: &Object<'_>, key: &str) -> Box<RawValue> {
    let entries = object.all().filter(|(other, _)| *other != key);
    self::object(&entries.map(|(key, json)| (key.to_owned(), Joined::Whole(json.to_owned()))).collect())
}

/// Returns the JSON of an object with these entries.
pub(super) fn object(entries: &Entries) -> Box<RawValue> {
    let mut out = String::from("{");
    for (key, value) in entries {
        if out.len() > 1 {
            out.push(',');
        }
        json::push_string(&mut out, key);
        out.push(':');
        out.push_str(value.json().get());
    }
    out.push('}');
    raw_json(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(known: &str, new: &str, values: &mut usize) -> Result<String, WireError> {
        let mut entries = Entries::new();
        let mut ignored = 0;
        for (json, values) in [(known, &mut ignored), (new, values)] {
            join(&mut entries, "x", &Node::root(json, "/x").unwrap(), values)?;
        }
        Ok(entries["x"].json().get().to_owned())
    }

    #[test]
    fn values_are_merged_without_a_change_of_their_text() {
        for (known, new, expected) in [
            (r#""\ud83d""#, r#""\ude00é""#, r#""\ud83d\ude00é""#),
            (r#""\ud83d""#, r#""a""#, r#""\ufffda""#),
            (r#""a""#, r#""a""#, r#""a""#),
            ("[1.0]", "[1e400, {}]", "[1.0,1e400,{}]"),
            (
                r#"{"z":1.50,"a":{"b":"c"}}"#,
                r#"{"z":null,"a":{"b":"d", "e":1e400}}"#,
                r#"{"a":{"b":"cd","e":1e400},"z":1.50}"#,
            ),
            (r#"{"z":1.50, "a":1}"#, "7", "7"),
            ("null", r#"{"z": 1, "a": 2}"#, r#"{"z": 1, "a": 2}"#),
        ] {
            assert_eq!(joined(known, new, &mut 0).as_deref(), Ok(expected), "{known} {new}");
        }
    }

    #[test]
    fn the_number_of_merged_values_is_limited() {
        for (known, new, count) in [
            ("1", "[0, 0, 0]", 4),
            (r#"{"x":1}"#, r#"{"y":[0, 0]}"#, 3),
            ("[0]", "[[0], 0, 0]", 5),
            (r#"{"y":[0]}"#, r#"{"z":{},"y":[[[0]]]}"#, 6),
        ] {
            let most = MAX_VALUES - count;
            let mut values = most;
            joined(known, new, &mut values).unwrap();
            assert_eq!(values, MAX_VALUES, "{known} {new}");
            let error = joined(known, new, &mut (most + 1)).unwrap_err().to_string();
            assert!(error.ends_with("expected at most 4194304 values in all, got more"), "{error}");
        }
    }
}
