//! What JSON Schema, draft 2020-12, itself says of the value of a word: no negative length, no multiple of zero.

use jsonschema::draft202012::meta;
use serde_json::{Value, json};

/// Why the standard refuses this value of this word, if it does.
pub(super) fn refuses(word: &str, value: &Value) -> Option<String> {
    let schema = json!({ word: value });
    meta::validator().iter_errors(&schema).next().map(|error| error.to_string())
}

/// Why this is no regular expression, if it is none.
pub(super) fn refuses_pattern(pattern: &str) -> Option<String> {
    let schema = json!({ "pattern": pattern });
    jsonschema::draft202012::new(&schema).err().map(|error| error.to_string())
}
