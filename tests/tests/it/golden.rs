//! The generated files of the golden project, which uses every key of the manifest language, are up to date, valid, and
//! consistent with each other and with the runtime.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolc::{Dialect, DynamicTool, Env, Registry, ToolOutput, Turn};
use toolc_codegen::dialects::{DIALECTS, Language};
use toolc_codegen::manifest::keys::{CHOICE, Key, KeyType, PROPERTY, SCHEMA};
use toolc_codegen::source::Kind;
use toolc_tests::echo::Echo;
use toolc_tests::golden::VARIABLES;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/golden")
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("failed to read {}: {error}", path.display()))
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files of a folder by their stems, sorted.
fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("failed to read a folder").path())
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name.split('.').next().unwrap_or_default().to_owned(), path)
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}

/// Reads a project's manifests of one kind as JSON.
fn manifests(project: &Path, kind: Kind) -> Vec<(String, Value)> {
    let path = project.join(kind.place());
    let files: Vec<(String, PathBuf)> = match (path.exists(), path.is_dir()) {
        (false, _) => Vec::new(),
        (true, true) => files(&path),
        (true, false) => [(kind.noun().to_owned(), path)].into(),
    };
    let files = files.into_iter();
    files.map(|(stem, path)| (stem, toml::from_str(&read(&path)).expect("a manifest is TOML"))).collect()
}

/// Returns a turn in which all requirements on the environment are met.
fn turn(toolset: &str) -> Turn {
    turn_in(Dialect::OpenAi, toolset)
}

fn turn_in(dialect: Dialect, toolset: &str) -> Turn {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::shared_provider(Echo)).expect("the names are unique");
    let env = VARIABLES.iter().fold(Env::empty(), |env, variable| env.with_var(&variable.name, "set"));
    let session = registry.session().enable([toolset]).env(env.with_program("golden-program")).build();
    session.expect("the toolset is known").turn_blocking(dialect)
}

#[test]
fn the_generated_files_are_up_to_date() {
    let root = golden();
    let root = root.to_str().expect("the project's path is text");
    let (status, out, err) = toolc_codegen::cli::capture(["--root", root, "gen", "--check"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}(here: `cargo xtask gen --root tests/projects/golden`)");
}

#[test]
fn the_golden_project_uses_every_manifest_key() {
    let (mut all, mut used) = (BTreeSet::new(), BTreeSet::new());
    for kind in Kind::ALL {
        collect_keys(kind.noun(), kind.keys(), &mut all);
        for (_, manifest) in manifests(&golden(), kind) {
            collect(kind.noun(), &manifest, kind.keys(), &mut used);
        }
    }
    // Other projects use the keys that the golden one cannot: Rust as a module, the keys of a plugin, and those of a program.
    for (project, kind) in [("../names", Kind::Settings), ("../plugin", Kind::Plugin), ("../programs", Kind::Toolset)] {
        for (_, manifest) in manifests(&golden().join(project), kind) {
            collect(kind.noun(), &manifest, kind.keys(), &mut used);
        }
    }
    let unused: Vec<&String> = all.difference(&used).collect();
    assert!(unused.is_empty(), "no golden manifest uses {unused:?}");
}

/// Returns the keys in the tables of a key, and a path that identifies them.
fn inner(path: &str, key: &Key) -> Option<(String, Vec<&'static [Key]>)> {
    match key.key_type {
        KeyType::Properties => Some(("property".to_owned(), vec![SCHEMA, PROPERTY])),
        KeyType::Schema | KeyType::Schemas | KeyType::FlagOrSchema => Some(("property".to_owned(), vec![SCHEMA])),
        // Definitions have the same keys.
        KeyType::Tables(keys) if keys.iter().any(|key| key.name == "$ref") => {
            Some(("property".to_owned(), vec![SCHEMA]))
        }
        KeyType::Choices => Some(("choice".to_owned(), vec![CHOICE])),
        KeyType::Table(keys) | KeyType::Tables(keys) | KeyType::List(keys) => {
            Some((format!("{path}.{}", key.name), vec![keys]))
        }
        _ => None,
    }
}

/// Returns the values that a key accepts, or nothing if it accepts anything.
fn words_in(key: &Key) -> Vec<&'static str> {
    match key.key_type {
        KeyType::Word(words) | KeyType::Words(words) | KeyType::WordsByName(words) => {
            words.iter().map(|(word, _)| *word).collect()
        }
        KeyType::Types => toolc::__gen::table::Type::ALL.iter().map(|t| t.name()).collect(),
        KeyType::FlagOrSchema => vec!["true", "false", "{}"],
        _ => Vec::new(),
    }
}

