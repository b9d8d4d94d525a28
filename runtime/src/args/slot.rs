//! Slots: one value each, already validated, waiting to be taken by typed code.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem::take;

use serde_json::{Map, Value};

use super::number::integer;
use crate::table::{Form, Literal, Table};

/// One value, in the [`Form`](crate::table::Form) that its table node asks for.
#[derive(Debug, Clone, PartialEq, Default)]
// With payloads at multiples of eight bytes a slot moves word by word, which is measurably faster.
#[repr(u64)]
pub enum Slot<'a> {
    /// The key was not sent (or was sent as null where null is not allowed and the property is optional).
    #[default]
    Absent,
    /// `null`, where the schema allows it.
    Null,
    /// `Form::Boolean`
    Boolean(bool),
    /// `Form::Integer`
    Integer(i64),
    /// `Form::Number`
    Number(f64),
    /// `Form::String`; borrowed from the arguments' text where that has no escapes in it.
    String(Cow<'a, str>),
    /// `Form::Choice`
    Choice(u16),
    /// `Form::Array`
    Array(Vec<Slot<'a>>),
    /// `Form::Object`
    Object(Vec<Slot<'a>>),
    /// `Form::Map`
    Map(Vec<(Cow<'a, str>, Slot<'a>)>),
    /// `Form::Union`: the position of the alternative, and its value.
    Variant(Box<(u16, Slot<'a>)>),
    /// `Form::Value`
    Value(Value),
}

/// The arguments of one call: a slot for each declared property of the root, in order, and one for the others where
/// others are allowed.
#[derive(Debug, Default)]
pub struct Slots<'a>(Vec<Slot<'a>>);

impl<'a> Slots<'a> {
    pub(crate) fn new(slots: Vec<Slot<'a>>) -> Self {
        Self(slots)
    }

    /// The text of the string, integer or choice that the property `name` of `table` holds.
    pub(crate) fn text(&self, table: &Table, name: &str) -> Option<String> {
        let root = table.nodes.first()?;
        let properties = root.properties.of(&table.properties);
        let at = properties.iter().position(|property| property.name == name);
        match (root.form, self.0.as_slice()) {
            (Form::Value, [Slot::Value(value)]) => match value.get(name)? {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => integer(number).map(|integer| integer.to_string()),
                _ => None,
            },
            (Form::Value, _) => None,
            (_, slots) => match slots.get(at?)? {
                Slot::String(text) => Some(text.clone().into_owned()),
                Slot::Integer(integer) => Some(integer.to_string()),
                Slot::Choice(index) => {
                    let node = &table.nodes[usize::from(properties[at?].node)];
                    match node.literals.of(&table.literals).get(usize::from(*index))? {
                        Literal::String(text) => Some(text.clone().into_owned()),
                        _ => None,
                    }
                }
                _ => None,
            },
        }
    }

    /// Takes the value of property `index`.
    ///
    /// # Panics
    /// When there is no such slot, or it holds another form than `T` reads. Generated tables and types come from one
    /// source, so this is a fault of the generator, never of the model.
    pub fn take<T: FromSlot>(&mut self, index: usize) -> T {
        T::from_slot(&mut self.0[index])
    }

    /// Takes the value of property `index`, or `default` where it was not sent.
    ///
    /// # Panics
    /// As [`take`](Self::take).
    pub fn take_or<T: FromSlot>(&mut self, index: usize, default: T) -> T {
        match &mut self.0[index] {
            Slot::Absent => default,
            slot => T::from_slot(slot),
        }
    }

    /// The same for a default that is worth not being made in vain. Each closure is machine code of its own.
    ///
    /// # Panics
    /// As [`take`](Self::take).
    pub fn take_or_else<T: FromSlot>(&mut self, index: usize, default: impl FnOnce() -> T) -> T {
        match &mut self.0[index] {
            Slot::Absent => default(),
            slot => T::from_slot(slot),
        }
    }
}

/// A type that can be taken out of a slot.
///
/// The slot stays where it is: moved, it would have to be dropped at every turn that this may take, and that machine
/// code would stand in every generated struct.
pub trait FromSlot: Sized {
    /// The value in `slot`, which is worth nothing afterwards.
    ///
    /// # Panics
    /// When `slot` holds another form than this type reads.
    fn from_slot(slot: &mut Slot<'_>) -> Self;
}

#[cold]
fn mismatch(wanted: &str, slot: &Slot<'_>) -> ! {
    panic!("the argument table promised {wanted}, the slot holds {slot:?}: run `cargo xtask gen`");
}

impl FromSlot for bool {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Boolean(b) => *b,
            other => mismatch("a boolean", other),
        }
    }
}

impl FromSlot for i64 {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Integer(i) => *i,
            other => mismatch("an integer", other),
        }
    }
}

impl FromSlot for f64 {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Number(n) => *n,
            other => mismatch("a number", other),
        }
    }
}

impl FromSlot for String {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::String(s) => take(s).into_owned(),
            other => mismatch("a string", other),
        }
    }
}

impl<T: FromSlot> FromSlot for Option<T> {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Absent | Slot::Null => None,
            slot => Some(T::from_slot(slot)),
        }
    }
}

impl<T: FromSlot> FromSlot for Box<T> {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        Box::new(T::from_slot(slot))
    }
}

impl<T: FromSlot> FromSlot for Vec<T> {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Array(items) => items.iter_mut().map(T::from_slot).collect(),
            other => mismatch("an array", other),
        }
    }
}

impl<T: FromSlot> FromSlot for BTreeMap<String, T> {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Map(entries) => entries.iter_mut().map(|(k, v)| (take(k).into_owned(), T::from_slot(v))).collect(),
            other => mismatch("a map", other),
        }
    }
}

impl FromSlot for Value {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Value(value) => take(value),
            Slot::Null => Value::Null,
            other => mismatch("a JSON value", other),
        }
    }
}

impl FromSlot for Map<String, Value> {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Value(Value::Object(map)) => take(map),
            other => mismatch("a JSON object", other),
        }
    }
}

/// A generated enum: the position of the string among the node's literals, of which there are `count`.
///
/// # Panics
/// When `slot` holds no such position.
pub fn choice(slot: &Slot<'_>, count: usize) -> usize {
    match slot {
        Slot::Choice(index) if usize::from(*index) < count => usize::from(*index),
        other => mismatch("one of the enum's values", other),
    }
}

/// A generated enum with values: how to read each of the alternatives.
pub fn variant<T>(slot: &mut Slot<'_>, all: &[fn(&mut Slot<'_>) -> T]) -> T {
    match slot {
        Slot::Variant(variant) if usize::from(variant.0) < all.len() => all[usize::from(variant.0)](&mut variant.1),
        other => mismatch("one of the alternatives", other),
    }
}

/// A generated struct: one slot for each declared property.
pub fn object<'a>(slot: &mut Slot<'a>) -> Slots<'a> {
    match slot {
        Slot::Object(slots) => Slots(take(slots)),
        other => mismatch("an object", other),
    }
}

/// A generated default that no Rust literal can be: JSON text, which the generator wrote.
///
/// # Panics
/// When `text` is not JSON: a fault of the generator.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("the generated default {text:?} is not JSON: {error}"))
}
