//! The dialects: arguments that a dialect's schema allows are accepted, keywords that it cannot express are recorded as losses,
//! lowering is idempotent, and strict dialects keep every rule that their vendors state.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use toolc::__gen::segment::Atoms;
use toolc::FactValue;
use toolc::args::{repair, validate};
use toolc::behaviour::Callers;
use toolc::{DynamicTool, Registry, ToolOutput};
use toolc_codegen::catalog::Tool;
use toolc_codegen::compile;
use toolc_codegen::diagnostic::{Diagnostic, Level};
use toolc_codegen::dialects::{self, DIALECTS, Dialect, Enums, Language, Refs};
use toolc_codegen::lower::narrow::{Fallback, Loss, narrow};
use toolc_codegen::lower::{definition, lower};
use toolc_codegen::source::Sources;
use toolc_tests::arguments::valid_arguments;
use toolc_tests::random::Random;
use toolc_tests::schemas;

/// The number of random tools.
const TOOLS: usize = 150;
/// Arguments for each tool in each dialect and turn.
const ARGUMENTS: usize = 6;

/// Returns the schemas of the parameters and of the result in a definition.
fn schemas_of(definition: &Value) -> [Option<&Value>; 2] {
    if definition["type"] == "custom" {
        return [None, None]; // The input is a plain text.
    }
    let function = definition.get("function").unwrap_or(definition);
    let objects =
        function.as_object().expect("a definition is an object").iter().filter(|(_, value)| value.is_object());
    let (results, others): (Vec<_>, Vec<_>) = objects
        .filter(|(key, _)| *key != "annotations")
        .partition(|(key, _)| ["response", "output", "returns"].iter().any(|word| key.starts_with(word)));
    [others, results].map(|found| found.first().map(|(_, schema)| *schema))
}

