//! Checks keywords against the meta-schema of JSON Schema, draft 2020-12, which rejects negative lengths or a `multipleOf` of zero.

use std::ops::Range;

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

/// Why a pattern is not a regular expression, as far as it is known, and where.
pub(super) struct PatternError {
    pub(super) why: Option<String>,
    /// The bytes of the error within the pattern.
    pub(super) at: Option<Range<usize>>,
}

/// Returns why the crate `regex` refuses a regular expression, or `None` if it accepts it. Decoders that bind a model to a grammar, such
/// as `llguidance`, read the syntax of this crate, which has no look-around.
pub(crate) fn text_pattern_error(pattern: &str) -> Option<String> {
    match regex::Regex::new(pattern) {
        Err(regex::Error::Syntax(text)) => {
            Some(explain(&text, pattern).why.unwrap_or_else(|| "invalid syntax".to_owned()))
        }
        Err(regex::Error::CompiledTooBig(limit)) => Some(format!("it is larger than {limit} bytes when compiled")),
        _ => None,
    }
}

/// Returns what is wrong with a pattern, or `None` if it is a valid regular expression.
pub(super) fn pattern_error(pattern: &str) -> Option<PatternError> {
    let schema = json!({ "pattern": pattern });
    jsonschema::draft202012::new(&schema).err()?;
    match regex::Regex::new(pattern) {
        Err(regex::Error::Syntax(text)) => Some(explain(&text, pattern)),
        // Valid, only too large for an engine that compiles it.
        Err(regex::Error::CompiledTooBig(_)) => None,
        _ => Some(PatternError { why: None, at: None }),
    }
}

/// Reads the message of the crate `regex`: the pattern, a line with `^` below the error, and `error: WHY`.
fn explain(text: &str, pattern: &str) -> PatternError {
    let why = text.lines().find_map(|line| line.strip_prefix("error: ")).map(str::to_owned);
    let mut lines = text.lines().skip_while(|line| line.trim() != pattern.trim());
    let shown = lines.next();
    let carets = lines.next().filter(|line| line.contains('^') && line.trim().chars().all(|letter| letter == '^'));
    let at = shown.zip(carets).and_then(|(shown, carets)| {
        let indent = shown.find(pattern)?;
        let column = carets.find('^')?.checked_sub(indent)?;
        let length = carets.trim().len();
        let offset = |column: usize| pattern.char_indices().nth(column).map_or(pattern.len(), |(at, _)| at);
        Some(offset(column)..offset(column + length))
    });
    PatternError { why, at }
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

    #[test]
    fn errors_of_patterns_have_a_reason_and_a_place() {
        for (pattern, why, at) in [
            ("^(abc", "unclosed group", 1..2),
            ("[z-a]", "invalid character class range, the start must be <= the end", 1..4),
            ("é(", "unclosed group", 2..3),
            ("a**(", "unclosed group", 3..4),
            ("*a", "repetition operator missing expression", 0..1),
        ] {
            let error = pattern_error(pattern).unwrap_or_else(|| panic!("{pattern}"));
            assert_eq!((error.why.as_deref(), error.at), (Some(why), Some(at)), "{pattern}");
        }
        for pattern in ["^((a{1000}){1000}){1000}$", "(?=a)b", "\\p{L}", "^a$"] {
            assert!(pattern_error(pattern).is_none(), "{pattern}");
        }
    }
}
