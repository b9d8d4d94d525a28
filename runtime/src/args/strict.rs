//! The strict reading: valid arguments from JSON text directly into slots, without a tree.
//!
//! It gives up silently at the first problem; the tree then reports all problems. It accepts only what the tree reads
//! to the same slots. Parts without a typed form (a JSON value, a union) are read through the tree.

use std::borrow::Cow;

use serde_json::Value;

use super::reader::Reader;
use super::repair::is_null;
use super::scan::{Scan, same};
use super::slot;
use super::slot::{Heap, Slot, SlotBuffer};
use super::tree::Tree;
use super::validate::{fits_length, in_range};
use crate::data::number;
use crate::data::table::{Additional, Bounds, Literal, Node, NodeId, Property, SlotKind};

/// The maximum number of properties of one object, which are tracked in a bit mask.
const MOST: u16 = 64;

impl Reader<'_> {
    /// Reads the arguments in `text` into `buffer`, if they are valid without repair.
    pub(super) fn read_strictly<'a>(&self, text: &'a str, buffer: &mut SlotBuffer<'a>) -> Option<()> {
        let node = self.table.node(0);
        if node.form != SlotKind::Object || self.is_beyond_forms(node) {
            return None;
        }
        let mut strict = StrictReader { reader: self, scan: Scan::new(text) };
        let slots = buffer.absent(strict.slots(node));
        strict.object(node, self.limits.max_depth, slots)?;
        strict.scan.is_at_end().then_some(())
    }

    /// Returns whether `node` has constraints besides its type.
    #[inline]
    fn is_beyond_forms(&self, node: &Node) -> bool {
        let is_text = matches!(node.form, SlotKind::String | SlotKind::Choice);
        if (node.any_of.len | node.all_of.len) != 0 || (node.literals.len != 0 && !is_text) {
            return true;
        }
        match node.form {
            SlotKind::Value => true,
            SlotKind::Array | SlotKind::Object | SlotKind::Map => {
                let most = if node.form == SlotKind::Map { 0 } else { MOST };
                node.properties.len > most || self.table.bounds(node).is_some_and(is_odd)
            }
            _ => false,
        }
    }
}

fn is_odd(bounds: &Bounds) -> bool {
    bounds.unique_items || bounds.min_properties.is_some() || bounds.max_properties.is_some()
}

struct StrictReader<'r, 't, 'a> {
    reader: &'r Reader<'t>,
    scan: Scan<'a>,
}

impl<'a> StrictReader<'_, '_, 'a> {
    /// Reads a value into `slot`, which is absent so far, nested at most `room` levels deep. If `optional`, null may
    /// represent absence.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is called for the properties of an object and in `item` only")]
    fn value(&mut self, id: NodeId, optional: bool, room: usize, slot: &mut Slot<'a>) -> Option<()> {
        let node = self.reader.table.node(id);
        let next = self.scan.peek()?;
        // Most parameters are of one plain type.
        if node.is_plain() {
            match (node.form, next) {
                (SlotKind::String, b'"') if node.literals.len == 0 && node.bounds.is_none() => {
                    if let Some(text) = self.scan.plain_string() {
                        return put(slot, Slot::Text(text));
                    }
                }
                (SlotKind::Choice, b'"') if node.bounds.is_none() => {
                    if let Some(text) = self.scan.plain_string() {
                        return put(slot, Slot::Choice(self.literal(node, text)?));
                    }
                }
                (SlotKind::Integer, b'-' | b'0'..=b'9') if node.literals.len == 0 => {
                    return put(slot, Slot::Integer(self.integer(node)?));
                }
                (SlotKind::Boolean, b't') if node.literals.len == 0 => {
                    return put(slot, self.scan.word("true").map(|()| Slot::Boolean(true))?);
                }
                (SlotKind::Boolean, b'f') if node.literals.len == 0 => {
                    return put(slot, self.scan.word("false").map(|()| Slot::Boolean(false))?);
                }
                _ => {}
            }
        }
        self.any_value(id, node, next, optional, room, slot)
    }

    /// Like [`value`](Self::value), for any type. `next` is the first byte.
    fn any_value(
        &mut self,
        id: NodeId,
        node: &Node,
        next: u8,
        optional: bool,
        room: usize,
        slot: &mut Slot<'a>,
    ) -> Option<()> {
        if self.reader.is_beyond_forms(node) {
            return self.tree(id, optional, room, slot);
        }
        match (node.form, next) {
            (SlotKind::String | SlotKind::Choice, b'"') => self.string(node, slot),
            (SlotKind::Integer, b'-' | b'0'..=b'9') => put(slot, Slot::Integer(self.integer(node)?)),
            (SlotKind::Number, b'-' | b'0'..=b'9') => put(slot, Slot::Number(self.number(node)?.as_f64()?)),
            (SlotKind::Boolean, b't') => put(slot, self.scan.word("true").map(|()| Slot::Boolean(true))?),
            (SlotKind::Boolean, b'f') => put(slot, self.scan.word("false").map(|()| Slot::Boolean(false))?),
            (SlotKind::Array, b'[') => put(slot, self.array(node, room)?),
            (SlotKind::Object, b'{') => {
                let mut slots = Vec::new();
                slots.resize_with(self.slots(node), Slot::default);
                self.object(node, room, &mut slots)?;
                put(slot, Heap::Object(slots).into())
            }
            (SlotKind::Map, b'{') => put(slot, Heap::Map(self.map(node, room)?).into()),
            (_, b'n') => {
                self.scan.word("null")?;
                if self.reader.allows_null(node) { put(slot, Slot::Null) } else { optional.then_some(()) }
            }
            _ => None,
        }
    }

