//! The strict pass: reads valid arguments from JSON text directly into slots, without a tree.
//!
//! It stops at the first problem without an error; the lenient pass then reports all problems. It only accepts arguments that
//! need no repair, and that the lenient pass would read to the same slots. Parts without a typed form (a JSON value, a union) are read through a tree.

use std::borrow::Cow;

use serde_json::Value;

use super::reader::Reader;
use super::repair::is_null;
use super::scan::{Scan, same};
use super::slot;
use super::slot::{Heap, Slot, SlotBuffer};
use super::tree::Tree;
use super::validate::in_range;
use crate::data::bounds;
use crate::data::table::{Additional, Bounds, Literal, Node, NodeId, Property, SlotKind};
use crate::number;

/// The maximum number of properties of one object, which are tracked in a 64-bit mask.
const MAX_PROPERTIES: u16 = 64;

/// The initial capacity of an array of strings, unless it is empty. A `Vec` that grows to it takes longer.
const INITIAL_STRINGS: usize = 4;

impl Reader<'_> {
    /// Reads the arguments in `text` into `buffer`, or returns `None` if they are invalid or need repair.
    pub(super) fn read_strictly<'a>(&self, text: &'a str, buffer: &mut SlotBuffer<'a>) -> Option<()> {
        let node = self.table.node(0);
        if node.form != SlotKind::Object || self.needs_tree(node) {
            return None;
        }
        let mut strict = StrictReader { reader: self, scan: Scan::new(text) };
        let slots = buffer.reset(strict.slots(node));
        strict.object(node, self.limits.max_depth, slots)?;
        strict.scan.is_at_end().then_some(())
    }

    /// Returns whether the strict pass does not support the constraints of `node`.
    #[inline]
    fn needs_tree(&self, node: &Node) -> bool {
        let is_text = matches!(node.form, SlotKind::String | SlotKind::Choice);
        if (node.any_of.len | node.all_of.len) != 0 || (node.literals.len != 0 && !is_text) {
            return true;
        }
        match node.form {
            SlotKind::Value => true,
            SlotKind::Array | SlotKind::Object | SlotKind::Map => {
                let max = if node.form == SlotKind::Map { 0 } else { MAX_PROPERTIES };
                node.properties.len > max || self.table.bounds(node).is_some_and(needs_tree_for)
            }
            _ => false,
        }
    }
}

/// Returns whether the strict pass does not support these bounds of an array or object.
fn needs_tree_for(bounds: &Bounds) -> bool {
    bounds.unique_items || bounds.min_properties.is_some() || bounds.max_properties.is_some()
}

struct StrictReader<'r, 't, 'a> {
    reader: &'r Reader<'t>,
    scan: Scan<'a>,
}

