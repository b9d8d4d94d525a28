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
    at: Place,
}

impl Lint<'_> {
    /// The string at a place. None where something else stands there.
    pub fn string(&self, at: Place) -> Option<Written<'_>> {
        let literal = self.sources.get(at.source).text.get(at.span())?;
        if !literal.starts_with(['"', '\'']) {
            return None;
        }
        let document = format!("x = {literal}");
        let value = DeTable::parse(&document).ok()?.get_ref().get("x")?.get_ref().as_str()?.to_owned();
        Some(Written { value, literal, at })
    }
}

impl Written<'_> {
    /// What it says.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Where these bytes of it stand.
    pub fn place(&self, span: Range<usize>) -> Place {
        let start = self.at.span().start;
        let within = written(self.literal, &self.value, span);
        Place::new(self.at.source, start + within.start..start + within.end)
    }
}
