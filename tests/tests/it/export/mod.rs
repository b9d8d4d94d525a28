//! `export`: a bundle describes the turn of its options, and a program in another language can compute any other turn from it, and
//! undo what a dialect rewrote.

mod declarations;
mod formats;
mod reference;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use reference::{Tool, Turn};
use serde_json::{Map, Value, json};
use toolc::FactValue;
use toolc::schema::Table;
use toolc_codegen::catalog::FactId;
use toolc_codegen::dialects::{DIALECTS, Language};
use toolc_codegen::emit;
use toolc_codegen::lower::{Lowered, definition, lower};
use toolc_codegen::source::Sources;
use toolc_codegen::{Catalog, compile};
use toolc_tests::arguments::valid_arguments;
use toolc_tests::random::Random;
use toolc_tests::schemas;

use crate::dialects::{is_read_unchanged, parameters, with_texts};
use crate::fuzz::arguments::{Subject, check_arguments, same};
use crate::gen_command::Project;

/// Returns a file of the bundle in `out`.
fn read(project: &Project, path: &str) -> Value {
    let path = project.path("out").join(path);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a bundle is JSON")
}

/// Exports a bundle to `out`.
fn export(project: &Project, args: &[&str]) {
    let target = project.path("out");
    let (status, out, err) = project.run(&[&["export", target.to_str().expect("text")], args].concat());
    assert_eq!(status, 0, "{out}{err}");
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|name| name.as_str().expect("a name")).collect()
}

fn tools(catalog: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let tools = catalog["tools"].as_array().expect("a list").iter();
    tools.map(|tool| (tool["name"].as_str().expect("a name"), tool))
}

/// The options of some turns.
const TURNS: [&[&str]; 4] = [
    &[],
    &["--fact", "vision=true", "--fact", "platform=chat"],
    &["--available", "run_now,run_later", "--fact", "depth=3"],
    &["--available", "", "--fact", "platform=a \"b\""],
];

#[test]
fn a_bundle_has_the_definitions_of_its_turn() {
    let project = Project::golden();
    for options in TURNS {
        export(&project, options);
        let catalog = read(&project, "catalog.json");
        // The tools that depend on the turn, and one that does not.
        let some = ["depends", "every_choice", "every_ref", "fetch_all", "no_parameters", "shell"];
        for (name, tool) in tools(&catalog).filter(|(name, _)| some.contains(name)) {
            for dialect in DIALECTS {
                let args = [&["show", name, "--dialect", dialect.name], options].concat();
                let (status, shown, _) = project.run(&args);
                let path = format!("schemas/{}/tools/{name}.{}", dialect.name, dialect.language.extension());
                assert_eq!(status == 0, project.path("out").join(&path).exists(), "{path}");
                if status == 0 && dialect.language != Language::Json {
                    let file = fs::read_to_string(project.path("out").join(&path)).expect("readable");
                    assert_eq!(file, shown, "{path} {options:?}");
                } else if status == 0 {
                    let shown: Value = serde_json::from_str(&shown).expect("JSON");
                    assert_eq!(read(&project, &path), shown, "{path} {options:?}");
                    if dialect.name == "mcp" {
                        assert_eq!(shown["inputSchema"], tool["parameters"], "{name} {options:?}");
                        assert_eq!(shown["description"], tool["description"], "{name} {options:?}");
                    }
                }
            }
        }
    }
    let index = read(&project, "bundle.json");
    assert_eq!(index["facts"], json!({ "depth": 2, "platform": "a \"b\"", "vision": false }));
    assert_eq!(index["available"], json!([]));
    assert!(!project.path("out/schemas/openai/toolsets/lib.json").exists(), "no tool is available");

    export(&project, &["--available", "run_now", "--toolset", "lib"]);
    let lib = read(&project, "schemas/openai/toolsets/lib.json");
    assert_eq!(lib.as_array().map(Vec::len), Some(1), "{lib}");
    assert_eq!(read(&project, "bundle.json")["available"], json!(["run_now"]));
}

