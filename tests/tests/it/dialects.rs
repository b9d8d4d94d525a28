//! The dialects: arguments that a dialect's schema allows are accepted, keywords that it cannot express are recorded as losses,
//! lowering is idempotent, and strict dialects keep every rule that their vendors state.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use toolc::__gen::segment::Atoms;
use toolc::FactValue;
use toolc::args::{repair, validate};
use toolc::{DynamicTool, Registry, ToolOutput};
use toolc_codegen::catalog::Tool;
use toolc_codegen::compile;
use toolc_codegen::diagnostic::{Diagnostic, Level};
use toolc_codegen::dialects::{DIALECTS, Dialect};
use toolc_codegen::lower::narrow::{Fallback, Loss, narrow};
use toolc_codegen::lower::{definition, lower};
use toolc_codegen::source::Sources;
use toolc_tests::arguments::right;
use toolc_tests::random::Random;
use toolc_tests::schemas;

/// The number of random tools.
const TOOLS: usize = 150;
/// Arguments for each tool in each dialect and turn.
const ARGUMENTS: usize = 6;

/// The schema of the parameters in a definition as JSON Schema, or `None` if it has no parameters.
fn parameters(dialect: &Dialect, definition: &Value) -> Option<Value> {
    let places = ["/function/parameters", "/parameters", "/input_schema", "/parametersJsonSchema", "/inputSchema"];
    let found = places.iter().find_map(|place| definition.pointer(place))?;
    Some(if dialect.spelling.says_closed { found.clone() } else { spelled_out(found) })
}

/// Converts an `OpenAPI` schema to JSON Schema, with closed objects, which `OpenAPI` cannot express here.
fn spelled_out(schema: &Value) -> Value {
    let Value::Object(words) = schema else { return schema.clone() };
    let mut out = Map::new();
    for (word, value) in words {
        let value = match word.as_str() {
            "type" => value.as_str().map_or(value.clone(), |word| word.to_lowercase().into()),
            "items" => spelled_out(value),
            "anyOf" => value.as_array().into_iter().flatten().map(spelled_out).collect(),
            "properties" => {
                let all = value.as_object().into_iter().flatten();
                all.map(|(name, below)| (name.clone(), spelled_out(below))).collect::<Map<_, _>>().into()
            }
            _ => value.clone(),
        };
        out.insert(word.clone(), value);
    }
    if out.get("type") == Some(&json!("object")) {
        out.insert("additionalProperties".to_owned(), json!(false));
    }
    if out.remove("nullable").is_some() {
        let default = out.remove("default").map(|default| ("default".to_owned(), default));
        let either = json!([out, { "type": "null" }]);
        return [("anyOf".to_owned(), either)].into_iter().chain(default).collect::<Map<_, _>>().into();
    }
    out.into()
}

/// Markers in descriptions of strings that hold JSON text.
const TEXT: &str = ", as text";
const SCHEMA: &str = "matches this JSON Schema: ";

/// Replaces each string that holds JSON text by a valid one, as a model that reads the description would. Returns `None` if no
/// valid text exists.
fn with_texts(schema: &Value, random: &mut Random) -> Option<Value> {
    let Value::Object(words) = schema else { return Some(schema.clone()) };
    let description = words.get("description").and_then(Value::as_str).unwrap_or_default();
    if let Some((_, rest)) = description.split_once("Write a JSON ").filter(|(_, rest)| rest.contains(TEXT)) {
        let value = match rest.split_once(SCHEMA) {
            None if rest.starts_with("array") => json!([1]),
            None => json!({ "a": 1 }),
            Some((_, schema)) => {
                let mut schemas = serde_json::Deserializer::from_str(schema).into_iter::<Value>();
                let inner = schemas.next()?.expect("the words have a JSON Schema in them");
                written(&inner, random)?
            }
        };
        let nulls = words["type"].is_array().then_some(Value::Null);
        let values: Vec<Value> = [Value::from(value.to_string())].into_iter().chain(nulls).collect();
        return Some(json!({ "enum": values }));
    }
    let mut out = Map::new();
    for (word, value) in words {
        let value = match word.as_str() {
            "items" | "additionalProperties" => with_texts(value, random)?,
            "anyOf" | "oneOf" | "allOf" => {
                value.as_array()?.iter().map(|one| with_texts(one, random)).collect::<Option<Vec<_>>>()?.into()
            }
            "properties" | "$defs" => {
                let all = value.as_object()?.iter();
                let all = all.map(|(name, below)| Some((name.clone(), with_texts(below, random)?)));
                all.collect::<Option<Map<_, _>>>()?.into()
            }
            _ => value.clone(),
        };
        out.insert(word.clone(), value);
    }
    Some(out.into())
}

