//! Repair: converts almost correct values to the type in their schema, at every depth. `docs/repair.md` describes the rules.
//!
//! 1. The string `null` becomes null if null is allowed.
//! 2. A string that is not one of the words of its `enum` becomes the only word that it equals without regard to case.
//! 3. A value that has an allowed type is kept, and its children are repaired.
//! 4. Any other value is converted to the first allowed type to which it can be converted.
//! 5. Otherwise, if an array is allowed, the value is wrapped in an array.
//! 6. Otherwise, the value is kept, and validation reports it.
//!
//! With `allOf`, the value is then repaired toward each part.
//!
//! In an object that refuses unknown keys, a key gets the declared name that only it resembles, or that it is an alias of.

use serde_json::{Map, Number, Value};

use super::json_type;
use super::open::{is_blank, opens_with};
use super::reader::Reader;
use super::repaired::RepairedParameters;
use crate::data::bounds;
use crate::data::name::PARAMETER;
use crate::data::table::{Additional, Literal, Node, NodeId, Property, SlotKind, Type, Types};
use crate::data::to_json;
use crate::number;
use crate::text::names::same_name;

/// A step of repair. The steps are tried in this order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RepairStep {
    Keep,
    Convert,
    Wrap,
}

/// The maximum depth of nested alternatives. A schema may be its own alternative.
const MAX_NESTED_ALTERNATIVES: usize = 16;

/// The maximum depth of nested alternatives whose properties get back their names.
const MAX_NESTED_PARTS: usize = 4;

const ALL_STEPS: &[RepairStep] = &[RepairStep::Keep, RepairStep::Convert, RepairStep::Wrap];

