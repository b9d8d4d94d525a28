//! `$ref` and `allOf`: what stands elsewhere, put in its place; schemas that hold together, made one.

use super::text::DEEPEST;
use super::{Fallback, Narrower};
use crate::dialects::Refs;
use crate::schema::{DefId, Schema};

/// The levels of schemas within schemas that are rewritten for a dialect without a limit of its own. Deeper ones are sent
/// as JSON text.
const MAX_DEPTH: usize = 24;

impl Narrower<'_> {
    /// The same without `allOf`, and with a `$ref` only where the language takes it, alone. Where that leads back to what
    /// is around it, or too far, the schema as it was.
    pub(super) fn flat(&mut self, mut given: Schema) -> Result<Schema, Box<Schema>> {
        if self.is_too_much() {
            return Err(Box::new(given));
        }
        self.left -= 1;
        if let (Some(reference), Refs::Alone { recursive }) = (&given.reference, self.accepted_refs())
            && given.all_of.is_empty()
            && (recursive || !self.recursive[reference.to.0])
        {
            let to = reference.to;
            if is_alone(&given) {
                return Ok(given);
            }
            if self.recursive[to.0] && given.alias().is_some() {
                // As the only alternative, it can have sibling keywords.
                let mut alternative = Schema::new(given.place);
                alternative.reference = given.reference.take();
                given.any_of = vec![alternative];
                return Ok(given);
            }
        }
        if given.reference.is_none() && given.all_of.is_empty() {
            return Ok(given);
        }
        self.alone(given)
    }

    /// The same without any `$ref` or `allOf` about the same value.
    pub(super) fn alone(&mut self, given: Schema) -> Result<Schema, Box<Schema>> {
        if given.reference.is_none() && given.all_of.is_empty() {
            return Ok(given);
        }
        let outer = self.inlined.clone();
        let (losses, reads_texts) = (self.losses.len(), self.reads_texts);
        if let Some(merged) = self.merged(given.clone(), &outer) {
            return Ok(merged);
        }
        self.inlined = outer;
        self.reads_texts = reads_texts;
        self.losses.truncate(losses);
        Err(Box::new(given))
    }

    fn merged(&mut self, mut schema: Schema, outer: &[DefId]) -> Option<Schema> {
        if let Some(reference) = schema.reference.take() {
            if outer.contains(&reference.to) || self.left == 0 {
                return None;
            }
            // What leads on among unions is not repaired.
            self.reads_texts &= schema.in_place().next().is_none();
            self.inlined.push(reference.to);
            let target = self.merged(self.defs.get(reference.to).schema.clone(), outer)?;
            self.left = self.left.saturating_sub(1);
            schema = self.join(schema, &target);
        }
        let parts = std::mem::take(&mut schema.all_of);
        self.reads_texts &= parts.is_empty();
        for part in parts {
            let part = self.merged(part, outer)?;
            self.left = self.left.saturating_sub(1);
            schema = self.join(schema, &part);
        }
        Some(schema)
    }

    /// Where a `$ref` may be.
    fn accepted_refs(&self) -> Refs {
        self.dialect.schema.refs().map_or(Refs::Alone { recursive: true }, |refs| refs.value)
    }

    /// Whether there is no room for another schema here.
    pub(super) fn is_too_much(&self) -> bool {
        self.depth > self.dialect.schema.max_depth().map_or(MAX_DEPTH, |most| most.value) || self.left == 0
    }

    /// Whether the schema is an open object, which allows additional properties.
    pub(super) fn is_open(&self, schema: &Schema, depth: usize) -> bool {
        let schema = self.defs.resolve(schema).schema;
        let is_open = schema.is_object() && !matches!(schema.additional, crate::schema::Additional::Deny);
        is_open || (depth < DEEPEST && schema.in_place().any(|one| self.is_open(one, depth + 1)))
    }

    /// Records that a keyword of `schema` was dropped.
    pub(super) fn leave(&mut self, schema: &Schema, word: &'static str) {
        self.lose(schema.word_place(word), word, Fallback::Dropped);
    }
}

/// Whether a `$ref` has no sibling keywords.
fn is_alone(schema: &Schema) -> bool {
    schema.alias().is_some()
        && schema.description.is_none()
        && schema.title.is_none()
        && schema.default.is_none()
        && schema.examples.is_empty()
        && schema.format.is_none()
        && !schema.deprecated
}
