//! The strict reading: right arguments from JSON text straight into slots, with no tree between.
//!
//! It gives up at the first thing that is not right, without a word; the tree then tells what it was. What it
//! accepts comes out as it would through the tree. Parts that no typed form describes (a JSON value, a union)
//! go through the tree by themselves.

use std::borrow::Cow;
use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::reader::Reader;
use super::repair::is_null;
use super::slot::Slot;
use super::tree::Tree;
use super::validate::{fits_length, in_range};
use super::{kind, number};
use crate::table::{Additional, Bounds, Form, Literal, Node, NodeId, Property};

impl Reader<'_> {
    /// The slots of the arguments in `text`, if nothing at all is wrong with them.
    pub(super) fn read_strictly<'a>(&self, text: &'a str) -> Option<Vec<Slot<'a>>> {
        let node = self.table.node(0);
        if node.form != Form::Object {
            return None;
        }
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let root = Strict { reader: self, id: 0, node, optional: false, room: self.limits.max_depth };
        let slot = root.deserialize(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        match slot {
            Slot::Object(slots) => Some(slots),
            _ => None,
        }
    }

    /// Whether `node` says more than its form does.
    fn is_beyond_forms(&self, node: &Node) -> bool {
        let odd =
            |bounds: &Bounds| bounds.unique_items || bounds.min_properties.is_some() || bounds.max_properties.is_some();
        node.form == Form::Value
            || node.any_of.len > 0
            || node.all_of.len > 0
            || node.properties.len > 64
            || (node.form == Form::Map && node.properties.len > 0)
            || self.table.bounds(node).is_some_and(odd)
    }
}

/// Reads one value toward one node.
#[derive(Clone, Copy)]
struct Strict<'r, 't> {
    reader: &'r Reader<'t>,
    id: NodeId,
    node: &'r Node,
    /// Whether null may stand for absence.
    optional: bool,
    room: usize,
}

#[cold]
fn give_up<E: Error>() -> E {
    E::custom("")
}

fn ensure<E: Error>(holds: bool) -> Result<(), E> {
    if holds { Ok(()) } else { Err(give_up()) }
}