/// A random value of a schema, or `None` if none was found.
fn written(schema: &Value, random: &mut Random) -> Option<Value> {
    let validator = jsonschema::draft202012::new(schema).ok()?;
    let around =
        json!({ "type": "object", "properties": { "x": schema }, "required": ["x"], "$defs": schema["$defs"] });
    (0..20)
        .map(|_| right(&around, random)["x"].take())
        .find(|value| is_read_unchanged(value) && validator.is_valid(value))
}

/// Whether a value is read unchanged: its numbers fit 64 bits, and no string is `null`.
fn is_read_unchanged(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.is_i64()
                || number
                    .as_f64()
                    .is_some_and(|float| number.is_f64() && (float.fract() != 0.0 || float.abs() < 2_f64.powi(53)))
        }
        Value::String(text) => !text.trim().eq_ignore_ascii_case("null"),
        Value::Array(items) => items.iter().all(is_read_unchanged),
        Value::Object(map) => map.values().all(is_read_unchanged),
        _ => true,
    }
}

/// Whether a loss concerns the parameter that this pointer is in, or all parameters.
fn excuses(losses: &[Loss], pointer: &str) -> bool {
    let parameter = pointer.split('/').nth(1).unwrap_or_default();
    losses.iter().filter(|loss| loss.fallback != Fallback::JsonText).any(|loss| {
        let own = loss.path.strip_prefix('.').is_some_and(|path| {
            let rest = path.strip_prefix(parameter);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        });
        // Losing `additionalProperties = false` is no reason to refuse a declared property.
        let whole = loss.path.is_empty() && loss.keyword != "additionalProperties";
        own || whole || loss.path.starts_with("$defs")
    })
}

/// How often the reader accepted what a dialect allows, and how often it refused values after a loss.
type Seen = BTreeMap<&'static str, [usize; 2]>;

fn hold(sources: &Sources, random: &mut Random, seen: &mut Seen) {
    let catalog = compile(sources).catalog.expect("the tools compile");
    let lowered = lower(&catalog);
    for (id, tool) in catalog.tools() {
        let arguments = &lowered.tool(id).arguments;
        let facts = vec![FactValue::Text("any".into()); tool.facts.len()];
        for dialect in DIALECTS {
            let lowering = definition(dialect, &catalog, tool);
            let Some(definition) = lowering.definition else { continue };
            if dialect.accepts_any_schema() && lowering.losses.is_empty() {
                continue; // As the author wrote it.
            }
            for turn in (0..1 << tool.atoms.len().min(2)).map(|turn: Atoms| if turn == 3 { Atoms::MAX } else { turn }) {
                let table = arguments.in_turn(turn).unwrap_or_else(|| (**arguments).clone());
                let Some(schema) = parameters(dialect, &definition.value(turn, &facts)) else { continue };
                for _ in 0..ARGUMENTS {
                    let Some(schema) = with_texts(&schema, random) else { continue };
                    let validator = jsonschema::draft202012::new(&schema)
                        .unwrap_or_else(|error| panic!("{}: {error}: {schema}", dialect.name));
                    let value = right(&schema, random);
                    if !is_read_unchanged(&value) || !validator.is_valid(&value) {
                        continue;
                    }
                    let mut repaired = value.clone();
                    repair(&mut repaired, &table);
                    let problems = validate(&repaired, &table);
                    seen.entry(dialect.name).or_default()[usize::from(!problems.is_empty())] += 1;
                    for problem in &problems {
                        assert!(
                            excuses(&lowering.losses, &problem.path),
                            "{}: `{}` refuses {value} for {problem:?}\nas it is shown: {schema}\nas it is: {}\nlost: {:?}",
                            dialect.name,
                            tool.name(),
                            tool.manifest.parameters().value(turn, &facts),
                            lowering.losses,
                        );
                    }
                }
            }
        }
    }
}

/// Asserts that arguments of each narrow dialect were tried, and that most were accepted.
fn check(seen: &Seen, much: usize) {
    eprintln!("taken, and refused where something was lost: {seen:?}");
    for dialect in DIALECTS.iter().filter(|dialect| !dialect.accepts_any_schema()) {
        let [taken, refused] = seen[dialect.name];
        assert!(taken > much && refused < taken / 2, "{}: {taken} taken, {refused} refused", dialect.name);
    }
}

