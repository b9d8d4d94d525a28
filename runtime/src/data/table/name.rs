//! Names of properties, in a form that can be compared with JSON text.

use crate::text::json;
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// The name of a property. It is stored as a JSON string, so that the reader can compare it with a key without unescaping.
#[derive(Clone, PartialEq, Eq)]
pub struct Name {
    /// The name with its quotes.
    quoted: Cow<'static, str>,
    /// The name without quotes, if it contains escapes.
    unescaped: Option<Box<str>>,
}

impl Name {
    /// Returns the name whose JSON string is `quoted`, or `None` if it is not a JSON string.
    pub(crate) fn from_json(quoted: Cow<'static, str>) -> Option<Self> {
        let plain = quoted.strip_prefix('"')?.strip_suffix('"')?;
        let unescaped = if plain.contains('\\') { Some(serde_json::from_str(&quoted).ok()?) } else { None };
        Some(Self { quoted, unescaped })
    }

    /// Returns the name as a JSON string, with quotes.
    pub(crate) fn quoted(&self) -> &str {
        &self.quoted
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        let mut quoted = String::with_capacity(name.len() + 2);
        json::push_string(&mut quoted, name);
        let unescaped = quoted.contains('\\').then(|| name.into());
        Self { quoted: quoted.into(), unescaped }
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.unescaped {
            Some(name) => name,
            None => self.quoted.get(1..self.quoted.len() - 1).unwrap_or_default(),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_stored_as_json() {
        for (name, quoted) in
            [("query", r#""query""#), ("", r#""""#), ("a\"b\\c\n", r#""a\"b\\c\n""#), ("ü/", r#""ü/""#)]
        {
            let kept = Name::from(name);
            assert_eq!((&*kept, kept.quoted()), (name, quoted));
            assert_eq!(Name::from_json(quoted.into()), Some(kept));
        }
        for damaged in ["", "\"", "a", "\"a", r#""\x""#] {
            assert_eq!(Name::from_json(damaged.into()), None, "{damaged}");
        }
    }
}
