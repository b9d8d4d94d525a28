//! Replaces the values of secrets in texts that the host keeps: conversations, trajectories and logs.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::formats;
use crate::forms::{Forms, KEY_LEN};
use crate::named::NamedValues;

/// The text that replaces a secret.
pub const REDACTED: &str = "[secret]";

/// A shorter value is not replaced: it would occur in any text.
const MIN_LEN: usize = 6;
/// Values that users give as a key to servers that need none, without symbols. None of them is secret, and some occur in any text.
const PLACEHOLDERS: &[&str] = &[
    "access",
    "admin",
    "administrator",
    "anonymous",
    "anything",
    "apikey",
    "changeme",
    "default",
    "disabled",
    "dummykey",
    "enabled",
    "empty",
    "example",
    "fakekey",
    "foobar",
    "ignored",
    "llamacpp",
    "lmstudio",
    "localhost",
    "mykey",
    "nokey",
    "nokeyneeded",
    "nokeyrequired",
    "notneeded",
    "notrequired",
    "notused",
    "ollama",
    "openai",
    "password",
    "placeholder",
    "secret",
    "something",
    "string",
    "testing",
    "testkey",
    "token",
    "undefined",
    "unknown",
    "unused",
    "whatever",
    "yourapikey",
    "yourkey",
    "yourkeyhere",
    "yourapikeyhere",
    "anthropic",
    "gemini",
    "localai",
    "missing",
];
/// The minimum length of a line of a private key that is also replaced alone.
const MIN_LINE_LEN: usize = 16;
/// A number of fewer digits is not replaced: it is more likely a port or an id than a secret, and JSON that contains it as a number
/// would not be JSON any more.
const MIN_NUMBER_LEN: usize = 12;

/// Replaces the values of secrets. A value is found as it is, as a JSON string escapes it once or twice, percent-encoded as in a URL, as
/// hexadecimal digits, and in Base64 wherever it begins in what is encoded, also across line breaks. Other forms, such as compressed or
/// reversed ones, are not found.
///
/// ```
/// use toolc_redact::Redactor;
///
/// let redactor = Redactor::of_values(&["hunter2".to_owned()]);
/// assert_eq!(redactor.text("the key is hunter2"), "the key is [secret]");
/// assert_eq!(redactor.text("the key is 68756e74657232"), "the key is [secret]");
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    forms: Arc<Forms>,
    named: Arc<NamedValues>,
}

impl Redactor {
    /// Returns a redactor of these secrets, and of all private keys, and keys and tokens in the format of a vendor, that other texts have:
    /// of the secret variables of an environment, and all its variables.
    pub fn new(secrets: impl IntoIterator<Item = String>, texts: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<String> = secrets.into_iter().collect();
        for text in texts {
            for found in formats::find(&text).into_iter().map(|range| &text[range]) {
                values.push(found.to_owned());
                // A tool may show a private key with something before each line.
                let lines = found.lines().filter(|line| line.len() >= MIN_LINE_LEN && !line.starts_with("-----"));
                values.extend(lines.filter(|line| line.len() < found.len()).map(ToOwned::to_owned));
            }
        }
        Self::of_values(&values)
    }

    /// Returns a redactor of these values. White space around a value does not count, and short values are not replaced: fewer than 6
    /// characters, or than 12 if they are a number.
    pub fn of_values(values: &[String]) -> Self {
        let values = values.iter().map(|value| value.trim()).filter(|value| is_distinctive(value));
        Self { forms: Arc::new(Forms::of(values)), named: Arc::default() }
    }

    /// Also replaces the values of these variables directly after their names, such as `PASSWORD=secret` or `"PIN": "1"`, however short or
    /// common they are. A number or `true` without quotes in JSON stays, so that it is JSON.
    ///
    /// ```
    /// let redactor = toolc_redact::Redactor::default().with_variables([("PASSWORD".to_owned(), "secret".to_owned())]);
    /// assert_eq!(redactor.text("PASSWORD=secret, a secret"), "PASSWORD=[secret], a secret");
    /// ```
    #[must_use]
    pub fn with_variables(self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let known = self.named.iter().cloned();
        Self { named: Arc::new(NamedValues::new(known.chain(variables))), ..self }
    }

