//! A value of a message, together with its place. Its text stays as it was sent, so that what goes back to the vendor
//! is the same to the letter: numbers, the order of keys, and all.
#![cfg_attr(
    not(all(feature = "wire-openai", feature = "wire-anthropic")),
    allow(dead_code, reason = "some vendor needs it")
)]

use std::collections::BTreeMap;

use crate::RawValue;
use crate::shown::Short;
use crate::wire::WireError;

/// Levels of lists and objects within each other.
const DEEPEST: usize = 128;
/// Characters of a text that an error shows.
const LONGEST_WORD: usize = 40;

/// A JSON value, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) json: &'a RawValue,
    pub(super) place: String,
}

/// The entries of an object, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Object<'a> {
    entries: BTreeMap<String, &'a RawValue>,
    place: String,
}

impl<'a> Node<'a> {
    /// The JSON text `json` as a whole.
    pub(super) fn root(json: &'a str, place: impl Into<String>) -> Result<Self, WireError> {
        let place = place.into();
        if depth(json) > DEEPEST {
            return Err(WireError::new(place, format!("at most {DEEPEST} levels of JSON"), "more"));
        }
        match serde_json::from_str(json) {
            Ok(json) => Ok(Self { json, place }),
            Err(error) => {
                let got = format!("`{}` ({error})", Short(json.trim_start(), LONGEST_WORD));
                Err(WireError::new(place, "JSON", got))
            }
        }
    }

    pub(super) fn object(&self) -> Result<Object<'a>, WireError> {
        let entries = serde_json::from_str(self.json.get()).map_err(|_| self.not("an object"))?;
        Ok(Object { entries, place: self.place.clone() })
    }

    pub(super) fn items(&self) -> Result<Vec<Node<'a>>, WireError> {
        let items: Vec<&RawValue> = serde_json::from_str(self.json.get()).map_err(|_| self.not("a list"))?;
        Ok(items
            .into_iter()
            .enumerate()
            .map(|(at, json)| Node { json, place: format!("{}/{at}", self.place) })
            .collect())
    }

    pub(super) fn text(&self) -> Result<String, WireError> {
        serde_json::from_str(self.json.get()).map_err(|_| self.not("a text"))
    }

    /// A text that is not empty.
    pub(super) fn word(&self) -> Result<String, WireError> {
        let text = self.text()?;
        if text.is_empty() { Err(self.not("a text that is not empty")) } else { Ok(text) }
    }

    pub(super) fn number(&self) -> Result<u64, WireError> {
        serde_json::from_str(self.json.get()).map_err(|_| self.not("a whole number from 0"))
    }

    /// This, if it is an object.
    pub(super) fn is_object(&self) -> Result<&Self, WireError> {
        if self.json.get().starts_with('{') { Ok(self) } else { Err(self.not("an object")) }
    }

    /// The error that something else should be here.
    pub(super) fn not(&self, expected: impl Into<String>) -> WireError {
        WireError::new(&*self.place, expected, self.shown())
    }

    /// What is here, in a few words.
    fn shown(&self) -> String {
        let json = self.json.get();
        match json.as_bytes().first() {
            Some(b'{') => "an object".to_owned(),
            Some(b'[') => "a list".to_owned(),
            _ => Short(json, LONGEST_WORD).to_string(),
        }
    }
}

impl<'a> Object<'a> {
    /// An object in which nothing is.
    #[cfg(feature = "wire-mcp")]
    pub(super) fn empty(place: &str) -> Self {
        Self { entries: BTreeMap::new(), place: place.to_owned() }
    }

    /// The value of `key`, unless that is null.
    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        let json = *self.entries.get(key)?;
        (json.get() != "null").then(|| Node { json, place: self.at(key) })
    }

    /// The value of `key`, which has to be there.
    pub(super) fn need(&self, key: &str, expected: &str) -> Result<Node<'a>, WireError> {
        self.get(key).ok_or_else(|| WireError::new(self.at(key), expected, "nothing"))
    }

    /// The text of `key`, which has to be there.
    pub(super) fn text(&self, key: &str) -> Result<String, WireError> {
        self.need(key, "a text")?.text()
    }

    /// The text of `key`, which has to be there and not to be empty.
    pub(super) fn word(&self, key: &str) -> Result<String, WireError> {
        self.need(key, "a text that is not empty")?.word()
    }

    /// The text of `key`, if there is one.
    pub(super) fn text_if_any(&self, key: &str) -> Result<Option<String>, WireError> {
        self.get(key).map(|node| node.text()).transpose()
    }

    /// All that is in it.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.entries.iter().map(|(key, json)| (&**key, *json))
    }

    /// Where the value of `key` stands or would stand.
    pub(super) fn at(&self, key: &str) -> String {
        format!("{}/{}", self.place, key.replace('~', "~0").replace('/', "~1"))
    }
}

/// Fails where a message is an API's own word that something went wrong.
pub(super) fn no_error(message: &Object<'_>) -> Result<(), WireError> {
    let Some(error) = message.get("error") else { return Ok(()) };
    // Some servers give a text alone.
    if let Ok(message) = error.text() {
        return Err(WireError::Api { kind: String::new(), message });
    }
    let error = error.object()?;
    // OpenAI's and Anthropic's `type`, Gemini's `status`; a `code` may be a number.
    let kind = ["type", "status", "code"].iter().find_map(|key| error.get(key));
    let kind = kind.map(|kind| kind.text().unwrap_or_else(|_| kind.json.get().to_owned()));
    Err(WireError::Api { kind: kind.unwrap_or_default(), message: error.text_if_any("message")?.unwrap_or_default() })
}

/// How many lists and objects of a JSON text stand within each other.
fn depth(json: &str) -> usize {
    let (mut deepest, mut depth, mut quoted, mut escaped) = (0, 0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
