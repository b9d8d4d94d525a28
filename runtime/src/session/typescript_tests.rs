//! Sessions in the dialect `typescript`.

use serde_json::{Value, json};

use crate::availability::HiddenReason;
use crate::call::ToolCall;
use crate::data::dialect::Dialect;
use crate::provider::dynamic::{DynamicTool, DynamicTools};
use crate::registry::Registry;
use crate::render::search_tools::ToolSearch;
use crate::result::output::ToolOutput;
use crate::session::turn::Turn;

/// Returns a registry with tools of these names. Each returns its name.
fn registry(names: &[&'static str]) -> Registry {
    let registry = Registry::new();
    for name in names {
        add(&registry, name);
    }
    registry
}

fn add(registry: &Registry, name: &'static str) {
    let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
    let tool = DynamicTool::sync(name, "Says its name.", schema, |_, call| Ok(ToolOutput::text(call.tool())));
    registry.add(DynamicTools::new().tool(tool).build().unwrap()).unwrap();
}

fn turn(registry: &Registry) -> Turn {
    registry.session().build().unwrap().turn_blocking(Dialect::TypeScript)
}

fn call(turn: &Turn, name: &str) -> String {
    turn.call_blocking(&ToolCall::new(name, "{}")).json
}

fn declared(turn: &Turn) -> Vec<&str> {
    let functions = turn.definitions().lines().filter_map(|line| line.trim().strip_prefix("function "));
    functions.map(|rest| rest.split('(').next().unwrap()).collect()
}

#[test]
fn a_tool_is_called_by_its_identifier() {
    let turn = turn(&registry(&["get-page", "look"]));
    assert_eq!(declared(&turn), ["get_page", "look"]);
    assert_eq!(call(&turn, "get_page"), "\"get-page\"");
    assert_eq!(call(&turn, "get-page"), "\"get-page\"", "the name is corrected");
    assert!(call(&turn, "get_pages").contains("did you mean `get_page`?"));
}

/// Whatever the order in which they are added, no tool runs in place of another.
#[test]
fn one_tool_with_an_identifier_is_shown_and_the_others_say_why() {
    for (order, shown) in [
        (&["a-b-c", "a-b_c", "a_b_c"][..], "a_b_c"),
        (&["a_b_c", "a-b_c", "a-b-c"], "a_b_c"),
        (&["a-b_c", "a-b-c"], "a-b-c"),
    ] {
        let turn = turn(&registry(order));
        assert_eq!(declared(&turn), ["a_b_c"]);
        assert_eq!(turn.tools().collect::<Vec<_>>(), [shown]);
        assert_eq!(call(&turn, "a_b_c"), format!("{shown:?}"));
        assert_eq!(turn.hidden().count(), order.len() - 1);
        for hidden in turn.hidden() {
            let (name, taken_by) = ("a_b_c".into(), Some(shown.into()));
            assert_eq!(*hidden.reason, HiddenReason::DialectName { dialect: Dialect::TypeScript, name, taken_by });
            if hidden.tool != "a_b_c" {
                let refused: Value = serde_json::from_str(&call(&turn, hidden.tool)).unwrap();
                assert!(refused["error"].as_str().unwrap().contains("has this name there"), "{refused}");
            }
        }
    }
}

#[test]
fn a_result_with_a_schema_has_its_type() {
    let node =
        json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": false});
    let schema = json!({"$defs": {"node": node}, "anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]});
    let tool = DynamicTool::sync("walk", "Walks.", json!({"type": "object"}), |_, _| Ok(ToolOutput::text("")));
    let registry = Registry::new();
    registry.add(tool.returns(schema).build().unwrap()).unwrap();
    let declared = turn(&registry).definitions().to_owned();
    assert!(declared.contains("Promise<walk$node | null>"), "{declared}");
    assert!(declared.contains("type walk$node = { next?: walk$node; };"), "{declared}");
}

#[test]
fn a_tool_with_a_reserved_name_is_hidden_and_only_in_this_dialect() {
    let registry = registry(&["delete", "exec", "tool-search", "look"]);
    let reserved = turn(&registry);
    assert_eq!(declared(&reserved), ["look"]);
    for hidden in reserved.hidden() {
        assert!(hidden.to_string().ends_with("the name is reserved there"), "{hidden}");
    }
    assert!(call(&reserved, "delete").contains("reserved"));
    let other = registry.session().build().unwrap().turn_blocking(Dialect::OpenAi);
    assert_eq!(other.hidden().count(), 0);
}

#[test]
fn the_definitions_are_text() {
    let turn = turn(&registry(&["b", "a"]));
    let one = |name: &str| {
        format!(
            "declare namespace tools {{\n  /** Says its name. */\n  function {name}(args: {{\n    /** An integer. */\n    \
             x?: number;\n    [key: string]: unknown;\n  }}): Promise<unknown>;\n}}\n"
        )
    };
    assert_eq!(turn.definitions(), format!("{}\n{}", one("a"), one("b")));
    assert_eq!(turn.pretty_definitions(), turn.definitions());
    assert_eq!(turn.estimated_tokens(), turn.definitions().len().div_ceil(4));
    let error = turn.raw_definitions().unwrap_err().to_string();
    assert!(error.contains("`typescript` are not JSON"), "{error}");
    let empty = Registry::new().session().build().unwrap().turn_blocking(Dialect::TypeScript);
    assert_eq!((empty.definitions(), empty.raw_definitions().is_err()), ("", true));
}

#[test]
fn tool_search_describes_declarations_as_text() {
    let registry = registry(&["get-page", "look"]);
    let session = registry.session().tool_search(ToolSearch::with_threshold(0)).build().unwrap();
    let turn = session.turn_blocking(Dialect::TypeScript);
    assert_eq!(declared(&turn), ["tool_call", "tool_describe", "tool_search"]);
    let run = |name: &str, arguments: Value| -> Value {
        serde_json::from_str(&turn.call_blocking(&ToolCall::new(name, &arguments.to_string())).json).unwrap()
    };
    let found = run("tool_search", json!({"queries": ["get page"]}));
    assert_eq!(found["results"][0]["tools"][0], json!({"name": "get_page", "description": "Says its name."}));
    let described = run("tool_describe", json!({"names": ["get_page"]}));
    assert!(described["tools"][0].as_str().unwrap().contains("function get_page(args: {"), "{described}");
    assert_eq!(run("tool_call", json!({"calls": [{"name": "get_page", "arguments": {}}]})), "get-page");
}