    /// Returns whether this is the value of one of [these variables](Self::with_variables), for data in which names and values are apart.
    pub fn is_value_of(&self, name: &str, value: &str) -> bool {
        self.named.has(name, value)
    }

    /// Returns the places of all values in a text, sorted.
    fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges = self.forms.ranges(text);
        if self.named.is_empty() {
            return ranges;
        }
        ranges.extend(self.named.ranges(text));
        ranges.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }

    /// Returns the first place from which the text to its end could be the beginning of a value, or of a name with one.
    fn beginning(&self, text: &str) -> Option<usize> {
        let named = if self.named.is_empty() { None } else { self.named.beginning(text) };
        self.forms.beginning(text).into_iter().chain(named).min()
    }

    /// Returns a redactor of a text that arrives in parts, such as a streamed answer.
    pub fn stream(&self) -> RedactedStream<'_> {
        RedactedStream { redactor: self, text: String::new(), shown: 0 }
    }

    /// Returns the text with `[secret]` in place of each value. JSON stays JSON.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let ranges = self.ranges(text);
        if ranges.is_empty() { Cow::Borrowed(text) } else { replaced(text, &ranges).into() }
    }

    /// Returns the text with `[secret]` in place of each value, and of everything else that is a private key, or has the format of a key or
    /// token of a vendor: for texts that the host keeps, which can do without a harmless word. JSON stays JSON.
    ///
    /// ```
    /// let redactor = toolc_redact::Redactor::default();
    /// let text = format!("a token: ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    /// assert_eq!(redactor.text(&text), text);
    /// assert_eq!(redactor.kept_text(&text), "a token: [secret]");
    /// ```
    pub fn kept_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let without_values = self.text(text);
        let ranges = formats::find(&without_values);
        if ranges.is_empty() { without_values } else { replaced(&without_values, &ranges).into() }
    }
}

/// Returns a text with `[secret]` in place of these parts.
fn replaced(text: &str, ranges: &[Range<usize>]) -> String {
    let (mut redacted, mut end) = (String::new(), 0);
    for range in ranges {
        redacted.push_str(&text[end..range.start]);
        redacted.push_str(REDACTED);
        end = range.end;
    }
    redacted.push_str(&text[end..]);
    redacted
}

/// Replaces secrets in a text that arrives in parts. Holds back the end of a part that could be the beginning of a secret. The first three
/// characters of an encoded secret can be shown before it is recognised.
#[derive(Debug)]
pub struct RedactedStream<'r> {
    redactor: &'r Redactor,
    /// The end of the text that has arrived.
    text: String,
    /// The number of bytes of it that were returned.
    shown: usize,
}

impl RedactedStream<'_> {
    /// Adds a part. Returns what is certain so far.
    pub fn push(&mut self, text: &str) -> String {
        self.text += text;
        let ranges = self.redactor.ranges(&self.text);
        let certain = self.redactor.beginning(&self.text).unwrap_or(self.text.len());
        // A secret that the end could make longer is held as a whole.
        let certain = ranges.iter().find(|range| range.end > certain).map_or(certain, |range| certain.min(range.start));
        let certain = certain.max(self.shown);
        let new = self.until(certain, &ranges);
        let kept = self.text.floor_char_boundary(certain.saturating_sub(KEY_LEN - 1));
        self.text.drain(..kept);
        self.shown = certain - kept;
        new
    }

    /// Returns the rest.
    pub fn end(&mut self) -> String {
        let rest = self.until(self.text.len(), &self.redactor.ranges(&self.text));
        (self.text, self.shown) = (String::new(), 0);
        rest
    }

    /// Returns what was not returned before, up to `end`, with `[secret]` in place of these parts.
    fn until(&self, end: usize, ranges: &[Range<usize>]) -> String {
        let is_new = |range: &&Range<usize>| range.end > self.shown && range.end <= end;
        let new = |range: &Range<usize>| range.start.max(self.shown) - self.shown..range.end - self.shown;
        let ranges: Vec<Range<usize>> = ranges.iter().filter(is_new).map(new).collect();
        replaced(&self.text[self.shown..end], &ranges)
    }
}

