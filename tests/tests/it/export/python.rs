//! The Python code in `docs/export.md` reads a bundle as the reference in Rust does. Without Python and `jsonschema`, this is skipped.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolc_codegen::compile;
use toolc_codegen::dialects::DIALECTS;
use toolc_codegen::lower::definition;
use toolc_codegen::source::Sources;
use toolc_test_support::packages;
use toolc_tests::arguments::valid_arguments;
use toolc_tests::random::Random;

use super::reference::{Tool, Turn};
use super::{export, read, tools};
use crate::dialects::{parameters, with_texts};
use crate::fuzz::arguments::same;
use crate::gen_command::Project;

/// Returns the page, and its blocks of a language.
fn page(language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/export.md");
    let page = fs::read_to_string(path).expect("the page can be read");
    let fence = format!("```{language}\n");
    let blocks = page.split(&fence).skip(1);
    blocks.filter_map(|block| block.split("```").next()).map(str::to_owned).collect()
}

/// Reads calls and turns, and writes what the code in the page makes of them.
const DRIVER: &str = r#"
import json, sys
from reader import *
given = json.load(sys.stdin)
bundles = {dialect: Bundle(given["bundle"], dialect) for dialect in given["dialects"]}
def called(call):
    try: return bundles[call["dialect"]].read(call["name"], call["arguments"])
    except jsonschema.ValidationError: return None
import jsonschema
def turned(turn):
    bundle = next(iter(bundles.values()))
    files = {name: tool["conditional"] for name, tool in bundle.tools.items() if "conditional" in tool}
    out = {"catalog.json": {name: in_turn(one, set(turn["tools"]), turn["facts"]) for name, one in files.items()}}
    for dialect in bundles:
        path = f"turns/{dialect}.json"
        tools = bundle.json(path)["tools"]
        out[path] = {name: in_turn(one, set(turn["tools"]), turn["facts"]) for name, one in tools.items()}
    return out
json.dump({"calls": [called(call) for call in given["calls"]], "turns": [turned(turn) for turn in given["turns"]]}, sys.stdout)
"#;

/// The package that the code in the page needs.
const PACKAGES: &str = "jsonschema==4.25.1\n";

