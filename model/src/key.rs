//! The key of an API.

use std::fmt;

/// The key of an API. It is never shown: `Debug` prints a placeholder, and the type does not implement `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Returns a key, without the white space around it.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Replaces the key in a text of a server, which may repeat it. A short word such as `none`, which is the key of servers that need none, is
    /// not secret, and would make the text unreadable.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        const SHORTEST: usize = 7;
        if self.0.len() < SHORTEST || self.0.bytes().all(|byte| byte.is_ascii_lowercase()) && self.0.len() < 16 {
            text.to_owned()
        } else {
            text.replace(&self.0, "[key]")
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key([hidden])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let key = Key::new(" sk-1234\n");
        assert_eq!(format!("{key:?}"), "Key([hidden])");
        assert_eq!(key.hidden_in("wrong key sk-1234!"), "wrong key [key]!");
        for word in ["", "k", "key", "none", "ollama", "dummy", "lm-st", "placeholder", "secret"] {
            let text = format!("the key {word} is wrong: no ollama model");
            assert_eq!(Key::new(word).hidden_in(&text), text);
        }
    }
}
