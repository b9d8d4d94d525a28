use serde_json::json;

use super::*;
use crate::call::ToolCall;
use crate::fakes::wait;
use crate::registry::Registry;
use crate::result::error::ErrorKind;
use crate::result::output::ToolOutput;
use crate::session::turn::Turn;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1}, "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "required": ["count"],
        "additionalProperties": false,
    })
}

fn counting(name: &'static str) -> DynamicTool {
    DynamicTool::sync(name, "Counts.", schema(), |args, call| Ok(ToolOutput::text(format!("{} {args}", call.tool()))))
}

fn turn(tools: DynamicTools, env: Env) -> Turn {
    let registry = Registry::new();
    registry.add(tools.build().unwrap()).unwrap();
    registry.session().env(env).build().unwrap().turn_blocking(Dialect::OpenAi)
}

fn call(turn: &Turn, name: &str, arguments: &str) -> String {
    wait(turn.call(&ToolCall::new(name, arguments))).json
}

#[test]
fn a_schema_is_shown_unchanged() {
    let turn = turn(DynamicTools::new().tool(counting("count")), Env::empty());
    let defined: Value = serde_json::from_str(turn.definitions()).unwrap();
    let function = json!({"name": "count", "description": "Counts.", "parameters": schema()});
    assert_eq!(defined, json!([{"type": "function", "function": function}]));
}

