//! Values that are never shown.

use std::fmt;

/// A token or a key. It is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a value, without the white space around it. `None` if nothing is left, or it has a character that no header can have.
    pub fn new(value: &str) -> Option<Self> {
        let value = value.trim();
        let is_valid = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic());
        is_valid.then(|| Self(value.to_owned()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