#[test]
fn a_parameter_of_a_fact_is_in_the_bundle_for_that_fact() {
    let project = Project::golden();
    project.write(
        "manifests/tools/run_now.toml",
        "name = \"run_now\"\ntoolset = \"lib\"\ndescription = \"Run.\"\n[params.admin]\ntype = \"boolean\"\nwhen = \"facts.vision\"\n\
         description = \"Run as an administrator.\"\n",
    );
    let has = |path: &str, pointer: &str| read(&project, path).pointer(pointer).is_some();
    for (options, expected) in
        [(&[][..], false), (&["--fact", "vision=true"], true), (&["--fact", "vision=false"], false)]
    {
        export(&project, options);
        let pointer = "/function/parameters/properties/admin";
        assert_eq!(has("schemas/openai/tools/run_now.json", pointer), expected, "{options:?}");
        let catalog = read(&project, "catalog.json");
        let tool = tools(&catalog).find(|(name, _)| *name == "run_now").expect("the tool is exported").1;
        assert_eq!(tool["parameters"]["properties"].get("admin").is_some(), expected, "{options:?}");
        assert_eq!(tool["conditional"]["parts"][0]["when"], json!({ "fact": "vision", "is": "==", "value": true }));
    }
    let target = project.path("out");
    for (option, value, expected) in [
        ("--fact", "visoin=true", "error: unknown fact `visoin`: did you mean `vision`?\n"),
        ("--fact", "vision=2", "write `--fact vision=true` or `--fact vision=false`\n"),
        ("--available", "run_nwo", "error: unknown tool `run_nwo`: did you mean `run_now`?\n"),
    ] {
        let (status, _, err) = project.run(&["export", target.to_str().expect("text"), option, value]);
        assert!(status == 2 && err.ends_with(expected), "{err}");
    }
}

