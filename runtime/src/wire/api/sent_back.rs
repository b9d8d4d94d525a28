//! What is sent back of the messages of a model. A server may refuse what it has sent: members that it does not know, null, empty strings
//! and lists, and arguments that are not JSON. So each API names the members that it takes, and the others are left out.
//!
//! A message that needs no change stays as it is, to the letter. Any other has the same text in every request, so that the prompt cache of
//! the server stays valid.

use std::borrow::Cow;
use std::fmt;

use crate::args::object_text::object_text;
use crate::text::json;
use crate::wire::api::arguments::as_object;
use crate::wire::node::{unescaped, without_lone_surrogates};
use crate::wire::write::raw_json;
use serde_core::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object that an API takes.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) members: &'static [(&'static str, Takes)],
    /// Parts of the names of members that some servers have and want back.
    pub(super) also: &'static [&'static str],
}

/// What an API takes as the value of a member. Null is left out everywhere.
#[derive(Debug)]
pub(super) enum Takes {
    Any,
    /// Anything but a blank string and an empty array or object.
    NonEmpty,
    /// One of these strings. Any other becomes the first, which is also the default.
    Word(&'static [&'static str]),
    /// Anything. The default is this JSON.
    Or(&'static str),
    /// The value that the other takes, without a default.
    Optional(&'static Takes),
    /// An object, unless its type is this JSON.
    Unless(&'static str),
    /// The name of a function.
    Name(NameRule),
    /// The arguments of a call, as a string with the JSON of an object.
    ArgumentsText,
    /// The arguments of a call, as an object.
    ArgumentsObject,
    Object(&'static Shape),
    /// An array of objects that is not empty.
    Objects(&'static Shape),
    /// An array of parts that is not empty, or another value.
    Parts(&'static [Part]),
    /// A string that is not blank, or an array of parts that is not empty. Null takes the place of any other value, and is the default.
    Content(&'static [Part]),
}

/// The objects of one type in an array. Objects of other types stay as they are.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) kind: &'static str,
    /// The members without which the part says nothing: one of them must be there, and not empty.
    pub(super) needs: &'static [&'static str],
    pub(super) shape: Shape,
}

/// The names of functions that an API takes: ASCII letters, digits, `_`, `-` and these characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameRule {
    pub(super) characters: &'static str,
    pub(super) max_length: usize,
}

impl NameRule {
    /// Returns the name in the form that the API takes.
    pub(super) fn apply(self, name: &str) -> Cow<'_, str> {
        let takes = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c) || self.characters.contains(c);
        if name.len() <= self.max_length && name.chars().all(takes) {
            return name.into();
        }
        name.chars().take(self.max_length).map(|c| if takes(c) { c } else { '_' }).collect()
    }
}

impl Takes {
    /// Returns the value for a member that is missing.
    fn default(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Or(json) => Some((*json).into()),
            Self::Content(_) => Some("null".into()),
            Self::Word(words) => words.first().map(|word| format!("\"{word}\"").into()),
            Self::ArgumentsText => Some(r#""{}""#.into()),
            Self::ArgumentsObject => Some("{}".into()),
            _ => None,
        }
    }

    /// Returns a value in the form that the API takes, or `None` if it is left out.
    fn value<'j>(&self, json: &'j str) -> Option<Cow<'j, str>> {
        match self {
            Self::Content(known) => match Self::Parts(known).value(json) {
                Some(Cow::Borrowed(_)) if is_empty(json) => Some("null".into()),
                Some(content) => Some(content),
                None if json == "null" => Some(json.into()),
                None => self.default(),
            },
            _ if json == "null" => None,
            Self::Any | Self::Or(_) => Some(json.into()),
            Self::NonEmpty => (!is_empty(json)).then(|| json.into()),
            Self::Optional(takes) => takes.value(json),
            Self::Unless(kind) => (member(json, "type") != Some(kind)).then(|| json.into()),
            Self::Word(words) => {
                let word = unescaped(json).unwrap_or_default();
                if words.contains(&&*word) { Some(json.into()) } else { self.default() }
            }
            Self::Name(rule) => {
                let name = unescaped(json)?;
                match rule.apply(&name) {
                    Cow::Borrowed(_) => Some(json.into()),
                    Cow::Owned(name) => Some(quoted(&name).into()),
                }
            }
            Self::ArgumentsText => Some(arguments_text(json)),
            Self::ArgumentsObject => Some(arguments_object(json)),
            Self::Object(shape) => Some(Members::read(json, shape)?.end()),
            Self::Objects(shape) => {
                // Some servers send a single object without an array.
                if json.starts_with('{') {
                    return Some(format!("[{}]", Members::read(json, shape)?.end()).into());
                }
                let items = items(json)?;
                let shaped = items.iter().filter_map(|item| Some(Members::read(item.get(), shape)?.end()));
                array(json, items.len(), &shaped.collect::<Vec<_>>())
            }
            Self::Parts(_) if !json.starts_with('[') => Some(json.into()),
            Self::Parts(known) => {
                let items = items(json)?;
                array(json, items.len(), &items.iter().filter_map(|item| part(item.get(), known)).collect::<Vec<_>>())
            }
        }
    }
}

/// Returns the text of arguments as a string with the JSON of an object.
fn arguments_text(json: &str) -> Cow<'_, str> {
    let text = unescaped(json);
    let text = text.as_deref().unwrap_or(json);
    let object = object_or_text(text);
    if json.starts_with('"') && *object == *text { json.into() } else { quoted(&object).into() }
}

/// Returns arguments as an object.
fn arguments_object(json: &str) -> Cow<'_, str> {
    match unescaped(json) {
        Some(text) => object_or_text(&text).into_owned().into(),
        None => object_or_text(json),
    }
}

