//! Slots: validated values, from which typed code takes the values of its fields.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::mem::take;

use serde_json::{Map, Value};

use super::tree::Tree;
use crate::data::secret::Secret;
use crate::data::table::{Literal, SlotKind, Table};
use crate::number::integer;
use crate::sorted;

/// A value, of the [`SlotKind`](crate::data::table::SlotKind) of its node in the table.
///
/// Values that need heap memory are in one box, so that slots are small: they are moved and dropped at every call, and most
/// of them own nothing.
#[derive(Debug, Default)]
pub enum Slot<'a> {
    /// The property was not sent, or was sent as null although it is optional and does not allow null.
    #[default]
    Absent,
    /// `null`, if the schema allows it.
    Null,
    /// `SlotKind::Boolean`
    Boolean(bool),
    /// `SlotKind::Integer`
    Integer(i64),
    /// `SlotKind::Number`
    Number(f64),
    /// `SlotKind::String`, borrowed from the arguments' text.
    Text(&'a str),
    /// `SlotKind::Choice`: the index of the literal.
    Choice(u16),
    /// `SlotKind::Array` of strings, ready for typed code.
    Strings(Vec<String>),
    /// All other kinds.
    Heap(Box<Heap<'a>>),
}

/// A slot value that needs heap memory.
#[derive(Debug)]
pub enum Heap<'a> {
    /// `SlotKind::String`, for a string with escapes.
    String(String),
    /// `SlotKind::Array`
    Array(Vec<Slot<'a>>),
    /// `SlotKind::Object`
    Object(Vec<Slot<'a>>),
    /// `SlotKind::Map`
    Map(Vec<(Cow<'a, str>, Slot<'a>)>),
    /// `SlotKind::Union`: the index of the alternative, and its value.
    Variant(u16, Slot<'a>),
    /// `SlotKind::Value`
    Value(Value),
}

impl<'a> From<Heap<'a>> for Slot<'a> {
    fn from(heap: Heap<'a>) -> Self {
        Slot::Heap(Box::new(heap))
    }
}

/// The values of one object: a slot for each declared property, in order, and one for additional properties if they are
/// allowed.
#[derive(Debug)]
pub struct Slots<'s, 'a>(&'s mut [Slot<'a>]);

/// The number of slots that a buffer holds without allocation. Most tools have fewer parameters.
const INLINE_SLOTS: usize = 8;

/// A buffer for the slots of one call's arguments. Up to eight slots are stored inline, on the stack.
#[derive(Debug, Default)]
pub struct SlotBuffer<'a> {
    inline: [Slot<'a>; INLINE_SLOTS],
    /// All slots, if there are more than fit inline.
    heap: Vec<Slot<'a>>,
    count: usize,
    /// Whether any slot has been written.
    used: bool,
}

impl<'a> SlotBuffer<'a> {
    /// Resets the buffer to `count` absent slots, and returns them.
    #[inline]
    pub(super) fn reset(&mut self, count: usize) -> &mut [Slot<'a>] {
        if self.used {
            *self = Self::default();
        }
        (self.used, self.count) = (true, count);
        if count > INLINE_SLOTS {
            self.heap.resize_with(count, Slot::default);
        }
        self.all_slots()
    }

    pub(super) fn fill(&mut self, slots: Vec<Slot<'a>>) {
        self.reset(slots.len()).iter_mut().zip(slots).for_each(|(place, slot)| *place = slot);
    }

    /// Returns the slots that have been read.
    pub(crate) fn slots(&mut self) -> Slots<'_, 'a> {
        Slots(self.all_slots())
    }

    /// Returns whether a slot owns memory, or a list of slots does.
    #[inline]
    pub(crate) fn owns_memory(&self) -> bool {
        let owns = |slot: &Slot<'_>| matches!(slot, Slot::Strings(_) | Slot::Heap(_));
        // Without an early end, the loop is unrolled.
        self.heap.capacity() != 0 || self.inline.iter().fold(false, |found, slot| found | owns(slot))
    }

    pub(super) fn all_slots(&mut self) -> &mut [Slot<'a>] {
        if self.count > INLINE_SLOTS { &mut self.heap } else { &mut self.inline[..self.count] }
    }
}

impl Slots<'_, '_> {
    /// Returns the text of the string, integer or choice in the property `name` of `table`.
    pub(crate) fn text(&self, table: &Table, name: &str) -> Option<String> {
        let root = table.nodes.first()?;
        let properties = root.properties.slice(&table.properties);
        let at = properties.iter().position(|property| *property.name == *name);
        match (root.form, &*self.0) {
            (SlotKind::Value, [Slot::Heap(heap)]) => match &**heap {
                Heap::Value(value) => match value.get(name)? {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => integer(number).map(|integer| integer.to_string()),
                    _ => None,
                },
                _ => None,
            },
            (SlotKind::Value, _) => None,
            (_, slots) => match slots.get(at?)? {
                Slot::Text(text) => Some((*text).to_owned()),
                Slot::Heap(heap) => match &**heap {
                    Heap::String(text) => Some(text.clone()),
                    _ => None,
                },
                Slot::Integer(integer) => Some(integer.to_string()),
                Slot::Choice(index) => {
                    let node = &table.nodes[usize::from(properties[at?].node)];
                    match node.literals.slice(&table.literals).get(usize::from(*index))? {
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
    /// Panics if there is no such slot, or its kind is not the one that `T` reads. Generated tables and types come from
    /// one source, so this is a bug of the generator, never of the model.
    // Not named `take`: iterators have a method of this name, which makes rustc try more candidates for each call.
    pub fn value<T: FromSlot>(&mut self, index: usize) -> T {
        T::from_slot(&mut self.0[index])
    }

    /// Takes the value of property `index`, or `default` if it was not sent.
    ///
    /// # Panics
    /// Panics like [`value`](Self::value).
    pub fn value_or<T: FromSlot>(&mut self, index: usize, default: T) -> T {
        match &mut self.0[index] {
            Slot::Absent => default,
            slot => T::from_slot(slot),
        }
    }

    /// Takes the value of property `index`, or the result of `default` if it was not sent. For expensive defaults: each closure
    /// adds machine code.
    ///
    /// # Panics
    /// Panics like [`value`](Self::value).
    pub fn value_or_else<T: FromSlot>(&mut self, index: usize, default: impl FnOnce() -> T) -> T {
        match &mut self.0[index] {
            Slot::Absent => default(),
            slot => T::from_slot(slot),
        }
    }
}

/// Sorts the entries of a map by key. Only their positions are sorted, because sorting code for each type is large.
pub(super) fn sort(entries: &mut [(Cow<'_, str>, Slot<'_>)]) {
    if entries.is_sorted_by(|(a, _), (b, _)| a <= b) {
        return;
    }
    let order = sorted::positions(entries.len(), &|a, b| entries[a].0.cmp(&entries[b].0));
    let mut unsorted: Vec<(Cow<'_, str>, Slot<'_>)> = entries.iter_mut().map(take).collect();
    for (entry, at) in entries.iter_mut().zip(order) {
        *entry = take(&mut unsorted[at]);
    }
}

/// A type that can be taken from a slot.
///
/// The slot is passed by reference and not moved, because a moved slot must be dropped on every path, which adds machine code
/// to every generated struct.
pub trait FromSlot: Sized {
    /// Takes the value in `slot`, which must not be used afterwards.
    ///
    /// # Panics
    /// Panics if the kind of `slot` is not the one that this type reads.
    fn from_slot(slot: &mut Slot<'_>) -> Self;

    /// Takes the values of the array in `slot`, which must not be used afterwards.
    ///
    /// # Panics
    /// Panics if `slot` does not hold an array, or an array of another kind than this type reads.
    fn list_from_slot(slot: &mut Slot<'_>) -> Vec<Self> {
        items_from_slot(slot)
    }
}

fn items_from_slot<T: FromSlot>(slot: &mut Slot<'_>) -> Vec<T> {
    match heap(slot, "an array") {
        Heap::Array(items) => items.iter_mut().map(T::from_slot).collect(),
        _ => mismatch("an array"),
    }
}

/// Returns the heap value of a slot. `expected` describes the value, for the panic message.
fn heap<'s, 'a>(slot: &'s mut Slot<'a>, expected: &str) -> &'s mut Heap<'a> {
    match slot {
        Slot::Heap(heap) => heap,
        _ => mismatch(expected),
    }
}

#[cold]
fn mismatch(expected: &str) -> ! {
    panic!("expected the argument slot to hold {expected}, but it holds another kind: run `cargo xtask gen`");
}

impl FromSlot for bool {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Boolean(b) => *b,
            _ => mismatch("a boolean"),
        }
    }
}

impl FromSlot for i64 {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Integer(i) => *i,
            _ => mismatch("an integer"),
        }
    }
}

impl FromSlot for f64 {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Number(n) => *n,
            _ => mismatch("a number"),
        }
    }
}

impl FromSlot for String {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Text(text) => (*text).to_owned(),
            slot => match heap(slot, "a string") {
                Heap::String(text) => take(text),
                _ => mismatch("a string"),
            },
        }
    }

    fn list_from_slot(slot: &mut Slot<'_>) -> Vec<Self> {
        match take(slot) {
            Slot::Strings(items) => items,
            mut other => items_from_slot(&mut other),
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
        T::list_from_slot(slot)
    }
}

