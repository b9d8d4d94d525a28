//! The strict reading: right arguments from JSON text straight into slots, with no tree between.
//!
//! It gives up at the first thing that is not right, without a word; the tree then tells what it was. What it
//! accepts comes out as it would through the tree. Parts that no typed form describes (a JSON value, a union)
//! go through the tree by themselves.

use std::borrow::Cow;

use serde_json::Value;

use super::number;
use super::reader::Reader;
use super::repair::is_null;
use super::scan::Scan;
use super::slot::Slot;
use super::tree::Tree;
use super::validate::{fits_length, in_range};
use crate::table::{Additional, Bounds, Form, Literal, Node, NodeId, Property};

/// Properties of one object that a mask of bits tells apart.
const MOST: u16 = 64;

impl Reader<'_> {
    /// The slots of the arguments in `text`, if nothing at all is wrong with them.
    pub(super) fn read_strictly<'a>(&self, text: &'a str) -> Option<Vec<Slot<'a>>> {
        let node = self.table.node(0);
        if node.form != Form::Object || self.is_beyond_forms(node) {
            return None;
        }
        let mut strict = Strict { reader: self, scan: Scan::new(text) };
        let slots = strict.object(node, self.limits.max_depth)?;
        strict.scan.is_at_end().then_some(slots)
    }

    /// Whether `node` says more than its form does.
    #[inline]
    fn is_beyond_forms(&self, node: &Node) -> bool {
        let is_text = matches!(node.form, Form::String | Form::Choice);
        if (node.any_of.len | node.all_of.len) != 0 || (node.literals.len != 0 && !is_text) {
            return true;
        }
        match node.form {
            Form::Value => true,
            Form::Array | Form::Object | Form::Map => {
                let most = if node.form == Form::Map { 0 } else { MOST };
                node.properties.len > most || self.table.bounds(node).is_some_and(is_odd)
            }
            _ => false,
        }
    }
}

fn is_odd(bounds: &Bounds) -> bool {
    bounds.unique_items || bounds.min_properties.is_some() || bounds.max_properties.is_some()
}

struct Strict<'r, 't, 'a> {
    reader: &'r Reader<'t>,
    scan: Scan<'a>,
}

