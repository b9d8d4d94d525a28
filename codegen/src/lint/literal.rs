//! A string of a manifest together with its source text, which maps parts of the string to places.

use std::ops::Range;

use toml::de::DeTable;
use toolc_tables::written;

use super::Lint;
use crate::diagnostic::Place;

/// A string of a manifest, and the place of each of its parts.
#[derive(Debug)]
pub struct StringLiteral<'s> {
    value: String,
    literal: &'s str,
    /// The place of the literal.
    pub at: Place,
    /// Whether `value` is the source text itself, of any TOML value.
    is_raw: bool,
}

impl Lint<'_> {
    /// Returns the string at a place, or `None` if the value there is not a string.
    pub fn string(&self, at: Place) -> Option<StringLiteral<'_>> {
        let literal = self.sources.get(at.source).text.get(at.span())?;
        if !literal.starts_with(['"', '\'']) {
            return None;
        }
        if is_plain(literal) {
            return Some(StringLiteral { value: literal[1..literal.len() - 1].to_owned(), literal, at, is_raw: false });
        }
        let document = format!("x = {literal}");
        let value = DeTable::parse(&document).ok()?.get_ref().get("x")?.get_ref().as_str()?.to_owned();
        Some(StringLiteral { value, literal, at, is_raw: false })
    }

    /// Returns the source text at a place.
    pub fn raw(&self, at: Place) -> StringLiteral<'_> {
        let literal = self.sources.get(at.source).text.get(at.span()).unwrap_or_default();
        StringLiteral { value: literal.to_owned(), literal, at, is_raw: true }
    }
}

/// Returns whether the literal is on one line and has no escapes, so that its value is the text between the quotes.
fn is_plain(literal: &str) -> bool {
    let quote = &literal[..1];
    let is_long = literal.starts_with(&quote.repeat(3));
    literal.len() >= 2 && !is_long && (quote == "'" || !literal.contains('\\')) && literal.ends_with(quote)
}

impl StringLiteral<'_> {
    /// Returns whether the string is written with escapes.
    pub fn is_escaped(&self) -> bool {
        !self.is_raw && self.literal.starts_with('"') && self.literal.contains('\\')
    }

    /// Returns the decoded string.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the place of a range of bytes of the decoded string.
    pub fn place(&self, span: Range<usize>) -> Place {
        let start = self.at.span().start;
        let within = if self.is_raw { span } else { written(self.literal, &self.value, span) };
        Place::new(self.at.source, start + within.start..start + within.end)
    }
}
