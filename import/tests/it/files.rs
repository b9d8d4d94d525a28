//! What is written.

use serde_json::json;

use crate::project::Folder;

fn tool(name: &str) -> serde_json::Value {
    json!({
        "name": name, "title": "A tool", "description": "Does it.\nReturns {{nothing}}.",
        "inputSchema": { "type": "object", "properties": { "a": { "type": "string", "description": "What." } }, "required": ["a"] },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    })
}

#[test]
fn a_tool_becomes_a_formatted_manifest() {
    let folder = Folder::new();
    let (report, is_complete) = folder.import(&json!({ "tools": [tool("get_it")] }), &[]).expect("it is imported");
    assert!(is_complete, "{report}");
    let expected = "\
#:schema ../../generated/manifest/tool.schema.json
name = \"get_it\"
toolset = \"tools\"
description = \"\"\"
Does it.
Returns {{ '{{' }}nothing{{ '}}' }}.\"\"\"
title = \"A tool\"
annotations = { read_only = true, open_world = false }

[params.a]
type = \"string\"
description = \"What.\"
required = true

[schema]
additionalProperties = true
";
    assert_eq!(folder.read("manifests/tools/get_it.toml"), expected);
    assert!(folder.read("manifests/toolsets/tools.toml").contains("name = \"tools\""));
    assert!(report.contains("created: manifests/tools/get_it.toml"), "{report}");
}

#[test]
fn a_second_import_writes_the_same_bytes() {
    let list = json!([tool("b"), tool("a"), tool("A"), { "name": "c", "inputSchema": { "type": "object", "not": { "required": ["x"] } } }]);
    let (one, other) = (Folder::new(), Folder::new());
    one.import(&list, &["--toolset", "x"]).expect("it is imported");
    let first = one.files();
    one.import(&list, &["--toolset", "x"]).expect("it is imported");
    assert_eq!(one.files(), first);
    one.import(&list, &["--toolset", "x", "--update"]).expect("it is imported");
    assert_eq!(one.files(), first);
    other.import(&list, &["--toolset", "x"]).expect("it is imported");
    let without_path = |files: Vec<(String, String)>| -> Vec<_> {
        files.into_iter().filter(|(path, _)| path.starts_with("manifests/tools/")).collect()
    };
    assert_eq!(without_path(other.files()), without_path(first));
}

#[test]
fn a_bad_tool_does_not_affect_the_others_and_is_reported() {
    let list = json!([
        tool("good"), 7, { "name": "text", "inputSchema": { "type": "string" } },
        { "name": "twins", "inputSchema": { "type": "object", "properties": { "a-b": {}, "a_b": {} } } },
        { "name": "never", "inputSchema": { "type": "object", "properties": { "n": { "type": "integer", "minimum": 3, "maximum": 1 } } } },
    ]);
    let folder = Folder::new();
    let (report, is_complete) = folder.import(&list, &["--toolset", "x"]).expect("it is imported");
    assert!(!is_complete);
    for part in ["/1", "text", "type \"string\"", "twins", "equal in Rust", "never"] {
        assert!(report.contains(part), "{part} in {report}");
    }
    let names: Vec<String> = folder.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["imports/x.json", "manifests/tools/good.toml", "manifests/toolsets/x.toml"]);
}

#[test]
fn choices_of_another_type_are_dropped_and_reported() {
    let folder = Folder::new();
    let tool = json!({ "name": "t", "inputSchema": { "type": "object", "properties": {
        "a": { "type": "integer", "enum": [1, 2, "any"] },
    } } });
    let (report, is_complete) = folder.import(&json!([tool]), &["--json"]).expect("it is imported");
    assert!(is_complete && report.contains("these values have another type"), "{report}");
    assert!(folder.read("manifests/tools/t.toml").contains("enum = [1, 2]"));
}

#[test]
fn no_existing_manifest_is_replaced() {
    let folder = Folder::new();
    let mine = "name = \"get_it\"\ntoolset = \"x\"\ndescription = \"Mine, and long enough to be a description.\"\n";
    folder.write("manifests/tools/get_it.toml", mine);
    folder.write("manifests/toolsets/x.toml", "name = \"x\"\ndescription = \"Mine.\"\n");
    for args in [&["--toolset", "x"][..], &["--toolset", "x", "--update"]] {
        folder.import(&json!([tool("get_it")]), args).expect("it is imported");
        assert_eq!(folder.read("manifests/tools/get_it.toml"), mine);
        assert_eq!(folder.read("manifests/toolsets/x.toml"), "name = \"x\"\ndescription = \"Mine.\"\n");
        let tools = folder.files().into_iter().filter(|(path, _)| path.starts_with("manifests/tools/get_it_")).count();
        assert_eq!(tools, 1, "{:?}", folder.files());
    }
}

#[test]
fn names_are_files_in_the_folder_of_tools() {
    let folder = Folder::new();
    let list = json!([tool("../../x"), tool("a/b"), tool("con"), tool("tool_search"), tool(&"n".repeat(100))]);
    folder.import(&list, &["--toolset", "x"]).expect("it is imported");
    let files = folder.files();
    let tools: Vec<&str> =
        files.iter().filter_map(|(path, _)| path.strip_prefix("manifests/tools/")?.strip_suffix(".toml")).collect();
    assert_eq!(tools.len(), 5, "{tools:?}");
    assert!(tools.iter().all(|name| name.len() <= 64 && !name.contains(['/', '.']) && *name != "con"), "{tools:?}");
}

