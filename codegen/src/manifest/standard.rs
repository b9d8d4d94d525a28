//! Values that JSON Schema, draft 2020-12, refuses for a keyword: negative lengths, a multiple of zero.

use jsonschema::draft202012::meta;
use serde_json::{Value, json};

/// Words that take any whole number from 0 on.
const NUMERIC: [&str; 10] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// Why the standard refuses this value of this word, if it does.
pub(super) fn refuses(word: &str, value: &Value) -> Option<String> {
    // Most bounds are such numbers: only for the others the standard is worth asking.
    if value.is_u64() && NUMERIC.contains(&word) { None } else { asked(word, value) }
}

fn asked(word: &str, value: &Value) -> Option<String> {
    let schema = json!({ word: value });
    meta::validator().iter_errors(&schema).next().map(|error| error.to_string())
}

/// Why this is not a regular expression, or `None` if it is one.
pub(super) fn refuses_pattern(pattern: &str) -> Option<String> {
    let schema = json!({ "pattern": pattern });
    jsonschema::draft202012::new(&schema).err().map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_words_take_whole_numbers() {
        for word in NUMERIC {
            for number in [0, 1, 1 << 53, u64::MAX] {
                assert_eq!(asked(word, &json!(number)), None, "{word} {number}");
            }
        }
        assert!(refuses("minLength", &json!(-1)).is_some() && refuses("multipleOf", &json!(0)).is_some());
    }
}