    fn string(&mut self, node: &Node, slot: &mut Slot<'a>) -> Option<()> {
        let Some(text) = self.scan.plain_string() else { return self.escaped(node, slot) };
        match self.choice(node, text)? {
            choice if node.form == SlotKind::Choice => put(slot, Slot::Choice(choice)),
            _ => put(slot, Slot::Text(text)),
        }
    }

    /// Separate from plain values, so that these need no copy of this code.
    #[cold]
    fn escaped(&mut self, node: &Node, slot: &mut Slot<'a>) -> Option<()> {
        let text = self.scan.escaped_string()?;
        let choice = self.choice(node, &text)?;
        put(slot, if node.form == SlotKind::Choice { Slot::Choice(choice) } else { Heap::String(text).into() })
    }

    /// Returns the literal that `text` equals, if the node has literals, or `None` if it is not allowed.
    fn choice(&self, node: &Node, text: &str) -> Option<u16> {
        // Repair turns the string `null` into null.
        if self.reader.allows_null(node) && is_null(text) {
            return None;
        }
        if self.reader.table.bounds(node).is_some_and(|bounds| !fits_length(text, bounds)) {
            return None;
        }
        if node.literals.len == 0 {
            return Some(0);
        }
        self.literal(node, text)
    }

    /// Returns the literal of the node that `text` equals.
    #[inline]
    fn literal(&self, node: &Node, text: &str) -> Option<u16> {
        let literals = self.reader.table.literals(node);
        let index = literals
            .iter()
            .position(|literal| matches!(literal, Literal::String(word) if same(word.as_bytes(), text.as_bytes())))?;
        u16::try_from(index).ok()
    }

    fn integer(&mut self, node: &Node) -> Option<i64> {
        let integer = match self.scan.plain_integer() {
            Some(integer) => integer,
            None => number::integer(&self.scan.number()?)?,
        };
        let bounds = self.reader.table.bounds(node);
        bounds.is_none_or(|bounds| number::is_within(integer, bounds)).then_some(integer)
    }

    fn number(&mut self, node: &Node) -> Option<serde_json::Number> {
        let number = self.scan.number()?;
        let bounds = self.reader.table.bounds(node);
        bounds.is_none_or(|bounds| number::within(&number, bounds)).then_some(number)
    }