/// Collects the keys of these tables and of nested tables, with the values that they accept.
fn collect_keys(path: &str, keys: &[&'static [Key]], all: &mut BTreeSet<String>) {
    for key in keys.iter().copied().flatten() {
        let name = format!("{path}.{}", key.name);
        if !all.insert(name.clone()) {
            continue;
        }
        all.extend(words_in(key).iter().map(|word| format!("{name} = {word}")));
        if let Some((path, keys)) = inner(path, key) {
            collect_keys(&path, &keys, all);
        }
    }
}

/// Collects the keys and values that a table of a manifest uses.
fn collect(path: &str, value: &Value, keys: &[&'static [Key]], used: &mut BTreeSet<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let key = keys.iter().copied().flatten().find(|key| key.name == name);
        let Some(key) = key else { panic!("`{path}` has no key `{name}`") };
        let name = format!("{path}.{name}");
        used.insert(name.clone());
        let by_name: Vec<&Value> = value.as_object().into_iter().flatten().map(|(_, value)| value).collect();
        let listed: Vec<&Value> = value.as_array().map_or(vec![value], |list| list.iter().collect());
        let words = if matches!(key.key_type, KeyType::WordsByName(_)) { &by_name } else { &listed };
        for word in words {
            let word = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
            used.insert(format!("{name} = {}", if word.starts_with('{') { "{}" } else { &word }));
        }
        let Some((path, keys)) = inner(path, key) else { continue };
        let tables = match key.key_type {
            KeyType::Properties | KeyType::Tables(_) => by_name,
            KeyType::Choices => listed.into_iter().filter(|item| item.get("value").is_some()).collect(),
            _ => listed,
        };
        for table in tables {
            collect(&path, table, &keys, used);
        }
    }
}

#[test]
fn every_generated_schema_is_valid_json_schema() {
    let check = |path: &Path, schema: &Value| {
        if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
            panic!("{}: {error} at {}", path.display(), error.instance_path());
        }
    };
    for project in [golden(), shipped()] {
        for (name, path) in files(&project.join("generated/schemas/openai/tools")) {
            let definition = read_json(&path);
            if definition["type"] == "custom" {
                assert_eq!(definition["custom"]["name"], name);
                continue;
            }
            assert_eq!(definition["type"], "function");
            let called = if name == "fetch_all" { "fetch_everything" } else { &name };
            assert_eq!(definition["function"]["name"], called);
            assert_eq!(definition["function"]["parameters"]["type"], "object");
            check(&path, &definition["function"]["parameters"]);
        }
        for (_, path) in files(&project.join("generated/manifest")) {
            check(&path, &read_json(&path));
        }
    }
}

fn validator(kind: Kind) -> jsonschema::Validator {
    let path = golden().join(format!("generated/manifest/{}.schema.json", kind.noun()));
    jsonschema::draft202012::new(&read_json(&path)).expect("the published schema is a schema")
}

#[test]
fn the_published_schemas_accept_every_manifest() {
    for kind in Kind::ALL {
        let validator = validator(kind);
        for (name, manifest) in manifests(&golden(), kind).into_iter().chain(manifests(&shipped(), kind)) {
            let errors: Vec<String> = validator.iter_errors(&manifest).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{} {name}: {errors:?}", kind.noun());
        }
    }
}

#[test]
fn the_published_schemas_reject_what_lint_rejects() {
    let tool = |change: Value| {
        let mut manifest = json!({ "name": "t", "toolset": "s", "description": "d" });
        change.as_object().expect("a table").iter().for_each(|(key, value)| manifest[key] = value.clone());
        manifest
    };
    let validators = [validator(Kind::Tool), validator(Kind::Toolset)];
    assert!(validators[0].is_valid(&tool(json!({}))));
    let broken_tools = [
        json!({ "name": "t", "toolset": "s" }),
        tool(json!({ "name": 1 })),
        tool(json!({ "exekution": "sync" })),
        tool(json!({ "execution": "later" })),
        tool(json!({ "params": { "x": "string" } })),
        tool(json!({ "params": { "x": { "typ": "string" } } })),
        tool(json!({ "params": { "x": { "type": "text" } } })),
        tool(json!({ "params": { "x": { "type": ["string", 1] } } })),
        tool(json!({ "params": { "x": { "required": ["y"] } } })),
        tool(json!({ "params": { "x": { "enum": "a" } } })),
        tool(json!({ "params": { "x": { "minLength": 1.5 } } })),
        tool(json!({ "params": { "x": { "items": { "required": true } } } })),
        tool(json!({ "params": { "x": { "properties": { "y": { "typ": "string" } } } } })),
        tool(json!({ "params": { "x": { "additionalProperties": { "typ": "string" } } } })),
    ];
    let broken_toolsets = [
        json!({ "name": "s" }),
        json!({ "name": "s", "description": "d", "kind": "bundel" }),
        json!({ "name": "s", "description": "d", "tools": "t" }),
        json!({ "name": "s", "description": "d", "tools": [1] }),
        json!({ "name": "s", "description": "d", "base": ["t"] }),
        json!({ "name": "s", "description": "d", "toolset": "t" }),
    ];
    for (validator, broken) in validators.iter().zip([broken_tools.as_slice(), broken_toolsets.as_slice()]) {
        for manifest in broken {
            assert!(!validator.is_valid(manifest), "accepted: {manifest}");
        }
    }
}

