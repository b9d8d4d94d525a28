//! Absence: an optional property that is sent as null, although null is not allowed there, was not sent. Strict dialects
//! make models write it so.

use serde_json::Value;

use super::reader::Reader;
use super::repair::weight;
use crate::table::{Additional, Node, NodeId};

impl<'t> Reader<'t> {
    /// Takes such properties out of a value, at every depth.
    pub(super) fn drop_absent(&self, value: &mut Value, id: NodeId) {
        self.drop_absent_below(value, id, 4 * self.limits.max_depth, &[]);
    }

    /// `room` bounds the levels of values and alternatives. `asked`: what other schemas of the same value require.
    fn drop_absent_below(&self, value: &mut Value, id: NodeId, room: usize, asked: &[&'t str]) {
        if room == 0 || !holds_null(value) || !self.spend(weight(value)) {
            return;
        }
        let mut nodes = Vec::new();
        self.all_of_it(id, room, &mut nodes);
        let inner = |value: &mut Value, id| self.drop_absent_below(value, id, room - 1, &[]);
        let required = nodes.iter().flat_map(|node| self.table.shown(node)).filter(|property| property.required);
        let required: Vec<&str> = required.map(|property| &*property.name).chain(asked.iter().copied()).collect();
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
                    for property in self.table.shown(node) {
                        let Some(value) = map.get_mut(&*property.name) else { continue };
                        if !value.is_null() {
                            inner(value, property.node);
                        } else if self.is_absence(value, required.contains(&&*property.name), property.node) {
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
        }
        for node in nodes {
            let branches = self.table.any_of(node);
            if branches.is_empty() || branches.iter().any(|branch| self.is_valid(value, *branch)) {
                continue;
            }
            for branch in branches {
                let mut trial = value.clone();
                self.drop_absent_below(&mut trial, *branch, room - 1, &required);
                if self.is_valid(&trial, *branch) {
                    *value = trial;
                    break;
                }
            }
        }
    }

    /// The node, and all that stand beside it in `allOf`.
    fn all_of_it(&self, id: NodeId, room: usize, nodes: &mut Vec<&'t Node>) {
        let node = self.table.node(id);
        nodes.push(node);
        for branch in self.table.all_of(node) {
            if room > 0 && self.spend(1) {
                self.all_of_it(*branch, room - 1, nodes);
            }
        }
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
