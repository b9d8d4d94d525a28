//! Flattening: inlines `$ref`s and merges `allOf`.

use super::{Fallback, Narrower};
use crate::dialects::Refs;
use crate::schema::{DefId, MAX_REF_DEPTH, Schema};

/// The maximum nesting depth for a dialect that has no limit of its own. Deeper schemas are sent as JSON text.
const MAX_DEPTH: usize = 24;

impl Narrower<'_> {
    /// Removes `allOf`, and every `$ref` that the dialect does not accept. A remaining `$ref` has no sibling keywords.
    ///
    /// # Errors
    /// The unchanged schema, if it is nested too deeply or contains itself.
    pub(super) fn flatten(&mut self, mut given: Schema) -> Result<Schema, Box<Schema>> {
        if self.exceeds_limits() {
            return Err(Box::new(given));
        }
        self.budget -= 1;
        if let (Some(reference), Refs::Alone { recursive }) = (&given.reference, self.accepted_refs())
            && given.all_of.is_empty()
            && (recursive || !self.recursive[reference.to.0])
        {
            let is_recursive = self.recursive[reference.to.0];
            if has_only_reference(&given) {
                return Ok(given);
            }
            if is_recursive && given.alias().is_some() {
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
        self.flatten_fully(given)
    }

    /// Removes `allOf` and every `$ref` for the same value.
    ///
    /// # Errors
    /// The unchanged schema, if it contains itself or the budget is too small.
    pub(super) fn flatten_fully(&mut self, given: Schema) -> Result<Schema, Box<Schema>> {
        if given.reference.is_none() && given.all_of.is_empty() {
            return Ok(given);
        }
        let outer = self.inlined.clone();
        let (losses, is_repaired) = (self.losses.len(), self.is_repaired);
        if let Some(merged) = self.try_flatten(given.clone(), &outer) {
            return Ok(merged);
        }
        self.inlined = outer;
        self.is_repaired = is_repaired;
        self.losses.truncate(losses);
        Err(Box::new(given))
    }

    /// Flattens a schema for [`Self::flatten_fully`]. `outer` are the definitions that were inlined before: a `$ref` to one of them
    /// would be endless. After a failure, the caller restores the context.
    fn try_flatten(&mut self, mut schema: Schema, outer: &[DefId]) -> Option<Schema> {
        if let Some(reference) = schema.reference.take() {
            if outer.contains(&reference.to) || self.budget == 0 {
                return None;
            }
            // The runtime does not repair a value with both a `$ref` and alternatives.
            self.is_repaired &= schema.in_place().next().is_none();
            self.inlined.push(reference.to);
            let target = self.try_flatten(self.defs.get(reference.to).schema.clone(), outer)?;
            self.budget = self.budget.saturating_sub(1);
            schema = self.merge_or_describe(schema, &target);
        }
        let parts = std::mem::take(&mut schema.all_of);
        self.is_repaired &= parts.is_empty();
        for part in parts {
            let part = self.try_flatten(part, outer)?;
            self.budget = self.budget.saturating_sub(1);
            schema = self.merge_or_describe(schema, &part);
        }
        Some(schema)
    }

    /// Returns where the dialect accepts a `$ref`.
    fn accepted_refs(&self) -> Refs {
        self.dialect.schema.refs().map_or(Refs::Alone { recursive: true }, |refs| refs.value)
    }

    /// Returns whether the current schema is nested too deeply, or the budget is used up.
    pub(super) fn exceeds_limits(&self) -> bool {
        self.depth > self.dialect.schema.max_depth().map_or(MAX_DEPTH, |limit| limit.value) || self.budget == 0
    }

    /// Returns whether the schema, or one of its alternatives, is an open object, which allows additional properties.
    pub(super) fn is_open(&self, schema: &Schema, depth: usize) -> bool {
        let schema = self.defs.resolve(schema).schema;
        let is_open = schema.is_object() && !matches!(schema.additional, crate::schema::Additional::Deny);
        is_open || (depth < MAX_REF_DEPTH && schema.in_place().any(|subschema| self.is_open(subschema, depth + 1)))
    }

    /// Records that a keyword of `schema` was dropped.
    pub(super) fn record_dropped(&mut self, schema: &Schema, keyword: &'static str) {
        self.record_loss(schema.keyword_place(keyword), keyword, Fallback::Dropped);
    }
}

/// Returns whether a `$ref` has no sibling keywords.
fn has_only_reference(schema: &Schema) -> bool {
    schema.alias().is_some()
        && schema.description.is_none()
        && schema.title.is_none()
        && schema.default.is_none()
        && schema.examples.is_empty()
        && schema.format.is_none()
        && !schema.deprecated
}
