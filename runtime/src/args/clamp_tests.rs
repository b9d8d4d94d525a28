//! Numbers beyond the bounds of parameters that are clamped.

use serde_json::{Value, json};

use super::repairs;
use super::rules::RepairRule;
use super::*;

/// Returns a table in which every property except `strict` is clamped, at any depth.
fn table() -> Table {
    let line = json!({"type": "integer", "minimum": 1});
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {
        "offset": line, "limit": {"type": "integer", "minimum": 1, "maximum": 2000}, "below": {"type": "integer", "maximum": -1},
        "share": {"type": "number", "minimum": 0, "maximum": 0.5}, "maybe": {"type": ["integer", "null"], "minimum": 1},
        "strict": line, "inner": {"type": "object", "properties": {"offset": line}, "additionalProperties": false},
    }});
    let mut table = Table::from_schema(&schema).unwrap();
    let clamped = table.properties.iter().enumerate().filter(|(_, property)| &*property.name != "strict");
    table.clamped = clamped.map(|(index, _)| u16::try_from(index).unwrap()).collect();
    table.untyped()
}

fn read_value(text: &str) -> Result<Value, ToolError> {
    let mut buffer = SlotBuffer::default();
    read(text, &table(), Limits::default(), &mut buffer).map(|mut slots| slots.value(0))
}

#[test]
fn a_number_beyond_a_bound_becomes_the_bound_with_a_repair() {
    for (sent, expected) in [
        (r#"{"offset":0}"#, json!({"offset": 1})),
        (r#"{"offset":-1}"#, json!({"offset": 1})),
        (r#"{"offset":-9223372036854775808}"#, json!({"offset": 1})),
        (r#"{"offset":0.0}"#, json!({"offset": 1})),
        (r#"{"offset":-0}"#, json!({"offset": 1})),
        (r#"{"offset":"0"}"#, json!({"offset": 1})),
        (r#"{"offset":" -5 "}"#, json!({"offset": 1})),
        (r#"{"offset":"0.0"}"#, json!({"offset": 1})),
        (r#"{"Offset":0}"#, json!({"offset": 1})),
        (r#"{"limit":0}"#, json!({"limit": 1})),
        (r#"{"limit":2001}"#, json!({"limit": 2000})),
        (r#"{"limit":9223372036854775807}"#, json!({"limit": 2000})),
        (r#"{"limit":"5000"}"#, json!({"limit": 2000})),
        (r#"{"limit":2e3}"#, json!({"limit": 2000})),
        (r#"{"below":0}"#, json!({"below": -1})),
        (r#"{"share":-0.1}"#, json!({"share": 0})),
        (r#"{"share":1}"#, json!({"share": 0.5})),
        (r#"{"share":"0.75"}"#, json!({"share": 0.5})),
        (r#"{"maybe":0}"#, json!({"maybe": 1})),
        (r#"{"inner":{"offset":0}}"#, json!({"inner": {"offset": 1}})),
        (r#"{"inner":"{\"offset\":0}"}"#, json!({"inner": {"offset": 1}})),
    ] {
        assert_eq!(read_value(sent).unwrap(), expected, "{sent}");
        let found = repairs::find(sent, &table(), Limits::default());
        assert_eq!(
            found.iter().any(|repair| repair.rule == RepairRule::Bound),
            !sent.contains("2e3"),
            "{sent}: {found:?}"
        );
    }
}

#[test]
fn other_values_are_refused_or_kept_as_before() {
    for (sent, is_accepted) in [
        (r#"{"offset":1}"#, true),
        (r#"{"offset":7}"#, true),
        (r#"{"maybe":null}"#, true),
        (r#"{"offset":null}"#, true),
        (r#"{"strict":1}"#, true),
        (r#"{"strict":0}"#, false),
        (r#"{"offset":0.5}"#, false),
        (r#"{"offset":"zero"}"#, false),
        (r#"{"offset":[0]}"#, false),
        (r#"{"offset":true}"#, false),
        (r#"{"limit":"1,000"}"#, false),
    ] {
        assert_eq!(read_value(sent).is_ok(), is_accepted, "{sent}");
        assert!(repairs::find(sent, &table(), Limits::default()).is_empty(), "{sent}");
    }
}

#[test]
fn a_repair_says_what_was_sent_and_what_it_became() {
    let found = |text: &str| {
        repairs::find(text, &table(), Limits::default()).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(found(r#"{"offset":-3}"#), ["/offset: -3 became 1 (bound)"]);
    assert_eq!(found(r#"{"offset":"0"}"#), [r#"/offset: "0" became 0 (number)"#, "/offset: 0 became 1 (bound)"]);
}
