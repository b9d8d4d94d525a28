//! Secret values, which must not be shown by accident.

use std::fmt;

use crate::data::to_json::ToJson;

/// The value of a `secret` parameter. Its `Debug` form does not show the value. Two secrets are equal if their values are; the
/// comparison takes less time if they differ early.
///
/// ```
/// let password = toolc::Secret::new("hunter2");
/// assert_eq!(format!("{password:?}"), "Secret(..)");
/// assert_eq!(*password.expose(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Returns the value, and consumes the wrapper.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl<T: ToJson> ToJson for Secret<T> {
    fn to_json(&self, out: &mut String) {
        self.0.to_json(out);
    }

    fn is_absent(&self) -> bool {
        self.0.is_absent()
    }
}