    fn array(&mut self, node: &Node, room: usize) -> Option<Slot<'a>> {
        let room = room.checked_sub(1)?;
        self.scan.eat(b'[');
        let item = node.items.map(|id| self.reader.table.node(id));
        if item.is_some_and(|item| {
            item.form == SlotKind::String && item.is_plain() && item.literals.len == 0 && item.bounds.is_none()
        }) {
            return self.strings(node);
        }
        let mut items = Vec::new();
        while self.scan.next(items.is_empty(), b']')? {
            // In place: a slot that is passed up would be copied at each level.
            items.push(Slot::Absent);
            self.item(node.items, room, items.last_mut()?)?;
        }
        self.holds(node, items.len()).then(|| Heap::Array(items).into())
    }

    /// Reads the rest of an array of strings.
    fn strings(&mut self, node: &Node) -> Option<Slot<'a>> {
        let mut items = Vec::new();
        while self.scan.next(items.is_empty(), b']')? {
            items.push(match self.scan.plain_string() {
                Some(text) => text.to_owned(),
                None => self.scan.escaped_string()?,
            });
        }
        self.holds(node, items.len()).then_some(Slot::Strings(items))
    }

    /// Returns whether an array may have that many items.
    fn holds(&self, node: &Node, count: usize) -> bool {
        let bounds = self.reader.table.bounds(node);
        bounds.is_none_or(|bounds| in_range(count, bounds.min_items, bounds.max_items))
    }

    /// Reads an item of an array or a value of a map; without a node, any value.
    #[inline(never)]
    fn item(&mut self, id: Option<NodeId>, room: usize, slot: &mut Slot<'a>) -> Option<()> {
        if let Some(id) = id {
            return self.value(id, false, room, slot);
        }
        *slot = match self.any(room)? {
            Value::Null => Slot::Null,
            value => Heap::Value(value).into(),
        };
        Some(())
    }

    /// Returns the number of slots of an object.
    fn slots(&self, node: &Node) -> usize {
        self.reader.table.properties(node).len() + usize::from(node.additional != Additional::Deny)
    }

    /// Reads an object into its slots, which are absent so far.
    fn object(&mut self, node: &Node, room: usize, slots: &mut [Slot<'a>]) -> Option<()> {
        let room = room.checked_sub(1)?;
        let properties = self.reader.table.properties(node);
        let (mut seen, mut first, mut next) = (0_u64, true, 0);
        if !self.scan.eat(b'{') {
            return None;
        }
        if node.additional != Additional::Deny {
            put(slots.last_mut()?, Heap::Map(Vec::new()).into())?;
        }
        while self.scan.next(first, b'}')? {
            first = false;
            // Usually, the next property follows, in the same spelling.
            let found = match properties.get(next) {
                Some(property) if !property.hidden && self.scan.key(property.name.quoted()) => next,
                _ => {
                    let key = self.key()?;
                    let Some(found) = find(properties, &key) else {
                        if node.additional == Additional::Deny {
                            return None;
                        }
                        let mut value = Slot::Absent;
                        self.item(others(node), room, &mut value)?;
                        entries(slots.last_mut()?)?.push((key, value));
                        continue;
                    };
                    found
                }
            };
            let (property, slot) = (properties.get(found)?, slots.get_mut(found)?);
            if seen & (1 << found) != 0 {
                return None;
            }
            seen |= 1 << found;
            next = found + 1;
            self.value(property.node, !property.required, room, slot)?;
        }
        if node.additional != Additional::Deny {
            sort(entries(slots.last_mut()?)?)?;
        }
        let missing = |(index, property): (usize, &Property)| property.required && seen & (1 << index) == 0;
        let is_full = seen.count_ones() as usize == properties.len();
        (is_full || !properties.iter().enumerate().any(missing)).then_some(())
    }

    fn map(&mut self, node: &Node, room: usize) -> Option<Entries<'a>> {
        let room = room.checked_sub(1)?;
        if node.additional == Additional::Deny {
            return None;
        }
        let mut entries = Vec::new();
        self.scan.eat(b'{');
        while self.scan.next(entries.is_empty(), b'}')? {
            entries.push((self.key()?, Slot::Absent));
            self.item(others(node), room, &mut entries.last_mut()?.1)?;
        }
        sort(&mut entries)?;
        Some(entries)
    }

    /// Reads the next key, and the colon after it.
    fn key(&mut self) -> Option<Cow<'a, str>> {
        let key = match self.scan.plain_string() {
            Some(key) => Cow::Borrowed(key),
            None => Cow::Owned(self.scan.escaped_string()?),
        };
        self.scan.eat(b':').then_some(key)
    }

    /// Reads a value without a schema.
    fn any(&mut self, room: usize) -> Option<Value> {
        Tree { depth: room, unique: true }.parse(self.scan.skip()?).ok()
    }

    /// Like [`value`](Self::value), through the tree.
    fn tree(&mut self, id: NodeId, optional: bool, room: usize, slot: &mut Slot<'a>) -> Option<()> {
        let mut value = self.any(room)?;
        self.reader.repair(&mut value, id, room);
        self.reader.drop_absent(&mut value, id);
        if self.reader.is_valid(&value, id) {
            *slot = self.reader.fill(value, id);
            return Some(());
        }
        (optional && value.is_null()).then_some(())
    }
}

/// Writes into a slot that is absent so far, without checking for content to drop.
#[inline]
#[allow(clippy::unnecessary_wraps, reason = "with it ends every way in which a value is read")]
fn put<'a>(slot: &mut Slot<'a>, value: Slot<'a>) -> Option<()> {
    std::mem::forget(std::mem::replace(slot, value));
    Some(())
}

/// Returns the index of the property with that name.
fn find(properties: &[Property], key: &str) -> Option<usize> {
    let is = |property: &Property| same(property.name.as_bytes(), key.as_bytes()) && !property.hidden;
    properties.iter().position(is)
}

/// Returns the node of undeclared properties, or `None` without one.
fn others(node: &Node) -> Option<NodeId> {
    match node.additional {
        Additional::Node(id) => Some(id),
        Additional::Allow | Additional::Deny => None,
    }
}

type Entries<'a> = Vec<(Cow<'a, str>, Slot<'a>)>;

/// Returns the entries in a slot.
fn entries<'s, 'a>(slot: &'s mut Slot<'a>) -> Option<&'s mut Entries<'a>> {
    let Slot::Heap(heap) = slot else { return None };
    match &mut **heap {
        Heap::Map(entries) => Some(entries),
        _ => None,
    }
}

/// Sorts by key. Returns `None` if a key occurs twice.
fn sort(entries: &mut Entries<'_>) -> Option<()> {
    slot::sort(entries);
    entries.is_sorted_by(|(a, _), (b, _)| a < b).then_some(())
}
