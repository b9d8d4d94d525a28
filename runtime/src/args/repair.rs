//! Repair: converts almost correct values to the type in their schema, at every depth. `docs/repair.md` describes the rules.
//!
//! 1. The string `null` becomes null if null is allowed.
//! 2. A value that has an allowed type is kept, and its children are repaired.
//! 3. Any other value is converted to the first allowed type to which it can be converted.
//! 4. Otherwise, if an array is allowed, the value is wrapped in an array.
//! 5. Otherwise, the value is kept, and validation reports it.

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
    Keep,
    Convert,
    Wrap,
}

/// The maximum depth of nested alternatives. A schema may be its own alternative.
const MAX_NESTED_ALTERNATIVES: usize = 16;

const ALL_STEPS: &[RepairStep] = &[RepairStep::Keep, RepairStep::Convert, RepairStep::Wrap];

impl Reader<'_> {
    /// Repairs the arguments object. Its type is an object, whatever the type of the schema's root.
    pub(super) fn repair_arguments(&self, value: &mut Value) {
        let (node, depth) = (self.table.node(0), self.limits.max_depth);
        if let Value::String(text) = value
            && let Some(object @ Value::Object(_)) = self.parse_container(text, depth)
        {
            *value = object;
        }
        if value.is_object() {
            self.children(value, node, depth);
            self.alternatives(value, node, depth, &[RepairStep::Keep], 0);
        }
    }

    /// Repairs a value toward a node. `depth` is the maximum depth of the result.
    pub(super) fn repair(&self, value: &mut Value, id: NodeId, depth: usize) {
        if !self.spend(1) {
            return;
        }
        let node = self.table.node(id);
        if is_null_word(value) && self.lists_null(node) && self.is_valid(&Value::Null, id) {
            *value = Value::Null;
            return;
        }
        let types = self.table.types(node);
        if types.is_any() || node.all_of.len > 0 {
            self.children(value, node, depth);
        } else {
            let _ = ALL_STEPS.iter().any(|step| self.step(*step, value, node, types, depth));
        }
        let had_children = value.is_array() || value.is_object();
        self.alternatives(value, node, depth, ALL_STEPS, 0);
        if !had_children {
            // An alternative may have parsed an array or object from a string.
            self.children(value, node, depth);
        }
    }

    /// Returns whether `node` lists null as a type.
    fn lists_null(&self, node: &Node) -> bool {
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
        self.table.types(node).contains(Type::Null)
            && (literals.is_empty() || literals.iter().any(|l| json_type::equals(l, &Value::Null)))
    }

    fn step(&self, step: RepairStep, value: &mut Value, node: &Node, types: Types, depth: usize) -> bool {
        let done = match step {
            RepairStep::Keep => json_type::fits(types, value),
            RepairStep::Convert => match types.iter().find_map(|wanted| self.convert(value, wanted, depth)) {
                Some(converted) => {
                    *value = converted;
                    true
                }
                None => false,
            },
            RepairStep::Wrap => {
                let wraps =
                    depth > 0 && types.contains(Type::Array) && !value.is_null() && !self.is_cut_off(value, depth);
                if wraps {
                    *value = Value::Array(vec![value.take()]);
                }
                wraps
            }
        };
        if done {
            self.children(value, node, depth);
        }
        done
    }

    fn children(&self, value: &mut Value, node: &Node, depth: usize) {
        let inner = depth.saturating_sub(1);
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

    /// Repairs a value toward one of the alternatives of `node`: the first one for which it is valid without repair, otherwise
    /// the first one for which it is valid after repair, otherwise the first one to whose type it can be converted.
    fn alternatives(&self, value: &mut Value, node: &Node, depth: usize, steps: &[RepairStep], nested: usize) {
        if node.any_of.len == 0 || node.all_of.len > 0 || nested == MAX_NESTED_ALTERNATIVES {
            return;
        }
        let Some(leaves) = self.leaves(node) else { return };
        let try_step = |value: &mut Value, step: RepairStep, id: NodeId| {
            let leaf = self.table.node(id);
            let done = self.step(step, value, leaf, self.table.types(leaf), depth);
            if done {
                self.alternatives(value, leaf, depth, steps, nested + 1);
            }
            done
        };
        if let Some(leaf) = leaves.iter().find(|leaf| self.is_valid_with_nulls(value, **leaf)) {
            try_step(value, RepairStep::Keep, *leaf);
            return;
        }
        let mut first = None;
        for step in steps {
            for leaf in &leaves {
                let types = self.table.types(self.table.node(*leaf));
                if !may_succeed(*step, types, value) {
                    continue;
                }
                if !self.spend(clone_cost(value)) {
                    return;
                }
                let mut trial = value.clone();
                if try_step(&mut trial, *step, *leaf) {
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

    /// Converts `value` to the type `wanted`, if it is another spelling of a value of this type.
    fn convert(&self, value: &Value, wanted: Type, depth: usize) -> Option<Value> {
        match (wanted, value) {
            (Type::Integer, Value::String(text)) => number::integer_from(text).map(Value::from),
            (Type::Number, Value::String(text)) => number::number_from(text).map(Value::Number),
            (Type::Boolean, Value::String(text)) => match text.trim() {
                word if word.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
                word if word.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
                _ => None,
            },
            (Type::Array, Value::String(text)) if opens_with(text, '[') => self.parse_container(text, depth),
            (Type::Object, Value::String(text)) if opens_with(text, '{') => self.parse_container(text, depth),
            (Type::String, Value::Number(_) | Value::Bool(_)) => Some(Value::String(to_json::text(value))),
            _ => None,
        }
    }

    /// Parses the array or object in `text`, as JSON or in Python's spelling.
    fn parse_container(&self, text: &str, depth: usize) -> Option<Value> {
        let text = text.trim();
        let closed = (opens_with(text, '[') && text.ends_with(']')) || (opens_with(text, '{') && text.ends_with('}'));
        if !closed || !self.spend(text.len() / 8) {
            return None;
        }
        Tree { depth, unique: false }.parse(text).ok().or_else(|| literal::parse(text, depth))
    }

    /// Returns whether `value` is a string that looks like a truncated array or object.
    fn is_cut_off(&self, value: &Value, depth: usize) -> bool {
        let Value::String(text) = value else { return false };
        (opens_with(text, '[') || opens_with(text, '{')) && self.parse_container(text, depth).is_none()
    }
}

/// Returns whether `text` is `null`, in any case.
pub(super) fn is_null(text: &str) -> bool {
    // Every string is checked, so the length and the first byte exclude most of them cheaply.
    let may_be = matches!(text.as_bytes(), [b'n' | b'N' | ..=b' ' | 0x80.., _, _, _, ..]);
    may_be && text.trim().eq_ignore_ascii_case("null")
}

fn is_null_word(value: &Value) -> bool {
    value.as_str().is_some_and(is_null)
}

fn opens_with(text: &str, bracket: char) -> bool {
    text.trim_start().starts_with(bracket)
}

/// Returns whether this step may succeed, so that it is worthwhile to clone `value` for a trial.
fn may_succeed(step: RepairStep, types: Types, value: &Value) -> bool {
    match step {
        RepairStep::Keep => json_type::fits(types, value),
        RepairStep::Convert => match value {
            Value::String(_) => !json_type::fits(types, value),
            Value::Number(_) | Value::Bool(_) => types.contains(Type::String) && !json_type::fits(types, value),
            _ => false,
        },
        RepairStep::Wrap => types.contains(Type::Array) && !value.is_null() && !json_type::fits(types, value),
    }
}

/// Returns the cost of cloning `value`, in steps of the budget.
pub(super) fn clone_cost(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 64,
        Value::Array(items) => 1 + items.iter().map(clone_cost).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(|value| 1 + clone_cost(value)).sum::<usize>(),
        _ => 1,
    }
}
