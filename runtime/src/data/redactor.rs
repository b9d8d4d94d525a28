//! Replaces the values of secrets in texts that the host keeps: conversations, trajectories and logs.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use crate::data::env::Env;
use crate::data::secret::REDACTED;

/// A shorter value is not replaced: it would occur in any text.
const MIN_LEN: usize = 6;
/// A number of fewer digits is not replaced: it is more likely a port or an id than a secret, and JSON that contains it as a number
/// would not be JSON any more.
const MIN_NUMBER_LEN: usize = 12;

/// Replaces the values of secret variables: see [`Session::redactor`](crate::Session::redactor). A value is found as it is, as a JSON string
/// escapes it once or twice, and percent-encoded, as in a URL. Other encodings, such as Base64, are not found.
///
/// ```
/// use toolc::{Env, Registry};
///
/// let env = Env::process().with_secret("API_KEY", "hunter2");
/// let redactor = Registry::new().redactor(&env);
/// assert_eq!(redactor.text("the key is hunter2"), "the key is [secret]");
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    /// The values, in each form in which they can occur. The longest comes first, because one can be a part of another.
    forms: Vec<String>,
}

impl Redactor {
    /// Returns a redactor of the values of these variables.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n str>, env: &Env) -> Self {
        let mut forms = Vec::new();
        let values = names.into_iter().filter_map(|name| env.var(name)).map(|value| value.trim().to_owned());
        for value in values.filter(|value| is_replaced(value)) {
            // JSON within JSON escapes twice.
            let once = escaped(&value);
            let twice = escaped(&once);
            forms.extend([in_url(&value, true), in_url(&value, false), value, once, twice]);
        }
        forms.sort_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
        forms.dedup();
        Self { forms }
    }

    /// Returns a redactor of a text that arrives in parts, such as a streamed answer.
    pub fn stream(&self) -> RedactedStream<'_> {
        RedactedStream { redactor: self, held: String::new() }
    }

    /// Returns the text with `[secret]` in place of each value. JSON stays JSON.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for form in &self.forms {
            if text.contains(form.as_str()) {
                text = text.replace(form.as_str(), REDACTED).into();
            }
        }
        text
    }
}

/// Replaces secrets in a text that arrives in parts. Holds back the end of a part that could be the beginning of a secret.
#[derive(Debug)]
pub struct RedactedStream<'r> {
    redactor: &'r Redactor,
    held: String,
}

impl RedactedStream<'_> {
    /// Adds a part. Returns what is certain so far.
    pub fn push(&mut self, text: &str) -> String {
        self.held += text;
        if let Cow::Owned(text) = self.redactor.text(&self.held) {
            self.held = text;
        }
        let is_beginning = |at: usize| {
            let end = &self.held[at..];
            self.redactor.forms.iter().any(|form| form.len() > end.len() && form.starts_with(end))
        };
        let longest = self.redactor.forms.first().map_or(0, String::len);
        let first = self.held.floor_char_boundary(self.held.len().saturating_sub(longest));
        let at = (first..self.held.len()).find(|at| self.held.is_char_boundary(*at) && is_beginning(*at));
        let held = self.held.split_off(at.unwrap_or(self.held.len()));
        std::mem::replace(&mut self.held, held)
    }

    /// Returns the rest.
    pub fn end(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

fn is_replaced(value: &str) -> bool {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    value.len() >= if is_number { MIN_NUMBER_LEN } else { MIN_LEN }
}

/// Returns a text as it is written in a JSON string.
fn escaped(text: &str) -> String {
    let json = Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// Returns a text as it is written in a part of a URL, with hexadecimal digits of either case.
fn in_url(text: &str, is_upper: bool) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        let _ = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                write!(encoded, "{}", char::from(byte))
            }
            _ if is_upper => write!(encoded, "%{byte:02X}"),
            _ => write!(encoded, "%{byte:02x}"),
        };
    }
    encoded
}

/// Shows no values.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor(values: &[&str]) -> Redactor {
        let names: Vec<String> = (0..values.len()).map(|number| format!("KEY_{number}")).collect();
        let env = names.iter().zip(values).fold(Env::empty(), |env, (name, value)| env.with_secret(name, *value));
        Redactor::new(names.iter().map(String::as_str), &env)
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
}