impl<'r> Strict<'r, '_> {
    fn inner(&self, id: NodeId, optional: bool) -> Self {
        Self { id, node: self.reader.table.node(id), optional, room: self.room - 1, ..*self }
    }

    fn bounds(&self) -> Option<&'r Bounds> {
        self.reader.table.bounds(self.node)
    }

    fn literals(&self) -> &'r [Literal] {
        self.reader.table.literals(self.node)
    }

    fn tree<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Slot<'de>, D::Error> {
        let reader = self.reader;
        let mut value = Tree { room: self.room, unique: true }.deserialize(deserializer)?;
        reader.repair(&mut value, self.id, self.room);
        if reader.is_valid(&value, self.id) {
            Ok(reader.fill(value, self.id))
        } else {
            ensure(self.optional && value.is_null())?;
            Ok(Slot::Absent)
        }
    }

    fn number<E: Error>(self, number: &Number) -> Result<Slot<'static>, E> {
        ensure(self.bounds().is_none_or(|bounds| number::within(number, bounds)))?;
        let value = match self.node.form {
            Form::Integer => number::integer(number).map(Slot::Integer),
            Form::Number => number.as_f64().map(Slot::Number),
            _ => None,
        };
        let literals = self.literals();
        ensure(literals.is_empty() || literals.iter().any(|l| kind::equals(l, &number.clone().into())))?;
        value.ok_or_else(give_up)
    }

    fn string<E: Error>(self, text: Cow<'_, str>) -> Result<Slot<'_>, E> {
        // The word null is null to repair.
        ensure(!(is_null(&text) && self.reader.allows_null(self.node)))?;
        ensure(self.bounds().is_none_or(|bounds| fits_length(&text, bounds)))?;
        let is = |literal: &Literal| matches!(literal, Literal::String(l) if *l == text);
        let literals = self.literals();
        match self.node.form {
            Form::Choice => {
                let found = literals.iter().position(is).and_then(|index| u16::try_from(index).ok());
                found.map(Slot::Choice).ok_or_else(give_up)
            }
            Form::String if literals.is_empty() || literals.iter().any(is) => Ok(Slot::String(text)),
            _ => Err(give_up()),
        }
    }

    fn object<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<Slot<'de>>, A::Error> {
        let properties = self.reader.table.properties(self.node);
        let mut slots: Vec<Slot<'de>> = Vec::new();
        slots.resize_with(properties.len(), Slot::default);
        let mut seen = 0_u64;
        let mut unknown = Vec::new();
        let mut next = 0;
        while let Some(key) = map.next_key_seed(Key { properties, next })? {
            match key {
                Named::Property(index) => {
                    ensure(seen & (1 << index) == 0)?;
                    seen |= 1 << index;
                    let property = &properties[index];
                    slots[index] = map.next_value_seed(self.inner(property.node, !property.required))?;
                    next = index + 1;
                }
                Named::Unknown(key) => {
                    match self.node.additional {
                        Additional::Deny => return Err(give_up()),
                        Additional::Allow => {
                            map.next_value_seed(Tree { room: self.room - 1, unique: true })?;
                        }
                        Additional::Node(id) => {
                            map.next_value_seed(self.inner(id, false))?;
                        }
                    }
                    unknown.push(key);
                }
            }
        }
        unknown.sort_unstable();
        ensure(unknown.is_sorted_by(|a, b| a < b))?;
        let missing = |(index, property): (usize, &Property)| property.required && seen & (1 << index) == 0;
        ensure(!properties.iter().enumerate().any(missing))?;
        Ok(slots)
    }

    fn map<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<Slot<'de>, A::Error> {
        let mut entries: Vec<(Cow<'de, str>, Slot<'de>)> = Vec::new();
        while let Some(Named::Unknown(key)) = map.next_key_seed(Key { properties: &[], next: 0 })? {
            let slot = match self.node.additional {
                Additional::Deny => return Err(give_up()),
                Additional::Allow => map.next_value_seed(Any(self))?,
                Additional::Node(id) => map.next_value_seed(self.inner(id, false))?,
            };
            entries.push((key, slot));
        }
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        ensure(entries.is_sorted_by(|(a, _), (b, _)| a < b))?;
        Ok(Slot::Map(entries))
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_, '_> {
    type Value = Slot<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Slot<'de>, D::Error> {
        if self.reader.is_beyond_forms(self.node) {
            self.tree(deserializer)
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Strict<'_, '_> {
    type Value = Slot<'de>;

    fn expecting(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<Slot<'de>, E> {
        if self.reader.allows_null(self.node) {
            return Ok(Slot::Null);
        }
        ensure(self.optional)?;
        Ok(Slot::Absent)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Slot<'de>, E> {
        let literals = self.literals();
        ensure(self.node.form == Form::Boolean)?;
        ensure(literals.is_empty() || literals.iter().any(|l| matches!(l, Literal::Boolean(b) if *b == value)))?;
        Ok(Slot::Boolean(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Slot<'de>, E> {
        self.number(&value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Slot<'de>, E> {
        self.number(&value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Slot<'de>, E> {
        self.number(&Number::from_f64(value).ok_or_else(give_up)?)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Slot<'de>, E> {
        self.string(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Slot<'de>, E> {
        self.string(Cow::Owned(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Slot<'de>, A::Error> {
        ensure(self.node.form == Form::Array && self.room > 0)?;
        ensure(self.literals().is_empty())?;
        let mut items = Vec::new();
        if let Some(id) = self.node.items {
            let inner = self.inner(id, false);
            while let Some(item) = seq.next_element_seed(inner)? {
                items.push(item);
            }
        } else {
            while let Some(item) = seq.next_element_seed(Any(self))? {
                items.push(item);
            }
        }
        ensure(self.bounds().is_none_or(|b| in_range(items.len(), b.min_items, b.max_items)))?;
        Ok(Slot::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Slot<'de>, A::Error> {
        ensure(self.room > 0 && self.literals().is_empty())?;
        match self.node.form {
            Form::Object => self.object(map).map(Slot::Object),
            Form::Map => self.map(map),
            _ => Err(give_up()),
        }
    }
}

/// Reads an item of an array, or a value of a map, of which nothing is said.
struct Any<'r, 't>(Strict<'r, 't>);

impl<'de> DeserializeSeed<'de> for Any<'_, '_> {
    type Value = Slot<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Slot<'de>, D::Error> {
        let value = Tree { room: self.0.room - 1, unique: true }.deserialize(deserializer)?;
        Ok(if value.is_null() { Slot::Null } else { Slot::Value(value) })
    }
}

/// Reads a key and finds the property of that name: most often the one after the last.
struct Key<'t> {
    properties: &'t [Property],
    next: usize,
}

enum Named<'de> {
    Property(usize),
    Unknown(Cow<'de, str>),
}

impl Key<'_> {
    fn find(&self, key: &str) -> Option<Named<'static>> {
        if self.properties.get(self.next).is_some_and(|property| property.name == key) {
            return Some(Named::Property(self.next));
        }
        self.properties.iter().position(|property| property.name == key).map(Named::Property)
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Named<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Named<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'_> {
    type Value = Named<'de>;

    fn expecting(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Named<'de>, E> {
        Ok(self.find(key).unwrap_or(Named::Unknown(Cow::Borrowed(key))))
    }

    fn visit_str<E>(self, key: &str) -> Result<Named<'de>, E> {
        Ok(self.find(key).unwrap_or_else(|| Named::Unknown(Cow::Owned(key.to_owned()))))
    }
}