#[test]
fn a_dry_run_and_a_check_write_nothing() {
    let folder = Folder::new();
    let (report, _) = folder.import(&json!([tool("a")]), &["--dry-run"]).expect("it is planned");
    assert!(report.contains("nothing was written") && folder.files().is_empty(), "{report}");
    let (report, is_complete) = folder.import(&json!([tool("a")]), &["--check"]).expect("it is checked");
    assert!(!is_complete && report.contains("nothing was imported") && folder.files().is_empty(), "{report}");
}

#[test]
fn tools_are_chosen_by_patterns() {
    let folder = Folder::new();
    let list = json!([tool("get_a"), tool("get_b"), tool("put_a")]);
    folder.import(&list, &["--only", "get_*", "--except", "*_b", "--prefix", "my_"]).expect("it is imported");
    let tools = folder.files().into_iter().filter(|(path, _)| path.starts_with("manifests/tools/"));
    assert_eq!(tools.map(|(path, _)| path).collect::<Vec<_>>(), ["manifests/tools/my_get_a.toml"]);
    let error = folder.import(&list, &["--only", "x"]).expect_err("no tool is left");
    assert!(error.contains("get_a, get_b, put_a"), "{error}");
}

#[test]
fn the_report_is_json_for_programs() {
    let folder = Folder::new();
    let list = json!([{ "name": "t", "inputSchema": { "type": "object", "properties": { "a": { "type": "string", "not": { "const": "x" } } } } }]);
    let (report, _) = folder.import(&list, &["--json"]).expect("it is imported");
    let report: serde_json::Value = serde_json::from_str(&report).expect("it is JSON");
    let change = report["changes"].as_array().expect("a list").iter().find(|change| change["effect"] == "wider");
    assert_eq!(change.expect("it is wider")["pointer"], "/inputSchema/properties/a/not");
}

#[test]
fn a_document_that_is_a_bomb_ends_quickly() {
    let mut definitions = serde_json::Map::new();
    for index in 0..40 {
        let next = format!("#/$defs/d{}", index + 1);
        definitions.insert(
            format!("d{index}"),
            json!({ "type": "object", "properties": { "l": { "$ref": next }, "r": { "$ref": next } } }),
        );
    }
    definitions.insert("d40".to_owned(), json!({ "type": "string" }));
    let bomb = json!({ "name": "bomb", "inputSchema": { "type": "object", "properties": { "a": { "$ref": "#/$defs/d0" } }, "$defs": definitions } });
    let started = std::time::Instant::now();
    let folder = Folder::new();
    folder.import(&json!([bomb, tool("a")]), &[]).expect("it is read");
    assert!(folder.path("manifests/tools/a.toml").exists());
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    let deep = "[".repeat(100_000);
    let path = folder.write("deep.json", &deep);
    let error = folder.run(&[path.to_str().expect("it is UTF-8")]).expect_err("it is too deep");
    assert!(error.contains("as JSON"), "{error}");
}

#[test]
fn a_result_that_cannot_be_a_type_is_left_out_and_the_tool_stays() {
    let result = json!({ "type": "object", "properties": { "r": { "$ref": "#/$defs/votes" } }, "$defs": { "votes": { "properties": { "+1": {}, "-1": {} } } } });
    let list =
        json!([{ "name": "t", "description": "A tool.", "inputSchema": { "type": "object" }, "outputSchema": result }]);
    let folder = Folder::new();
    let (report, is_complete) = folder.import(&list, &[]).expect("it is imported");
    assert!(is_complete && report.contains("wider: /outputSchema") && report.contains("equal in Rust"), "{report}");
    let text = folder.read("manifests/tools/t.toml");
    assert!(!text.contains("returns") && !text.contains("votes"), "{text}");
}

#[test]
fn a_catalog_keeps_what_manifests_say_about_behaviour() {
    let folder = Folder::new();
    let catalog = json!({
        "tools": [{
            "name": "run", "toolset": "shell", "description": "Run a command and return its output.", "execution": "blocking",
            "timeout_ms": 90_000, "defer": true, "aliases": ["bash"], "parallel": "never", "callers": ["model"], "emoji": "x",
            "annotations": { "read_only": false, "destructive": true }, "approval": { "always": "ask" },
            "requires": { "env": ["KEY"], "when": "facts.x" },
            "parameters": { "type": "object", "properties": { "command": { "type": "string" } }, "required": ["command"], "additionalProperties": false },
        }],
        "env": [{ "name": "KEY", "description": "Opens it." }, { "name": "OTHER", "description": "Unused." }],
    });
    let (report, is_complete) = folder.import(&catalog, &["--toolset", "mine", "--json"]).expect("it is imported");
    assert!(is_complete && report.contains("facts.x"), "{report}");
    let text = folder.read("manifests/tools/run.toml");
    for part in [
        "timeout = \"90000ms\"",
        "execution = \"blocking\"",
        "aliases = [\"bash\"]",
        "ask",
        "destructive = true",
        "\"KEY\"",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("defer") && !text.contains("[schema]"), "{text}");
    let env = folder.read("manifests/env.toml");
    assert!(env.contains("[env.KEY]") && !env.contains("OTHER"), "{env}");
}