impl Reader<'_> {
    /// Repairs the arguments object, and returns which parameters have been repaired. Its type is an object, whatever the type
    /// of the schema's root.
    pub(super) fn repair_arguments(&self, value: &mut Value) -> RepairedParameters {
        let (node, depth) = (self.table.node(0), self.limits.max_depth);
        let mut repaired = RepairedParameters::default();
        if is_blank(value) {
            *value = Map::new().into();
            repaired.add_whole();
        } else if let Value::String(text) = value
            && let Some((object @ Value::Object(_), _)) = self.opened(text)
        {
            *value = object;
            repaired.add_whole();
        }
        if value.is_object() {
            self.changed.set(false);
            self.children_with(value, node, depth, |index| {
                if self.changed.replace(false) {
                    repaired.add(index);
                }
            });
            if self.fits_parts(value, node, 0) {
                self.parts(value, node, depth, 0);
            }
            self.alternatives(value, node, depth, &[RepairStep::Keep], 0);
            if self.changed.get() {
                repaired.add_unknown();
            }
        }
        repaired
    }

    /// Replaces `value` by its repaired form.
    fn change(&self, value: &mut Value, repaired: Value) {
        *value = repaired;
        self.changed.set(true);
    }

    /// Repairs a value toward a node. `depth` is the maximum depth of the result.
    pub(super) fn repair(&self, value: &mut Value, id: NodeId, depth: usize) {
        self.repair_part(value, id, depth, 0);
    }

    /// Repairs a value toward a node, which is a part of `nested` others.
    fn repair_part(&self, value: &mut Value, id: NodeId, depth: usize, nested: usize) {
        if !self.spend(1) {
            return;
        }
        let node = self.table.node(id);
        if is_null_word(value) && self.lists_null(node, 0) && self.is_valid(&Value::Null, id) {
            self.change(value, Value::Null);
            return;
        }
        let types = self.table.types(node);
        if types.is_any() {
            self.spell_integer(value, node, 0);
            self.children(value, node, depth);
        } else {
            let _ = ALL_STEPS.iter().any(|step| self.step(*step, value, node, types, depth));
        }
        if node.any_of.len == 0 && node.all_of.len == 0 {
            return;
        }
        let had_children = has_children(value);
        self.parts(value, node, depth, nested);
        self.alternatives(value, node, depth, ALL_STEPS, 0);
        if !had_children && has_children(value) {
            // A part or an alternative has parsed an array or object from a string.
            self.children(value, node, depth);
            self.parts(value, node, depth, nested);
        }
    }

    /// Repairs a value toward each schema in the `allOf` of a node. If these schemas have no type in common to which the value can be
    /// converted, it is kept.
    fn parts(&self, value: &mut Value, node: &Node, depth: usize, nested: usize) {
        if node.all_of.len == 0 || nested == MAX_NESTED_ALTERNATIVES || !self.spend(clone_cost(value)) {
            return;
        }
        let (mut trial, was_changed) = (value.clone(), self.changed.get());
        for part in self.table.all_of(node) {
            self.repair_part(&mut trial, *part, depth, nested + 1);
        }
        if self.fits_parts(&trial, node, nested) {
            *value = trial;
        } else {
            self.changed.set(was_changed);
        }
    }

    /// Returns whether a value has a type that each schema in the `allOf` of a node allows.
    fn fits_parts(&self, value: &Value, node: &Node, nested: usize) -> bool {
        let fits = |part: &Node| {
            json_type::fits(self.table.types(part), value)
                && (nested == MAX_NESTED_ALTERNATIVES || self.fits_parts(value, part, nested + 1))
        };
        self.spend(1) && self.table.all_of(node).iter().all(|part| fits(self.table.node(*part)))
    }

    /// Returns whether `node` lists null as a type.
    fn lists_null(&self, node: &Node, nested: usize) -> bool {
        let types = self.table.types(node);
        if node.all_of.len > 0 {
            (types.is_any() || self.allows_null(node)) && nested < MAX_NESTED_ALTERNATIVES && self.spend(1) && {
                let parts = self.table.all_of(node);
                parts.iter().all(|part| self.lists_null(self.table.node(*part), nested + 1))
            }
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
            RepairStep::Keep => {
                if node.literals.len > 0
                    && types.contains(Type::String)
                    && let Some(word) = self.enum_word(value, node)
                {
                    self.change(value, word);
                }
                json_type::fits(types, value)
            }
            RepairStep::Convert => match types.iter().find_map(|wanted| self.convert(value, wanted, node, depth)) {
                Some(converted) => {
                    self.change(value, converted);
                    true
                }
                None => false,
            },
            RepairStep::Wrap => {
                let wraps =
                    depth > 0 && types.contains(Type::Array) && !value.is_null() && !self.is_cut_off(value, depth);
                if wraps {
                    let item = value.take();
                    self.change(value, Value::Array(vec![item]));
                }
                wraps
            }
        };
        if done {
            self.spell_integer(value, node, 0);
            self.children(value, node, depth);
        }
        done
    }

    /// Writes a number without a fraction as an integer, if the node wants an integer: `5` for `5.0`. The value stays the same, so that
    /// this is not a repair. A float that may have been rounded is not changed, so that its digits can be restored.
    #[inline]
    fn spell_integer(&self, value: &mut Value, node: &Node, nested: usize) {
        if let Value::Number(number) = value
            && number.is_f64()
            && self.wants_integer(node, number, nested)
            && let Some(integer) = number::integer(number)
        {
            *number = integer.into();
        }
    }

    fn wants_integer(&self, node: &Node, number: &Number, nested: usize) -> bool {
        let (types, literals) = (self.table.types(node), self.table.literals(node));
        let is_literal = |literal: &Literal| {
            matches!(literal, Literal::Integer(_)) && json_type::equals(literal, &Value::Number(number.clone()))
        };
        (types.contains(Type::Integer) && !types.contains(Type::Number))
            || literals.iter().any(is_literal)
            || (nested < MAX_NESTED_ALTERNATIVES
                && self.spend(1)
                && self
                    .table
                    .all_of(node)
                    .iter()
                    .any(|id| self.wants_integer(self.table.node(*id), number, nested + 1)))
    }

    /// Returns the only word of the node's `enum` that `value` equals without regard to case, if it is not one of these words.
    fn enum_word(&self, value: &Value, node: &Node) -> Option<Value> {
        let Value::String(text) = value else { return None };
        let words = || {
            let literals = self.table.literals(node).iter();
            literals.filter_map(|literal| if let Literal::String(word) = literal { Some(&**word) } else { None })
        };
        if words().any(|word| word == text) {
            return None;
        }
        let text = text.trim();
        let mut similar = words().filter(|word| word.trim().eq_ignore_ascii_case(text));
        let word = similar.next()?;
        similar.all(|other| other == word).then(|| word.into())
    }

    fn children(&self, value: &mut Value, node: &Node, depth: usize) {
        self.children_with(value, node, depth, |_| ());
    }

    /// Repairs the children of a value, and calls `after` with the index of each declared property that has been repaired.
    #[inline]
    fn children_with(&self, value: &mut Value, node: &Node, depth: usize, mut after: impl FnMut(usize)) {
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
                let properties = self.table.properties(node);
                if !self.spend(properties.len()) {
                    return;
                }
                let mut known = 0;
                for (index, property) in properties.iter().enumerate().filter(|(_, property)| !property.hidden) {
                    if let Some(value) = map.get_mut(&*property.name) {
                        known += 1;
                        self.repair_property(value, node, index, inner);
                        after(index);
                    }
                }
                if known < map.len() && node.form == SlotKind::Value {
                    self.restore_names_of_parts(map, node, 0);
                    for index in self.restore_names(map, properties) {
                        if let Some(value) = map.get_mut(&*properties[index].name) {
                            known += 1;
                            self.repair_property(value, node, index, inner);
                            after(index);
                        }
                    }
                }
                if known < map.len() && node.additional == Additional::Deny {
                    for index in self.rename_keys(map, node, inner) {
                        if let Some(value) = map.get_mut(&*properties[index].name) {
                            self.repair_property(value, node, index, inner);
                            self.changed.set(true);
                            after(index);
                        }
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
        if node.further != 0 {
            self.repair_further(value, node, depth);
        }
    }

    /// Repairs the value of a property of `node`, which is given by its position.
    fn repair_property(&self, value: &mut Value, node: &Node, position: usize, depth: usize) {
        let id = self.table.properties(node)[position].node;
        self.repair(value, id, depth);
        if self.table.is_clamped(node, position)
            && let Some(bound) = self.nearest_allowed(value, id)
        {
            self.change(value, bound);
        }
    }

    /// Returns the allowed number that is nearest to a value beyond the bounds of a node. The value may be a number of any size, and
    /// digits that are too many for the type.
    fn nearest_allowed(&self, value: &Value, id: NodeId) -> Option<Value> {
        let node = self.table.node(id);
        let (types, bounds) = (self.table.types(node), self.table.bounds(node)?);
        let is_integer = types.contains(Type::Integer) && !types.contains(Type::Number);
        let number = match value {
            Value::Number(number) if json_type::fits(types.with_wide_integers(), value) => number.clone(),
            Value::String(text) if !json_type::fits(types, value) => number::of_any_size(text, is_integer)?,
            _ => return None,
        };
        let bound = Value::Number(bounds::nearest(&number, bounds, is_integer)?);
        self.is_valid(&bound, id).then_some(bound)
    }

    /// Does the same as [`Self::restore_names`] for the other schemas of the same value.
    fn restore_names_of_parts(&self, map: &mut Map<String, Value>, node: &Node, nested: usize) {
        if nested == MAX_NESTED_PARTS {
            return;
        }
        for id in self.table.any_of(node).iter().chain(self.table.all_of(node)) {
            let part = self.table.node(*id);
            self.restore_names(map, self.table.properties(part));
            if self.spend(1) {
                self.restore_names_of_parts(map, part, nested + 1);
            }
        }
    }

    /// Gives keys the name of the property that some dialects show under them, if that is not sent as well. Returns the indices of these
    /// properties.
    fn restore_names(&self, map: &mut Map<String, Value>, properties: &[Property]) -> Vec<usize> {
        let is_shown_by_its_name = |property: &Property| PARAMETER.accepts(&property.name);
        if properties.iter().all(is_shown_by_its_name) || !self.spend(properties.len()) {
            return Vec::new();
        }
        let mut restored = Vec::new();
        let aliases = self.aliases.get_or_init(|| self.table.other_names());
        for (index, Property { name, hidden, .. }) in properties.iter().enumerate() {
            let Some(alias) = aliases.get(&**name).filter(|_| !*hidden && !map.contains_key(&**name)) else { continue };
            if let Some(value) = map.remove(alias) {
                map.insert(name.to_string(), value);
                restored.push(index);
            }
        }
        restored
    }

    /// Gives unknown keys the name of the only declared property that they resemble or are an alias of. If the property is sent as well,
    /// with the same value, the key is dropped. Returns the indices of these properties.
    fn rename_keys(&self, map: &mut Map<String, Value>, node: &Node, depth: usize) -> Vec<usize> {
        let properties = self.table.properties(node);
        let is_known = |key: &str| properties.iter().any(|property| *property.name == *key && !property.hidden);
        if !self.spend(map.len() * properties.len()) {
            return Vec::new();
        }
        let unknown: Vec<String> = map.keys().filter(|key| !is_known(key)).cloned().collect();
        let mut renamed = Vec::new();
        for (index, Property { name, hidden, node: id, .. }) in properties.iter().enumerate() {
            if *hidden || !self.spend(unknown.len() + properties.len()) {
                continue;
            }
            // A hidden property counts: its key has its own meaning, and gets its own error.
            let is_only = properties.iter().filter(|other| same_name(&other.name, name)).count() == 1;
            let is_other_name = |key: &str| {
                (is_only && same_name(key, name)) || self.table.aliases(node, index).any(|alias| same_name(key, alias))
            };
            let similar: Vec<&String> = unknown.iter().filter(|key| is_other_name(key)).collect();
            if self.unite(map, name, &similar, *id, depth) {
                renamed.push(index);
            }
        }
        renamed
    }

    /// Replaces these keys by `name`, if no two of them have different values. Null where the property does not allow it counts as no
    /// value. Returns whether anything has changed.
    fn unite(&self, map: &mut Map<String, Value>, name: &str, keys: &[&String], id: NodeId, depth: usize) -> bool {
        let [first, ..] = keys else { return false };
        let own = map.contains_key(name).then_some(name);
        let all: Vec<&str> = own.into_iter().chain(keys.iter().map(|key| key.as_str())).collect();
        let mut kept = own.unwrap_or(first);
        if all.len() > 1 {
            let repaired = |key: &str| {
                let mut value = map.get(key).cloned().unwrap_or_default();
                self.repair(&mut value, id, depth);
                value
            };
            let is_given = |value: &Value| !value.is_null() || self.allows_null(self.table.node(id));
            let mut given = all.iter().map(|key| (*key, repaired(key))).filter(|(_, value)| is_given(value));
            if let Some((key, value)) = given.next() {
                kept = key;
                if given.any(|(_, other)| other != value) {
                    return false;
                }
            }
        }
        let value = map.remove(kept).unwrap_or_default();
        for key in keys {
            map.remove(*key);
        }
        map.insert(name.to_owned(), value);
        true
    }

    /// Repairs a value toward one of the alternatives of `node`: the first one for which it is valid without repair, otherwise
    /// the first one for which it is valid after repair, otherwise the first one to whose type it can be converted.
    fn alternatives(&self, value: &mut Value, node: &Node, depth: usize, steps: &[RepairStep], nested: usize) {
        if node.any_of.len == 0 || node.all_of.len > 0 || nested == MAX_NESTED_ALTERNATIVES {
            return;
        }
        let Some(leaves) = self.leaves(node) else { return self.spell_alternatives(value, node, depth) };
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
        let (mut first, was_changed) = (None, self.changed.get());
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
                    first.get_or_insert((trial, self.changed.get()));
                }
                self.changed.set(was_changed);
            }
        }
        if let Some((trial, changed)) = first {
            *value = trial;
            self.changed.set(changed);
        }
    }

    /// Converts `value` to the type `wanted`, if it is another spelling of a value of this type.
    fn convert(&self, value: &Value, wanted: Type, node: &Node, depth: usize) -> Option<Value> {
        match (wanted, value) {
            (Type::Integer, Value::String(text)) => number::integer_from(text).map(Value::from),
            (Type::Number, Value::String(text)) => number::number_from(text).map(Value::Number),
            (Type::Boolean, Value::String(text)) => match text.trim() {
                word if word.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
                word if word.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
                _ => None,
            },
            (Type::Array | Type::Object, Value::String(text)) => self.open_toward(text, wanted, node, depth),
            (Type::String, Value::Number(number)) => {
                self.has_spelled.set(self.has_spelled.get() || number::may_be_respelled(number));
                Some(Value::String(to_json::text(value)))
            }
            (Type::String, Value::Bool(_)) => Some(Value::String(to_json::text(value))),
            _ => None,
        }
    }

    /// Returns whether `value` is a string that looks like a truncated array or object.
    fn is_cut_off(&self, value: &Value, depth: usize) -> bool {
        let Value::String(text) = value else { return false };
        (opens_with(text, '[') || opens_with(text, '{')) && self.open(text, depth).is_none()
    }
}

/// Returns whether `text` is `null`, in any case.
pub(super) fn is_null(text: &str) -> bool {
    // Every string is checked, so the length and the first byte exclude most of them cheaply.
    let may_be = matches!(text.as_bytes(), [b'n' | b'N' | ..=b' ' | 0x80.., _, _, _, ..]);
    may_be && text.trim().eq_ignore_ascii_case("null")
}

fn has_children(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

fn is_null_word(value: &Value) -> bool {
    value.as_str().is_some_and(is_null)
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
