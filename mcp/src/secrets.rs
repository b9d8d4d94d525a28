//! What must not be shown: the values of the host's secret variables, and the tokens of a login, which change while a server runs.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;
use toolc::redaction::Redactor;

/// What a token is replaced by, as the values of variables are.
const REPLACED: &str = "[secret]";
/// The minimum length of a token. A shorter text would be found everywhere.
const MIN_TOKEN: usize = 6;
/// The maximum number of tokens that are kept. The oldest are no longer valid.
const MAX_TOKENS: usize = 50;

/// The current and earlier tokens of a login. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Tokens(Arc<RwLock<Vec<String>>>);

/// Shows no tokens.
impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens")
    }
}

impl Tokens {
    /// Records tokens as secrets.
    pub(crate) fn add(&self, tokens: Vec<String>) {
        let is_new = |known: &[String], token: &String| token.len() >= MIN_TOKEN && !known.contains(token);
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if !tokens.iter().any(|token| is_new(&known, token)) {
            return;
        }
        drop(known);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for token in tokens {
            if is_new(&known, &token) {
                known.push(token);
            }
        }
        let surplus = known.len().saturating_sub(MAX_TOKENS);
        known.drain(..surplus);
    }
}

/// Replaces what must not be shown.
#[derive(Debug, Clone)]
pub(crate) struct SecretRedactor {
    variables: Arc<Redactor>,
    pub(crate) tokens: Tokens,
}

impl SecretRedactor {
    pub(crate) fn new(variables: Redactor) -> Self {
        Self { variables: Arc::new(variables), tokens: Tokens::default() }
    }

    /// Returns the text with `[secret]` in place of each secret. JSON stays JSON.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = self.variables.text(text);
        let tokens = self.tokens.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<&String> = tokens.iter().filter(|token| text.contains(token.as_str())).collect();
        // One can be the beginning of another.
        found.sort_by_key(|token| std::cmp::Reverse(token.len()));
        for token in found {
            text = text.replace(token.as_str(), REPLACED).into();
        }
        text
    }

    /// Returns the value with `[secret]` in place of each secret, in texts and in keys. A number that has a secret becomes a text.
    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.replaced(text)),
            Value::Number(number) => {
                let text = number.to_string();
                if *self.text(&text) == *text { Value::Number(number) } else { self.replaced(text).into() }
            }
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(map) => {
                let entry = |(key, item): (String, Value)| match &item {
                    Value::String(text) if self.variables.is_value_of(&key, text) => (key, REPLACED.into()),
                    Value::Number(number) if self.variables.is_value_of(&key, &number.to_string()) => {
                        (key, REPLACED.into())
                    }
                    _ => (self.replaced(key), self.value(item)),
                };
                map.into_iter().map(entry).collect()
            }
            other => other,
        }
    }

    fn replaced(&self, text: String) -> String {
        let replaced = match self.text(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(replaced) => Some(replaced),
        };
        replaced.unwrap_or(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_replaced_in_every_part_of_a_value() {
        let env = toolc::Env::empty().with_secret("KEY", "hunter2\"hunter2").with_secret("ID", "123456789012345");
        let secrets = SecretRedactor::new(toolc::Registry::new().redactor(&env));
        let twice = serde_json::json!({ "inner": "hunter2\"hunter2" }).to_string();
        let value = serde_json::json!({
            "z": ["a hunter2\"hunter2", 7, null], "key hunter2\"hunter2": true, "a": 123_456_789_012_345_u64, "json": twice,
        });
        let expected =
            r#"{"z":["a [secret]",7,null],"key [secret]":true,"a":"[secret]","json":"{\"inner\":\"[secret]\"}"}"#;
        assert_eq!(secrets.value(value).to_string(), expected);
    }

    #[test]
    fn a_common_word_is_replaced_only_as_the_value_of_its_variable() {
        let env =
            toolc::Env::empty().with_secret("TOKEN", "test").with_secret("PASSWORD", "secret").with_secret("PIN", "7");
        let secrets = SecretRedactor::new(toolc::Registry::new().redactor(&env));
        assert_eq!(
            secrets.text("TOKEN=test PASSWORD=secret, a secret test"),
            "TOKEN=[secret] PASSWORD=[secret], a secret test"
        );
        let value = serde_json::json!({
            "env": { "TOKEN": "test", "PASSWORD": "secret", "PIN": 7, "N": 7 }, "kind": "secret", "log": "PASSWORD: secret",
        });
        let expected = r#"{"env":{"TOKEN":"[secret]","PASSWORD":"[secret]","PIN":"[secret]","N":7},"kind":"secret","log":"PASSWORD: [secret]"}"#;
        assert_eq!(secrets.value(value).to_string(), expected);
    }

    #[test]
    fn tokens_are_replaced_from_the_moment_they_are_known() {
        let secrets = SecretRedactor::new(
            toolc::Registry::new().redactor(&toolc::Env::empty().with_secret("KEY", "hunter2hunter2")),
        );
        let text = "hunter2hunter2 token-1 token-2";
        assert_eq!(secrets.text(text), "[secret] token-1 token-2");
        secrets.tokens.add(vec!["token-1".to_owned(), "short".to_owned()]);
        secrets.clone().tokens.add(vec!["token-2".to_owned(), "token-1".to_owned()]);
        assert_eq!(secrets.text(text), "[secret] [secret] [secret]");
        assert_eq!(secrets.text("short"), "short");
        secrets.tokens.add((0..100).map(|number| format!("another-{number}")).collect());
        assert_eq!(secrets.text("token-1 another-99"), "token-1 [secret]", "only the latest are kept");
    }
}