#[cfg(feature = "patterns")]
#[test]
fn the_format_of_a_dynamic_tool_refuses_only_what_is_certainly_wrong() {
    let schema = json!({ "type": "object", "properties": {
        "at": { "type": "string", "format": "date-time" },
        "list": { "type": "array", "items": { "type": "string", "format": "hostname", "pattern": "e" } },
    } });
    let tool = DynamicTool::sync("meet", "Meets.", schema, |args, _| Ok(ToolOutput::text(args.to_string())));
    let turn = turn(DynamicTools::new().tool(tool), Env::empty());
    // The server judges what the standard does not have, such as a time without an offset.
    let accepted = call(&turn, "meet", r#"{"at": "2026-01-31 12:30", "list": ["exämple.com"]}"#);
    assert!(accepted.contains("2026-01-31 12:30") && accepted.contains("exämple.com"), "{accepted}");
    for (arguments, expected) in [
        (r#"{"at": "tomorrow"}"#, "expected a date and time with an offset like 2026-01-31T12:30:00Z"),
        (r#"{"list": ["https://example.com"]}"#, "expected a host name like www.example.com"),
        (r#"{"list": ["a.org"]}"#, "matches the pattern e"),
    ] {
        let refused = call(&turn, "meet", arguments);
        assert!(refused.contains("invalid_arguments") && refused.contains(expected), "{refused}");
    }
}

#[test]
fn icons_and_meta_are_only_for_mcp_clients() {
    let (icons, meta) = (json!([{"src": "https://a.example/i.png", "sizes": ["48x48"]}]), json!({"com.example/x": 1}));
    let registry = Registry::new();
    registry.add(counting("count").icons(icons.clone()).meta(meta.clone()).build().unwrap()).unwrap();
    let session = registry.session().build().unwrap();
    for dialect in Dialect::ALL {
        let text = session.turn_blocking(*dialect).definitions().to_owned();
        assert_eq!(text.contains("a.example") || text.contains("com.example"), *dialect == Dialect::Mcp, "{text}");
    }
    let list: Value = serde_json::from_str(session.turn_blocking(Dialect::Mcp).definitions()).unwrap();
    assert_eq!((&list[0]["icons"], &list[0]["_meta"]), (&icons, &meta));
}

#[test]
fn a_parameter_is_read_under_its_aliases_with_a_repair() {
    let tool = || counting("count").aliases(["tally"]).parameter_aliases("count", ["number", "how_many"]);
    let turn = turn(DynamicTools::new().tool(tool()), Env::empty());
    for (sent, key) in
        [(r#"{"number": "5"}"#, "number"), (r#"{"how-many": 5}"#, "how-many"), (r#"{"HowMany": 5}"#, "HowMany")]
    {
        let response = wait(turn.call(&ToolCall::new("count", sent)));
        assert_eq!(response.json, r#""count {\"count\":5}""#, "{sent}");
        let repair = format!("/{key}: \"{key}\" became \"count\" (parameter_name)");
        assert!(response.repairs.iter().any(|found| found.to_string() == repair), "{sent}: {:?}", response.repairs);
    }
    assert_eq!(call(&turn, "tally", r#"{"number": 5}"#), r#""count {\"count\":5}""#);
    let both = call(&turn, "count", r#"{"number": 5, "count": 6}"#);
    assert!(both.contains("invalid_arguments"), "{both}");
    assert!(!turn.definitions().contains("how_many"));
}

#[test]
fn an_alias_that_could_not_be_used_is_a_problem() {
    let open = DynamicTool::sync("open", "Open.", json!({"type": "object", "properties": {"a": {}}}), |_, _| {
        Ok(ToolOutput::text(""))
    });
    for (tool, reason) in [
        (counting("count").parameter_aliases("cuont", ["number"]), "the tool has no parameter `cuont`"),
        (counting("count").parameter_aliases("count", ["Note"]), "it already stands for the parameter `note`"),
        (
            counting("count").parameter_aliases("count", ["x"]).parameter_aliases("note", ["X"]),
            "it already stands for the parameter `count`",
        ),
        (open.parameter_aliases("a", ["b"]), "must have `\"additionalProperties\": false`"),
    ] {
        let problems = tool.build().err().map(|error| error.to_string()).unwrap_or_default();
        assert!(problems.contains(reason), "{reason}: {problems}");
    }
}

#[test]
fn arguments_are_repaired_and_validated() {
    let turn = turn(DynamicTools::new().tool(counting("count")), Env::empty());
    assert_eq!(call(&turn, "count", r#"{"count": "5", "note": "null"}"#), r#""count {\"count\":5,\"note\":null}""#);
    let refused = call(&turn, "count", r#"{"count": 0, "cuont": 1}"#);
    assert!(
        refused.contains("invalid_arguments") && refused.contains("/count") && refused.contains("cuont"),
        "{refused}"
    );
}

#[test]
fn each_kind_of_handler_is_called() {
    let output = |how: &str, args: &Value| Ok(ToolOutput::text(format!("{how} {}", args["count"])));
    let tools = DynamicTools::new().tools([
        DynamicTool::sync("now", "Now.", schema(), move |args, _| output("now", &args)),
        DynamicTool::blocking("on_a_thread", "There.", schema(), move |args, _| output("on a thread", &args)),
        DynamicTool::future("later", "Later.", schema(), move |args, call| {
            Box::pin(async move { output(&format!("{} later", call.tool()), &args) })
        }),
    ]);
    let turn = turn(tools, Env::empty());
    assert_eq!(call(&turn, "now", r#"{"count": 1}"#), r#""now 1""#);
    assert_eq!(call(&turn, "on_a_thread", r#"{"count": 2}"#), r#""on a thread 2""#);
    assert_eq!(call(&turn, "later", r#"{"count": 3}"#), r#""later later 3""#);
}

#[test]
fn declared_settings_apply_to_a_dynamic_tool() {
    let long =
        DynamicTool::sync("long", "Long.", json!({"type": "object"}), |_, _| Ok(ToolOutput::text("x".repeat(9_000))));
    let asked =
        DynamicTool::future("ask_first", "Asks.", json!({"type": "object"}), |_, _| Box::pin(std::future::pending()));
    let tools = DynamicTools::new().tools([
        long.max_result_chars(100).read_only().emoji("📏").defer(false),
        asked.approval(Approval::ALWAYS).timeout(Duration::from_millis(5)),
        counting("keyed").requirement(Requirement::Env(vec!["KEY".into()])),
        counting("on_demand").available(|env| Availability::when(env.var("ENABLED").is_some(), "not today")),
        counting("noted").secret("note").parallel(Parallel::Keyed { key: "count".into(), space: "numbers".into() }),
    ]);
    let without_env = turn(tools, Env::empty());
    assert_eq!(without_env.tools().collect::<Vec<_>>(), ["ask_first", "long", "noted"]);
    let hidden: Vec<String> = without_env.hidden().map(|hidden| hidden.reason.to_string()).collect();
    assert_eq!(hidden, ["needs the environment variable `KEY`", "not today"]);
    assert!(call(&without_env, "long", "{}").len() < 1_000);
    let refused = wait(without_env.call(&ToolCall::new("ask_first", "{}")));
    assert_eq!(refused.error, Some(ErrorKind::Refused));
    assert!(!call(&without_env, "noted", r#"{"count": 1, "note": ["hunter2"]}"#).contains("hunter2"));
    let ready = Env::empty().with_var("KEY", "k").with_var("ENABLED", "1");
    let tools = [
        counting("keyed").requirement(Requirement::Env(vec!["KEY".into()])),
        counting("on_demand").available(|_| Availability::Available),
    ];
    assert_eq!(turn(DynamicTools::new().tools(tools), ready).tools().count(), 2);
}

#[test]
fn unusual_schemas_are_accepted() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"tree": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}},
        "properties": {
            "tree": {"$ref": "#/$defs/tree"},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "shape": {"oneOf": [{"type": "object", "properties": {"r": {"type": "number"}}, "required": ["r"]}, {"const": "none"}]},
            "any": true,
        },
        "patternProperties": {"^x-": {"type": "string"}},
        "if": {"required": ["any"]}, "then": {"required": ["tree"]},
    });
    let tool = DynamicTool::sync("grow", "Grows.", schema, |args, _| Ok(ToolOutput::text(args.to_string())));
    let turn = turn(DynamicTools::new().tool(tool), Env::empty());
    let sent = json!({"tree": {"kids": [{"kids": []}]}, "pair": ["a", 1], "shape": "none", "any": [null], "x-y": "z"});
    let response: String = serde_json::from_str(&call(&turn, "grow", &sent.to_string())).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&response).unwrap(), sent);
    assert!(call(&turn, "grow", r#"{"tree": {"kids": [{"kids": 7}]}, "shape": 1}"#).contains("/shape"));
}

#[test]
fn each_problem_is_reported_and_several_are_joined() {
    let other = |schema: Value| DynamicTool::sync("other", "Others.", schema, |_, _| Ok(ToolOutput::text("")));
    let error = |tool: DynamicTool| tool.build().err().map(|error| error.to_string()).unwrap_or_default();
    let not_an_object = "the tool `other`: the schema of its arguments must have `\"type\": \"object\"`";
    for schema in [json!({}), json!(true), json!({"type": "string"}), json!([])] {
        assert_eq!(error(other(schema)), not_an_object);
    }
    let deep = |depth| (0..depth).fold(json!({"type": "object"}), |inner, _| json!({"type": "object", "items": inner}));
    assert_eq!(error(other(deep(64))), "the tool `other`: the schema of its arguments is nested deeper than 64 levels");
    assert_eq!(error(other(deep(60))), "");
    let not_a_schema =
        "the tool `counting`: the schema of its result must be an object or a boolean, nested at most 64 levels deep";
    for schema in [json!("string"), json!([]), deep(64)] {
        assert_eq!(error(counting("counting").returns(schema)), not_a_schema);
    }
    assert_eq!(error(counting("counting").returns(json!(true))), "");
    let pictures = "the tool `counting`: its icons must be an array of at most 8 objects, each with `src`, an address of at most 16384 bytes that begins with `https://` or `data:image/`";
    let icon = json!({"src": "https://a.example/i.png"});
    for icons in [json!({}), json!([icon["src"]]), json!([{"src": "javascript:alert(1)"}]), json!(vec![&icon; 9])] {
        assert_eq!(error(counting("counting").icons(icons)), pictures);
    }
    assert_eq!(error(counting("counting").icons(json!(vec![icon; 8]))), "");
    let meta = "the tool `counting`: its `_meta` must be an object, whose JSON has at most 16384 bytes";
    for wrong in [json!([]), json!({"com.example/x": "x".repeat(16 << 10)})] {
        assert_eq!(error(counting("counting").meta(wrong)), meta);
    }
    let wide = json!({"type": "object", "properties": {"x": {"enum": (0..70_000).collect::<Vec<_>>()}}});
    assert_eq!(
        error(other(wide)),
        "the tool `other`: the schema is too large: more than 65,535 entries of one kind. Split the tool"
    );
    let timed = counting("timed").timeout(Duration::from_secs(1));
    assert_eq!(
        error(timed),
        "the tool `timed`: a sync tool cannot have a timeout: use `DynamicTool::blocking` or `DynamicTool::future`"
    );
    let keyed = counting("keyed").parallel(Parallel::Keyed { key: "path".into(), space: "files".into() });
    assert_eq!(error(keyed), "the tool `keyed`: the parallel key `path` is not one of its arguments");
    let all = error(counting("*"));
    assert!(all.starts_with("`*` cannot be the name of a tool: "), "{all}");
    assert_eq!(
        error(counting("noted").secret("pin")),
        "the tool `noted`: the secret `pin` is not one of its arguments"
    );
    assert_eq!(
        error(counting("asked").requirement(Requirement::Check)),
        "the tool `asked`: it requires an availability check, but has none: set `available`"
    );
    let checked = Toolset { name: "checked".into(), requires: vec![Requirement::Check], ..Toolset::default() };
    let several = DynamicTools::new().tool(counting("a.b").toolset("ü")).tool(other(json!({}))).toolset(checked);
    let expected = "expected a letter or `_`, then letters, digits, `_` or `-`; at most 64 in all";
    assert_eq!(
        several.build().err().unwrap().to_string(),
        format!(
            "`a.b` cannot be the name of a tool: {expected}; `ü` cannot be the name of a toolset: {expected}; {not_an_object}; \
             the toolset `checked`: a toolset of run time cannot require an availability check: set `available` of its tools"
        )
    );
}
