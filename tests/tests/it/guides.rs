//! The guides are true: the examples of `docs/manifests.md` are a project that compiles without a finding, every key of
//! the manifests is documented, and the examples of `docs/repair.md` show what the runtime does.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolc::repair::RepairRule;
use toolc::{Dialect, DynamicTool, Registry, ToolCall, ToolOutput};
use toolc_codegen::cli::capture;
use toolc_codegen::diagnostic::Renderer;
use toolc_codegen::docs::repair::{Example, ExampleResult, KEPT, REFUSED, RULES, RuleDescription, Subject};
use toolc_codegen::format::format;
use toolc_codegen::manifest::keys::{Key, KeyType, PROPERTY, SCHEMA};
use toolc_codegen::source::{Kind, Sources};
use toolc_tests::fixture;

/// Reads a file in `docs/`.
fn guide(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn reference() -> String {
    guide("manifests.md")
}

/// Manifests that the examples refer to without showing them.
const REST: &str = r#"
--- manifests/toolsets/drawing.toml
name = "drawing"
description = "Drawings."
--- manifests/toolsets/browser.toml
name = "browser"
description = "A browser."
--- manifests/toolsets/travel.toml
name = "travel"
description = "Trips."
--- manifests/tools/add_entry.toml
name = "add_entry"
toolset = "diary"
description = "Add an entry to the diary. Returns its day."
annotations = { read_only = false, destructive = false, open_world = false }
--- manifests/tools/search_web.toml
name = "search_web"
toolset = "browser"
description = "Search the web."
annotations = { read_only = true }
--- manifests/tools/search_news.toml
name = "search_news"
toolset = "browser"
description = "Search the news."
annotations = { read_only = true }
"#;

/// Returns the examples, by their paths.
fn project(reference: &str) -> Vec<(String, String)> {
    let blocks = reference.split("```toml\n").skip(1).filter_map(|block| block.split("```").next());
    let mut examples: Vec<(String, String)> = blocks
        .map(|block| {
            let path = block.lines().next().and_then(|line| line.strip_prefix("# "));
            (path.expect("an example begins with its path").to_owned(), block.to_owned())
        })
        .collect();
    assert!(examples.len() >= 6, "the examples are found");
    examples.extend(fixture::owned_files(REST));
    examples
}

#[test]
fn generated_pages_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (path, text) in toolc_codegen::docs::pages(&root).expect("the guide is there") {
        let found = fs::read_to_string(root.join(&path)).unwrap_or_default();
        assert!(found == text, "{path} is out of date: run `cargo xtask docs`");
    }
    let configuration =
        toolc_config::renew_tables(&guide("configuration.md")).expect("the page has a place for the keys");
    assert!(configuration == guide("configuration.md"), "docs/configuration.md is out of date: run `cargo xtask docs`");
    for (page, schema) in
        [("config.schema.json", toolc_config::schema()), ("permissions.schema.json", toolc_permissions::schema())]
    {
        assert!(format!("{schema:#}\n") == guide(page), "docs/{page} is out of date: run `cargo xtask docs`");
    }
}

#[test]
fn the_examples_of_the_manifest_guide_compile_without_a_finding() {
    let sources = Sources::from_memory(project(&reference()));
    let compilation = toolc_codegen::compile(&sources);
    let renderer = Renderer::new(&sources, false);
    let findings: Vec<String> = compilation.diagnostics.iter().map(|found| renderer.render(found)).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
}

#[test]
fn the_manifest_guide_shows_the_home_by_a_fact() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    for (path, text) in project(&reference()) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("failed to make a folder");
        fs::write(path, text).expect("failed to write");
    }
    let root = folder.path().to_str().expect("the path is Unicode");
    let shown = |options: &[&str]| {
        let (status, out, err) = capture([&["--root", root, "show", "save_page"], options].concat());
        assert_eq!((status, err.as_str()), (0, ""));
        out
    };
    assert!(shown(&[]).contains(" in ~/.agent/pages,"));
    let second = "~/.agent/profiles/second";
    assert!(reference().contains(&format!("home: \"{second}\".into()")));
    assert!(shown(&["--fact", &format!("home={second}")]).contains(&format!(" in {second}/pages,")));
}

