//! The functions and calls of the Berkeley Function-Calling Leaderboard: definitions that others wrote are imported and linted, and calls
//! whose values are typed as text are repaired.
//!
//! `TOOLC_BFCL=all` takes all of them, and otherwise a sample.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use toolc::schema::FunctionDefinition;
use toolc::{Dialect, Registry, ToolCall, ToolOutput};
use toolc_codegen::compile;
use toolc_codegen::source::Sources;
use toolc_tests::schemas;

use crate::packages;

const PACKAGES: &str = "bfcl-eval==2026.3.23\n";
/// One of so many functions and calls is tried.
const SAMPLE: usize = 20;

/// What the suite writes for a type, and the type of JSON Schema. `None` allows any value.
const TYPES: &[(&str, Option<&str>)] = &[
    ("dict", Some("object")),
    ("hashmap", Some("object")),
    ("hashtable", Some("object")),
    ("float", Some("number")),
    ("double", Some("number")),
    ("long", Some("integer")),
    ("short", Some("integer")),
    ("byte", Some("integer")),
    ("int", Some("integer")),
    ("bool", Some("boolean")),
    ("char", Some("string")),
    ("tuple", Some("array")),
    ("list", Some("array")),
    ("arraylist", Some("array")),
    ("queue", Some("array")),
    ("stack", Some("array")),
    ("set", Some("array")),
    ("bigint", Some("integer")),
    ("any", None),
    ("object", Some("object")),
];

/// The keywords that are taken over. The suite has others, such as `optional`, and results, which are not part of a call.
const KEYWORDS: &[&str] =
    &["type", "description", "properties", "required", "items", "enum", "default", "additionalProperties", "format"];

