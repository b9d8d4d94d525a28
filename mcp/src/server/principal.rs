//! Who sends a request: the process at the other end of the standard streams, or the bearer of a token.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::{ErrorKind, McpError};

/// The minimum length of a token, in bytes. Shorter ones could be guessed.
pub const MIN_TOKEN_LEN: usize = 16;

/// Who sends a request. State that outlives a request belongs to one principal, and no other can use it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Principal(Arc<str>);

impl Principal {
    /// Returns the process that has started this one.
    pub(super) fn parent() -> Self {
        Self("stdio".into())
    }

    /// Returns anyone who can connect to this machine's loopback addresses.
    pub(super) fn local() -> Self {
        Self("local".into())
    }
}

/// The tokens that a server accepts. Only their digests are kept.
#[derive(Clone, Default)]
pub struct Tokens(Vec<(Principal, [u8; 32])>);

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("len", &self.0.len()).finish()
    }
}

impl Tokens {
    /// Adds a token. `name` says in messages where it comes from.
    ///
    /// # Errors
    /// Returns an error if the token is too short, or contains anything but visible ASCII characters.
    pub fn add(&mut self, name: &str, token: &str) -> Result<(), McpError> {
        if token.len() < MIN_TOKEN_LEN {
            let message = format!(
                "the token of {name} has {} bytes: a token has at least {MIN_TOKEN_LEN}, such as the output of `openssl rand -hex 32`",
                token.len()
            );
            return Err(McpError::new(ErrorKind::Settings, message));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message =
                format!("the token of {name} contains a character that no header can have: use letters and digits");
            return Err(McpError::new(ErrorKind::Settings, message));
        }
        let digest = digest(token);
        if self.0.iter().all(|(_, known)| *known != digest) {
            self.0.push((Principal(format!("token {}", self.0.len() + 1).into()), digest));
        }
        Ok(())
    }

    /// Returns whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the bearer of a token, if it is one of these. The time that this takes does not depend on how much of a token is right.
    pub(super) fn bearer(&self, token: &str) -> Option<Principal> {
        let digest = digest(token);
        let mut bearer = None;
        for (principal, known) in &self.0 {
            let difference = known.iter().zip(&digest).fold(0, |difference, (a, b)| difference | (a ^ b));
            if std::hint::black_box(difference) == 0 {
                bearer = Some(principal);
            }
        }
        bearer.cloned()
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_belongs_to_one_bearer() {
        let mut tokens = Tokens::default();
        tokens.add("A", "0123456789abcdef").expect("it is long enough");
        tokens.add("B", "fedcba9876543210").expect("it is long enough");
        tokens.add("C", "0123456789abcdef").expect("the same token again");
        assert_eq!(format!("{tokens:?}"), "Tokens { len: 2 }");
        let (a, b) = (tokens.bearer("0123456789abcdef"), tokens.bearer("fedcba9876543210"));
        assert!(a.is_some() && b.is_some() && a != b);
        for wrong in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF"] {
            assert_eq!(tokens.bearer(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_token_that_could_be_guessed_or_sent_wrongly_is_refused() {
        let mut tokens = Tokens::default();
        let short = tokens.add("the variable `T`", "hunter2").expect_err("it is short").to_string();
        assert!(short.contains("the variable `T` has 7 bytes") && !short.contains("hunter2"), "{short}");
        let odd = tokens.add("the variable `T`", "hunter2 hunter2 hunter2").expect_err("it has spaces").to_string();
        assert!(odd.contains("no header can have") && !odd.contains("hunter2"), "{odd}");
        assert!(tokens.is_empty());
    }
}
