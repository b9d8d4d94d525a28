//! Maps bytes of the value of a TOML string to bytes of the file. They differ because of escapes, line continuations, and the line
//! break after opening quotes.

use std::ops::Range;

/// Returns the range of `value[span]` in `literal`, the string with its quotes as in the file.
pub fn written(literal: &str, value: &str, span: Range<usize>) -> Range<usize> {
    // An escape is longer than its value, so only a literal without escapes has this length.
    if literal.len() == value.len() + 2 {
        return span.start + 1..span.end + 1;
    }
    let starts = starts(literal, value.len());
    let at = |offset: usize| starts.get(offset).or(starts.last()).copied().unwrap_or(0);
    // The end of the last letter, which is not always the start of the next one: a continuation may follow.
    let end = if span.is_empty() { at(span.start) } else { at(span.end - 1) + spelling(&literal[at(span.end - 1)..]) };
    at(span.start)..end.max(at(span.start))
}

/// Returns an offset in the literal for each byte of the value, and for the end of the value: the start of the byte's letter.
fn starts(literal: &str, length: usize) -> Vec<usize> {
    let quotes = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quotes| literal.starts_with(quotes)).unwrap_or("");
    let raw = quotes.starts_with('\'');
    let mut at = quotes.len();
    if quotes.len() == 3 && literal[at..].starts_with('\n') {
        at += 1;
    }
    let mut starts = Vec::with_capacity(length + 1);
    while starts.len() < length && at < literal.len() {
        let rest = &literal[at..];
        if !raw && let Some(skipped) = continuation(rest) {
            at += skipped;
            continue;
        }
        let spelt = if raw { rest.chars().next().map_or(1, char::len_utf8) } else { spelling(rest) };
        let letter = if raw { spelt } else { decoded(&rest[..spelt]) };
        starts.extend(std::iter::repeat_n(at, letter));
        at += spelt;
    }
    starts.push(at);
    starts
}

/// Returns the length of a line continuation: a backslash at the end of a line and the white space after it, which TOML removes.
fn continuation(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('\\')?;
    if !after.trim_start_matches([' ', '\t']).starts_with('\n') {
        return None;
    }
    Some(rest.len() - after.trim_start_matches([' ', '\t', '\n']).len())
}

/// Returns the length of the first letter of a basic string as in the file, in bytes.
fn spelling(rest: &str) -> usize {
    let length = match rest.as_bytes() {
        [b'\\', b'x', ..] => 4,
        [b'\\', b'u', ..] => 6,
        [b'\\', b'U', ..] => 10,
        [b'\\', _, ..] => 2,
        _ => rest.chars().next().map_or(0, char::len_utf8),
    };
    length.min(rest.len())
}

/// Returns the length of the value of a letter, in bytes.
fn decoded(spelling: &str) -> usize {
    match spelling.as_bytes() {
        [b'\\', b'x' | b'u' | b'U', ..] => {
            u32::from_str_radix(&spelling[2..], 16).ok().and_then(char::from_u32).map_or(1, char::len_utf8)
        }
        [b'\\', ..] => 1,
        _ => spelling.len(),
    }
}

#[cfg(test)]
mod tests {
    use toml::de::{DeTable, DeValue};

    use super::*;

    /// Checks that every `@` of the value is found at an `@` (or its escape) of the file.
    fn check(literal: &str) {
        let text = format!("k = {literal}\n");
        let document = DeTable::parse(&text).unwrap();
        let value = document.get_ref().get("k").unwrap();
        let DeValue::String(decoded) = value.get_ref() else { panic!("{literal}") };
        let found: Vec<&str> = decoded
            .match_indices('@')
            .map(|(at, _)| &text[value.span()][written(&text[value.span()], decoded, at..at + 1)])
            .collect();
        assert!(
            !found.is_empty() && found.iter().all(|spelt| ["@", "\\u0040", "\\x40", "\\U00000040"].contains(spelt)),
            "{literal} {found:?}"
        );
        let whole = written(&text[value.span()], decoded, 0..decoded.len());
        assert!(text[value.span()][whole].ends_with(['@', '0']), "{literal}");
    }

    #[test]
    fn every_way_to_write_a_string() {
        for literal in [
            "\"a@b@\"",
            "'a\\@'",
            "\"\\n\\\\@ü@\\u00fc@\\U0001F600@\"",
            "\"\"\"\na\n@\"\"\"",
            "\"\"\"\\\n   a \\\n\n   @x\\u0040\"\"\"",
            "'''\n'a' \\n@'''",
            "\"\\x41\\e\\t@\"",
        ] {
            check(literal);
        }
    }

    #[test]
    fn an_empty_span_is_between_letters() {
        assert_eq!(written("\"ab\"", "ab", 1..1), 2..2);
        assert_eq!(written("\"ab\"", "ab", 2..2), 3..3);
        assert_eq!(written("\"\"", "", 0..0), 1..1);
    }
}
