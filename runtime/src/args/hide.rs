//! Hiding: arguments as anybody but the handler may see them.

use serde_json::Value;

use super::reader::Reader;
use crate::HIDDEN;
use crate::table::{Additional, NodeId};

/// Levels of values and alternatives. A schema may be its own alternative.
const DEEPEST: usize = 256;

impl Reader<'_> {
    /// Puts [`HIDDEN`] in place of every secret in the arguments.
    pub(super) fn hide_secrets(&self, arguments: &mut Value) {
        if self.table.properties.iter().any(|property| property.secret) {
            self.hide(arguments, 0, DEEPEST);
        }
    }

    /// What any of the alternatives calls a secret is one. Where there is too much to look at, all of it is.
    fn hide(&self, value: &mut Value, id: NodeId, room: usize) {
        if room == 0 || !self.spend(1) {
            *value = HIDDEN.into();
            return;
        }
        let node = self.table.node(id);
        match value {
            Value::Array(items) => {
                if let Some(id) = node.items {
                    items.iter_mut().for_each(|item| self.hide(item, id, room - 1));
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    match (self.table.properties(node).iter().find(|property| property.name == *key), node.additional) {
                        (Some(property), _) if property.secret => *value = HIDDEN.into(),
                        (Some(property), _) => self.hide(value, property.node, room - 1),
                        (None, Additional::Node(id)) => self.hide(value, id, room - 1),
                        (None, _) => {}
                    }
                }
            }
            _ => {}
        }
        for branch in self.table.any_of(node).iter().chain(self.table.all_of(node)) {
            self.hide(value, *branch, room - 1);
        }
    }
}
