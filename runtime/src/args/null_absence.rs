//! Null as absence: an optional property that does not allow null counts as absent if it is sent as null. In strict dialects,
//! models must write absent properties this way.

use serde_json::Value;

use super::further::Part;
use super::reader::Reader;
use super::repair::clone_cost;
use crate::data::table::{Additional, Node, NodeId};
use crate::sorted;

impl<'t> Reader<'t> {
    /// Removes properties whose null represents absence from a value, at every depth.
    pub(super) fn drop_absent(&self, value: &mut Value, id: NodeId) {
        self.drop_absent_at(value, id, 4 * self.limits.max_depth, &[]);
    }

    /// `depth` is the maximum depth of values and alternatives. `required_elsewhere` has the properties that other schemas of
    /// the same value require, sorted.
    fn drop_absent_at(&self, value: &mut Value, id: NodeId, depth: usize, required_elsewhere: &[&'t str]) {
        if depth == 0 || !holds_null(value) || !self.spend(clone_cost(value)) {
            return;
        }
        let nodes = self.with_all_of(id);
        let inner = |value: &mut Value, id| self.drop_absent_at(value, id, depth - 1, &[]);
        let mut required = required_elsewhere.to_vec();
        for property in
            nodes.iter().flat_map(|node| self.table.visible_properties(node)).filter(|property| property.required)
        {
            sorted::insert(&mut required, &*property.name);
        }
        for node in &nodes {
            match value {
                Value::Array(items) => {
                    if let Some(id) = node.items {
                        for item in items {
                            inner(item, id);
                        }
                    }
                }
                Value::Object(map) => {
                    for property in self.table.visible_properties(node) {
                        let Some(value) = map.get_mut(&*property.name) else { continue };
                        if !value.is_null() {
                            inner(value, property.node);
                        } else if self.is_absence(
                            value,
                            required.binary_search(&&*property.name).is_ok(),
                            property.node,
                        ) {
                            map.remove(&*property.name);
                        }
                    }
                    if let Additional::Node(id) = node.additional {
                        let declared = self.declared(node);
                        for (_, value) in map.iter_mut().filter(|(key, _)| declared.binary_search(&&***key).is_err()) {
                            inner(value, id);
                        }
                    }
                }
                _ => return,
            }
            self.drop_absent_further(value, node, depth - 1, &required);
        }
        for node in nodes {
            let branches = self.table.any_of(node);
            if branches.is_empty() || branches.iter().any(|branch| self.is_valid(value, *branch)) {
                continue;
            }
            for branch in branches {
                let mut trial = value.clone();
                self.drop_absent_at(&mut trial, *branch, depth - 1, &required);
                if self.is_valid(&trial, *branch) {
                    *value = trial;
                    break;
                }
            }
        }
    }

    /// Removes what is absent by the further keywords of a node.
    fn drop_absent_further(&self, value: &mut Value, node: &Node, depth: usize, required: &[&'t str]) {
        let Some(keywords) = self.table.further(node) else { return };
        for applied in keywords.applied(self, value).into_iter().filter(|applied| applied.is_certain) {
            // The value of a key or an item is another object.
            let required = if applied.part == Part::Whole { required } else { &[] };
            if let Some(value) = applied.part.of_mut(value) {
                self.drop_absent_at(value, applied.schema, depth, required);
            }
        }
    }

    /// Returns the node, and all nodes in its `allOf`.
    fn with_all_of(&self, id: NodeId) -> Vec<&'t Node> {
        let (mut ids, mut next) = (vec![id], 0);
        while let Some(id) = ids.get(next) {
            for &other in self.table.all_of(self.table.node(*id)) {
                if !ids.contains(&other) && self.spend(ids.len()) {
                    ids.push(other);
                }
            }
            next += 1;
        }
        ids.into_iter().map(|id| self.table.node(id)).collect()
    }
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(holds_null),
        Value::Object(map) => map.values().any(holds_null),
        _ => false,
    }
}
