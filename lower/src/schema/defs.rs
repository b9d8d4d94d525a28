//! `$defs` and `$ref`: named schemas, and references to them. References may be recursive.

use toolc::__gen::graph::cycles;
use toolc::__gen::table::Type;
use toolc_tables::diagnostic::{At, Place};

use super::Schema;

/// The prefix of every `$ref`.
pub const REF_PREFIX: &str = "#/$defs/";

/// The maximum number of nested schemas and `$ref`s that are followed to find the types of a value.
pub const MAX_REF_DEPTH: usize = 16;

/// The index of a definition in the [`Defs`] of its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefId(pub usize);

/// A `$ref`.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The target.
    pub to: DefId,
    /// The name of the target.
    pub name: String,
    /// The place of the `$ref`.
    pub place: Place,
}

impl Reference {
    /// Returns the value of the `$ref`: `#/$defs/NAME`.
    pub fn uri(&self) -> String {
        format!("{REF_PREFIX}{}", self.name)
    }
}

/// A definition: a schema with a name.
#[derive(Debug, Clone)]
pub struct Def {
    /// The name.
    pub name: At<String>,
    /// The schema.
    pub schema: Schema,
}

/// The definitions of a tool, in the author's order.
#[derive(Debug, Clone, Default)]
pub struct Defs(Vec<Def>);

impl Defs {
    /// Creates a list of definitions. Their indices are their ids.
    pub fn new(defs: Vec<Def>) -> Self {
        Self(defs)
    }

    /// Returns all definitions with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (DefId, &Def)> {
        self.0.iter().enumerate().map(|(id, def)| (DefId(id), def))
    }

    /// Returns the number of definitions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the tool has no definitions.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the definition with this id.
    pub fn get(&self, id: DefId) -> &Def {
        &self.0[id.0]
    }

    /// Returns, for each definition, whether it is reachable from these schemas, directly or through other definitions.
    pub fn reachable_from<'s>(&'s self, roots: impl IntoIterator<Item = &'s Schema>) -> Vec<bool> {
        let mut reachable = vec![false; self.0.len()];
        let mut pending: Vec<&Schema> = roots.into_iter().collect();
        while let Some(root) = pending.pop() {
            for schema in root.walk() {
                let others = schema.others.iter().flat_map(|other| &other.references).copied();
                for to in schema.reference.iter().map(|reference| reference.to).chain(others) {
                    if !std::mem::replace(&mut reachable[to.0], true) {
                        pending.push(&self.get(to).schema);
                    }
                }
            }
        }
        reachable
    }

    /// Returns a cycle of `$ref`s for the same value: definitions that consist only of each other, so that they describe no value.
    pub fn cycle(&self) -> Option<Vec<Reference>> {
        let references = |id: usize| {
            let references = self.0[id].schema.references_in_place();
            references.into_iter().map(|reference| (reference.to.0, reference)).collect()
        };
        let first = cycles(0..self.0.len(), references).into_iter().next()?;
        Some(first.into_iter().map(|(_, reference)| reference.clone()).collect())
    }

    /// Returns whether a schema may allow values of a type. Sound but incomplete: true if the schema is nested too deeply to decide.
    pub fn allows_type(&self, schema: &Schema, ty: Type) -> bool {
        self.allows_type_within(schema, ty, MAX_REF_DEPTH + 1)
    }

    fn allows_type_within(&self, schema: &Schema, ty: Type, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        let types = schema.effective_types();
        let is_listed = types.is_empty()
            || types.iter().any(|listed| *listed == ty || matches!((listed, ty), (Type::Integer, Type::Number)));
        let allows = |subschema: &Schema| self.allows_type_within(subschema, ty, depth);
        is_listed
            && schema.reference.as_ref().is_none_or(|reference| allows(&self.get(reference.to).schema))
            && (schema.any_of.is_empty() || schema.any_of.iter().any(allows))
            && (schema.one_of.is_empty() || schema.one_of.iter().any(allows))
            && schema.all_of.iter().all(allows)
    }

    /// Returns whether null is valid for a schema in every turn.
    pub fn accepts_null(&self, schema: &Schema) -> bool {
        let accepts = |subschema: &Schema| self.accepts_null(subschema);
        (schema.types.is_empty() || schema.types.contains(&Type::Null))
            && schema.constant.as_ref().is_none_or(|constant| constant.value.is_null())
            && (schema.choices.is_empty()
                || schema.choices.iter().any(|choice| choice.value.value.is_null() && choice.when.is_none()))
            && schema.reference.as_ref().is_none_or(|reference| accepts(&self.get(reference.to).schema))
            && (schema.any_of.is_empty() || schema.any_of.iter().any(accepts))
            && (schema.one_of.is_empty() || schema.one_of.iter().filter(|one| accepts(one)).count() == 1)
            && schema.all_of.iter().all(accepts)
    }

    /// Removes the `$ref` at a place, so that its schema accepts any value.
    pub fn remove_reference(&mut self, place: Place) {
        self.0.iter_mut().for_each(|def| def.schema.remove_reference(place));
    }
}

impl Schema {
    /// Returns every `$ref` for the same value.
    fn references_in_place(&self) -> Vec<&Reference> {
        let mut references: Vec<&Reference> = self.reference.iter().collect();
        let mut pending: Vec<&Schema> = self.in_place().collect();
        while let Some(schema) = pending.pop() {
            references.extend(&schema.reference);
            pending.extend(schema.in_place());
        }
        references
    }

    fn remove_reference(&mut self, place: Place) {
        self.has_errors |= self.reference.take_if(|reference| reference.place == place).is_some();
        for subschema in self.any_of.iter_mut().chain(&mut self.one_of).chain(&mut self.all_of) {
            subschema.remove_reference(place);
        }
    }
}
