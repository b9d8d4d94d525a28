//! Unions: `anyOf` and `oneOf`. In a narrowed schema a union contains only its alternatives and annotations: sibling keywords are
//! merged into each alternative.

use toolc::__gen::table::Type;
use toolc_tables::diagnostic::At;

use super::object::allow_null;
use super::{Fallback, NarrowSchema, Narrower};
use crate::prose::{append_sentence, keyword_prose};
use crate::schema::Schema;
use serde_json::Value;

/// Moves the annotations of a schema to a new schema without constraints.
pub(super) fn take_annotations(schema: &mut Schema) -> Schema {
    let mut annotations = Schema::new(schema.place);
    annotations.title = schema.title.take();
    annotations.description = schema.description.take();
    annotations.default = schema.default.take();
    annotations.examples = std::mem::take(&mut schema.examples);
    annotations.deprecated = std::mem::take(&mut schema.deprecated);
    annotations
}

impl Narrower<'_> {
    /// Replaces an unsupported `oneOf` by `anyOf`, which is equivalent if no value satisfies two alternatives.
    pub(super) fn replace_one_of(&mut self, schema: &mut Schema) {
        let alternatives = std::mem::take(&mut schema.one_of);
        if !schema.any_of.is_empty() {
            self.describe_union(schema, alternatives, "oneOf");
            return;
        }
        let mut only_one_of = Schema::new(schema.place);
        only_one_of.one_of = alternatives;
        if !self.are_exclusive(&only_one_of) {
            let place = only_one_of.keyword_place("oneOf");
            self.describe_keyword(schema, "oneOf", place, keyword_prose("oneOf", &Value::Null));
        }
        schema.any_of = only_one_of.one_of;
    }

    /// Returns whether no value satisfies two alternatives of this `oneOf`.
    fn are_exclusive(&self, union: &Schema) -> bool {
        let allows_null = |schema: &&Schema| schema.is_null() || self.defs.is_nullable(schema);
        let nullable = union.one_of.iter().filter(allows_null).count();
        let others = union.one_of.iter().filter(|alternative| !alternative.is_null()).count();
        nullable <= 1 && (others <= 1 || self.defs.union(union).is_some())
    }

    /// Narrows a schema with `anyOf`.
    pub(super) fn narrow_union(&mut self, mut schema: Schema) -> NarrowSchema {
        let alternatives = std::mem::take(&mut schema.any_of);
        let annotations = take_annotations(&mut schema);
        let siblings = schema;
        let has_siblings = siblings.has_constraints() || siblings.format.is_some();
        self.is_repaired &= siblings.all_of.is_empty();
        let mut narrowed = Vec::new();
        for alternative in alternatives {
            narrowed.extend(self.scoped(|narrower| {
                if has_siblings {
                    narrower.narrow_with_siblings(alternative, &siblings)
                } else {
                    Some(narrower.narrow_alternative(alternative))
                }
            }));
        }
        self.combine_alternatives(annotations, narrowed)
    }

    /// Merges the sibling keywords of a union into an alternative, and narrows it. Returns `None` if no value satisfies both.
    fn narrow_with_siblings(&mut self, alternative: Schema, siblings: &Schema) -> Option<NarrowSchema> {
        let place = alternative.place;
        match self.flatten_within_limits(alternative) {
            Ok(flat) => {
                let losses = self.losses.len();
                let Some(merged) = self.merge(flat, siblings.clone()) else {
                    self.losses.truncate(losses);
                    return None;
                };
                // The result may be a union, or have an `allOf`.
                Some(self.narrow_alternative(merged))
            }
            Err(alternative) => {
                let mut narrow = self.narrow_too_deep(&alternative);
                let prose = self.describe_schema(siblings, "Must also match this JSON Schema");
                self.record_loss(place, "anyOf", Fallback::Description);
                narrow.schema.add_description(prose);
                Some(narrow)
            }
        }
    }

    fn flatten_within_limits(&mut self, alternative: Schema) -> Result<Schema, Box<Schema>> {
        if self.exceeds_limits() { Err(Box::new(alternative)) } else { self.flatten_fully(alternative) }
    }

    /// Combines narrowed alternatives and the annotations of their union to one schema: a union, or the only alternative that
    /// remains.
    pub(super) fn combine_alternatives(
        &mut self,
        mut annotations: Schema,
        alternatives: Vec<NarrowSchema>,
    ) -> NarrowSchema {
        let mut flat: Vec<NarrowSchema> = Vec::new();
        for NarrowSchema { mut schema, is_json_text } in alternatives {
            if schema.any_of.is_empty() {
                flat.push(NarrowSchema { schema, is_json_text });
                continue;
            }
            // The alternatives of a nested union become alternatives of this one.
            if let Some(description) = schema.description.take() {
                annotations.add_description(description.value);
            }
            // `is_json_text` of a union does not say which alternative it is. A union with JSON text has no other strings: see
            // `drop_ambiguous_json_text`.
            flat.extend(schema.any_of.into_iter().map(|schema| {
                let is_json_text = is_json_text && schema.types.contains(&Type::String);
                NarrowSchema { schema, is_json_text }
            }));
        }
        self.drop_ambiguous_json_text(&mut flat, &annotations);
        self.combine_nulls(&mut flat, &annotations);
        let is_json_text = flat.iter().any(|alternative| alternative.is_json_text);
        let mut schema = if flat.is_empty() {
            self.record_dropped(&annotations, "anyOf");
            annotations.types = vec![Type::String];
            annotations
        } else if flat.len() == 1 && flat[0].schema.reference.is_none() {
            let mut only = flat.remove(0).schema;
            add_annotations(annotations, &mut only);
            only
        } else {
            annotations.any_of = flat.into_iter().map(|alternative| alternative.schema).collect();
            annotations
        };
        self.narrow_annotations(&mut schema, is_json_text);
        if self.dialect.schema.union_siblings().is_some() && !schema.any_of.is_empty() {
            let annotations = take_annotations(&mut schema);
            add_annotations(annotations, &mut schema.any_of[0]);
        }
        NarrowSchema { schema, is_json_text }
    }

    /// Drops the alternatives with JSON text if another alternative allows strings: the runtime could not distinguish them.
    fn drop_ambiguous_json_text(&mut self, alternatives: &mut Vec<NarrowSchema>, union: &Schema) {
        let allows_strings = |narrow: &NarrowSchema| match &narrow.schema.reference {
            Some(reference) => self.allows_type(&self.defs.get(reference.to).schema, Type::String),
            None => narrow.schema.types.contains(&Type::String),
        };
        let has_json_text = alternatives.iter().any(|alternative| alternative.is_json_text);
        if has_json_text && alternatives.iter().any(|other| !other.is_json_text && allows_strings(other)) {
            alternatives.retain(|alternative| !alternative.is_json_text);
            self.record_dropped(union, "type");
        }
    }

    /// Reduces the alternatives that are null to one, or to what represents null in the dialect.
    fn combine_nulls(&mut self, alternatives: &mut Vec<NarrowSchema>, union: &Schema) {
        let is_null = |narrow: &NarrowSchema| narrow.schema.types == [Type::Null];
        if !alternatives.iter().any(is_null) {
            return;
        }
        if alternatives.iter().all(is_null) {
            alternatives.truncate(1);
            return;
        }
        if self.accepts_null() && !self.dialect.spelling.openapi {
            let mut seen = false;
            alternatives.retain(|alternative| !is_null(alternative) || !std::mem::replace(&mut seen, true));
            return;
        }
        alternatives.retain(|alternative| !is_null(alternative));
        if !self.accepts_null() {
            self.record_dropped(union, "null");
        } else if !alternatives.iter().any(|alternative| alternative.schema.types.contains(&Type::Null)) {
            allow_null(&mut alternatives[0].schema);
        }
    }
}

/// Adds annotations to a schema. Those of `annotations` win, except the examples; descriptions are joined.
fn add_annotations(annotations: Schema, schema: &mut Schema) {
    schema.title = annotations.title.or(schema.title.take());
    if let Some(At { value: mut text, place }) = annotations.description {
        if let Some(description) = schema.description.take()
            && description.value != text
        {
            append_sentence(&mut text, description.value);
        }
        schema.description = Some(At::new(text, place));
    }
    schema.deprecated |= annotations.deprecated;
    schema.default = annotations.default.or(schema.default.take());
    if schema.examples.is_empty() {
        schema.examples = annotations.examples;
    }
}