/// Returns whether a secret value is replaced wherever it occurs. A short value, a number with few digits, or a word such as `password` occurs
/// in any text.
pub fn is_distinctive(value: &str) -> bool {
    let value = value.trim();
    let word = value.replace(['-', '_', ' '], "");
    if PLACEHOLDERS.iter().any(|placeholder| word.eq_ignore_ascii_case(placeholder)) {
        return false;
    }
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    value.len() >= if is_number { MIN_NUMBER_LEN } else { MIN_LEN }
}

/// Shows no values.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod placeholder_tests {
    use super::Redactor;

    #[test]
    fn a_common_word_is_no_secret_because_a_key_has_that_value() {
        for word in [
            "k",
            "none",
            "ollama",
            "Ollama",
            "lm-studio",
            "not-needed",
            "no-key-required",
            "PLACEHOLDER",
            "test-key",
            "change_me",
        ] {
            let text = format!("pull the model from {word} and see");
            assert_eq!(Redactor::of_values(&[word.to_owned()]).text(&text), text);
        }
        for secret in ["hunter2", "ollama1", "test-key-7f3a", "correcthorse"] {
            let text = format!("it is {secret}.");
            assert_eq!(Redactor::of_values(&[secret.to_owned()]).text(&text), "it is [secret].");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor(values: &[&str]) -> Redactor {
        Redactor::new(values.iter().map(|value| (*value).to_owned()), [])
    }

    #[test]
    fn values_that_contain_others_are_replaced_as_a_whole() {
        let redactor =
            redactor(&["abcdef", "abcdefgh", " xyz123\n", "ab", "", "8080", "-1.5e3", "false", "123456789012"]);
        assert_eq!(redactor.text("abcdefgh abcdef ab xyz123"), "[secret] [secret] ab [secret]");
        assert_eq!(redactor.text("8080 false -1.5e3 123456789012"), "8080 false -1.5e3 [secret]");
        assert!(matches!(redactor.text("nothing"), Cow::Borrowed("nothing")));
        assert!(!format!("{redactor:?}").contains("abcd"));
    }

    #[test]
    fn keys_of_vendors_in_other_texts_are_replaced() {
        let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let texts = [format!("use {key} here"), "3f786850e387550fdab836ed7e6dc881de23001b".to_owned()];
        let redactor = Redactor::new([], texts);
        assert_eq!(
            redactor.text(&format!("use {key}, 3f786850e387550fdab836ed7e6dc881de23001b")),
            "use [secret], 3f786850e387550fdab836ed7e6dc881de23001b"
        );
    }

    #[test]
    fn a_private_key_is_replaced_as_a_whole_and_line_by_line() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
        let key = format!("-----BEGIN {0} KEY-----\n{line}\nAb1=\n-----END {0} KEY-----", "PRIVATE");
        let redactor = Redactor::new([], [key.clone()]);
        assert_eq!(redactor.text(&format!("a {key} b")), "a [secret] b");
        assert_eq!(redactor.text(&format!("   2|{line}\n   3|Ab1=")), "   2|[secret]\n   3|Ab1=");
    }

    #[test]
    fn values_are_found_in_json_of_any_depth() {
        let redactor = redactor(&["p\"a\\ss\nword"]);
        let json = serde_json::json!({ "a": "x p\"a\\ss\nword y" }).to_string();
        let twice = serde_json::json!({ "b": json }).to_string();
        assert_eq!(redactor.text(&json), r#"{"a":"x [secret] y"}"#);
        assert_eq!(redactor.text(&twice), r#"{"b":"{\"a\":\"x [secret] y\"}"}"#);
    }

    #[test]
    fn values_are_found_in_urls() {
        let redactor = redactor(&["a/b=c ü+d"]);
        for form in ["a/b=c ü+d", "a%2Fb%3Dc%20%C3%BC%2Bd", "a%2fb%3dc%20%c3%bc%2bd"] {
            assert_eq!(redactor.text(&format!("?key={form}&x=1")), "?key=[secret]&x=1");
        }
    }

    /// Returns a text in Base64, as any encoder writes it.
    fn base64(text: &str) -> String {
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut encoded = String::new();
        for group in text.as_bytes().chunks(3) {
            let number =
                group.iter().chain([0, 0].iter()).take(3).fold(0, |number, byte| number << 8 | usize::from(*byte));
            for digit in 0..4 {
                let letter = char::from(letters[number >> (18 - 6 * digit) & 63]);
                encoded.push(if digit > group.len() { '=' } else { letter });
            }
        }
        encoded
    }

    #[test]
    fn values_are_found_in_base64_at_any_place() {
        let value = "sk-12345>?~67890";
        let redactor = redactor(&[value]);
        for before in 0..7 {
            for after in 0..4 {
                let encoded = base64(&format!("{}{value}{}", &"before:"[..before], &"xyz"[..after]));
                for text in [encoded.clone(), encoded.replace('+', "-").replace('/', "_")] {
                    let redacted = redactor.text(&text);
                    let left = redacted.replace(REDACTED, "");
                    assert!(redacted.contains(REDACTED), "{text}");
                    // Four bits of the value can be left at each end.
                    assert!(left.trim_end_matches('=').len() <= (before + after) * 4 / 3 + 2, "{text}: {redacted}");
                    // Encoders wrap lines, and JSON escapes line breaks.
                    for at in 1..text.len() {
                        for line_break in ["\n", "\r\n", "\\n", "\\r\\n"] {
                            let wrapped = format!("{}{line_break}{}", &text[..at], &text[at..]);
                            assert!(redactor.text(&wrapped).contains(REDACTED), "{wrapped}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn values_are_found_as_hexadecimal_digits_and_in_ascii_json() {
        let redactor = redactor(&["schlüssel/1"]);
        for form in [
            "7363686cc3bc7373656c2f31",
            "7363686CC3BC7373656C2F31",
            "7363686cc3bc73\n73656c2f31",
            r"schl\u00fcssel/1",
            r"schl\\u00fcssel/1",
            r"schlüssel\/1",
            "schl%C3%BCssel/1",
        ] {
            assert_eq!(redactor.text(&format!("<{form}>")), "<[secret]>");
        }
    }

    #[test]
    fn a_longer_secret_that_arrives_after_a_shorter_one_is_replaced_as_a_whole() {
        let redactor = redactor(&["abcdef", "abcdefgh"]);
        for (parts, whole) in [(["x abcdef", "gh y"], "x [secret] y"), (["x abcdef", "g y"], "x [secret]g y")] {
            let mut stream = redactor.stream();
            let text: String = parts.iter().map(|part| stream.push(part)).collect();
            assert_eq!(text + &stream.end(), whole);
        }
    }

    #[test]
    fn a_secret_that_arrives_in_parts_is_replaced() {
        let redactor = redactor(&["sk-12345"]);
        for text in ["a sk-12345 b", "sk-sk-12345", "ends in sk-12", "é sk-1 sk-12345", ""] {
            let mut stream = redactor.stream();
            let mut parts: String = text.chars().map(|letter| stream.push(&letter.to_string())).collect();
            parts += &stream.end();
            assert_eq!(parts, redactor.text(text), "{text}");
        }
        assert_eq!(redactor.stream().push("nothing is held back"), "nothing is held back");
    }

    #[test]
    fn the_end_of_an_ordinary_text_is_not_held_back() {
        let redactor = redactor(&["sk-a-very-long-key-of-some-vendor"]);
        for text in ["A long story", "c", "c2", "73", "e", "b", "W", "the end."] {
            assert_eq!(redactor.stream().push(text), text);
        }
        let encoded = base64("the key is sk-a-very-long-key-of-some-vendor!");
        for size in 1..12 {
            let mut stream = redactor.stream();
            let parts = encoded.as_bytes().chunks(size).map(|part| std::str::from_utf8(part).expect("ASCII"));
            let mut text: String = parts.map(|part| stream.push(part)).collect();
            text += &stream.end();
            assert!(text.contains(REDACTED) && text.len() < 32, "{size}: {text}");
        }
    }
}
