use serde_json::{Value, json};
use toolc::availability::Availability;
use toolc::behaviour::MaxResultChars;
use toolc::error::Refusal;
use toolc::limits::ResultLimits;
use toolc::{Call, Dialect, DynamicTool, DynamicTools, ErrorKind, Registry, ToolCall, ToolOutput, Toolset};

use super::{add, registry, shown, tool, turn};

#[test]
fn register_makes_a_tool_of_a_name_a_toolset_a_schema_and_a_handler() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let weather = |args: Value, _: &Call<'_>| Ok(ToolOutput::text(args["city"].as_str().unwrap_or_default()));
    let weather = DynamicTool::sync("weather", "The weather.", schema.clone(), weather).toolset("outdoors").emoji("⛅");
    let registry = registry([weather]);
    let turn = turn(&registry, &["outdoors"], &[]);
    let function = json!({"name": "weather", "description": "The weather.", "parameters": schema});
    let defined: Value = serde_json::from_str(turn.definitions()).unwrap();
    assert_eq!(defined, json!([{"type": "function", "function": function}]));
    let answer = pollster::block_on(turn.call(&ToolCall::new("weather", r#"{"city": "Oslo"}"#)));
    assert_eq!((answer.json, answer.error), (r#""Oslo""#.to_owned(), None));
}

#[test]
fn register_refuses_a_name_that_another_toolset_has() {
    let registry = registry([tool("a", "one")]);
    let error = registry.add(tool("a", "two").build().unwrap()).unwrap_err();
    assert_eq!(error.refusals(), [Refusal::ToolNameTaken("a".into())]);
    assert_eq!(registry.tool("a").unwrap().toolset, "one");
}

#[test]
fn register_with_override_replaces_a_tool() {
    let registry = registry([tool("a", "one")]);
    let id = registry.add_overriding(tool("a", "two").build().unwrap()).unwrap();
    assert_eq!(registry.tool("a").unwrap().toolset, "two");
    // In the original, the replaced tool is lost.
    registry.remove(id);
    assert_eq!(registry.tool("a").unwrap().toolset, "one");
}

#[test]
fn an_mcp_server_that_refreshes_may_register_its_tools_again() {
    let registry = registry([tool("other", "one")]);
    let server = |names: &[&'static str]| {
        DynamicTools::new().tools(names.iter().map(|name| tool(name, "mcp-server"))).build().unwrap()
    };
    let id = registry.add(server(&["find", "look"])).unwrap();
    registry.replace(id, server(&["look", "watch"])).unwrap();
    assert_eq!(shown(&registry, &["mcp-server"], &[]), "look watch");
}

#[test]
fn deregister_removes_a_tool_and_with_the_last_one_its_toolset_and_its_aliases() {
    let registry = Registry::new();
    let ids = ["a", "b"].map(|name| registry.add(tool(name, "mcp-server").build().unwrap()).unwrap());
    let server = Toolset::new("mcp-server").with_aliases(["server"]);
    add(&registry, DynamicTools::new().toolset(server));
    assert_eq!(shown(&registry, &["server"], &[]), "a b");
    registry.remove(ids[0]);
    assert_eq!(shown(&registry, &["server"], &[]), "b");
    registry.remove(ids[1]);
    assert!(registry.toolsets().is_empty() && registry.session().enable(["server"]).build().is_err());
}

#[test]
fn deregister_of_an_unknown_tool_does_nothing() {
    let registry = registry([]);
    let id = registry.add(tool("a", "one").build().unwrap()).unwrap();
    assert!(registry.remove(id) && !registry.remove(id));
}

#[test]
fn get_definitions_are_sorted_and_omit_unavailable_tools() {
    let ill = tool("b", "one").available(|_| Availability::Unavailable("ill".into()));
    let registry = registry([tool("c", "one"), ill, tool("a", "one")]);
    assert_eq!(shown(&registry, &[], &[]), "a c");
}

#[test]
fn get_definitions_change_only_if_the_registry_changes() {
    let registry = registry([tool("a", "one")]);
    let session = registry.session().build().unwrap();
    let texts = || session.turn_blocking(toolc::Dialect::OpenAi);
    let first = texts();
    assert_eq!(texts().definitions().as_ptr(), first.definitions().as_ptr());
    registry.add(tool("b", "one").build().unwrap()).unwrap();
    assert_eq!((texts().tools().count(), first.tools().count()), (2, 1));
}

#[test]
fn dispatch_of_an_unknown_tool_is_an_error_in_json() {
    let answer = pollster::block_on(turn(&registry([tool("a", "one")]), &[], &[]).call(&ToolCall::new("b", "{}")));
    assert_eq!(answer.error, Some(ErrorKind::UnknownTool));
    assert!(serde_json::from_str::<Value>(&answer.json).unwrap()["error"].is_string());
}

#[test]
fn dispatch_turns_every_outcome_of_a_handler_into_json() {
    let schema = || json!({"type": "object"});
    let fails = DynamicTool::sync("fails", "Fails.", schema(), |_, _| Err(toolc::ToolError::new("it fails")));
    let panics = DynamicTool::sync("panics", "Panics.", schema(), |_, _| panic!("it panics"));
    let turn = turn(&registry([fails, panics]), &[], &[]);
    for (name, error) in [("fails", ErrorKind::Failed), ("panics", ErrorKind::Panicked)] {
        let answer = pollster::block_on(turn.call(&ToolCall::new(name, "{}")));
        assert_eq!(answer.error, Some(error));
        assert!(serde_json::from_str::<Value>(&answer.json).unwrap()["error"].is_string());
    }
}

#[test]
fn is_async_handlers_are_awaited() {
    let schema = json!({"type": "object"});
    let later = DynamicTool::future("later", "Later.", schema, |_, call| {
        Box::pin(async move { Ok(ToolOutput::text(call.tool())) })
    });
    let answer = pollster::block_on(turn(&registry([later]), &[], &[]).call(&ToolCall::new("later", "{}")));
    assert_eq!(answer.json, r#""later""#);
}

#[test]
fn max_result_size_is_set_for_each_tool() {
    let schema = || json!({"type": "object"});
    let long =
        |name: &'static str| DynamicTool::sync(name, "Long.", schema(), |_, _| Ok(ToolOutput::text("x".repeat(5_000))));
    let registry = registry([long("cut").max_result_chars(100), long("host_limit")]);
    registry.add(long("whole").max_result_chars(MaxResultChars::Unlimited).build().unwrap()).unwrap();
    let length = |limits: ResultLimits, name: &str| {
        let session = registry.session().result_limits(limits).build().unwrap();
        session.turn_blocking(Dialect::OpenAi).call_blocking(&ToolCall::new(name, "{}")).json.len()
    };
    let limits = ResultLimits::default().with_per_call(1_000).with_per_turn(1_000);
    assert!(length(limits, "cut") < 1_000 && length(limits, "host_limit") < 2_000);
    assert_eq!(length(limits, "whole"), 5_002, "a tool without a limit is not subject to the host's");
    assert_eq!(length(ResultLimits::UNLIMITED, "host_limit"), 5_002);
    assert!(length(ResultLimits::UNLIMITED, "cut") < 1_000, "the limit of the tool applies");
}

#[test]
fn registered_tools_and_toolsets_can_be_listed() {
    let registry = registry([tool("b", "one").emoji("🅱"), tool("a", "two")]);
    assert_eq!(registry.tools(), ["a", "b"]);
    assert_eq!(registry.toolsets(), ["one", "two"]);
    let asked = registry.tool("b").unwrap();
    assert_eq!((&*asked.toolset, &*asked.emoji), ("one", "🅱"));
    assert!(registry.tool("c").is_none());
}

#[test]
fn hosts_read_titles_and_descriptions_without_parsing_definitions() {
    let registry = registry([tool("a", "one").title("First").read_only()]);
    let turn = registry.session().build().unwrap().turn_blocking(Dialect::Mcp);
    let shown = turn.tool("a").unwrap();
    assert_eq!((&*shown.title, &*shown.description), ("First", "Does something."));
    assert!(turn.tool("b").is_none());
    let definitions: Value = serde_json::from_str(turn.definitions()).unwrap();
    assert_eq!(
        (&definitions[0]["title"], &definitions[0]["annotations"]["readOnlyHint"]),
        (&json!("First"), &json!(true))
    );
}
