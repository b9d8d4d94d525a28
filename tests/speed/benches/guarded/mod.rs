//! The cost of `pattern` and `format`, which the reader of arguments enforces: a call of a tool that declares them.

use std::hint::black_box;
use std::time::Duration;

use serde_json::{Value, json};
use toolc::{DynamicTool, DynamicTools, Registry, ToolOutput};

use crate::harness::Timing;
use crate::{compare, ours};

const ARGUMENTS: &str = r#"{"path":"src/commands/chat/live.rs","day":"2026-11-30","sender":"ada@example.org"}"#;

/// Compares a call of a tool with a pattern and two formats with a call of the same tool without them.
pub(crate) fn call(budget: Duration) -> Vec<Timing> {
    let keywords = [json!({"pattern": r"^[a-z0-9_/]+\.rs$"}), json!({"format": "date"}), json!({"format": "email"})];
    let names = ["path", "day", "sender"];
    let tool = |name: &'static str, is_guarded: bool| {
        let property = |(name, keywords): (&str, &Value)| {
            let mut schema = if is_guarded { keywords.clone() } else { json!({}) };
            schema["type"] = "string".into();
            (name.to_owned(), schema)
        };
        let properties: serde_json::Map<String, Value> = names.into_iter().zip(&keywords).map(property).collect();
        let schema = json!({"type": "object", "properties": properties, "required": names});
        DynamicTool::sync(name, "Takes a file, a day and an address.", schema, |_: Value, _| Ok(ToolOutput::text("")))
    };
    let registry = Registry::new();
    let tools = DynamicTools::new().tools([tool("guarded", true), tool("free", false)]);
    registry.add(tools.build().expect("the tools are valid")).expect("an empty registry takes every provider");
    let turn = ours::turn(&registry);
    let call = |name: &str, arguments: &str| ours::call(&turn, name, arguments);
    assert_eq!(call("guarded", ARGUMENTS), call("free", ARGUMENTS));
    let refused = ARGUMENTS.replace("2026-11-30", "tomorrow");
    assert!(call("guarded", &refused).is_error() && !call("free", &refused).is_error());
    compare(
        budget,
        || call(black_box("guarded"), black_box(ARGUMENTS)),
        || call(black_box("free"), black_box(ARGUMENTS)),
    )
}