/// Asserts that the conditional parts in the default bundle of a catalog lead to its files in any turn.
#[test]
fn any_turn_can_be_computed_from_the_conditions_of_a_bundle() {
    let golden = || Sources::scan(&Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/golden")).expect("readable");
    let mut random = Random(5);
    let (mut compared, mut different, mut declarations) = (0, 0, 0);
    for sources in [golden(), Sources::from_memory(schemas::project(60, &mut random))] {
        let catalog = compile(&sources).catalog.expect("the tools compile");
        let lowered = lower(&catalog);
        let default = emit::Turn { facts: Vec::new(), available: None };
        let of_default = rendered(&lowered, &default);
        let of_all: Map<String, Value> =
            tools(&of_default["catalog.json"]).map(|(name, tool)| (name.to_owned(), tool.clone())).collect();
        let dialects = catalog.settings().dialects.iter();
        let turns: BTreeMap<&str, Value> = dialects
            .map(|dialect| (dialect.name, emit::conditional_definitions(&lowered, dialect, |_| true)))
            .collect();
        for _ in 0..6 {
            let turn = random_turn(&catalog, &mut random);
            let files = rendered(&lowered, &turn);
            for (path, file) in &files {
                let (name, conditional) = match path.split('/').collect::<Vec<_>>().as_slice() {
                    ["schemas", dialect, "tools", file_name] => {
                        let name = file_name.split('.').next().expect("a name");
                        (name, &turns[dialect]["tools"][name])
                    }
                    _ => continue,
                };
                let reference = reference_turn(&catalog, &turn, name);
                if conditional.is_null() {
                    assert_eq!(of_default[path], *file, "{path}: nothing depends on the turn");
                    continue;
                }
                compared += 1;
                different += usize::from(conditional["full"] != *file);
                declarations += usize::from(file.get("declaration").is_some());
                assert_eq!(reference.render(conditional), *file, "{path}: {:?}", reference.facts);
            }
            for (name, tool) in tools(&files["catalog.json"]) {
                let conditional = &of_all[name]["conditional"];
                let reference = reference_turn(&catalog, &turn, name);
                let now = if conditional.is_null() { Value::Null } else { reference.render(conditional) };
                for key in ["description", "parameters", "returns"] {
                    let expected = now.get(key).or(of_all[name].get(key));
                    assert_eq!(expected, tool.get(key), "{name}: {key}: {:?}", reference.facts);
                }
            }
        }
    }
    eprintln!("{compared} compared, {different} with conditions, {declarations} declarations");
    assert!(compared > 300 && different > 150 && declarations > 20);
}

/// Returns the files of a turn that bundles contain. Text of TypeScript is a document with the key `declaration`.
fn rendered(lowered: &Lowered<'_>, turn: &emit::Turn) -> BTreeMap<String, Value> {
    let drafts = emit::portable_drafts(lowered, turn);
    let files = drafts.iter().map(|draft| {
        let text: String = draft.parts.iter().map(emit::Part::text).collect();
        let path = draft.path.strip_prefix("generated/").expect("in the folder of gen").to_owned();
        let is_json = !path.ends_with(".d.ts");
        (path, if is_json { serde_json::from_str(&text).expect("JSON") } else { json!({ "declaration": text }) })
    });
    files.collect()
}

fn random_turn(catalog: &Catalog, random: &mut Random) -> emit::Turn {
    let facts = catalog.facts().iter().enumerate().map(|(id, fact)| {
        let other = ["true", "3", "chat"].iter().find_map(|text| fact.default.parse_same_type(text));
        (FactId(id), other.filter(|_| random.one_in(2)).unwrap_or_else(|| fact.default.clone()))
    });
    let facts = facts.collect();
    emit::Turn { facts, available: Some(catalog.tools().map(|_| random.one_in(2)).collect()) }
}

/// Returns a turn as a program in another language knows it.
fn reference_turn(catalog: &Catalog, turn: &emit::Turn, shown: &str) -> Turn {
    let available = turn.available.as_ref().expect("the tools of the turn were chosen");
    let tools = catalog.tools().filter(|(id, tool)| available[id.0] || tool.name() == shown);
    let facts = catalog.facts().iter().enumerate().map(|(id, fact)| {
        let value = catalog.fact(FactId(id), &turn.facts);
        let value = match value {
            FactValue::Text(text) => json!(text),
            FactValue::Boolean(flag) => json!(flag),
            FactValue::Integer(integer) => json!(integer),
        };
        (fact.name.value.clone(), value)
    });
    Turn { tools: tools.map(|(_, tool)| tool.name().to_owned()).collect(), facts: facts.collect::<Map<_, _>>().into() }
}

#[test]
fn a_bundle_of_some_toolsets_names_no_other_ones() {
    let project = Project::golden();
    for toolsets in [&["everything"][..], &["diamond"], &["left", "Chat-Room"], &["less"], &["loop", "lib"]] {
        let options: Vec<&str> = toolsets.iter().flat_map(|name| ["--toolset", name]).collect();
        export(&project, &["--dialect", "mcp"]);
        let all = read(&project, "catalog.json");
        export(&project, &[&["--dialect", "mcp"], &options[..]].concat());
        let catalog = read(&project, "catalog.json");
        let held: BTreeSet<&str> = tools(&catalog).map(|(name, _)| name).collect();
        let lists = catalog["toolsets"].as_array().expect("a list");
        assert_eq!(lists.len(), toolsets.len());
        for toolset in lists {
            let name = &toolset["name"];
            let resolved = |name: &str| {
                let found = lists.iter().find(|other| other["name"] == name).expect("a toolset of the bundle");
                names(&found["resolved"])
            };
            let included = names(&toolset["includes"]).into_iter().chain(toolset["base"].as_str());
            let reached = included.flat_map(resolved).chain(names(&toolset["direct"]));
            let excludes = names(&toolset["excludes"]);
            let resolved: BTreeSet<&str> = reached.filter(|tool| !excludes.contains(tool)).collect();
            assert_eq!(resolved, names(&toolset["resolved"]).into_iter().collect(), "{name}");
            assert!(resolved.iter().chain(&excludes).all(|tool| held.contains(tool)), "{name}");
            let before = all["toolsets"].as_array().expect("a list").iter().find(|other| other["name"] == *name);
            assert_eq!(before.expect("the toolset is declared")["resolved"], toolset["resolved"]);
        }
        let compiled = read(&project, "compiled.json");
        assert_eq!(tools(&compiled).map(|(name, _)| name).collect::<BTreeSet<_>>(), held);
        let lists = compiled["toolsets"].as_array().expect("a list");
        let known: BTreeSet<&str> = lists.iter().map(|toolset| toolset["name"].as_str().expect("a name")).collect();
        assert!(toolsets.iter().all(|name| known.contains(name)), "{known:?}");
        assert!(tools(&compiled).all(|(_, tool)| known.contains(tool["toolset"].as_str().expect("a name"))));
        for toolset in lists {
            let named = |key: &str| toolset.get(key).map_or_else(Vec::new, names);
            assert!(named("tools").iter().chain(&named("excludes")).all(|tool| held.contains(tool)), "{toolset}");
            assert!(named("includes").into_iter().chain(toolset["extends"].as_str()).all(|name| known.contains(name)));
        }
        for distribution in catalog["distributions"].as_array().expect("a list") {
            let names = distribution["toolsets"].as_object().expect("an object").keys();
            assert!(names.into_iter().all(|name| toolsets.contains(&name.as_str())), "{distribution}");
        }
    }
}

/// What became of the arguments of a dialect.
#[derive(Debug, Default)]
struct Counts {
    /// The reader of the runtime reads the same.
    equal: usize,
    /// The reader of the runtime reads something else, and both are valid.
    different: usize,
    /// The reader of the runtime refuses them, because something was lost.
    refused: usize,
    /// Something was undone.
    rewritten: usize,
}

/// Undoes random arguments that the definitions of each dialect allow.
fn undo_arguments(sources: &Sources, per_tool: usize, random: &mut Random) -> BTreeMap<&'static str, Counts> {
    let catalog = compile(sources).catalog.expect("the tools compile");
    let lowered = lower(&catalog);
    let mut counts: BTreeMap<&'static str, Counts> = BTreeMap::new();
    for dialect in DIALECTS {
        let file = emit::rewrites(&lowered, dialect, |_| true);
        let counts = counts.entry(dialect.name).or_default();
        for (id, tool) in catalog.tools() {
            let Some(document) = definition(dialect, &catalog, tool).definition else { continue };
            let values = catalog.full_turn_values(tool);
            let Some(schema) = parameters(dialect, &values.value(&document)) else { continue };
            let own = values.value(&tool.manifest.parameters());
            let arguments = &lowered.tool(id).arguments;
            let mut table = arguments.in_turn(values.atoms()).unwrap_or_else(|| (**arguments).clone());
            // A schema does not say which numbers are clamped.
            table.clamped = Vec::new();
            let dynamic = Table::from_schema(&own).expect("the schema is not too large");
            let subject = Subject { schema: own.clone(), lowered: table, dynamic };
            let mut reference = Tool::new(&file["tools"][tool.name_in(dialect.name)], &own);
            for _ in 0..per_tool {
                let Some(schema) = with_texts(&schema, random) else { continue };
                let validator = jsonschema::draft202012::new(&schema).expect("a schema");
                let value = valid_arguments(&schema, random);
                if !is_read_unchanged(&value) || !validator.is_valid(&value) {
                    continue;
                }
                let undone = reference.undo(&value);
                let read = check_arguments(&subject, &value.to_string());
                let context =
                    || format!("{} `{}`: {value}\nundone: {undone}\nread: {read:?}\n{own}", dialect.name, tool.name());
                counts.rewritten += usize::from(undone != value);
                match &read {
                    None => counts.refused += 1,
                    Some(read) if same(&undone, read) => counts.equal += 1,
                    Some(_) => {
                        counts.different += 1;
                        assert!(reference.is_valid(&undone, ""), "not valid: {}", context());
                    }
                }
                // Undoing is idempotent, and filling in defaults needs nothing else.
                assert_eq!(reference.undo(&undone), undone, "{}", context());
            }
        }
    }
    counts
}

fn check_counts(counts: &BTreeMap<&'static str, Counts>, min: usize) {
    eprintln!("{counts:#?}");
    for (name, Counts { equal, different, refused, rewritten }) in counts {
        assert!(*equal > min && different * 20 < *equal && *refused < equal / 2, "{name}");
        let dialect = DIALECTS.iter().find(|dialect| dialect.name == *name).expect("a dialect");
        assert!(dialect.accepts_any_schema() == (*rewritten == 0), "{name}");
    }
}

#[test]
fn random_arguments_of_each_dialect_are_undone_as_the_runtime_reads_them() {
    let mut random = Random(17);
    let sources = Sources::from_memory(schemas::project(150, &mut random));
    check_counts(&undo_arguments(&sources, 6, &mut random), 300);
}

#[test]
fn arguments_of_golden_tools_are_undone_as_the_runtime_reads_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/golden");
    let sources = Sources::scan(&root).expect("failed to read the project");
    check_counts(&undo_arguments(&sources, 12, &mut Random(23)), 50);
}
