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
        "half": {"type": "integer", "minimum": 0.5, "maximum": 2.5}, "signed": {"type": "integer", "minimum": -2.5, "maximum": -0.5},
        "between": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10},
        "halves": {"type": "integer", "exclusiveMinimum": 0.5, "exclusiveMaximum": 9.5},
        "fives": {"type": "integer", "minimum": 1, "maximum": 99, "multipleOf": 5}, "odd": {"type": "integer", "minimum": 1, "multipleOf": 2.5},
        "tenth": {"type": "number", "minimum": 0.25, "maximum": 0.95, "multipleOf": 0.1}, "step": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
        "listed": {"type": "integer", "enum": [2, 4], "minimum": 1, "maximum": 4},
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
        (r#"{"half":0}"#, json!({"half": 1})),
        (r#"{"half":3}"#, json!({"half": 2})),
        (r#"{"half":"-7"}"#, json!({"half": 1})),
        (r#"{"signed":-3}"#, json!({"signed": -2})),
        (r#"{"signed":0}"#, json!({"signed": -1})),
        (r#"{"between":0}"#, json!({"between": 1})),
        (r#"{"between":10}"#, json!({"between": 9})),
        (r#"{"halves":0}"#, json!({"halves": 1})),
        (r#"{"halves":"10"}"#, json!({"halves": 9})),
        (r#"{"fives":0}"#, json!({"fives": 5})),
        (r#"{"fives":-100}"#, json!({"fives": 5})),
        (r#"{"fives":100}"#, json!({"fives": 95})),
        (r#"{"odd":0}"#, json!({"odd": 5})),
        (r#"{"tenth":0}"#, json!({"tenth": 0.3})),
        (r#"{"tenth":1}"#, json!({"tenth": 0.9})),
        (r#"{"step":0}"#, json!({"step": 0.5})),
        (r#"{"listed":5}"#, json!({"listed": 4})),
        (r#"{"limit":1e30}"#, json!({"limit": 2000})),
        (r#"{"limit":-1e30}"#, json!({"limit": 1})),
        (r#"{"limit":99999999999999999999}"#, json!({"limit": 2000})),
        (r#"{"limit":-99999999999999999999}"#, json!({"limit": 1})),
        (r#"{"limit":18446744073709551615}"#, json!({"limit": 2000})),
        (r#"{"limit":9007199254740993.0}"#, json!({"limit": 2000})),
        (r#"{"limit":"1e30"}"#, json!({"limit": 2000})),
        (r#"{"limit":"-1e30"}"#, json!({"limit": 1})),
        (r#"{"limit":"1e400"}"#, json!({"limit": 2000})),
        (r#"{"limit":"99999999999999999999"}"#, json!({"limit": 2000})),
        (r#"{"limit":" -99999999999999999999 "}"#, json!({"limit": 1})),
        (r#"{"share":1e30}"#, json!({"share": 0.5})),
        (r#"{"share":"-99999999999999999999.5"}"#, json!({"share": 0})),
        (r#"{"share":"1e400"}"#, json!({"share": 0.5})),
        (r#"{"maybe":-1e30}"#, json!({"maybe": 1})),
        (r#"{"inner":{"offset":-1e30}}"#, json!({"inner": {"offset": 1}})),
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
        (r#"{"limit":"2000.5"}"#, false),
        (r#"{"limit":2000.5}"#, false),
        (r#"{"limit":"1e-400"}"#, false),
        (r#"{"offset":1e30}"#, false),
        (r#"{"offset":"99999999999999999999"}"#, false),
        (r#"{"strict":-1e30}"#, false),
        (r#"{"half":0.4}"#, false),
        (r#"{"fives":7}"#, false),
        (r#"{"fives":95}"#, true),
        (r#"{"listed":0}"#, false),
        (r#"{"listed":3}"#, false),
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
    assert_eq!(
        found(r#"{"limit":"99999999999999999999"}"#),
        [r#"/limit: "99999999999999999999" became 1e+20 (number)"#, "/limit: 1e+20 became 2000 (bound)"],
    );
    assert_eq!(found(r#"{"limit":"1e400"}"#), [r#"/limit: "1e400" became 2000 (bound)"#]);
}