/// Returns the records of a file, which has one a line.
fn records(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Converts a schema of the suite to JSON Schema.
fn schema(given: &Value) -> Value {
    let Value::Object(keywords) = given else { return json!({}) };
    let mut out = Map::new();
    for (keyword, value) in keywords.iter().filter(|(keyword, _)| KEYWORDS.contains(&keyword.as_str())) {
        let value = match (keyword.as_str(), value) {
            ("type", Value::String(name)) => {
                let lower = name.to_lowercase();
                match TYPES.iter().find(|(known, _)| *known == lower) {
                    Some((_, Some(name))) => json!(name),
                    Some((_, None)) => continue,
                    None => json!(lower),
                }
            }
            ("properties", Value::Object(all)) => {
                all.iter().map(|(name, below)| (name.clone(), schema(below))).collect::<Map<_, _>>().into()
            }
            ("items" | "additionalProperties", Value::Object(_)) => schema(value),
            _ => value.clone(),
        };
        out.insert(keyword.clone(), value);
    }
    // A default that is not of the type is a text about it.
    if let Some(default) = out.remove("default")
        && jsonschema::draft202012::new(&Value::Object(out.clone())).is_ok_and(|valid| valid.is_valid(&default))
    {
        out.insert("default".to_owned(), default);
    }
    out.into()
}

/// A function of the suite as a definition of Chat Completions.
fn function(given: &Value) -> Value {
    let name = given["name"].as_str().unwrap_or_default().replace(['.', ' ', ':'], "_");
    json!({"name": name, "description": given["description"], "parameters": schema(&given["parameters"])})
}

/// Returns a value as a model types it that writes everything as text.
fn typed_as_text(value: &Value) -> Value {
    match value {
        Value::String(_) => value.clone(),
        other => Value::String(other.to_string()),
    }
}

/// Counts, by what happened.
type Counts = BTreeMap<String, usize>;

fn count(counts: &mut Counts, what: impl Into<String>) {
    *counts.entry(what.into()).or_default() += 1;
}

/// Returns the data of the suite, or `None` if it cannot be installed, which is printed.
fn data() -> Option<std::path::PathBuf> {
    match packages::pypi("bfcl", PACKAGES) {
        Ok(folder) => Some(folder.join("bfcl_eval/data")),
        Err(why) => {
            packages::skipped(&format!("no data of the leaderboard: {why}"));
            None
        }
    }
}

fn step() -> usize {
    if std::env::var("TOOLC_BFCL").is_ok_and(|all| all == "all") { 1 } else { SAMPLE }
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the package has data")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
}

#[test]
fn functions_of_the_leaderboard_are_imported_and_linted() {
    let Some(data) = data() else { return };
    let all = files(&data).into_iter().flat_map(|file| records(&file)).flat_map(|mut record| match record["function"]
        .take()
    {
        Value::Array(all) => all,
        _ => Vec::new(),
    });
    let mut counts = Counts::new();
    for given in all.step_by(step()) {
        count(&mut counts, "functions");
        let function = function(&given);
        match FunctionDefinition::from_openai(&function)
            .and_then(|read| read.sync(|_, _| Ok(ToolOutput::text(""))).build())
        {
            Ok(_) => count(&mut counts, "imported"),
            Err(error) => {
                count(&mut counts, format!("not imported: {}", error.to_string().lines().last().unwrap_or_default()));
            }
        }
        let name = function["name"].as_str().expect("a name");
        let files = [
            (format!("manifests/tools/{name}.toml"), schemas::manifest(name, &function["parameters"])),
            ("manifests/toolsets/s.toml".to_owned(), "name = 's'\ndescription = 'S.'\n".to_owned()),
        ];
        let compiled = compile(&Sources::from_memory(files));
        count(&mut counts, if compiled.catalog.is_some() { "compiled" } else { "not compiled" });
        let codes: BTreeSet<&str> = compiled.diagnostics.iter().map(|one| one.code.name).collect();
        for code in codes {
            count(&mut counts, format!("lint: {code}"));
        }
    }
    println!("{counts:#?}");
    let of = |what: &str| counts.get(what).copied().unwrap_or_default();
    assert!(of("functions") > 300, "{counts:#?}");
    assert!(of("imported") * 100 >= of("functions") * 99, "{counts:#?}");
    assert!(of("compiled") * 100 >= of("functions") * 95, "{counts:#?}");
}

#[test]
fn calls_of_the_leaderboard_are_accepted_and_repaired() {
    let Some(data) = data() else { return };
    let mut counts = Counts::new();
    for answers in files(&data.join("possible_answer")) {
        let questions = data.join(answers.file_name().expect("a file has a name"));
        let questions: BTreeMap<String, Value> = records(&questions)
            .into_iter()
            .map(|record| (record["id"].as_str().unwrap_or_default().to_owned(), record))
            .collect();
        for record in records(&answers).iter().step_by(step()) {
            let functions = questions.get(record["id"].as_str().unwrap_or_default()).map(|it| &it["function"]);
            let Some(functions) = functions.and_then(Value::as_array) else { continue };
            for call in record["ground_truth"].as_array().into_iter().flatten().filter_map(Value::as_object) {
                for (name, accepted) in call {
                    let Some(given) = functions.iter().find(|given| given["name"] == name.as_str()) else { continue };
                    check_call(&function(given), accepted, &mut counts);
                }
            }
        }
    }
    println!("{counts:#?}");
    let of = |what: &str| counts.get(what).copied().unwrap_or_default();
    assert!(of("calls") > 100, "{counts:#?}");
    assert!(of("accepted") * 100 >= of("calls") * 90, "{counts:#?}");
    assert_eq!(of("repaired to another value"), 0, "{counts:#?}");
    assert!(of("repaired") * 100 >= of("accepted") * 95, "{counts:#?}");
}

/// Calls a function with the first accepted value of each parameter, as it is and typed as text.
fn check_call(function: &Value, accepted: &Value, counts: &mut Counts) {
    let arguments: Map<String, Value> = accepted
        .as_object()
        .into_iter()
        .flatten()
        // An empty text means that the parameter may be left out.
        .filter_map(|(name, values)| {
            Some((name.clone(), values.as_array()?.iter().find(|value| **value != "")?.clone()))
        })
        .collect();
    count(counts, "calls");
    let registry = Registry::new();
    let echo =
        FunctionDefinition::from_openai(function).and_then(|read| read.sync(|args, _| ToolOutput::json(&args)).build());
    let Ok(echo) = echo else { return count(counts, "not imported") };
    registry.add(echo).expect("the name is free");
    let turn = registry.session().build().expect("the session is valid").turn_blocking(Dialect::OpenAi);
    let name = function["name"].as_str().expect("a name");
    let call = |arguments: &Value| {
        let response = turn.call_blocking(&ToolCall::new(name, &arguments.to_string()));
        let json: Value = serde_json::from_str(&response.json).expect("a response is JSON");
        if response.is_error() { Err(json) } else { Ok(json) }
    };
    let expected = match call(&Value::Object(arguments.clone())) {
        Ok(read) => read,
        Err(why) => {
            let got = &why["problems"][0];
            return count(counts, format!("refused: expected {}, got {}", got["expected"], kind_of(&got["got"])));
        }
    };
    count(counts, "accepted");
    let as_text = arguments.iter().map(|(name, value)| (name.clone(), typed_as_text(value))).collect();
    match call(&Value::Object(as_text)) {
        Ok(read) if same(&read, &expected) => count(counts, "repaired"),
        Ok(read) => {
            // A parameter that also takes text keeps it.
            let differs = |(name, value): (&String, &Value)| !same(&read[name], value);
            let keeps_text =
                expected.as_object().into_iter().flatten().filter(|entry| differs(*entry)).all(|(name, _)| {
                    let types = &function["parameters"]["properties"][name]["type"];
                    types.is_null() || *types == "string"
                });
            count(
                counts,
                if keeps_text { "kept as text, which its schema allows" } else { "repaired to another value" },
            );
        }
        // The text `null` is null only where the schema allows null. Sent as null, it was an absent parameter.
        Err(why) if why["problems"][0]["got"] == "\"null\"" => count(counts, "not repaired: the text `null`"),
        Err(why) => count(counts, format!("not repaired: expected {}", why["problems"][0]["expected"])),
    }
}

fn kind_of(got: &Value) -> &str {
    got.as_str().and_then(|got| got.split([' ', ':']).next()).unwrap_or("?")
}

/// Returns whether two values are equal in JSON Schema: 1 and 1.0 are.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}