impl<'a> StrictReader<'_, '_, 'a> {
    /// Reads a value into `slot`, which must be absent. `depth` is the maximum depth of nested values. If `optional`, null may
    /// represent an absent property.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it is called for the properties of an object and in `item` only")]
    fn value(&mut self, id: NodeId, optional: bool, depth: usize, slot: &mut Slot<'a>) -> Option<()> {
        let node = self.reader.table.node(id);
        let next = self.scan.peek()?;
        // Fast paths for the most common parameters: one type without further constraints.
        if node.is_plain() {
            match (node.form, next) {
                (SlotKind::String, b'"') if node.literals.len == 0 => {
                    if let Some(text) = self.scan.plain_string() {
                        let bounds = self.reader.table.bounds(node);
                        bounds.is_none_or(|bounds| self.reader.fits_text(text, bounds)).then_some(())?;
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
                    return put(slot, self.scan.word(b"true").map(|()| Slot::Boolean(true))?);
                }
                (SlotKind::Boolean, b'f') if node.literals.len == 0 => {
                    return put(slot, self.scan.word(b"false").map(|()| Slot::Boolean(false))?);
                }
                _ => {}
            }
        }
        self.any_value(id, node, next, optional, depth, slot)
    }

    /// Like [`value`](Self::value), for any type. `next` is the first byte of the value.
    fn any_value(
        &mut self,
        id: NodeId,
        node: &Node,
        next: u8,
        optional: bool,
        depth: usize,
        slot: &mut Slot<'a>,
    ) -> Option<()> {
        if self.reader.needs_tree(node) {
            return self.tree(id, optional, depth, slot);
        }
        match (node.form, next) {
            (SlotKind::String | SlotKind::Choice, b'"') => self.string(node, slot),
            (SlotKind::Integer, b'-' | b'0'..=b'9') => put(slot, Slot::Integer(self.integer(node)?)),
            (SlotKind::Number, b'-' | b'0'..=b'9') => put(slot, Slot::Number(self.number(node)?.as_f64()?)),
            (SlotKind::Boolean, b't') => put(slot, self.scan.word(b"true").map(|()| Slot::Boolean(true))?),
            (SlotKind::Boolean, b'f') => put(slot, self.scan.word(b"false").map(|()| Slot::Boolean(false))?),
            (SlotKind::Array, b'[') => put(slot, self.array(node, depth)?),
            (SlotKind::Object, b'{') => {
                let mut slots = Vec::new();
                slots.resize_with(self.slots(node), Slot::default);
                self.object(node, depth, &mut slots)?;
                put(slot, Heap::Object(slots).into())
            }
            (SlotKind::Map, b'{') => put(slot, Heap::Map(self.map(node, depth)?).into()),
            (_, b'n') => {
                self.scan.word(b"null")?;
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

    /// Reads a string with escapes. Separate from plain strings, so that their path stays small.
    #[cold]
    fn escaped(&mut self, node: &Node, slot: &mut Slot<'a>) -> Option<()> {
        let text = self.scan.escaped_string()?;
        let choice = self.choice(node, &text)?;
        put(slot, if node.form == SlotKind::Choice { Slot::Choice(choice) } else { Heap::String(text).into() })
    }

    /// Returns the index of the literal that `text` equals (0 if the node has no literals), or `None` if `text` is invalid.
    fn choice(&self, node: &Node, text: &str) -> Option<u16> {
        // Repair turns the string `null` into null.
        if self.reader.allows_null(node) && is_null(text) {
            return None;
        }
        if self.reader.table.bounds(node).is_some_and(|bounds| !self.reader.fits_text(text, bounds)) {
            return None;
        }
        if node.literals.len == 0 {
            return Some(0);
        }
        self.literal(node, text)
    }

    /// Returns the index of the node's literal that `text` equals.
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
        bounds.is_none_or(|bounds| bounds::is_within(integer, bounds)).then_some(integer)
    }

    fn number(&mut self, node: &Node) -> Option<serde_json::Number> {
        let number = self.scan.number()?;
        let bounds = self.reader.table.bounds(node);
        bounds.is_none_or(|bounds| bounds::within(&number, bounds)).then_some(number)
    }

    fn array(&mut self, node: &Node, depth: usize) -> Option<Slot<'a>> {
        let depth = depth.checked_sub(1)?;
        self.scan.eat(b'[');
        let item = node.items.map(|id| self.reader.table.node(id));
        if item.is_some_and(|item| {
            item.form == SlotKind::String && item.is_plain() && item.literals.len == 0 && item.bounds.is_none()
        }) {
            return self.strings(node);
        }
        let mut items = Vec::new();
        while self.scan.next(items.is_empty(), b']')? {
            // Read in place, because a returned slot would be copied at each level.
            items.push(Slot::Absent);
            self.item(node.items, depth, items.last_mut()?)?;
        }
        self.allows_item_count(node, items.len()).then(|| Heap::Array(items).into())
    }

    /// Reads the rest of an array of strings.
    fn strings(&mut self, node: &Node) -> Option<Slot<'a>> {
        let mut items = Vec::new();
        while self.scan.next(items.is_empty(), b']')? {
            if items.is_empty() {
                items = Vec::with_capacity(INITIAL_STRINGS);
            }
            items.push(match self.scan.plain_string() {
                Some(text) => text.to_owned(),
                None => self.scan.escaped_string()?,
            });
        }
        self.allows_item_count(node, items.len()).then_some(Slot::Strings(items))
    }

    /// Returns whether an array may have this number of items.
    fn allows_item_count(&self, node: &Node, count: usize) -> bool {
        let bounds = self.reader.table.bounds(node);
        bounds.is_none_or(|bounds| in_range(count, bounds.min_items, bounds.max_items))
    }

    /// Reads an item of an array or a value of a map. Without a node, it may be any value.
    #[inline(never)]
    fn item(&mut self, id: Option<NodeId>, depth: usize, slot: &mut Slot<'a>) -> Option<()> {
        if let Some(id) = id {
            return self.value(id, false, depth, slot);
        }
        *slot = match self.any(depth)? {
            Value::Null => Slot::Null,
            value => Heap::Value(value).into(),
        };
        Some(())
    }

    /// Returns the number of slots of an object.
    fn slots(&self, node: &Node) -> usize {
        self.reader.table.properties(node).len() + usize::from(node.additional != Additional::Deny)
    }

    /// Reads an object into its slots, which must be absent.
    fn object(&mut self, node: &Node, depth: usize, slots: &mut [Slot<'a>]) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let properties = self.reader.table.properties(node);
        let (mut read, mut first, mut next) = (0_u64, true, 0);
        if !self.scan.eat(b'{') {
            return None;
        }
        if node.additional != Additional::Deny {
            put(slots.last_mut()?, Heap::Map(Vec::new()).into())?;
        }
        while self.scan.next(first, b'}')? {
            first = false;
            // Usually, the model writes the properties in declared order, without escapes in their names.
            let index = if let Some(index) = self.declared(properties, next) {
                index
            } else {
                let key = self.key()?;
                let Some(index) = find_property(properties, &key) else {
                    if node.additional == Additional::Deny {
                        return None;
                    }
                    let mut value = Slot::Absent;
                    self.item(additional_node(node), depth, &mut value)?;
                    entries(slots.last_mut()?)?.push((key, value));
                    continue;
                };
                index
            };
            let (property, slot) = (properties.get(index)?, slots.get_mut(index)?);
            if read & (1 << index) != 0 {
                return None;
            }
            read |= 1 << index;
            next = index + 1;
            self.value(property.node, !property.required, depth, slot)?;
        }
        if node.additional != Additional::Deny {
            sort(entries(slots.last_mut()?)?)?;
        }
        let missing = |(index, property): (usize, &Property)| property.required && read & (1 << index) == 0;
        (!properties.iter().enumerate().any(missing)).then_some(())
    }

    /// Skips the key of one of the properties from `next` on, if it comes next, and returns the index of the property.
    #[inline]
    fn declared(&mut self, properties: &[Property], next: usize) -> Option<usize> {
        let rest = properties.get(next..)?;
        let found = rest.iter().position(|property| !property.hidden && self.scan.key(property.name.quoted()))?;
        Some(next + found)
    }

    fn map(&mut self, node: &Node, depth: usize) -> Option<Entries<'a>> {
        let depth = depth.checked_sub(1)?;
        if node.additional == Additional::Deny {
            return None;
        }
        let mut entries = Vec::new();
        self.scan.eat(b'{');
        while self.scan.next(entries.is_empty(), b'}')? {
            entries.push((self.key()?, Slot::Absent));
            self.item(additional_node(node), depth, &mut entries.last_mut()?.1)?;
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
    fn any(&mut self, depth: usize) -> Option<Value> {
        Tree { depth, unique: true }.parse(self.scan.skip()?).ok()
    }

    /// Like [`value`](Self::value), through a tree.
    fn tree(&mut self, id: NodeId, optional: bool, depth: usize, slot: &mut Slot<'a>) -> Option<()> {
        let mut value = self.any(depth)?;
        self.reader.changed.set(false);
        self.reader.repair(&mut value, id, depth);
        if self.reader.changed.get() {
            // The lenient pass records which parameters have been repaired.
            return None;
        }
        self.reader.drop_absent(&mut value, id);
        if self.reader.is_valid(&value, id) {
            *slot = self.reader.fill(value, id);
            return Some(());
        }
        (optional && value.is_null()).then_some(())
    }
}

/// Writes `value` into `slot`, which must be absent.
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "callers return it directly")]
fn put<'a>(slot: &mut Slot<'a>, value: Slot<'a>) -> Option<()> {
    // An absent slot owns nothing. `forget` saves the check for content to drop at each write.
    std::mem::forget(std::mem::replace(slot, value));
    Some(())
}

/// Returns the index of the visible property with this name.
fn find_property(properties: &[Property], key: &str) -> Option<usize> {
    let is = |property: &Property| same(property.name.as_bytes(), key.as_bytes()) && !property.hidden;
    properties.iter().position(is)
}

/// Returns the node of undeclared properties, or `None` if they have no schema.
fn additional_node(node: &Node) -> Option<NodeId> {
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
