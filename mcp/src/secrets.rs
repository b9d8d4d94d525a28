//! What must not be shown of a server: the values of the host's secret variables, and the tokens of a login, which change while it runs.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use toolc::redaction::Redactor;

/// What a token is replaced by, as the values of variables are.
const REPLACED: &str = "[secret]";
/// The minimum length of a token. A shorter text would be found everywhere.
const MIN_TOKEN: usize = 6;
/// The maximum number of tokens that are kept. The oldest do not work any more.
const MAX_TOKENS: usize = 50;

/// The tokens of a login that were in use. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Tokens(Arc<RwLock<Vec<String>>>);

/// Shows no tokens.
impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens")
    }
}

impl Tokens {
    /// Notes tokens.
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
pub(crate) struct Secrets {
    variables: Arc<Redactor>,
    pub(crate) tokens: Tokens,
}

impl Secrets {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_replaced_from_the_moment_they_are_known() {
        let secrets =
            Secrets::new(toolc::Registry::new().redactor(&toolc::Env::empty().with_secret("KEY", "hunter2hunter2")));
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