impl<'a> Strict<'_, '_, 'a> {
    /// Reads a value into `slot`, which is absent so far. Nested at most `room` deep; `optional`: null may
    /// stand for its absence.
    fn value(&mut self, id: NodeId, optional: bool, room: usize, slot: &mut Slot<'a>) -> Option<()> {
        let node = self.reader.table.node(id);
        if self.reader.is_beyond_forms(node) {
            return self.tree(id, optional, room, slot);
        }
        match (node.form, self.scan.peek()?) {
            (Form::String | Form::Choice, b'"') => return self.string(node, slot),
            (Form::Integer, b'-' | b'0'..=b'9') => put(slot, Slot::Integer(self.integer(node)?)),
            (Form::Number, b'-' | b'0'..=b'9') => put(slot, Slot::Number(self.number(node)?.as_f64()?)),
            (Form::Boolean, b't') => put(slot, self.scan.word("true").map(|()| Slot::Boolean(true))?),
            (Form::Boolean, b'f') => put(slot, self.scan.word("false").map(|()| Slot::Boolean(false))?),
            (Form::Array, b'[') => put(slot, Slot::Array(self.array(node, room)?)),
            (Form::Object, b'{') => put(slot, Slot::Object(self.object(node, room)?)),
            (Form::Map, b'{') => put(slot, Slot::Map(self.map(node, room)?)),
            (_, b'n') => {
                self.scan.word("null")?;
                if self.reader.allows_null(node) {
                    put(slot, Slot::Null);
                } else if !optional {
                    return None;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn string(&mut self, node: &Node, slot: &mut Slot<'a>) -> Option<()> {
        let Some(text) = self.scan.plain_string() else { return self.escaped(node, slot) };
        match self.choice(node, text)? {
            choice if node.form == Form::Choice => put(slot, Slot::Choice(choice)),
            _ => put(slot, Slot::String(Cow::Borrowed(text))),
        }
        Some(())
    }

    /// Apart from the plain ones, so that those come by without a copy of their own.
    #[cold]
    fn escaped(&mut self, node: &Node, slot: &mut Slot<'a>) -> Option<()> {
        let text = self.scan.escaped_string()?;
        let choice = self.choice(node, &text)?;
        put(slot, if node.form == Form::Choice { Slot::Choice(choice) } else { Slot::String(Cow::Owned(text)) });
        Some(())
    }

    /// Which of the literals `text` is, where there are any; none where the node does not allow it.
    fn choice(&self, node: &Node, text: &str) -> Option<u16> {
        // The word null is null to repair.
        if self.reader.allows_null(node) && is_null(text) {
            return None;
        }
        if self.reader.table.bounds(node).is_some_and(|bounds| !fits_length(text, bounds)) {
            return None;
        }
        if node.literals.len == 0 {
            return Some(0);
        }
        let literals = self.reader.table.literals(node);
        let index = literals.iter().position(|literal| matches!(literal, Literal::String(l) if *l == text))?;
        u16::try_from(index).ok()
    }

    fn integer(&mut self, node: &Node) -> Option<i64> {
        let integer = match self.scan.plain_integer() {
            Some(integer) => integer,
            None => number::integer(&self.scan.number()?)?,
        };
        let bounds = self.reader.table.bounds(node);
        bounds.is_none_or(|bounds| number::within(&integer.into(), bounds)).then_some(integer)
    }

    fn number(&mut self, node: &Node) -> Option<serde_json::Number> {
        let number = self.scan.number()?;
        let bounds = self.reader.table.bounds(node);
        bounds.is_none_or(|bounds| number::within(&number, bounds)).then_some(number)
    }

    fn array(&mut self, node: &Node, room: usize) -> Option<Vec<Slot<'a>>> {
        let room = room.checked_sub(1)?;
        let mut items = Vec::new();
        self.scan.eat(b'[');
        while self.scan.next(items.is_empty(), b']')? {
            // Into its place in the array: a slot that is handed up is copied once a level.
            items.push(Slot::Absent);
            self.item(node.items, room, items.last_mut()?)?;
        }
        let bounds = self.reader.table.bounds(node);
        bounds.is_none_or(|b| in_range(items.len(), b.min_items, b.max_items)).then_some(items)
    }

    /// An item of an array or a value of a map; where there is no node, any.
    fn item(&mut self, id: Option<NodeId>, room: usize, slot: &mut Slot<'a>) -> Option<()> {
        if let Some(id) = id {
            return self.value(id, false, room, slot);
        }
        *slot = match self.any(room)? {
            Value::Null => Slot::Null,
            value => Slot::Value(value),
        };
        Some(())
    }

    fn object(&mut self, node: &Node, room: usize) -> Option<Vec<Slot<'a>>> {
        let room = room.checked_sub(1)?;
        let properties = self.reader.table.properties(node);
        let mut slots: Vec<Slot<'a>> = properties.iter().map(|_| Slot::Absent).collect();
        let (mut seen, mut first, mut next) = (0_u64, true, 0);
        let (mut unknown, mut rest) = (Vec::new(), Vec::new());
        if !self.scan.eat(b'{') {
            return None;
        }
        while self.scan.next(first, b'}')? {
            first = false;
            let found = self.key(|key| find(properties, next, key), &mut unknown)?;
            if let (Some(property), Some(slot)) = (properties.get(found), slots.get_mut(found)) {
                if seen & (1 << found) != 0 {
                    return None;
                }
                seen |= 1 << found;
                next = found + 1;
                self.value(property.node, !property.required, room, slot)?;
            } else {
                if node.additional == Additional::Deny {
                    return None;
                }
                rest.push((unknown.pop()?, Slot::Absent));
                self.item(others(node), room, &mut rest.last_mut()?.1)?;
            }
        }
        if node.additional != Additional::Deny {
            slots.push(Slot::Map(sorted(rest)?));
        }
        let missing = |(index, property): (usize, &Property)| property.required && seen & (1 << index) == 0;
        (!properties.iter().enumerate().any(missing)).then_some(slots)
    }

    fn map(&mut self, node: &Node, room: usize) -> Option<Entries<'a>> {
        let room = room.checked_sub(1)?;
        if node.additional == Additional::Deny {
            return None;
        }
        let (mut keys, mut entries) = (Vec::new(), Vec::new());
        self.scan.eat(b'{');
        while self.scan.next(entries.is_empty(), b'}')? {
            self.key(|_| NONE, &mut keys)?;
            entries.push((keys.pop()?, Slot::Absent));
            self.item(others(node), room, &mut entries.last_mut()?.1)?;
        }
        sorted(entries)
    }

    /// The index of the property that the next key names; [`NONE`], and the key among the unknown, if none.
    #[inline]
    fn key(&mut self, find: impl Fn(&str) -> usize, unknown: &mut Vec<Cow<'a, str>>) -> Option<usize> {
        let found = if let Some(key) = self.scan.plain_string() {
            let found = find(key);
            if found == NONE {
                unknown.push(Cow::Borrowed(key));
            }
            found
        } else {
            let key = self.scan.escaped_string()?;
            let found = find(&key);
            if found == NONE {
                unknown.push(Cow::Owned(key));
            }
            found
        };
        self.scan.eat(b':').then_some(found)
    }

    /// A value of which nothing is said.
    fn any(&mut self, room: usize) -> Option<Value> {
        Tree { room, unique: true }.parse(self.scan.skip()?).ok()
    }

    /// As [`value`](Self::value), through the tree.
    fn tree(&mut self, id: NodeId, optional: bool, room: usize, slot: &mut Slot<'a>) -> Option<()> {
        let mut value = self.any(room)?;
        self.reader.repair(&mut value, id, room);
        if self.reader.is_valid(&value, id) {
            *slot = self.reader.fill(value, id);
            return Some(());
        }
        (optional && value.is_null()).then_some(())
    }
}

/// Writes into a slot that is absent so far, without the look at what there is to drop.
#[inline]
fn put<'a>(slot: &mut Slot<'a>, value: Slot<'a>) {
    std::mem::forget(std::mem::replace(slot, value));
}

/// The index of no property.
const NONE: usize = usize::MAX;

/// The property of that name: most often the one after the last.
#[inline]
fn find(properties: &[Property], next: usize, key: &str) -> usize {
    let is = |property: &Property| property.name == key && !property.hidden;
    match properties.get(next) {
        Some(property) if is(property) => next,
        _ => properties.iter().position(is).unwrap_or(NONE),
    }
}

/// The node of undeclared properties; none where nothing is said of them.
fn others(node: &Node) -> Option<NodeId> {
    match node.additional {
        Additional::Node(id) => Some(id),
        Additional::Allow | Additional::Deny => None,
    }
}

type Entries<'a> = Vec<(Cow<'a, str>, Slot<'a>)>;

/// By key, if no key comes twice.
fn sorted(mut entries: Entries<'_>) -> Option<Entries<'_>> {
    entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    entries.is_sorted_by(|(a, _), (b, _)| a < b).then_some(entries)
}