/// Returns the schema of the parameters in a definition as JSON Schema, or `None` if it has no parameters.
pub(crate) fn parameters(dialect: &Dialect, definition: &Value) -> Option<Value> {
    let [found, _] = schemas_of(definition);
    Some(if dialect.spelling.says_closed { found?.clone() } else { spelled_out(found?) })
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
pub(crate) fn with_texts(schema: &Value, random: &mut Random) -> Option<Value> {
    let Value::Object(words) = schema else { return Some(schema.clone()) };
    let description = words.get("description").and_then(Value::as_str).unwrap_or_default();
    if let Some((_, rest)) = description.split_once("Write a JSON ").filter(|(_, rest)| rest.contains(TEXT)) {
        let value = match rest.split_once(SCHEMA) {
            None if rest.starts_with("array") => json!([1]),
            None => json!({ "a": 1 }),
            Some((_, schema)) => {
                let mut schemas = serde_json::Deserializer::from_str(schema).into_iter::<Value>();
                let inner = schemas.next()?.expect("the description contains a JSON Schema");
                random_value(&inner, random)?
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

/// Returns a random value that satisfies a schema, or `None` if none was found.
fn random_value(schema: &Value, random: &mut Random) -> Option<Value> {
    let validator = jsonschema::draft202012::new(schema).ok()?;
    let around =
        json!({ "type": "object", "properties": { "x": schema }, "required": ["x"], "$defs": schema["$defs"] });
    (0..20)
        .map(|_| valid_arguments(&around, random)["x"].take())
        .find(|value| is_read_unchanged(value) && validator.is_valid(value))
}

/// Returns whether a value is read unchanged: its numbers fit 64 bits, and no string is `null`.
pub(crate) fn is_read_unchanged(value: &Value) -> bool {
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

/// Returns whether a loss concerns the parameter that this pointer is in, or all parameters.
fn excuses(losses: &[Loss], pointer: &str) -> bool {
    let parameter = pointer.split('/').nth(1).unwrap_or_default();
    losses.iter().filter(|loss| loss.fallback != Fallback::JsonText).any(|loss| {
        let own = loss.path.strip_prefix('.').is_some_and(|path| {
            // `*` stands for every parameter that is not declared.
            let rest = path.strip_prefix(parameter).or_else(|| path.strip_prefix('*'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        });
        // Losing `additionalProperties = false` is no reason to refuse a declared property.
        let whole = loss.path.is_empty() && loss.keyword != "additionalProperties";
        own || whole || loss.path.starts_with("$defs")
    })
}

/// For each dialect, the numbers of values that the reader accepted, and that it refused because of a loss.
type Counts = BTreeMap<&'static str, [usize; 2]>;

/// Asserts that the reader accepts random values that the schema of a dialect allows, unless lowering has recorded a loss.
fn check_arguments(sources: &Sources, random: &mut Random, counts: &mut Counts) {
    let catalog = compile(sources).catalog.expect("the tools compile");
    let lowered = lower(&catalog);
    for (id, tool) in catalog.tools() {
        let arguments = &lowered.tool(id).arguments;
        let facts = vec![FactValue::Text("any".into()); tool.facts.len()];
        for dialect in DIALECTS {
            let lowering = definition(dialect, &catalog, tool);
            let Some(definition) = lowering.definition else { continue };
            if dialect.accepts_any_schema() && lowering.losses.is_empty() {
                continue; // The schema is unchanged.
            }
            for turn in (0..1 << tool.atoms.len().min(2)).map(|turn: Atoms| if turn == 3 { Atoms::MAX } else { turn }) {
                let table = arguments.in_turn(turn).unwrap_or_else(|| (**arguments).clone());
                let Some(schema) = parameters(dialect, &definition.value(turn, &facts)) else { continue };
                for _ in 0..ARGUMENTS {
                    let Some(schema) = with_texts(&schema, random) else { continue };
                    let validator = jsonschema::draft202012::new(&schema)
                        .unwrap_or_else(|error| panic!("{}: {error}: {schema}", dialect.name));
                    let value = valid_arguments(&schema, random);
                    if !is_read_unchanged(&value) || !validator.is_valid(&value) {
                        continue;
                    }
                    let mut repaired = value.clone();
                    repair(&mut repaired, &table);
                    let problems = validate(&repaired, &table);
                    counts.entry(dialect.name).or_default()[usize::from(!problems.is_empty())] += 1;
                    for problem in &problems {
                        assert!(
                            excuses(&lowering.losses, &problem.path),
                            "{}: `{}` refuses {value} for {problem:?}\nlowered schema: {schema}\nfull schema: {}\nlosses: {:?}",
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
fn check_counts(counts: &Counts, min_accepted: usize) {
    eprintln!("accepted, and refused because of a loss: {counts:?}");
    for dialect in DIALECTS.iter().filter(|dialect| !dialect.accepts_any_schema()) {
        let [accepted, refused] = counts[dialect.name];
        let name = dialect.name;
        assert!(accepted > min_accepted && refused < accepted / 2, "{name}: {accepted} accepted, {refused} refused");
    }
}

#[test]
fn arguments_that_a_dialect_allows_are_accepted() {
    let (mut random, mut counts) = (Random(7), Counts::new());
    check_arguments(&Sources::from_memory(schemas::project(TOOLS, &mut random)), &mut random, &mut counts);
    check_counts(&counts, 300);
}

#[test]
fn arguments_that_a_dialect_allows_for_golden_tools_are_accepted() {
    let (mut random, mut counts) = (Random(3), Counts::new());
    let sources = Sources::scan(&project("projects/golden")).expect("failed to read the project");
    check_arguments(&sources, &mut random, &mut counts);
    check_counts(&counts, 50);
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the parameters of a tool, lowered once and twice.
fn lowered_once_and_twice(tool: &Tool, dialect: &'static Dialect) -> [Value; 2] {
    let manifest = &tool.manifest;
    let once = narrow(&manifest.params, &manifest.defs, dialect);
    let twice = narrow(&once.schema, &once.defs, dialect);
    [&once, &twice].map(|narrowed| narrowed.defs.document_in(&narrowed.schema, dialect.spelling).full_value())
}

#[test]
fn lowering_a_lowered_schema_changes_nothing() {
    let sources = Sources::from_memory(schemas::project(TOOLS, &mut Random(11)));
    let catalog = compile(&sources).catalog.expect("the tools compile");
    for (_, tool) in catalog.tools() {
        for dialect in DIALECTS {
            let [once, twice] = lowered_once_and_twice(tool, dialect);
            assert_eq!(once, twice, "{}: {}", dialect.name, tool.manifest.parameters().full_value());
        }
    }
}

/// Keywords that describe structure in every subset of JSON Schema.
const STRUCTURE: &[&str] = &["type", "title", "description", "properties", "required", "items", "anyOf"];

/// Checks a schema and every schema in it against the rules that a vendor states.
fn walk(schema: &Value, check: &mut dyn FnMut(&Map<String, Value>)) {
    let words = schema.as_object().unwrap_or_else(|| panic!("not a schema: {schema}"));
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

/// Returns the name of the definition that a `$ref` refers to.
fn target(words: &Map<String, Value>) -> Option<&str> {
    Some(words.get("$ref")?.as_str()?.strip_prefix("#/$defs/").expect("the reference is local"))
}

/// Returns the depth of nested schemas.
fn depth(schema: &Value) -> usize {
    let below = schema.as_object().into_iter().flatten().flat_map(|(word, value)| match (word.as_str(), value) {
        ("items", below) => vec![below],
        ("anyOf", Value::Array(all)) => all.iter().collect(),
        ("properties", Value::Object(all)) => all.values().collect(),
        _ => Vec::new(),
    });
    1 + below.map(depth).max().unwrap_or(0)
}

/// Asserts that no definition refers to itself, which this walk would follow forever.
fn follow(schema: &Value, root: &Value, depth: usize) {
    assert!(depth < 40, "a recursive reference: {root}");
    walk(schema, &mut |words| {
        if let Some(to) = target(words) {
            follow(&root["$defs"][to], root, depth + 1);
        }
    });
}

/// Asserts that a definition keeps to every limit in the record of its dialect.
fn conforms(dialect: &Dialect, definition: &Value) {
    let [parameters, result] = schemas_of(definition);
    let schemas = if dialect.accepts_any_schema() { [None, None] } else { [parameters, result] };
    for schema in schemas.into_iter().flatten() {
        walk(schema, &mut |words| conforms_to_subset(dialect, words));
        // The root may be empty; some envelopes omit it in that case.
        for below in schema["properties"].as_object().into_iter().flatten().map(|(_, below)| below) {
            walk(below, &mut |words| {
                let is_empty = words.get("properties") == Some(&json!({}));
                assert!(dialect.schema.empty_objects().is_none() || !is_empty, "{words:?}");
            });
        }
        if dialect.schema.refs().is_some_and(|refs| refs.value == (Refs::Alone { recursive: false })) {
            schema["properties"].as_object().into_iter().flatten().for_each(|(_, below)| follow(below, schema, 0));
        }
        if let Some(most) = dialect.schema.max_depth() {
            assert!(depth(schema) <= most.value + 1, "{schema}");
        }
    }
    let Some(root) = parameters else { return };
    assert!(root["type"].as_str().is_some_and(|ty| ty.eq_ignore_ascii_case("object")), "{root}");
    for word in dialect.tool.root_keywords().into_iter().flat_map(|refused| refused.value) {
        assert!(root.get(word).is_none(), "`{word}` at the root: {root}");
    }
    if let Some(names) = dialect.tool.parameter_name() {
        for key in root["properties"].as_object().expect("a table").keys() {
            assert!(names.value.accepts(key), "{key}");
        }
    }
    if let Some(most) = dialect.tool.max_size() {
        let (mut properties, mut letters, mut values) = (0, 0, 0);
        walk(root, &mut |words| {
            let names = words.get("properties").and_then(Value::as_object).into_iter().flatten();
            for (name, _) in names {
                properties += 1;
                letters += name.len();
            }
            for value in words.get("enum").and_then(Value::as_array).into_iter().flatten().chain(words.get("const")) {
                values += 1;
                letters += value.to_string().len();
            }
        });
        let most = most.value;
        assert!(properties <= most.properties && letters <= most.text && values <= most.enum_values);
    }
}

/// Asserts that one schema keeps to the subset of JSON Schema of its dialect.
fn conforms_to_subset(dialect: &Dialect, words: &Map<String, Value>) {
    let schema = &dialect.schema;
    let has = |word: &str| words.contains_key(word);
    if has("$ref") {
        assert!(matches!(schema.refs().map(|refs| refs.value), None | Some(Refs::Alone { .. })), "{words:?}");
        assert!(schema.refs().is_none() || words.len() == 1, "a `$ref` has siblings: {words:?}");
        return;
    }
    let extra: &[&str] = if dialect.spelling.says_closed { &["$defs", "additionalProperties"] } else { &[] };
    if let Some(keywords) = schema.keywords() {
        for word in words.keys().map(String::as_str) {
            let is_accepted = keywords.value.contains(&word);
            assert!(is_accepted || STRUCTURE.contains(&word) || extra.contains(&word), "`{word}` in {words:?}");
        }
    }
    assert!(has("type") || has("anyOf"), "any value: {words:?}");
    let types: Vec<String> = match words.get("type") {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_lowercase).collect(),
        Some(one) => one.as_str().map(str::to_lowercase).into_iter().collect(),
        None => Vec::new(),
    };
    let is = |ty: &str| types.iter().any(|one| one == ty);
    assert!(schema.type_lists().is_none() || words.get("type").is_none_or(Value::is_string), "{words:?}");
    assert!(schema.null().is_none() || (!is("null") && !has("nullable")), "{words:?}");
    assert!(schema.union_siblings().is_none() || !has("anyOf") || words.len() == 1, "{words:?}");
    assert!(schema.untyped_arrays().is_none() || has("items") == is("array"), "{words:?}");
    assert_eq!(has("properties"), is("object"), "{words:?}");
    if schema.open_objects().is_some() {
        let expected = (is("object") && dialect.spelling.says_closed).then_some(Value::Bool(false));
        assert_eq!(words.get("additionalProperties"), expected.as_ref(), "{words:?}");
    }
    if schema.optional_properties().is_some() && is("object") {
        let names: BTreeSet<&str> = words["properties"].as_object().expect("a table").keys().map(|k| &**k).collect();
        let required = words.get("required").and_then(Value::as_array).into_iter().flatten();
        assert_eq!(names, required.filter_map(Value::as_str).collect(), "every property is required");
    }
    for value in words.get("enum").and_then(Value::as_array).into_iter().flatten().chain(words.get("const")) {
        match schema.enums().map(|enums| enums.value) {
            None => {}
            Some(Enums::Scalars) => assert!(!value.is_array() && !value.is_object(), "{words:?}"),
            Some(Enums::Strings) => assert!(is("string") && value.is_string(), "{words:?}"),
        }
    }
    if let (Some(known), Some(format)) = (schema.formats(), words.get("format")) {
        assert!(known.value.iter().any(|known| format == known), "{words:?}");
    }
    if let (Some(most), Some(least)) = (schema.max_min_items(), words.get("minItems")) {
        assert!(least.as_u64().is_some_and(|least| least <= most.value), "{words:?}");
    }
    if let (Some(_), Some(pattern)) = (schema.non_grammar_patterns(), words.get("pattern").and_then(Value::as_str)) {
        assert!(pattern.starts_with('^') && pattern.ends_with('$'), "{pattern}");
        assert!(!["\\d", "\\w", "\\s", "\\b", "(?"].iter().any(|sign| pattern.contains(sign)), "{pattern}");
    }
}

/// Exports the golden and the shipped project: with the definitions in all dialects, whichever gen writes.
fn exported() -> [tempfile::TempDir; 2] {
    ["projects/golden", ".."].map(|folder| {
        let (root, target) = (project(folder), tempfile::tempdir().expect("failed to make a folder"));
        let paths = [root.as_path(), target.path()].map(|path| path.to_str().expect("text"));
        let (status, _, err) = toolc_codegen::cli::capture(["--root", paths[0], "export", paths[1]]);
        assert_eq!(status, 0, "{err}");
        target
    })
}

/// Returns the dialect whose form a definition has: a tool can be without strict mode.
fn form(dialect: &'static Dialect, definition: &Value) -> &'static Dialect {
    let is_strict = ["/strict", "/function/strict"].iter().any(|place| definition.pointer(place).is_some());
    dialect.lenient.filter(|_| !is_strict).unwrap_or(dialect)
}

#[test]
fn every_definition_conforms_to_its_dialect() {
    for project in exported() {
        for dialect in DIALECTS.iter().filter(|dialect| dialect.language == Language::Json) {
            let folder = project.path().join("schemas").join(dialect.name);
            let mut count = 0;
            for below in ["tools", "toolsets"] {
                for entry in std::fs::read_dir(folder.join(below)).expect("the dialect has its folder") {
                    let path = entry.expect("failed to read a folder").path();
                    let text = std::fs::read_to_string(&path).expect("failed to read");
                    let definitions: Value = serde_json::from_str(&text).expect("definitions are JSON");
                    let all = definitions.as_array().cloned().unwrap_or_else(|| vec![definitions]);
                    for definition in all {
                        conforms(form(dialect, &definition), &definition);
                        count += 1;
                    }
                }
            }
            assert!(count > 5, "{}", dialect.name);
        }
    }
}

/// Rules about sets of tools.
const RULES_FOR_SETS: &[&str] = &["anthropic-strict-budget", "prefix-headroom", "tool-count"];

#[test]
fn lowered_schemas_have_no_findings() {
    let projects = exported();
    for dialect in DIALECTS.iter().filter(|dialect| dialect.language == Language::Json) {
        // Keywords that an API ignores stay, and are also stated in words.
        let lint = "[lint]\nP = \"warn\"\nignored-keyword = \"allow\"\n";
        let settings = format!("dialects = [{:?}]\n{lint}", dialect.name);
        let home = "name = \"s\"\ndescription = \"Tools.\"\n";
        let mut files =
            vec![("toolc.toml".to_owned(), settings), ("manifests/toolsets/s.toml".to_owned(), home.to_owned())];
        for project in &projects {
            let folder = project.path().join("schemas").join(dialect.name).join("tools");
            for entry in std::fs::read_dir(folder).expect("the dialect has its folder") {
                let text = std::fs::read(entry.expect("failed to read a folder").path()).expect("failed to read");
                let definition: Value = serde_json::from_slice(&text).expect("definitions are JSON");
                if form(dialect, &definition).name != dialect.name {
                    continue;
                }
                let name = ["/name", "/function/name", "/custom/name"]
                    .iter()
                    .find_map(|place| definition.pointer(place)?.as_str());
                let (name, none) = (name.expect("it has a name"), json!({ "type": "object" }));
                let schema = parameters(dialect, &definition).unwrap_or(none);
                files.push((format!("manifests/tools/{name}.toml"), schemas::manifest(name, &schema)));
            }
        }
        let sources = Sources::from_memory(files);
        let found = compile(&sources).diagnostics;
        let of_dialects = |one: &&Diagnostic| one.code.id.starts_with('P') && !RULES_FOR_SETS.contains(&one.code.name);
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
                conforms(dialect, &definition.value(Atoms::MAX, &[]));
            }
        }
    }
}

/// A tool whose definition is the same whether it is compiled or added at run time.
const WEATHER: &str = "name = 'weather'\ntoolset = 's'\ndescription = 'The weather in a city.'\n[params.city]\ntype = 'string'\ndescription = 'Where.'\nrequired = true\n";

/// Compares the definition of a tool that is added at run time, which the runtime writes, with that of a compiled tool.
#[test]
fn the_runtime_agrees_with_the_records() {
    let variants: Vec<toolc::Dialect> = DIALECTS.iter().filter_map(Dialect::in_runtime).collect();
    for variant in toolc::Dialect::ALL {
        assert!(variants.contains(variant), "`{}` has no record in lower/src/dialects", variant.name());
    }
    for (keys, callers, background) in [
        ("", Callers::MODEL, false),
        ("callers = ['model', 'code']\n", Callers::BOTH, false),
        ("callers = ['code']\n", Callers::CODE, false),
        ("execution = 'async'\nbackground = true\n", Callers::MODEL, true),
    ] {
        let weather = WEATHER.replacen("\ndescription", &format!("\n{keys}description"), 1);
        runtime_agrees(&weather, |tool| tool.callers(callers).background(background));
        let returns = "[returns]\ntype = 'object'\n[returns.properties.sky]\ntype = 'string'\nrequired = true\n";
        runtime_agrees(&(weather + returns), |tool| {
            let sky = json!({"sky": {"type": "string"}});
            let schema =
                json!({"type": "object", "properties": sky, "required": ["sky"], "additionalProperties": false});
            tool.callers(callers).background(background).returns(schema)
        });
    }
}

/// Asserts that a tool which is added at run time has the definitions of the one in a manifest.
fn runtime_agrees(manifest: &str, declare: impl Fn(DynamicTool) -> DynamicTool) {
    let files =
        [("manifests/tools/weather.toml", manifest), ("manifests/toolsets/s.toml", "name = 's'\ndescription = 'S.'\n")];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let catalog = compile(&Sources::from_memory(files)).catalog.expect("the tool compiles");
    let (_, tool) = catalog.tools().next().expect("there is a tool");
    let schema = tool.manifest.parameters().full_value();
    let weather = DynamicTool::sync("weather", "The weather in a city.", schema, |_, _| Ok(ToolOutput::text("Rain.")));
    let registry = Registry::new();
    registry.add(declare(weather).build().expect("the tool is valid")).expect("the name is free");
    let session = registry.session().build().expect("the session is valid");
    for dialect in DIALECTS {
        let name = dialect.name;
        let in_runtime = dialect.in_runtime().expect("the runtime's `dialects!` and the record name it alike");
        assert_eq!(format!("{in_runtime:?}"), dialect.variant, "{name}: the record names the runtime's variant");
        assert_eq!(dialect.feature, (name != "openai").then_some(name), "{name}: the feature has the dialect's name");
        let Some(compiled) = definition(dialect, &catalog, tool).definition else {
            assert!(!tool.manifest.callers().model, "{name}: only a tool for code is refused");
            continue;
        };
        let mut compiled = compiled.full_value();
        let entries = compiled.as_object_mut().expect("a definition is an object");
        let own = if let Some(Value::Object(function)) = entries.get_mut("function") { function } else { entries };
        // Gemini gets no schema that the compiler has not lowered besides the one of the arguments.
        own.remove("responseJsonSchema");
        // Tools that are added at run time are not strict.
        let is_strict = own.get("strict") == Some(&json!(true));
        if is_strict {
            own.remove("strict");
            if tool.manifest.callers().code {
                continue;
            }
        }
        let text = session.turn_blocking(in_runtime).definitions().to_owned();
        if dialect.language == Language::TypeScript {
            assert_eq!(text, dialect.written(compiled.to_string()), "{name}");
            continue;
        }
        let found: Value = serde_json::from_str(&text).expect("definitions are JSON");
        let expected = if is_strict || dialect.accepts_any_schema() { json!([compiled]) } else { json!([]) };
        assert_eq!(found, expected, "{name}: see `dialects!` in runtime/src/data/dialect.rs");
    }
}

/// Returns the codes of the errors in a project of tools with these names and further keys, and what the tools are called in the dialect
/// `typescript`, if there is no other error than that of a rule.
fn declared(tools: &[(&str, &str)]) -> (Vec<&'static str>, Vec<String>) {
    let home = "name = 's'\ndescription = 'S.'\n";
    let fixed = [("toolc.toml", "dialects = ['typescript']\n"), ("manifests/toolsets/s.toml", home)];
    let tools = tools.iter().map(|(name, more)| {
        let text = format!("name = '{name}'\ntoolset = 's'\ndescription = 'Does it.'\n{more}\n");
        (format!("manifests/tools/{name}.toml"), text)
    });
    let files = fixed.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).chain(tools);
    let compiled = compile(&Sources::from_memory(files.collect::<Vec<_>>()));
    let errors = compiled.diagnostics.iter().filter(|one| one.level == Level::Error).map(|one| one.code.name).collect();
    let Some(catalog) = compiled.catalog else { return (errors, Vec::new()) };
    let dialect = dialects::find("typescript").expect("there is such a dialect");
    let tools = catalog.tools().filter_map(|(_, tool)| {
        let definition = definition(dialect, &catalog, tool).definition?.full_value();
        assert_eq!(definition["name"], tool.name_in("typescript"));
        Some(tool.name_in("typescript").to_owned())
    });
    (errors, tools.collect())
}

#[test]
fn names_that_are_not_unique_identifiers_are_errors() {
    let named = |name: &str| format!("dialect.typescript.name = '{name}'");
    let none: [&str; 0] = [];
    for (tools, errors, names) in [
        (&[("a-b", "")][..], &none[..], &["a_b"][..]),
        (&[("a-b", ""), ("a_b", "")], &["rust-name-collision"], &[]),
        (&[("a-b", ""), ("c", &named("a_b"))], &["duplicate-name"], &[]),
        (&[("b", &named("x-y")), ("c", &named("x_y"))], &["duplicate-name", "duplicate-name"], &[]),
        (&[("b", &named("x-y"))], &none, &["x_y"]),
        (&[("exec", "")], &["unusable-identifier"], &[]),
        (&[("new", &named("make"))], &none, &["make"]),
        (&[("b", &named("new"))], &["unusable-identifier"], &[]),
    ] {
        let found = declared(tools);
        assert_eq!(
            (found.0.as_slice(), found.1.iter().map(String::as_str).collect::<Vec<_>>()),
            (errors, names.to_vec()),
            "{tools:?}"
        );
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

#[test]
fn a_limit_is_an_error_if_it_is_certain_and_its_dialect_is_listed() {
    let levels = |settings: &str, tools: usize, code: &str| -> Vec<Level> {
        let home = "name = 's'\ndescription = 'Tools.'\n";
        let mut files = vec![
            ("toolc.toml".to_owned(), settings.to_owned()),
            ("manifests/toolsets/s.toml".to_owned(), home.to_owned()),
        ];
        for index in 0..tools {
            let text =
                format!("name = 't{index}'\ntoolset = 's'\ndescription = 'Reads the page {index} of the book.'\n");
            files.push((format!("manifests/tools/t{index}.toml"), text));
        }
        let found = compile(&Sources::from_memory(files)).diagnostics;
        found.iter().filter(|found| found.code.name == code).map(|found| found.level).collect()
    };
    assert_eq!(levels("dialects = ['anthropic-strict']", 21, "anthropic-strict-budget"), [Level::Error]);
    assert_eq!(levels("", 21, "anthropic-strict-budget"), []);
    let as_warning = "dialects = ['anthropic-strict']\nlint.anthropic-strict-budget = 'warn'";
    assert_eq!(levels(as_warning, 21, "anthropic-strict-budget"), [Level::Warning]);
    // OpenAI's limit is of medium confidence.
    assert_eq!(levels("dialects = ['openai']", 129, "tool-count"), [Level::Warning]);
}

#[test]
fn gemini_keeps_the_parameters_of_a_tool_whose_root_declares_no_property() {
    let tool = r#"
name = "t"
toolset = "s"
description = "Find something."

[schema]
additionalProperties = { type = "string" }
"#;
    let files = [
        ("toolc.toml", "dialects = [\"gemini\"]\n"),
        ("manifests/toolsets/s.toml", "name = \"s\"\ndescription = \"Tools.\"\n"),
        ("manifests/tools/t.toml", tool),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let catalog = compile(&Sources::from_memory(files)).catalog.expect("the tool compiles");
    let (_, tool) = catalog.tools().next().expect("the catalog has a tool");
    let gemini = DIALECTS.iter().find(|dialect| dialect.name == "gemini").expect("the dialect exists");
    let definition = definition(gemini, &catalog, tool).definition.expect("the dialect accepts the tool").full_value();
    assert_eq!(definition["parametersJsonSchema"]["additionalProperties"], json!({ "type": "string" }));
}