impl<T: FromSlot> FromSlot for BTreeMap<String, T> {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match heap(slot, "a map") {
            Heap::Map(entries) => {
                entries.iter_mut().map(|(key, value)| (take(key).into_owned(), T::from_slot(value))).collect()
            }
            _ => mismatch("a map"),
        }
    }
}

impl FromSlot for Value {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match slot {
            Slot::Null => Value::Null,
            slot => match heap(slot, "a JSON value") {
                Heap::Value(value) => take(value),
                _ => mismatch("a JSON value"),
            },
        }
    }
}

impl FromSlot for Map<String, Value> {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        match heap(slot, "a JSON object") {
            Heap::Value(Value::Object(map)) => take(map),
            _ => mismatch("a JSON object"),
        }
    }
}

/// Returns the index of the string among the node's `count` literals, for a generated enum.
///
/// # Panics
/// Panics if `slot` does not hold such an index.
pub fn read_choice(slot: &Slot<'_>, count: usize) -> usize {
    match slot {
        Slot::Choice(index) if usize::from(*index) < count => usize::from(*index),
        _ => mismatch("one of the enum's values"),
    }
}

/// Reads a generated enum with values. `readers` has one function for each alternative.
pub fn read_variant<T>(slot: &mut Slot<'_>, readers: &[fn(&mut Slot<'_>) -> T]) -> T {
    match heap(slot, "one of the alternatives") {
        Heap::Variant(index, value) if usize::from(*index) < readers.len() => readers[usize::from(*index)](value),
        _ => mismatch("one of the alternatives"),
    }
}

/// Returns the slots of an object, for a generated struct: one for each declared property.
///
/// # Panics
/// Panics if `slot` does not hold an object.
pub fn read_object<'s, 'a>(slot: &'s mut Slot<'a>) -> Slots<'s, 'a> {
    match heap(slot, "an object") {
        Heap::Object(slots) => Slots(slots),
        _ => mismatch("an object"),
    }
}

/// Parses a generated default that cannot be written as a Rust literal, from JSON text.
///
/// # Panics
/// Panics if `text` is not JSON: a bug of the generator.
pub fn json_default(text: &str) -> Value {
    Tree::any(text).unwrap_or_else(|error| panic!("the generated default {text:?} is not JSON: {error}"))
}

impl<T: FromSlot> FromSlot for Secret<T> {
    fn from_slot(slot: &mut Slot<'_>) -> Self {
        Self::new(T::from_slot(slot))
    }
}
