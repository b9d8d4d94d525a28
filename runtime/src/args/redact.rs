//! Redaction of secrets in arguments, for logs, traces, hooks and the approver.

use serde_json::Value;

use super::reader::Reader;
use crate::data::table::{Additional, NodeId};
use toolc_redact::REDACTED;

/// The maximum depth of values and alternatives. A schema may be its own alternative.
const MAX_DEPTH: usize = 256;

impl Reader<'_> {
    /// Returns the arguments with [`REDACTED`] in place of every secret.
    pub(super) fn redacted(&self, arguments: &Value) -> Value {
        let mut redacted = arguments.clone();
        if self.table.has_secrets() {
            // With a new budget: otherwise, an expensive repair could exhaust it, and everything would be redacted.
            Reader::new(self.table, self.limits).redact(&mut redacted, 0, MAX_DEPTH, false);
        }
        redacted
    }

    /// Like [`redacted`](Self::redacted), for arguments that have not been repaired: a string in place of an array or object
    /// may contain a secret.
    pub(super) fn redacted_as_sent(&self, arguments: &Value) -> Value {
        let mut redacted = arguments.clone();
        if self.table.has_secrets() {
            Reader::new(self.table, self.limits).redact(&mut redacted, 0, MAX_DEPTH, true);
        }
        redacted
    }

    /// Redacts every value that any alternative declares as secret. If the depth or the budget is exceeded, it redacts the
    /// whole value.
    fn redact(&self, value: &mut Value, id: NodeId, room: usize, as_sent: bool) {
        if room == 0 || !self.spend(1) {
            *value = REDACTED.into();
            return;
        }
        let node = self.table.node(id);
        match value {
            Value::Array(items) => {
                if let Some(id) = node.items {
                    for item in items {
                        self.redact(item, id, room - 1, as_sent);
                    }
                }
            }
            Value::Object(map) => {
                let properties = self.table.properties(node);
                // An unknown key may be the misspelt name of a secret.
                let holds_secrets = properties.iter().any(|property| property.secret);
                for (key, value) in map {
                    match (properties.iter().find(|property| *property.name == **key), node.additional) {
                        (Some(property), _) if !property.secret => self.redact(value, property.node, room - 1, as_sent),
                        (None, Additional::Node(id)) if !holds_secrets => self.redact(value, id, room - 1, as_sent),
                        (None, _) if !holds_secrets => {}
                        _ => *value = REDACTED.into(),
                    }
                }
            }
            Value::String(_) if as_sent && node.holds_others() => *value = REDACTED.into(),
            _ => {}
        }
        for branch in self.table.any_of(node).iter().chain(self.table.all_of(node)) {
            self.redact(value, *branch, room - 1, as_sent);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::args::{Arguments, Limits};
    use crate::data::table::Table;

    #[test]
    fn secrets_are_redacted_at_every_depth() {
        let schema = json!({"type": "object", "properties": {
            "user": {"type": "string"}, "pin": {"type": "integer"},
            "all": {"type": "array", "items": {"anyOf": [
                {"type": "object", "properties": {"key": {"type": "string"}}, "additionalProperties": false},
                {"type": "object", "properties": {"key": {"type": "string"}, "pin": {}}, "additionalProperties": false},
            ]}},
            "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"pin": {}}}},
        }});
        let mut table = Table::from_schema(&schema).unwrap();
        let sent = json!({
            "user": "u", "all": [{"key": "k", "pin": [1]}, {"key": "k"}], "map": {"a": {"pin": 1, "pim": 2}}, "pan": 1,
        });
        let redacted = |table: &Table| {
            let arguments = Arguments::read(&sent.to_string(), table, Limits::default()).unwrap();
            arguments.0.redacted(table, Limits::default())
        };
        assert_eq!(redacted(&table), sent);
        for property in table.properties.iter_mut().filter(|property| &*property.name == "pin") {
            property.secret = true;
        }
        let hidden = json!("[secret]");
        let expected = json!({
            "user": "u", "all": [{"key": "k", "pin": hidden}, {"key": "k"}],
            "map": {"a": {"pin": hidden, "pim": hidden}}, "pan": hidden,
        });
        assert_eq!(redacted(&table), expected);
    }
}