/// Runs the code in the page. Returns `None`, and says so, if there is no Python for it.
fn run(folder: &Path, given: &Value) -> Option<Value> {
    let python = packages::python("jsonschema", PACKAGES);
    let python = python.map_err(|why| packages::missing("no Python with `jsonschema`", &why)).ok()?;
    let code = page("python").concat();
    fs::write(folder.join("reader.py"), code).expect("failed to write");
    let mut command = Command::new(python);
    command.env("PYTHONPATH", folder).env("PYTHONDONTWRITEBYTECODE", "1").args(["-c", DRIVER]);
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().expect("Python starts");
    let mut input = child.stdin.take().expect("a pipe");
    let given = given.to_string();
    let writer = std::thread::spawn(move || input.write_all(given.as_bytes()));
    let output = child.wait_with_output().expect("Python ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    writer.join().expect("no panic").expect("Python reads its input");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn the_python_code_of_the_guide_reads_a_bundle_as_the_reference_does() {
    let project = Project::golden();
    export(&project, &["--fact", "vision=true"]);
    let sources = Sources::scan(&project.path("")).expect("failed to read the project");
    let catalog = compile(&sources).catalog.expect("the tools compile");
    let file = read(&project, "catalog.json");
    let own: BTreeMap<&str, &Value> = tools(&file).map(|(name, tool)| (name, &tool["parameters"])).collect();
    let facts = read(&project, "bundle.json")["facts"].clone();
    let turn = Turn { tools: own.keys().map(|name| (*name).to_owned()).collect(), facts };
    let (mut random, mut calls, mut expected) = (Random(29), Vec::new(), Vec::new());
    for dialect in DIALECTS {
        let rewrites = read(&project, &format!("rewrites/{}.json", dialect.name));
        for (_, tool) in catalog.tools() {
            let Some(document) = definition(dialect, &catalog, tool).definition else { continue };
            let values = catalog.full_turn_values(tool);
            let Some(schema) = parameters(dialect, &values.value(&document)) else { continue };
            let (name, schema_of_own) = (tool.name_in(dialect.name), own[tool.name()]);
            let mut reference = Tool::new(&rewrites["tools"][name], schema_of_own);
            for _ in 0..4 {
                let Some(schema) = with_texts(&schema, &mut random) else { continue };
                let arguments = valid_arguments(&schema, &mut random);
                let undone = reference.undo(&arguments);
                let is_valid = reference.is_valid(&undone, "");
                let filled = is_valid.then(|| json!([tool.name(), reference.fill(&undone, &turn)]));
                calls.push(json!({ "dialect": dialect.name, "name": name, "arguments": arguments.to_string() }));
                expected.push(filled);
            }
        }
    }
    let turns = [
        json!({ "tools": ["run_now"], "facts": { "vision": false, "platform": "chat", "depth": 3 } }),
        json!({ "tools": [], "facts": { "vision": true, "platform": "\"", "depth": 1 } }),
        json!({ "tools": [], "facts": { "vision": true, "platform": "@a *\r/ b\n\n\t\u{202e}\u{1b}\u{2028} c ", "depth": 1 } }),
        json!({ "tools": [], "facts": { "vision": true, "platform": "\u{1d}", "depth": 1 } }),
        json!({ "tools": [], "facts": { "vision": true, "platform": "\u{b} \u{a0}\u{1c}", "depth": 1 } }),
    ];
    let dialects: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    let given = json!({ "bundle": project.path("out"), "dialects": dialects, "calls": calls, "turns": turns });
    let Some(got) = run(&project.path(""), &given) else { return };
    let valid = expected.iter().flatten().count();
    assert!(valid > 500, "{valid} calls are valid");
    for ((call, expected), got) in calls.iter().zip(&expected).zip(got["calls"].as_array().expect("a list")) {
        let expected = expected.as_ref().unwrap_or(&Value::Null);
        // Python has integers of any size, and compares them exactly.
        assert!(same(expected, got) || has_large_numbers(call), "{call}: expected {expected}, got {got}");
    }
    for (turn, got) in turns.iter().zip(got["turns"].as_array().expect("a list")) {
        let names = turn["tools"].as_array().into_iter().flatten();
        let turn = Turn {
            tools: names.map(|name| name.as_str().expect("a name").to_owned()).collect(),
            facts: turn["facts"].clone(),
        };
        let mut compared = 0;
        let mut check = |path: &str, name: &str, conditional: &Value| {
            compared += 1;
            assert_eq!(got[path][name], turn.render(conditional), "{path} {name}");
        };
        for (name, tool) in tools(&file).filter(|(_, tool)| tool.get("conditional").is_some()) {
            check("catalog.json", name, &tool["conditional"]);
        }
        for dialect in &dialects {
            let path = format!("turns/{dialect}.json");
            for (name, conditional) in read(&project, &path)["tools"].as_object().expect("an object") {
                check(&path, name, conditional);
            }
        }
        assert!(compared > 20, "{compared}");
    }
}

/// Returns whether a call has a number that a 64-bit float changes.
fn has_large_numbers(call: &Value) -> bool {
    let text = call["arguments"].as_str().expect("text");
    ["e300", "90071992547409", "922337203685477", "1844674407370955"].iter().any(|digits| text.contains(digits))
}

/// The tools of the examples in the page.
const NOTES: &str = r##"
name = "find_notes"
toolset = "notes"
description = "Find notes."
dialect.openai-strict.name = "find"
[params]
filter = { type = "object", additionalProperties = true }
limit = { type = "integer", default = 20 }
tree = { "$ref" = "#/$defs/tree", required = true }
[schema."$defs".tree]
type = "object"
properties.children = { type = "array", items."$ref" = "#/$defs/tree" }
"##;
const LIST: &str = r#"
name = "list_notes"
toolset = "notes"
description = "Find notes.{% if tools.find_notes %} Then read them.{% endif %}"
[params]
deleted = { type = "boolean", when = "facts.admin" }
"#;

#[test]
fn the_examples_of_the_guide_are_what_export_writes() {
    let project = Project::empty();
    for (path, text) in [
        ("toolc.toml", "dialects = [\"openai-strict\"]\n"),
        (
            "manifests/facts.toml",
            "[facts.admin]\ndefault = false\ndescription = \"Whether the user is an administrator.\"\n",
        ),
        ("manifests/toolsets/notes.toml", "name = \"notes\"\ndescription = \"Notes.\"\n"),
        ("manifests/tools/find_notes.toml", NOTES),
        ("manifests/tools/list_notes.toml", LIST),
    ] {
        project.write(path, text);
    }
    export(&project, &[]);
    let examples: Vec<Value> =
        page("json").iter().map(|block| serde_json::from_str(block).expect("an example is JSON")).collect();
    let rewrites = read(&project, "rewrites/openai-strict.json");
    assert_eq!(examples[0]["tools"]["find"], rewrites["tools"]["find"]);
    assert_eq!(examples[0]["format"], rewrites["format"]);
    let catalog = read(&project, "catalog.json");
    let list = tools(&catalog).find(|(name, _)| *name == "list_notes").expect("the tool is exported").1;
    let shown = examples[1].to_string().replace("read_note\"", "find_notes\"");
    assert_eq!(shown, list["conditional"].to_string());

    let session = page("text").concat();
    let lines: Vec<&str> = session.lines().collect();
    let call = lines[1].split_once('\'').and_then(|(_, rest)| rest.rsplit_once('\'')).expect("a quoted text").0;
    let given = json!({
        "bundle": project.path("out"),
        "dialects": ["openai-strict"],
        "calls": [{ "dialect": "openai-strict", "name": "find", "arguments": call.replace("\\\\", "\\") }],
        "turns": [],
    });
    let Some(got) = run(&project.path(""), &given) else { return };
    let printed = lines[2].replace('\'', "\"").replace('(', "[").replace(')', "]");
    assert_eq!(got["calls"][0], serde_json::from_str::<Value>(&printed).expect("JSON, but for its quotes"));
}