#[test]
fn the_examples_of_the_manifest_guide_are_formatted() {
    for (path, text) in project(&reference()) {
        let text = text
            .lines()
            .skip_while(|line| *line == format!("# {path}"))
            .fold(String::new(), |all, line| all + line + "\n");
        let kind = Kind::ALL.into_iter().find(|kind| match kind {
            Kind::Tool => path.starts_with("manifests/tools/"),
            Kind::Toolset => path.starts_with("manifests/toolsets/"),
            Kind::Distribution => path.starts_with("manifests/distributions/"),
            Kind::Commands => path.starts_with("manifests/commands/"),
            Kind::Facts => path == "manifests/facts.toml",
            Kind::Env => path == "manifests/env.toml",
            Kind::Settings => path == "toolc.toml",
            Kind::Plugin => path == "plugin.toml",
        });
        assert_eq!(format(kind, &text).as_deref(), Some(&*text), "{path}: copy the text that `cargo xtask fmt` writes");
    }
}

#[test]
fn the_rust_of_the_manifest_guide_is_what_gen_writes() {
    let reference = reference();
    let sources = Sources::from_memory(project(&reference));
    let catalog = toolc_codegen::compile(&sources).catalog.expect("the examples compile");
    let outputs = toolc_codegen::emit::emit(&catalog);
    let shown = reference.split("```rust\n").skip(1).filter_map(|block| block.split("```").next());
    for block in shown {
        let mut lines = block.lines().map(str::trim);
        let name = lines.next().and_then(|line| line.strip_prefix("// ")?.split(',').next());
        let name = format!("/{}", name.expect("a block begins with its file"));
        let output = outputs.iter().find(|output| output.path.ends_with(&name)).expect("gen writes that file");
        let mut written = output.text.lines().map(str::trim);
        for line in lines {
            assert!(written.any(|written| written == line), "not in {name}, or not in this order: {line}");
        }
    }
}

#[test]
fn every_manifest_key_is_in_the_manifest_guide() {
    let reference = reference();
    let mut silent = Vec::new();
    let mut open: Vec<&Key> = Kind::ALL.iter().flat_map(|kind| kind.keys()).copied().flatten().collect();
    open.extend(SCHEMA.iter().chain(PROPERTY));
    while let Some(key) = open.pop() {
        if !reference.contains(key.name) {
            silent.push(key.name);
        }
        if let KeyType::Table(keys) | KeyType::Tables(keys) | KeyType::List(keys) = key.key_type {
            open.extend(keys);
        }
    }
    assert!(silent.is_empty(), "not in the reference: {silent:?}");
}

/// Rows of tables end with the tests that show them.
#[test]
fn every_listed_difference_and_promise_names_an_existing_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = ["differences.md", "threat-model.md"].map(guide).concat();
    let cells = pages.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit('|').next());
    let named: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(named.len() > 20, "the names are found");
    let packages = toolc_codegen::docs::packages::packages(&root).expect("the packages can be read");
    let folders =
        packages.iter().flat_map(|package| ["src", "tests"].map(|part| root.join(&package.folder).join(part)));
    let (mut sources, mut open): (String, Vec<_>) = (String::new(), folders.filter(|folder| folder.exists()).collect());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources += &fs::read_to_string(&path).expect("a source is text");
        }
    }
    let lost: Vec<&&str> = named.iter().filter(|name| !sources.contains(&format!("fn {name}()"))).collect();
    assert!(lost.is_empty(), "no tests have these names: {lost:?}");
}

#[test]
fn every_kind_of_error_is_in_the_guide_to_calls() {
    let guide = guide("calls.md");
    let table = guide.split("## ").find(|section| section.starts_with("Kinds of errors")).expect("there is a section");
    let mut documented: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let mut kinds: Vec<&str> = toolc::ErrorKind::ALL.iter().map(|kind| kind.word()).collect();
    documented.sort_unstable();
    kinds.sort_unstable();
    assert_eq!(documented, kinds);
}

