//! Repair: changes almost right values to the type in their schema, at every depth, without guessing. `docs/repair.md`
//! describes the rules.
//!
//! 1. The string `null` becomes null if null is allowed.
//! 2. A value of an allowed type is kept, and its children are repaired.
//! 3. Any other value is converted to the first of the schema's types for which a conversion exists.
//! 4. If an array is allowed, the value becomes an array with this one item.
//! 5. Anything else is kept, and validation reports it.

use serde_json::Value;

use super::reader::Reader;
use super::tree::Tree;
use super::{json_type, literal};
use crate::data::number;
use crate::data::table::{Additional, Node, NodeId, Type, Types};
use crate::data::to_json;

/// A step of repair. The steps are tried in this order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RepairStep {
    Stay,
    Convert,
    Wrap,
}

/// The maximum depth of nested alternatives. A schema may be its own alternative.
const DEEPEST: usize = 16;

const ALL: &[RepairStep] = &[RepairStep::Stay, RepairStep::Convert, RepairStep::Wrap];

impl Reader<'_> {
    /// Repairs the arguments as a whole. They are an object, whatever the type of the schema's root.
    pub(super) fn repair_arguments(&self, value: &mut Value) {
        let (node, room) = (self.table.node(0), self.limits.max_depth);
        if let Value::String(text) = value
            && let Some(object @ Value::Object(_)) = self.held(text, room)
        {
            *value = object;
        }
        if value.is_object() {
            self.children(value, node, room);
            self.alternatives(value, node, room, &[RepairStep::Stay], 0);
        }
    }

    /// Repairs a value toward a node. The result may be nested `room` levels deep.
    pub(super) fn repair(&self, value: &mut Value, id: NodeId, room: usize) {
        if !self.spend(1) {
            return;
        }
        let node = self.table.node(id);
        if is_null_word(value) && self.names_null(node) && self.is_valid(&Value::Null, id) {
            *value = Value::Null;
            return;
        }
        let types = self.table.types(node);
        if types.is_any() || node.all_of.len > 0 {
            self.children(value, node, room);
        } else {
            let _ = ALL.iter().any(|step| self.step(*step, value, node, types, room));
        }
        let had_children = value.is_array() || value.is_object();
        self.alternatives(value, node, room, ALL, 0);
        if !had_children {
            // An alternative may have parsed them from a string.
            self.children(value, node, room);
        }
    }

    /// Returns whether `node` explicitly allows null.
    fn names_null(&self, node: &Node) -> bool {
        let types = self.table.types(node);
        if node.all_of.len > 0 {
            false
        } else if types.is_any() {
            let leaves = self.leaves(node).unwrap_or_default();
            leaves.iter().any(|leaf| self.allows_null(self.table.node(*leaf)))
        } else {
            self.allows_null(node)
        }
    }

    /// Returns whether the types and the `enum` of `node` include null.
    pub(super) fn allows_null(&self, node: &Node) -> bool {
        let literals = self.table.literals(node);
        self.table.types(node).names(Type::Null)
            && (literals.is_empty() || literals.iter().any(|l| json_type::equals(l, &Value::Null)))
    }

    fn step(&self, step: RepairStep, value: &mut Value, node: &Node, types: Types, room: usize) -> bool {
        let done = match step {
            RepairStep::Stay => json_type::fits(types, value),
            RepairStep::Convert => match types.iter().find_map(|wanted| self.convert(value, wanted, room)) {
                Some(converted) => {
                    *value = converted;
                    true
                }
                None => false,
            },
            RepairStep::Wrap => {
                let wraps = room > 0 && types.names(Type::Array) && !value.is_null() && !self.is_cut_off(value, room);
                if wraps {
                    *value = Value::Array(vec![value.take()]);
                }
                wraps
            }
        };
        if done {
            self.children(value, node, room);
        }
        done
    }

    fn children(&self, value: &mut Value, node: &Node, room: usize) {
        let inner = room.saturating_sub(1);
        match value {
            Value::Array(items) => {
                if let Some(id) = node.items {
                    for item in items {
                        self.repair(item, id, inner);
                    }
                }
            }
            Value::Object(map) => {
                if !self.spend(self.table.properties(node).len()) {
                    return;
                }
                for property in self.table.visible_properties(node) {
                    if let Some(value) = map.get_mut(&*property.name) {
                        self.repair(value, property.node, inner);
                    }
                }
                if let Additional::Node(id) = node.additional {
                    let declared = self.declared(node);
                    for (_, value) in map.iter_mut().filter(|(key, _)| declared.binary_search(&key.as_str()).is_err()) {
                        self.repair(value, id, inner);
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes the first alternative that is valid without repair, otherwise the first that is valid after repair,
    /// otherwise the first whose type the value has or can be converted to.
    fn alternatives(&self, value: &mut Value, node: &Node, room: usize, steps: &[RepairStep], nested: usize) {
        if node.any_of.len == 0 || node.all_of.len > 0 || nested == DEEPEST {
            return;
        }
        let Some(leaves) = self.leaves(node) else { return };
        let toward = |value: &mut Value, step: RepairStep, id: NodeId| {
            let leaf = self.table.node(id);
            let done = self.step(step, value, leaf, self.table.types(leaf), room);
            if done {
                self.alternatives(value, leaf, room, steps, nested + 1);
            }
            done
        };
        if let Some(leaf) = leaves.iter().find(|leaf| self.is_valid_with_nulls(value, **leaf)) {
            toward(value, RepairStep::Stay, *leaf);
            return;
        }
        let mut first = None;
        for step in steps {
            for leaf in &leaves {
                let types = self.table.types(self.table.node(*leaf));
                if !within_reach(*step, types, value) {
                    continue;
                }
                if !self.spend(weight(value)) {
                    return;
                }
                let mut trial = value.clone();
                if toward(&mut trial, *step, *leaf) {
                    if self.is_valid_with_nulls(&trial, *leaf) {
                        *value = trial;
                        return;
                    }
                    first.get_or_insert(trial);
                }
            }
        }
        if let Some(trial) = first {
            *value = trial;
        }
    }

    /// Converts `value` to the type `wanted`, if it is another spelling of one.
    fn convert(&self, value: &Value, wanted: Type, room: usize) -> Option<Value> {
        match (wanted, value) {
            (Type::Integer, Value::String(text)) => number::integer_from(text).map(Value::from),
            (Type::Number, Value::String(text)) => number::number_from(text).map(Value::Number),
            (Type::Boolean, Value::String(text)) => match text.trim() {
                word if word.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
                word if word.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
                _ => None,
            },
            (Type::Array, Value::String(text)) if opens_with(text, '[') => self.held(text, room),
            (Type::Object, Value::String(text)) if opens_with(text, '{') => self.held(text, room),
            (Type::String, Value::Number(_) | Value::Bool(_)) => Some(Value::String(to_json::text(value))),
            _ => None,
        }
    }

    /// Returns the array or object that `text` contains, as JSON or in Python's spelling.
    fn held(&self, text: &str, room: usize) -> Option<Value> {
        let text = text.trim();
        let closed = (opens_with(text, '[') && text.ends_with(']')) || (opens_with(text, '{') && text.ends_with('}'));
        if !closed || !self.spend(text.len() / 8) {
            return None;
        }
        Tree { depth: room, unique: false }.parse(text).ok().or_else(|| literal::parse(text, room))
    }

    /// Returns whether `value` looks like a truncated array or object.
    fn is_cut_off(&self, value: &Value, room: usize) -> bool {
        let Value::String(text) = value else { return false };
        (opens_with(text, '[') || opens_with(text, '{')) && self.held(text, room).is_none()
    }
}

/// Returns whether `text` is `null`, in any case.
pub(super) fn is_null(text: &str) -> bool {
    // Nearly every string is checked here, and the first byte decides nearly all cases.
    let may_be = matches!(text.as_bytes(), [b'n' | b'N' | ..=b' ' | 0x80.., _, _, _, ..]);
    may_be && text.trim().eq_ignore_ascii_case("null")
}

fn is_null_word(value: &Value) -> bool {
    value.as_str().is_some_and(is_null)
}

fn opens_with(text: &str, bracket: char) -> bool {
    text.trim_start().starts_with(bracket)
}

/// Returns whether this step can succeed, so that copying `value` is worthwhile.
fn within_reach(step: RepairStep, types: Types, value: &Value) -> bool {
    match step {
        RepairStep::Stay => json_type::fits(types, value),
        RepairStep::Convert => match value {
            Value::String(_) => !json_type::fits(types, value),
            Value::Number(_) | Value::Bool(_) => types.names(Type::String) && !json_type::fits(types, value),
            _ => false,
        },
        RepairStep::Wrap => types.names(Type::Array) && !value.is_null() && !json_type::fits(types, value),
    }
}

/// Returns the cost of copying `value`.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 64,
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(|value| 1 + weight(value)).sum::<usize>(),
        _ => 1,
    }
}