#[test]
fn arguments_that_a_dialect_allows_are_accepted() {
    let (mut random, mut seen) = (Random(7), Seen::new());
    hold(&Sources::from_memory(schemas::project(TOOLS, &mut random)), &mut random, &mut seen);
    check(&seen, 300);
}

#[test]
fn arguments_that_a_dialect_allows_for_golden_tools_are_accepted() {
    let (mut random, mut seen) = (Random(3), Seen::new());
    hold(&Sources::scan(&project("projects/golden")).expect("the project is there"), &mut random, &mut seen);
    check(&seen, 50);
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The parameters of a tool, lowered once and twice.
fn twice(tool: &Tool, dialect: &'static Dialect) -> [Value; 2] {
    let manifest = &tool.manifest;
    let once = narrow(&manifest.params, &manifest.defs, dialect);
    let twice = narrow(&once.schema, &once.defs, dialect);
    [&once, &twice].map(|narrowed| narrowed.defs.document_in(&narrowed.schema, dialect.spelling).whole())
}

#[test]
fn lowering_a_lowered_schema_changes_nothing() {
    let sources = Sources::from_memory(schemas::project(TOOLS, &mut Random(11)));
    let catalog = compile(&sources).catalog.expect("the tools compile");
    for (_, tool) in catalog.tools() {
        for dialect in DIALECTS {
            let [once, twice] = twice(tool, dialect);
            assert_eq!(once, twice, "{}: {}", dialect.name, tool.manifest.parameters().whole());
        }
    }
}

/// Keywords that describe structure in every subset of JSON Schema.
const STRUCTURE: &[&str] = &["type", "title", "description", "properties", "required", "items", "anyOf"];

/// Checks a schema and every schema in it against the rules that a vendor states.
fn walk(schema: &Value, check: &mut dyn FnMut(&Map<String, Value>)) {
    let words = schema.as_object().unwrap_or_else(|| panic!("no schema: {schema}"));
    check(words);
    for (word, value) in words {
        match word.as_str() {
            "items" => walk(value, check),
            "additionalProperties" if value.is_object() => walk(value, check),
            "anyOf" | "oneOf" | "allOf" => value.as_array().expect("a list").iter().for_each(|one| walk(one, check)),
            "properties" | "$defs" => value.as_object().expect("a table").values().for_each(|one| walk(one, check)),
            _ => {}
        }
    }
}

fn only(words: &Map<String, Value>, others: &[&str]) {
    for word in words.keys() {
        assert!(STRUCTURE.contains(&word.as_str()) || others.contains(&word.as_str()), "`{word}` in {words:?}");
    }
}

/// Asserts that each `$ref` has no sibling keywords and leads to a definition. Returns the definitions.
fn reference(words: &Map<String, Value>) -> Option<&str> {
    let to = words.get("$ref")?.as_str()?;
    assert_eq!(words.len(), 1, "a `$ref` has siblings: {words:?}");
    Some(to.strip_prefix("#/$defs/").expect("nothing is fetched"))
}

fn is_object(words: &Map<String, Value>) -> bool {
    let object = json!("object");
    words.get("type").is_some_and(|ty| *ty == object || ty.as_array().is_some_and(|all| all.contains(&object)))
}

fn closed(words: &Map<String, Value>) {
    if is_object(words) {
        assert_eq!(words.get("additionalProperties"), Some(&json!(false)), "{words:?}");
    } else {
        assert!(!words.contains_key("properties") && !words.contains_key("additionalProperties"), "{words:?}");
    }
}

fn plain_root(schema: &Value) {
    assert_eq!(schema["type"], "object");
    for word in ["oneOf", "anyOf", "allOf", "enum", "const", "not"] {
        assert!(schema.get(word).is_none(), "`{word}` at the root: {schema}");
    }
}

fn openai_strict(definition: &Value) {
    let function = &definition["function"];
    assert_eq!(function["strict"], true);
    let schema = &function["parameters"];
    plain_root(schema);
    let formats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    let (mut properties, mut letters, mut values) = (0, 0, 0);
    walk(schema, &mut |words| {
        if reference(words).is_some() {
            return;
        }
        only(
            words,
            &[
                "enum",
                "const",
                "$defs",
                "additionalProperties",
                "pattern",
                "format",
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
                "minItems",
                "maxItems",
            ],
        );
        assert!(["type", "anyOf"].iter().any(|word| words.contains_key(*word)), "any value: {words:?}");
        closed(words);
        if is_object(words) {
            let names: BTreeSet<&str> =
                words["properties"].as_object().expect("a table").keys().map(|k| &**k).collect();
            let required = words.get("required").and_then(Value::as_array).into_iter().flatten();
            let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
            assert_eq!(names, required, "every property is required");
            properties += names.len();
            letters += names.iter().map(|name| name.len()).sum::<usize>();
        }
        if words.get("type").is_some_and(|ty| ty == "array") {
            assert!(words.contains_key("items"), "{words:?}");
        }
        assert!(words.get("format").is_none_or(|format| formats.iter().any(|known| format == known)), "{words:?}");
        for value in words.get("enum").and_then(Value::as_array).into_iter().flatten().chain(words.get("const")) {
            assert!(!value.is_array() && !value.is_object(), "{words:?}");
            values += 1;
            letters += value.to_string().len();
        }
    });
    assert!(depth(schema) <= 11, "{schema}");
    assert!(properties <= 5_000 && letters <= 120_000 && values <= 1_000);
}

/// The depth of nested schemas.
fn depth(schema: &Value) -> usize {
    let below = schema.as_object().into_iter().flatten().flat_map(|(word, value)| match (word.as_str(), value) {
        ("items", below) => vec![below],
        ("anyOf", Value::Array(all)) => all.iter().collect(),
        ("properties", Value::Object(all)) => all.values().collect(),
        _ => Vec::new(),
    });
    1 + below.map(depth).max().unwrap_or(0)
}

fn anthropic(definition: &Value) {
    let schema = &definition["input_schema"];
    plain_root(schema);
    for key in schema["properties"].as_object().expect("a table").keys() {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
        assert!((1..=64).contains(&key.len()) && key.chars().all(fits), "{key}");
    }
}

/// Asserts that no definition refers to itself, which this walk would follow forever.
fn follow(schema: &Value, root: &Value, depth: usize) {
    assert!(depth < 40, "leads back: {root}");
    walk(schema, &mut |words| {
        if let Some(to) = reference(words) {
            follow(&root["$defs"][to], root, depth + 1);
        }
    });
}

fn anthropic_strict(definition: &Value) {
    anthropic(definition);
    assert_eq!(definition["strict"], true);
    let schema = &definition["input_schema"];
    for (name, below) in schema["properties"].as_object().expect("a table") {
        assert!(below.is_object(), "{name}");
        follow(below, schema, 0);
    }
    walk(schema, &mut |words| {
        only(words, &["$ref", "$defs", "enum", "additionalProperties", "format", "minItems"]);
        closed(words);
        assert!(words.get("minItems").is_none_or(|least| *least == 0 || *least == 1), "{words:?}");
        for value in words.get("enum").and_then(Value::as_array).into_iter().flatten() {
            assert!(!value.is_array() && !value.is_object(), "{words:?}");
        }
    });
}

fn is_identifier(key: &str) -> bool {
    let mut letters = key.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && key.len() <= 64
}

/// Asserts that enums have strings only, unions have no sibling keywords unless `described`, arrays have items and objects have
/// properties.
fn narrow_words(words: &Map<String, Value>, case: fn(&str) -> String) {
    let is = |ty: &str| words.get("type") == Some(&json!(case(ty)));
    assert!(words.get("type").is_none_or(Value::is_string), "{words:?}");
    if let Some(values) = words.get("enum") {
        assert!(is("string") && values.as_array().expect("a list").iter().all(Value::is_string), "{words:?}");
    }
    assert!(!words.contains_key("anyOf") || words.len() == 1, "{words:?}");
    assert!(words.contains_key("anyOf") || words.contains_key("type"), "{words:?}");
    assert_eq!(words.contains_key("items"), is("array"), "{words:?}");
    assert_eq!(words.contains_key("properties"), is("object"), "{words:?}");
}

fn gemini_openapi(definition: &Value) {
    for place in ["parameters", "response"] {
        let Some(schema) = definition.get(place) else { continue };
        walk(schema, &mut |words| {
            only(
                words,
                &[
                    "format",
                    "nullable",
                    "default",
                    "enum",
                    "minItems",
                    "maxItems",
                    "minProperties",
                    "maxProperties",
                    "minimum",
                    "maximum",
                    "minLength",
                    "maxLength",
                    "pattern",
                ],
            );
            narrow_words(words, str::to_uppercase);
            assert!(words.get("properties").is_none_or(|all| all != &json!({})), "{words:?}");
        });
    }
    gemini(definition, "parameters");
}

fn gemini(definition: &Value, place: &str) {
    let Some(schema) = definition.get(place) else { return };
    let keys = schema["properties"].as_object().expect("a table");
    assert!(!keys.is_empty() && keys.keys().all(|key| is_identifier(key)), "{keys:?}");
}

fn portable(definition: &Value) {
    let schema = &definition["function"]["parameters"];
    plain_root(schema);
    walk(schema, &mut |words| {
        only(
            words,
            &["format", "enum", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern"],
        );
        narrow_words(words, str::to_owned);
        assert!(words.get("type").is_none_or(|ty| ty != "null"), "{words:?}");
        if let Some(pattern) = words.get("pattern").and_then(Value::as_str) {
            assert!(pattern.starts_with('^') && pattern.ends_with('$'), "{pattern}");
            assert!(!["\\d", "\\w", "\\s", "\\b", "(?"].iter().any(|sign| pattern.contains(sign)), "{pattern}");
        }
    });
    assert!(schema["properties"].as_object().expect("a table").keys().all(|key| is_identifier(key)));
}

fn mcp(definition: &Value) {
    assert_eq!(definition["inputSchema"]["type"], "object");
    let hints: BTreeSet<&str> = definition["annotations"].as_object().expect("a table").keys().map(|k| &**k).collect();
    assert_eq!(
        hints.into_iter().collect::<Vec<_>>(),
        ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"]
    );
}

fn keeps_the_rules(dialect: &str, definition: &Value) {
    match dialect {
        "openai" => plain_root(&definition["function"]["parameters"]),
        "openai-responses" => {
            assert_eq!((&definition["type"], &definition["strict"]), (&json!("function"), &json!(false)));
            plain_root(&definition["parameters"]);
        }
        "openai-strict" => openai_strict(definition),
        "anthropic" => anthropic(definition),
        "anthropic-strict" => anthropic_strict(definition),
        "gemini" => gemini(definition, "parametersJsonSchema"),
        "gemini-openapi" => gemini_openapi(definition),
        "mcp" => mcp(definition),
        "portable" => portable(definition),
        other => panic!("no rules of {other}"),
    }
}

#[test]
fn every_definition_conforms_to_its_dialect() {
    for project in [project("projects/golden"), project("..")] {
        for dialect in DIALECTS {
            let folder = project.join("generated/schemas").join(dialect.name);
            let mut count = 0;
            for below in ["tools", "toolsets"] {
                for entry in std::fs::read_dir(folder.join(below)).expect("the dialect has its folder") {
                    let path = entry.expect("failed to read a folder").path();
                    let text = std::fs::read_to_string(&path).expect("failed to read");
                    let definitions: Value = serde_json::from_str(&text).expect("definitions are JSON");
                    let all = definitions.as_array().cloned().unwrap_or_else(|| vec![definitions]);
                    for definition in all {
                        keeps_the_rules(dialect.name, &definition);
                        count += 1;
                    }
                }
            }
            assert!(count > 5, "{}", dialect.name);
        }
    }
}

/// Rules about sets of tools.
const OF_SETS: &[&str] = &["anthropic-strict-budget", "prefix-headroom", "tool-count"];

#[test]
fn lowered_schemas_have_no_findings() {
    for dialect in DIALECTS {
        let settings = format!("dialects = [{:?}]\n[lint]\nP = \"warn\"\n", dialect.name);
        let home = "name = \"s\"\ndescription = \"Tools.\"\n";
        let mut files =
            vec![("toolc.toml".to_owned(), settings), ("manifests/toolsets/s.toml".to_owned(), home.to_owned())];
        for project in [project("projects/golden"), project("..")] {
            let folder = project.join("generated/schemas").join(dialect.name).join("tools");
            for entry in std::fs::read_dir(folder).expect("the dialect has its folder") {
                let text = std::fs::read(entry.expect("failed to read a folder").path()).expect("failed to read");
                let definition: Value = serde_json::from_slice(&text).expect("definitions are JSON");
                let name = ["/name", "/function/name"].iter().find_map(|place| definition.pointer(place)?.as_str());
                let (name, none) = (name.expect("it has a name"), json!({ "type": "object" }));
                let schema = parameters(dialect, &definition).unwrap_or(none);
                files.push((format!("manifests/tools/{name}.toml"), schemas::manifest(name, &schema)));
            }
        }
        let sources = Sources::from_memory(files);
        let found = compile(&sources).diagnostics;
        let of_dialects = |one: &&Diagnostic| one.code.id.starts_with('P') && !OF_SETS.contains(&one.code.name);
        let found: Vec<_> = found
            .iter()
            .filter(|one| one.level == Level::Error || of_dialects(one))
            .map(|one| format!("{}: {}", one.code.name, one.message))
            .collect();
        assert!(found.is_empty(), "{}: {found:#?}", dialect.name);
    }
}

#[test]
fn random_tools_conform_to_each_dialect() {
    let sources = Sources::from_memory(schemas::project(TOOLS, &mut Random(5)));
    let catalog = compile(&sources).catalog.expect("the tools compile");
    for (_, tool) in catalog.tools() {
        for dialect in DIALECTS {
            if let Some(definition) = definition(dialect, &catalog, tool).definition {
                keeps_the_rules(dialect.name, &definition.value(Atoms::MAX, &[]));
            }
        }
    }
}

/// A tool whose definition is the same whether it is compiled or added at run time.
const WEATHER: &str = "name = 'weather'\ntoolset = 's'\ndescription = 'The weather in a city.'\n[params.city]\ntype = 'string'\ndescription = 'Where.'\nrequired = true\n";

/// The runtime writes the definitions of tools that are added at run time. What it knows of a dialect for that is compared
/// with the compiler's record.
#[test]
fn the_runtime_agrees_with_the_records() {
    let variants: Vec<toolc::Dialect> = DIALECTS.iter().filter_map(Dialect::in_runtime).collect();
    for variant in toolc::Dialect::ALL {
        assert!(variants.contains(variant), "`{}` has no record in codegen/src/dialects", variant.name());
    }
    let files =
        [("manifests/tools/weather.toml", WEATHER), ("manifests/toolsets/s.toml", "name = 's'\ndescription = 'S.'\n")];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let catalog = compile(&Sources::from_memory(files)).catalog.expect("the tool compiles");
    let (_, tool) = catalog.tools().next().expect("there is a tool");
    let schema = tool.manifest.parameters().whole();
    let weather = DynamicTool::sync("weather", "The weather in a city.", schema, |_, _| Ok(ToolOutput::text("Rain.")));
    let registry = Registry::new();
    registry.add(weather.build().expect("the tool is valid")).expect("the name is free");
    let session = registry.session().build().expect("the session is valid");
    for dialect in DIALECTS {
        let name = dialect.name;
        let in_runtime = dialect.in_runtime().expect("the runtime's `dialects!` and the record name it alike");
        assert_eq!(format!("{in_runtime:?}"), dialect.variant, "{name}: the record names the runtime's variant");
        assert_eq!(dialect.feature, (name != "openai").then_some(name), "{name}: the feature has the dialect's name");
        let mut compiled = definition(dialect, &catalog, tool).definition.expect("any dialect accepts it").whole();
        let entries = compiled.as_object_mut().expect("a definition is an object");
        let own = if let Some(Value::Object(function)) = entries.get_mut("function") { function } else { entries };
        // A strict dialect shows the tools that are added at run time as not strict, MCP without annotations.
        let is_strict = own.get("strict") == Some(&json!(true));
        if is_strict {
            own.remove("strict");
        }
        own.remove("annotations");
        let text = session.turn_blocking(in_runtime).definitions().to_owned();
        let found: Value = serde_json::from_str(&text).expect("definitions are JSON");
        let expected = if is_strict || dialect.accepts_any_schema() { json!([compiled]) } else { json!([]) };
        assert_eq!(found, expected, "{name}: see `dialects!` in runtime/src/data/dialect.rs");
    }
}

#[test]
fn every_dialect_has_its_feature() {
    let path = project("../runtime/Cargo.toml");
    let manifest: toml::Table = std::fs::read_to_string(path).unwrap().parse().expect("the manifest is TOML");
    let features = manifest["features"].as_table().expect("it has features");
    let all: BTreeSet<&str> =
        features["all-dialects"].as_array().unwrap().iter().filter_map(|one| one.as_str()).collect();
    for feature in DIALECTS.iter().filter_map(|dialect| dialect.feature) {
        assert!(features.contains_key(feature), "runtime/Cargo.toml: `{feature} = []` is missing from [features]");
        assert!(all.contains(feature), "runtime/Cargo.toml: `{feature}` is missing from `all-dialects`");
    }
}
