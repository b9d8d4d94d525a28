//! A string of a manifest, as it is written.

use std::ops::Range;

use toml::de::DeTable;

use super::Lint;
use crate::diagnostic::Place;
use crate::manifest::written;

/// A string and where each part of it stands.
#[derive(Debug)]
pub struct Written<'s> {
    value: String,
    literal: &'s str,
    /// Where it stands.
    pub at: Place,
    /// Whether it is what is written, quotes included, and no string.
    is_raw: bool,
}

impl Lint<'_> {
    /// The string at a place. None where something else stands there.
    pub fn string(&self, at: Place) -> Option<Written<'_>> {
        let literal = self.sources.get(at.source).text.get(at.span())?;
        if !literal.starts_with(['"', '\'']) {
            return None;
        }
        if is_plain(literal) {
            return Some(Written { value: literal[1..literal.len() - 1].to_owned(), literal, at, is_raw: false });
        }
        let document = format!("x = {literal}");
        let value = DeTable::parse(&document).ok()?.get_ref().get("x")?.get_ref().as_str()?.to_owned();
        Some(Written { value, literal, at, is_raw: false })
    }

    /// Whatever stands at a place, as it is written.
    pub fn raw(&self, at: Place) -> Written<'_> {
        let literal = self.sources.get(at.source).text.get(at.span()).unwrap_or_default();
        Written { value: literal.to_owned(), literal, at, is_raw: true }
    }
}

/// Whether it stands in the file as it is: on one line, and without any escape.
fn is_plain(literal: &str) -> bool {
    let quote = &literal[..1];
    let is_long = literal.starts_with(&quote.repeat(3));
    literal.len() >= 2 && !is_long && (quote == "'" || !literal.contains('\\')) && literal.ends_with(quote)
}

impl Written<'_> {
    /// What it says.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Where these bytes of it stand.
    pub fn place(&self, span: Range<usize>) -> Place {
        let start = self.at.span().start;
        let within = if self.is_raw { span } else { written(self.literal, &self.value, span) };
        Place::new(self.at.source, start + within.start..start + within.end)
    }
}
