//! `$defs` and `$ref`: schemas with a name, which others lead to, in circles even.

use toolc::__gen::graph::cycles;

use super::Schema;
use crate::diagnostic::{At, Place};

/// What every `$ref` begins with.
pub const LEAD: &str = "#/$defs/";

/// Index of a definition among its tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefId(pub usize);

/// A `$ref`.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Where it leads.
    pub to: DefId,
    /// The name of that.
    pub name: String,
    /// Where it stands.
    pub place: Place,
}

impl Reference {
    /// As JSON Schema writes it.
    pub fn written(&self) -> String {
        format!("{LEAD}{}", self.name)
    }
}

/// A schema with a name.
#[derive(Debug, Clone)]
pub struct Def {
    /// Its name.
    pub name: At<String>,
    /// The schema.
    pub schema: Schema,
}

/// A tool's definitions, in the author's order.
#[derive(Debug, Clone, Default)]
pub struct Defs(Vec<Def>);

impl Defs {
    /// These definitions.
    pub fn new(defs: Vec<Def>) -> Self {
        Self(defs)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (DefId, &Def)> {
        self.0.iter().enumerate().map(|(id, def)| (DefId(id), def))
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one that a `$ref` leads to.
    pub fn get(&self, id: DefId) -> &Def {
        &self.0[id.0]
    }

    /// For each definition, whether these schemas lead to it.
    pub fn needed_by<'s>(&'s self, roots: impl IntoIterator<Item = &'s Schema>) -> Vec<bool> {
        let mut needed = vec![false; self.0.len()];
        let mut pending: Vec<&Schema> = roots.into_iter().collect();
        while let Some(root) = pending.pop() {
            for reference in root.walk().into_iter().filter_map(|schema| schema.reference.as_ref()) {
                if !std::mem::replace(&mut needed[reference.to.0], true) {
                    pending.push(&self.get(reference.to).schema);
                }
            }
        }
        needed
    }

    /// Returns a cycle of definitions each of which is the next one, for the same value, so that nothing says what such a
    /// value is: the `$ref`s by which they lead to one another.
    pub fn cycle(&self) -> Option<Vec<Reference>> {
        let references = |id: usize| {
            let references = self.0[id].schema.references_in_place();
            references.into_iter().map(|reference| (reference.to.0, reference)).collect()
        };
        let first = cycles(0..self.0.len(), references).into_iter().next()?;
        Some(first.into_iter().map(|(_, reference)| reference.clone()).collect())
    }

    /// Replaces a `$ref` by a schema that accepts any value.
    pub fn cut(&mut self, place: Place) {
        self.0.iter_mut().for_each(|def| def.schema.cut(place));
    }
}

impl Schema {
    /// Every `$ref` that is about the same value.
    fn references_in_place(&self) -> Vec<&Reference> {
        let mut found: Vec<&Reference> = self.reference.iter().collect();
        let mut pending: Vec<&Schema> = self.in_place().collect();
        while let Some(schema) = pending.pop() {
            found.extend(&schema.reference);
            pending.extend(schema.in_place());
        }
        found
    }

    fn cut(&mut self, place: Place) {
        self.has_errors |= self.reference.take_if(|reference| reference.place == place).is_some();
        self.any_of.iter_mut().chain(&mut self.one_of).chain(&mut self.all_of).for_each(|schema| schema.cut(place));
    }
}
