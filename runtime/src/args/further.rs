//! Keywords of JSON Schema that manifests do not have. Only a table that is built at run time has them, so a program without such tables
//! does not contain the code behind [`Keywords`].

use std::fmt::Debug;

use serde_json::Value;

use super::digits::holds_float;
use super::json_type;
use super::origin::Step;
use super::reader::Reader;
use super::repair::clone_cost;
use super::validate::{JsonPath, Validator};
use crate::data::table::{Node, NodeId};
use crate::number;

/// The keywords of one schema.
pub(crate) trait Keywords: Debug + Send + Sync {
    /// Returns the schemas that these keywords apply to parts of `value`.
    fn applied(&self, reader: &Reader<'_>, value: &Value) -> Vec<Applied>;

    /// Returns the mistakes in `value` that no applied schema reports.
    fn mistakes(&self, reader: &Reader<'_>, value: &Value) -> Vec<Mistake>;
}

/// A part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// The value itself.
    Whole,
    /// The value of a key.
    Key(String),
    /// An item.
    Item(usize),
}

impl Part {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Part::Whole => Some(value),
            Part::Key(key) => value.get(key),
            Part::Item(index) => value.get(index),
        }
    }

    pub(super) fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match self {
            Part::Whole => Some(value),
            Part::Key(key) => value.get_mut(key),
            Part::Item(index) => value.get_mut(index),
        }
    }

    fn step(&self) -> Option<Step<'_>> {
        match self {
            Part::Whole => None,
            Part::Key(key) => Some(Step::Key(key)),
            Part::Item(index) => Some(Step::Index(*index)),
        }
    }
}

/// A schema that applies to a part of a value.
#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) part: Part,
    pub(crate) schema: NodeId,
    /// Whether the part must satisfy the schema. Otherwise, only the server can judge it: numbers are spelled as the schema wants them,
    /// which does not change their value, and nothing else is done.
    pub(crate) is_certain: bool,
}

/// A mistake at a part of a value.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) part: Part,
    pub(crate) expected: String,
    pub(crate) got: String,
}

impl Reader<'_> {
    /// Repairs a value toward the further keywords of a node.
    #[cold]
    pub(super) fn repair_further(&self, value: &mut Value, node: &Node, depth: usize) {
        // A schema may apply itself to the same value.
        let (Some(keywords), Some(inner)) = (self.table.further(node), depth.checked_sub(1)) else { return };
        for Applied { part, schema, is_certain } in keywords.applied(self, value) {
            let Some(value) = part.of_mut(value) else { continue };
            if is_certain && part != Part::Whole {
                self.repair(value, schema, inner);
                continue;
            }
            if !is_certain {
                self.spell(value, schema, inner);
                continue;
            }
            if !self.spend(clone_cost(value)) {
                return;
            }
            let (mut trial, was_changed) = (value.clone(), self.changed.get());
            self.repair(&mut trial, schema, inner);
            if json_type::fits(self.table.types(self.table.node(schema)), &trial) {
                *value = trial;
            } else {
                self.changed.set(was_changed);
            }
        }
    }
}

impl Reader<'_> {
    /// Spells numbers as the alternatives of a node want them, which do not determine a type.
    #[cold]
    pub(super) fn spell_alternatives(&self, value: &mut Value, node: &Node, depth: usize) {
        // An alternative may contain itself.
        let Some(inner) = depth.checked_sub(1).filter(|_| holds_float(value)) else { return };
        for schema in self.table.any_of(node) {
            self.spell(value, *schema, inner);
        }
    }

    /// Spells numbers as a schema wants them, and changes nothing else.
    fn spell(&self, value: &mut Value, schema: NodeId, depth: usize) {
        if !self.spend(clone_cost(value)) {
            return;
        }
        let (mut trial, before) = (value.clone(), (self.changed.get(), self.has_spelled.get()));
        self.repair(&mut trial, schema, depth);
        self.changed.set(before.0);
        self.has_spelled.set(before.1);
        take_spelling(value, &trial);
    }
}

/// Gives the numbers in `value` the spelling of the same numbers in `other`.
fn take_spelling(value: &mut Value, other: &Value) {
    match (value, other) {
        (Value::Number(number), Value::Number(other)) if number::equal(number, other) => {
            *number = other.clone();
        }
        (Value::Array(items), Value::Array(others)) => {
            items.iter_mut().zip(others).for_each(|(item, other)| take_spelling(item, other));
        }
        (Value::Object(map), Value::Object(others)) => {
            for (key, value) in map {
                if let Some(other) = others.get(key) {
                    take_spelling(value, other);
                }
            }
        }
        _ => {}
    }
}

impl Validator<'_, '_> {
    /// Checks a value against the further keywords of a node.
    #[cold]
    pub(super) fn further(&mut self, value: &Value, node: &Node, path: &JsonPath<'_>) {
        let reader = self.reader;
        let Some(keywords) = reader.table.further(node) else { return };
        for Applied { part, schema, .. } in keywords.applied(reader, value).iter().filter(|applied| applied.is_certain)
        {
            if self.is_over() {
                return;
            }
            if let Some(value) = part.of(value) {
                self.node(value, *schema, &path.to(part.step(), *schema));
            }
        }
        if self.is_over() {
            return;
        }
        for Mistake { part, expected, got } in keywords.mistakes(reader, value) {
            self.fail(&path.to(part.step(), path.id), &|| (expected.clone(), got.clone()));
        }
    }
}