#[test]
fn the_static_definitions_are_what_the_runtime_serves() {
    let compact = |path: &Path| read_json(path).to_string();
    for dialect in DIALECTS {
        let folder = golden().join("generated/schemas").join(dialect.name);
        // Every tool that the dialect accepts has a file; of these, this turn hides only `in_chat`.
        let all = turn_in(dialect.in_runtime().expect("the tests have every dialect"), "all");
        let mut hidden: Vec<&str> = all.hidden().map(|hidden| hidden.tool).collect();
        hidden.retain(|name| *name == "in_chat" || folder.join(format!("tools/{name}.json")).exists());
        assert_eq!(hidden, ["in_chat"], "{}", dialect.name);
        let shown = files(&folder.join("tools")).into_iter().filter(|(name, _)| name != "in_chat");
        let text = |path: &Path| match dialect.language {
            Language::Json => compact(path),
            Language::TypeScript => std::fs::read_to_string(path).expect("the file is readable"),
        };
        let one_by_one: Vec<String> = shown.map(|(_, path)| text(&path)).collect();
        assert_eq!(dialect.list(&one_by_one), all.definitions(), "{}", dialect.name);

        for (name, path) in files(&folder.join("toolsets")) {
            assert_eq!(
                text(&path),
                turn_in(dialect.in_runtime().expect("the tests have every dialect"), &name).definitions(),
                "{}: {name}",
                dialect.name
            );
        }
    }
}

#[test]
fn tools_of_run_time_have_the_declarations_of_generated_ones() {
    let catalog = read_json(&golden().join("generated/catalog.json"));
    let registry = Registry::new();
    let mut declarations = Vec::new();
    for tool in catalog["tools"].as_array().expect("an array") {
        let text = |key: &str| tool[key].as_str().expect("a text").to_owned();
        // Tools of run time have no results, grammars and names for dialects.
        if tool.get("returns").is_some()
            || tool.get("text_input").is_some()
            || tool.pointer("/dialect/typescript").is_some()
        {
            continue;
        }
        let made = DynamicTool::sync(text("name"), text("description"), tool["parameters"].clone(), |_, _| {
            Ok(ToolOutput::text(""))
        });
        registry.add(made.build().expect("the tool is valid")).expect("the name is free");
        let path = golden().join(format!("generated/schemas/typescript/tools/{}.d.ts", text("name")));
        declarations.push(std::fs::read_to_string(path).expect("gen has written the file"));
    }
    assert!(declarations.len() > 15, "{}", declarations.len());
    let session = registry.session().build().expect("the session is valid");
    assert_eq!(session.turn_blocking(Dialect::TypeScript).definitions(), declarations.join("\n"));
}

