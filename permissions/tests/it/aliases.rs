//! Other names of tools, toolsets and parameters.

use std::sync::Arc;

use serde_json::{Value, json};
use toolc::{Dialect, DynamicTool, Registry, ToolCall, ToolOutput};
use toolc_permissions::{KnownTools, PermissionFile, PermissionSet, SessionPermissions, Trust, mistakes};

use crate::TestFiles;

fn registry() -> Registry {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "path": { "type": "string" },
            "count": { "type": "integer" },
            "urls": { "type": "array", "items": { "type": "string" } },
        },
    });
    let tool = DynamicTool::sync("save_page", "Saves.", schema, |_, _| Ok(ToolOutput::text("saved")))
        .aliases(["store_page"])
        .parameter_aliases("path", ["file", "file_path"]);
    let registry = Registry::new();
    registry.add(tool.build().expect("a correct tool")).expect("a new name");
    registry
}

fn file(keys: &str) -> PermissionFile {
    let text = format!("[[permissions]]\nname = \"a\"\ndescription = \"D.\"\nverdict = \"deny\"\n{keys}\n");
    PermissionFile::read("p.toml", &text, Trust::Home).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the results of calls.
fn call(keys: &str, calls: &[(&str, Value)]) -> Vec<String> {
    let set = Arc::new(PermissionSet::new([&file(keys)]));
    let permissions = SessionPermissions::new(set).paths(Arc::new(TestFiles));
    let session = registry().session().permissions(Arc::new(permissions)).build().expect("a correct session");
    let turn = session.turn_blocking(Dialect::OpenAi);
    calls
        .iter()
        .map(|(name, arguments)| turn.call_blocking(&ToolCall::new(name, &arguments.to_string())).json)
        .collect()
}

#[test]
fn a_call_by_another_name_is_judged_by_the_own_name() {
    let keys = "tools = [\"save_page\"]\nparameters.path.within = [\"secret\"]";
    let secret = json!({ "path": "secret/x" });
    let denied = [
        ("save_page", secret.clone()),
        ("store_page", secret.clone()),
        ("Save-Page", secret.clone()),
        ("STORE_PAGE", secret.clone()),
        ("functions.save_page", secret),
        ("save_page", json!({ "file": "secret/x" })),
        ("store_page", json!({ "file_path": "src/../secret" })),
        ("save_page", json!({ "filePath": "link/../secret/x" })),
    ];
    for (result, (name, arguments)) in call(keys, &denied).iter().zip(&denied) {
        assert!(result.contains("the rule `a` denies it"), "{name} {arguments}: {result}");
    }
    let allowed = [("store_page", json!({ "file": "src/x" })), ("save_page", json!({ "path": "x" }))];
    assert_eq!(call(keys, &allowed), ["\"saved\"", "\"saved\""]);
}

#[test]
fn arguments_are_judged_after_they_are_repaired() {
    let count = "parameters.count.minimum = 5";
    let counts = [json!({ "count": "7" }), json!({ "count": "4" }), json!({ "count": "+6.0" })];
    let results = call(count, &counts.map(|arguments| ("save_page", arguments)));
    assert!(results[0].contains("denies") && results[2].contains("denies"), "{results:?}");
    assert_eq!(results[1], "\"saved\"", "a text that holds a number is a number for the tool");
    let urls = "parameters.urls.hosts = [\"evil.test\"]";
    for arguments in
        [json!({ "urls": "https://evil.test" }), json!({ "urls": "[\"https://a.test\", \"//evil.test\"]" })]
    {
        let result = call(urls, &[("save_page", arguments.clone())]).concat();
        assert!(result.contains("denies"), "{arguments}: {result}");
    }
}

#[test]
fn another_name_of_a_tool_or_a_parameter_in_a_rule_is_a_mistake() {
    let tools = KnownTools::of(&registry());
    let found = |keys: &str| mistakes(&[file(keys)], &tools).concat();
    let tool = found("tools = [\"store_page\"]");
    assert!(tool.contains("another name of a tool") && tool.contains("rules know it as `save_page`"), "{tool}");
    assert!(found("tools = [\"*\"]\nwithout_tools = [\"store_page\"]").contains("`save_page`"));
    let parameter = found("tools = [\"save_page\"]\nparameters.file_path.within = [\"x\"]");
    assert!(parameter.contains("no tool of this rule has the parameter `file_path`"), "{parameter}");
    assert_eq!(found("tools = [\"save_page\"]\nparameters.path.within = [\"x\"]"), "");
}