/// Sends an example to a tool that returns its arguments, and returns what the handler got, and the rules of its repairs.
fn repaired(example: &Example) -> Result<(Value, Vec<RepairRule>), String> {
    let read = |json: &str| -> Value { serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}")) };
    let (properties, sent) = match example.subject {
        Subject::Arguments => (read(example.schema), example.sent.to_owned()),
        Subject::Parameter => (json!({ "x": read(example.schema) }), format!(r#"{{"x":{}}}"#, example.sent)),
    };
    let schema = match properties.get("properties") {
        Some(_) => {
            json!({ "type": "object", "properties": properties["properties"], "required": properties["required"] })
        }
        None => json!({ "type": "object", "properties": properties, "additionalProperties": false }),
    };
    let echo = DynamicTool::sync("echo", "Returns its arguments.", schema, |args, _| ToolOutput::json(&args));
    let registry = Registry::new();
    registry.add(echo.build().expect("the schema is supported")).expect("the name is free");
    let session = registry.session().build().expect("all tools are granted");
    let response = session.turn_blocking(Dialect::OpenAi).call_blocking(&ToolCall::new("echo", &sent));
    let value = read(&response.json);
    if response.is_error() {
        return Err(value["error"].to_string());
    }
    let counted = registry.repairs();
    assert_eq!(counted.is_empty(), response.repairs.is_empty(), "{counted:?}, but {:?}", response.repairs);
    Ok((value, response.repairs.iter().map(|repair| repair.rule).collect()))
}

/// Returns whether two arguments `x` are the same value. `2.0` is 2.
fn is_same(a: &Value, b: &Value) -> bool {
    a == b || a["x"].as_f64().is_some_and(|number| b["x"].as_f64() == Some(number))
}

/// Asserts that the runtime does what an example says.
fn check_example(example: &Example, rule: Option<RepairRule>) {
    let value = |json: &str| -> Value {
        let value = serde_json::from_str(json).expect("the result is JSON");
        if example.subject == Subject::Arguments { value } else { json!({ "x": value }) }
    };
    let got = repaired(example);
    match example.result {
        ExampleResult::Repaired(result) => {
            let (arguments, rules) = got.unwrap_or_else(|error| panic!("{error}: {example:?}"));
            assert_eq!(arguments, value(result), "{example:?}");
            assert!(!rules.is_empty() && rule.is_none_or(|rule| rules[0] == rule), "{rules:?}: {example:?}");
        }
        ExampleResult::Absent => assert_eq!(got, Ok((json!({}), Vec::new())), "{example:?}"),
        ExampleResult::Refused => assert!(got.is_err(), "{got:?}: {example:?}"),
        ExampleResult::Kept => {
            let (arguments, rules) = got.unwrap_or_else(|error| panic!("{error}: {example:?}"));
            assert!(
                rules.is_empty() && is_same(&arguments, &value(example.sent)),
                "{arguments} {rules:?}: {example:?}"
            );
        }
    }
}

#[test]
fn the_examples_of_argument_repair_are_correct() {
    assert_eq!(RULES.iter().map(|description| description.rule).collect::<Vec<_>>(), RepairRule::ALL);
    for RuleDescription { rule, examples, .. } in RULES {
        for example in *examples {
            check_example(example, Some(*rule));
        }
        let accepts = examples.iter().any(|example| matches!(example.result, ExampleResult::Repaired(_)));
        let refuses = examples.iter().any(|example| example.result == ExampleResult::Refused);
        // What a manifest must declare has no examples here.
        let is_declared = matches!(rule, RepairRule::ToolName | RepairRule::Bound);
        assert!(if is_declared { examples.is_empty() } else { accepts && refuses }, "{rule}");
    }
    for entry in KEPT.iter().chain(REFUSED) {
        for example in entry.examples {
            check_example(example, None);
        }
    }
    for entry in REFUSED {
        assert!(entry.examples.iter().all(|example| example.result == ExampleResult::Refused), "{}", entry.from);
    }
}
