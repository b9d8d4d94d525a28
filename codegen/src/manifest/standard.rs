//! Checks keywords against the meta-schema of JSON Schema, draft 2020-12, which rejects negative lengths or a `multipleOf` of zero.

use jsonschema::draft202012::meta;
use serde_json::{Value, json};

/// The keywords that accept every integer from 0.
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

/// Returns why the meta-schema rejects the value of a keyword, or `None` if it accepts the value.
pub(super) fn keyword_error(keyword: &str, value: &Value) -> Option<String> {
    // A fast path for most bounds: validating is slow.
    if value.is_u64() && NUMERIC.contains(&keyword) { None } else { validate(keyword, value) }
}

fn validate(keyword: &str, value: &Value) -> Option<String> {
    let schema = json!({ keyword: value });
    meta::validator().iter_errors(&schema).next().map(|error| error.to_string())
}

/// Returns why a pattern is not a valid regular expression, or `None` if it is valid.
pub(super) fn pattern_error(pattern: &str) -> Option<String> {
    let schema = json!({ "pattern": pattern });
    jsonschema::draft202012::new(&schema).err().map(|error| error.to_string())
}

/// Returns whether a pattern that is an error is valid, but larger than the engine accepts.
pub(super) fn is_too_large(pattern: &str) -> bool {
    matches!(regex::Regex::new(pattern), Err(regex::Error::CompiledTooBig(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_keywords_accept_whole_numbers() {
        for word in NUMERIC {
            for number in [0, 1, 1 << 53, u64::MAX] {
                assert_eq!(validate(word, &json!(number)), None, "{word} {number}");
            }
        }
        assert!(keyword_error("minLength", &json!(-1)).is_some() && keyword_error("multipleOf", &json!(0)).is_some());
    }
}
