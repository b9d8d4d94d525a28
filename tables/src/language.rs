//! What a language adds to the reader: hints about its own keys, and state that its kinds of keys need.

use crate::Key;
use crate::diagnostic::{Diagnostic, Place};

/// A language whose files are tables. `()` is the language without anything of its own.
pub trait Language: Copy {
    /// The names of keys whose texts, entries or tables must not be empty.
    const NOT_EMPTY: &'static [&'static str] = &[];

    /// Whether texts must be plain: not empty, on one line and without control characters. These keys are exceptions.
    const PLAIN: Option<PlainTexts> = None;

    /// Returns whether a table with these keys is a JSON Schema. Other parts of the language find out what a schema with errors still
    /// says.
    fn is_schema(&self, keys: &[&[Key]]) -> bool {
        let _ = keys;
        false
    }

    /// Returns hints about an unknown key.
    fn hints(&self, key: &UnknownKey<'_>) -> Hints {
        let _ = key;
        Hints::default()
    }

    /// Returns the finding about a word that a key does not accept, if the language knows more than the words that it accepts.
    fn unknown_word(&self, key: &str, word: &str, place: Place) -> Option<Diagnostic> {
        let _ = (key, word, place);
        None
    }

    /// Returns what to write instead of a value that is an array, if the key never has one.
    fn no_array(&self, key: &str) -> Option<&'static str> {
        let _ = key;
        None
    }
}

/// The names of a secret for which a table with `key_variable` has no place.
const KEY_NAMES: [&str; 6] = ["api_key", "apikey", "api-key", "key", "token", "api_token"];

impl Language for () {
    const PLAIN: Option<PlainTexts> =
        Some(PlainTexts { may_be_empty: &["key_variable"], may_have_lines: &["instructions"] });

    fn hints(&self, key: &UnknownKey<'_>) -> Hints {
        let is_key = KEY_NAMES.contains(&key.name) && key.names().contains(&"key_variable");
        let instead = is_key.then_some("write the key to `.env`, as `NAME=...`; `key_variable` names its variable");
        Hints { instead, ..Hints::default() }
    }
}

/// The keys whose texts are not plain.
#[derive(Debug, Clone, Copy)]
pub struct PlainTexts {
    /// Keys for which an empty text has a meaning.
    pub may_be_empty: &'static [&'static str],
    /// Keys whose texts can have several lines.
    pub may_have_lines: &'static [&'static str],
}

/// A key that the table does not have.
#[derive(Debug, Clone, Copy)]
pub struct UnknownKey<'k> {
    /// The key as written.
    pub name: &'k str,
    /// The keys that the table has.
    pub keys: &'static [&'static [Key]],
    /// Whether the table is the whole document.
    pub is_root: bool,
}

impl UnknownKey<'_> {
    /// Returns the names of the keys that the table has.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().copied().flatten().map(|key| key.name).collect()
    }
}

/// What a language knows about an unknown key.
#[derive(Debug, Default)]
pub struct Hints {
    /// What to write instead of a key of another format.
    pub instead: Option<&'static str>,
    /// The key that another name stands for.
    pub synonym: Option<&'static str>,
    /// The table in which the key belongs: `it belongs in ...`.
    pub belongs: Option<String>,
    /// The other document to which the key belongs.
    pub elsewhere: Option<String>,
}
