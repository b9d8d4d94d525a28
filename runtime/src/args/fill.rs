//! Filling: converts repaired and valid values into slots of the kinds in the table.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::reader::Reader;
use super::slot::{Heap, Slot};
use super::{json_type, slot};
use crate::data::table::{Additional, Node, NodeId, Property, SlotKind};
use crate::number;

impl Reader<'_> {
    /// Returns the slots of the arguments: one for each declared property, or one for all if the root is a value.
    pub(super) fn fill_arguments(&self, value: Value) -> Vec<Slot<'static>> {
        match self.fill(value, 0) {
            Slot::Heap(heap) => match *heap {
                Heap::Object(slots) => slots,
                other => vec![other.into()],
            },
            other => vec![other],
        }
    }

    /// Returns the slot for a value that is valid for the node.
    pub(super) fn fill(&self, value: Value, id: NodeId) -> Slot<'static> {
        let node = self.table.node(id);
        match (node.form, value) {
            (_, Value::Null) => Slot::Null,
            (SlotKind::Boolean, Value::Bool(value)) => Slot::Boolean(value),
            (SlotKind::Integer, Value::Number(number)) => number::integer(&number).map_or(Slot::Null, Slot::Integer),
            (SlotKind::Number, Value::Number(number)) => number.as_f64().map_or(Slot::Null, Slot::Number),
            (SlotKind::String, Value::String(text)) => Heap::String(text).into(),
            (SlotKind::Choice, value) => {
                let position = self.table.literals(node).iter().position(|literal| json_type::equals(literal, &value));
                position
                    .and_then(|index| u16::try_from(index).ok())
                    .map_or_else(|| Heap::Value(value).into(), Slot::Choice)
            }
            (SlotKind::Array, Value::Array(items)) => {
                Heap::Array(items.into_iter().map(|item| self.fill_item(item, node.items)).collect()).into()
            }
            (SlotKind::Object, Value::Object(map)) => Heap::Object(self.fill_properties(map, node)).into(),
            (SlotKind::Map, Value::Object(map)) => Heap::Map(self.fill_entries(map, node)).into(),
            (SlotKind::Union, value) => match self.alternative(&value, node) {
                Some((index, id)) => Heap::Variant(index, self.fill(value, id)).into(),
                None => Heap::Value(value).into(),
            },
            (_, value) => Heap::Value(value).into(),
        }
    }

    fn fill_item(&self, item: Value, id: Option<NodeId>) -> Slot<'static> {
        match (id, item) {
            (Some(id), item) => self.fill(item, id),
            (None, Value::Null) => Slot::Null,
            (None, item) => Heap::Value(item).into(),
        }
    }

    /// Returns the alternative of a union to which a valid value belongs. It compares only types and distinguishing properties,
    /// because validation at every level would be quadratic.
    fn alternative(&self, value: &Value, node: &Node) -> Option<(u16, NodeId)> {
        let is = |id: NodeId| {
            let alternative = self.table.node(id);
            let has = |property: &Property| {
                let literals = self.table.literals(self.table.node(property.node));
                let sent = value.get(&*property.name);
                literals.is_empty() || sent.is_some_and(|sent| literals.iter().any(|l| json_type::equals(l, sent)))
            };
            json_type::fits(self.table.types(alternative), value)
                && self.table.visible_properties(alternative).filter(|property| property.required).all(has)
        };
        (0..).zip(self.table.any_of(node).iter().copied()).find(|(_, id)| is(*id))
    }

    fn fill_properties(&self, mut map: Map<String, Value>, node: &Node) -> Vec<Slot<'static>> {
        let keeps_others = node.additional != Additional::Deny;
        // `take` is much cheaper than removing the entry, which is only needed if the rest of the map is kept.
        let mut sent = |name: &str| if keeps_others { map.remove(name) } else { map.get_mut(name).map(Value::take) };
        let properties = self.table.properties(node).iter();
        let mut slots: Vec<Slot<'static>> = properties
            // A property hidden in this turn is treated as undeclared.
            .map(|property| match (!property.hidden).then(|| sent(&property.name)).flatten() {
                None => Slot::Absent,
                Some(value) => self.fill(value, property.node),
            })
            .collect();
        if keeps_others {
            slots.push(Heap::Map(self.fill_entries(map, node)).into());
        }
        slots
    }

    /// Fills the entries, sorted by key.
    fn fill_entries(&self, map: Map<String, Value>, node: &Node) -> Vec<(Cow<'static, str>, Slot<'static>)> {
        let inner = match node.additional {
            Additional::Node(id) => Some(id),
            _ => None,
        };
        let mut entries: Vec<(Cow<'static, str>, Slot<'static>)> = Vec::with_capacity(map.len());
        for (key, value) in map {
            let slot = match self.table.visible_properties(node).find(|property| *property.name == key) {
                Some(property) => self.fill(value, property.node),
                None => self.fill_item(value, inner),
            };
            entries.push((Cow::Owned(key), slot));
        }
        slot::sort(&mut entries);
        entries
    }
}