/// Returns the object in the text of arguments, or one that contains the text.
fn object_or_text(text: &str) -> Cow<'_, str> {
    let valid = without_lone_surrogates(text);
    let object = object_text(&valid).map_or_else(|| as_object(&valid), Cow::into_owned);
    if object == text.trim() { text.into() } else { object.into() }
}

/// Returns an array with these items: the array itself if none of them has changed.
fn array<'j>(json: &'j str, count: usize, items: &[Cow<'j, str>]) -> Option<Cow<'j, str>> {
    if items.is_empty() {
        return None;
    }
    let is_same = items.len() == count && items.iter().all(|item| matches!(item, Cow::Borrowed(_)));
    Some(if is_same { json.into() } else { format!("[{}]", items.join(",")).into() })
}

/// Returns a part in the form that the API takes, or `None` if it is left out.
pub(super) fn part<'j>(json: &'j str, known: &'static [Part]) -> Option<Cow<'j, str>> {
    let kind = member(json, "type").and_then(unescaped).unwrap_or_default();
    let Some(part) = known.iter().find(|part| part.kind == kind) else { return Some(json.into()) };
    let members = Members::read(json, &part.shape)?;
    let says_something = part.needs.iter().any(|key| members.get(key).is_some_and(|value| !is_empty(value)));
    says_something.then(|| members.end())
}

/// Returns a member of an object that is not null.
pub(super) fn member<'j>(json: &'j str, key: &str) -> Option<&'j str> {
    let entries = entries(json)?;
    let (_, value) = entries.into_iter().find(|(known, _)| known == key)?;
    (value != "null").then_some(value)
}

/// Returns whether a value is null, a blank string, or an empty array or object.
pub(super) fn is_empty(json: &str) -> bool {
    match json.as_bytes() {
        b"null" => true,
        [b'"', ..] => unescaped(json).is_some_and(|text| text.trim().is_empty()),
        [b'[' | b'{', rest @ ..] => matches!(rest.trim_ascii(), b"]" | b"}"),
        _ => false,
    }
}

pub(super) fn items(json: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(json).ok()
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    json::push_string(&mut out, text);
    out
}

/// The members of an object that an API takes, in the order in which the server has sent them.
pub(super) struct Members<'j> {
    json: &'j str,
    all: Vec<(String, Cow<'j, str>)>,
    has_changed: bool,
}

impl<'j> Members<'j> {
    /// Returns `None` if the value is not an object.
    pub(super) fn read(json: &'j str, shape: &Shape) -> Option<Self> {
        let all = entries(json)?;
        let mut members = Self { json, all: Vec::with_capacity(all.len()), has_changed: false };
        for (key, sent) in all {
            let takes = shape.members.iter().find(|(known, _)| *known == key).map(|(_, takes)| takes);
            let value = match takes {
                Some(takes) => takes.value(sent),
                None => (sent != "null" && shape.also.iter().any(|part| key.contains(part))).then(|| sent.into()),
            };
            // A value that takes the place of another may be borrowed, too.
            members.has_changed |= value.as_deref() != Some(sent);
            if let Some(value) = value {
                members.all.push((key, value));
            }
        }
        for (key, takes) in shape.members {
            if members.get(key).is_none()
                && let Some(default) = takes.default()
            {
                members.set(key, default);
            }
        }
        Some(members)
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.all.iter().find(|(known, _)| known == key).map(|(_, value)| &**value)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(key, _)| &**key)
    }

    /// Returns whether a member is missing, or is empty.
    pub(super) fn is_blank(&self, key: &str) -> bool {
        self.get(key).is_none_or(is_empty)
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        let count = self.all.len();
        self.all.retain(|(key, _)| keep(key));
        self.has_changed |= self.all.len() < count;
    }

    pub(super) fn set(&mut self, key: &str, json: Cow<'j, str>) {
        self.has_changed = true;
        match self.all.iter_mut().find(|(known, _)| known == key) {
            Some((_, value)) => *value = json,
            None => self.all.push((key.to_owned(), json)),
        }
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<Cow<'j, str>> {
        let at = self.all.iter().position(|(known, _)| known == key)?;
        self.has_changed = true;
        Some(self.all.remove(at).1)
    }

    /// Returns the JSON of the object.
    pub(super) fn end(self) -> Cow<'j, str> {
        if !self.has_changed {
            return self.json.into();
        }
        let mut out = String::from("{");
        for (at, (key, value)) in self.all.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { "," });
            json::push_string(&mut out, key);
            out.push(':');
            out.push_str(value);
        }
        out.push('}');
        out.into()
    }

    /// Returns the JSON of the object as a message.
    pub(super) fn message(self) -> Box<RawValue> {
        raw_json(self.end().into_owned())
    }
}

/// Returns the members of an object in their order, or `None` for any other value. Of members with one name, the last one counts.
fn entries(json: &str) -> Option<Vec<(String, &str)>> {
    struct Entries;

    impl<'j> Visitor<'j> for Entries {
        type Value = Vec<(String, &'j str)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<M: MapAccess<'j>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut all = Vec::new();
            while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                all.push((key, value.get()));
            }
            Ok(all)
        }
    }

    if !json.starts_with('{') {
        return None;
    }
    let mut all = serde_json::Deserializer::from_str(json).deserialize_map(Entries).ok()?;
    let mut seen = std::collections::HashSet::new();
    let mut is_last: Vec<bool> = all.iter().rev().map(|(key, _)| seen.insert(key.clone())).collect();
    all.retain(|_| is_last.pop().unwrap_or(true));
    Some(all)
}

#[cfg(all(test, feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini"))]
mod tests;