#[test]
fn the_catalog_and_the_runtime_resolve_toolsets_equally() {
    let catalog = read_json(&golden().join("generated/catalog.json"));
    let toolsets = catalog["toolsets"].as_array().expect("an array");
    assert_eq!(toolsets.len(), manifests(&golden(), Kind::Toolset).len());
    for toolset in toolsets {
        let name = toolset["name"].as_str().expect("a name");
        let resolved = toolset["resolved"].as_array().expect("an array").iter();
        let resolved: Vec<&str> = resolved.map(|tool| tool.as_str().expect("a name")).collect();
        // The resolved tools are granted; requirements decide which of them are shown.
        let turn = turn(name);
        let mut granted: Vec<&str> = turn.tools().chain(turn.hidden().map(|hidden| hidden.tool)).collect();
        granted.sort_unstable();
        assert_eq!(resolved, granted, "{name}");

        let file = golden().join(format!("generated/schemas/openai/toolsets/{name}.json"));
        assert_eq!(file.exists(), turn.tools().next().is_some(), "{name}: a file for each toolset that shows a tool");
    }
    let resolved = |name: &str| {
        let toolset = toolsets.iter().find(|toolset| toolset["name"] == name).expect("the toolset is declared");
        toolset["resolved"].clone()
    };
    // Tools that are included twice are listed once, lists are sorted by code point, and bases are included.
    assert_eq!(resolved("diamond"), json!(["Odd-Names", "every_bound", "every_type", "no_parameters", "run_now"]));
    assert_eq!(resolved("lib"), json!(["Odd-Names", "no_parameters", "run_now"]));
    assert_eq!(resolved("less"), json!(["Odd-Names", "every_bound", "every_type", "no_parameters"]));
    assert_eq!(resolved("guards"), json!(["guarded", "in_chat"]));
    assert!(turn("guards").tools().next().is_none(), "without the tools that they require");
    assert_eq!(resolved("also_nothing"), json!([]));
    assert_eq!(turn("all").tools().collect::<Vec<_>>(), turn("everything").tools().collect::<Vec<_>>());
}

#[test]
fn disabling_a_preset_keeps_its_base() {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::shared_provider(Echo)).expect("the names are unique");
    let session = registry.session().enable(["Chat-Room", "later"]).disable(["Chat-Room"]).build();
    let turn = session.expect("the toolsets are known").turn_blocking(Dialect::OpenAi);
    let remaining: Vec<&str> = turn.tools().collect();
    assert_eq!(remaining, ["Odd-Names", "every_bound", "every_type", "no_parameters", "run_later", "run_now"]);
}

#[test]
fn catalog_json_contains_every_declared_value() {
    let catalog = read_json(&golden().join("generated/catalog.json"));
    let entry = |list: &str, name: &str| {
        let entries = catalog[list].as_array().expect("an array").iter();
        entries.clone().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("{list} has no {name}")).clone()
    };
    // Schemas and texts are compared with the runtime by other tests.
    let check = |list: &str, name: &str, declared: &Value| {
        let entry = entry(list, name);
        for (key, value) in declared.as_object().expect("a table") {
            match key.as_str() {
                "params" | "schema" => assert!(entry["parameters"].is_object(), "{name}"),
                "timeout" => assert!(entry["timeout_ms"].is_u64(), "{name}"),
                "description" | "dialect" | "returns" => assert!(!entry[key].is_null(), "{name}: {key}"),
                "annotations" => value.as_object().expect("a table").iter().for_each(|(hint, value)| {
                    assert_eq!(&entry[key][hint], value, "{name}: {hint}");
                }),
                // Conditions are printed in one form; lists of tools are not sorted.
                "requires" => value.as_object().expect("a table").iter().for_each(|(requirement, value)| {
                    let mut in_catalog = entry[key][requirement].clone();
                    // The condition of an alternative has its structured form next to it.
                    let alternatives = in_catalog.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut);
                    alternatives.for_each(|one| drop(one.remove("condition")));
                    assert!(
                        if requirement == "when" { in_catalog.is_string() } else { in_catalog == *value },
                        "{name}: {requirement}"
                    );
                }),
                "tools" if list == "toolsets" => assert!(entry["direct"].is_array(), "{name}"),
                "toolsets" => value.as_object().expect("a table").iter().for_each(|(toolset, percent)| {
                    assert_eq!(entry[key][toolset].as_f64(), percent.as_f64(), "{name}: {toolset}");
                }),
                _ => assert_eq!(&entry[key], value, "{name}: {key}"),
            }
        }
    };
    let lists = [
        (Kind::Tool, "tools"),
        (Kind::Toolset, "toolsets"),
        (Kind::Distribution, "distributions"),
        (Kind::Commands, "commands"),
    ];
    for (kind, list) in lists {
        let declared = manifests(&golden(), kind);
        assert_eq!(catalog[list].as_array().map(Vec::len), Some(declared.len()), "{list}");
        for (name, manifest) in &declared {
            check(list, name, manifest);
        }
    }
    for (kind, list) in [(Kind::Facts, "facts"), (Kind::Env, "env")] {
        for (_, manifest) in manifests(&golden(), kind) {
            manifest[list].as_object().expect("a table").iter().for_each(|(name, fact)| check(list, name, fact));
        }
    }
}
