//! The dialects: what each of them allows, the reader takes; what it does not say is noted; what is narrow stays as it is;
//! and the strict ones keep to every rule that their providers state.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolc::args::{repair, validate};
use toolc::segment::Atoms;
use toolc_codegen::catalog::Tool;
use toolc_codegen::compile;
use toolc_codegen::lower::language::Language;
use toolc_codegen::lower::narrow::{How, Loss, narrow};
use toolc_codegen::lower::{DIALECTS, Dialect, lower};
use toolc_codegen::source::Sources;
use toolc_tests::arguments::right;
use toolc_tests::random::Random;
use toolc_tests::schemas;

/// Tools that are made at random.
const TOOLS: usize = 150;
/// Arguments for each of them in each dialect and turn.
const ARGUMENTS: usize = 6;

/// The schema of the parameters in a definition, as JSON Schema has it. None: there are none.
fn parameters(dialect: &Dialect, definition: &Value) -> Option<Value> {
    let places = ["/function/parameters", "/parameters", "/input_schema", "/parametersJsonSchema", "/inputSchema"];
    let found = places.iter().find_map(|place| definition.pointer(place))?;
    Some(if dialect.language.spelling.says_closed { found.clone() } else { spelled_out(found) })
}

/// A schema of OpenAPI's as JSON Schema, and objects closed, which there is not said.
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
        return json!({ "anyOf": [out, { "type": "null" }] });
    }
    out.into()
}

/// What a string is to hold.
const TEXT: &str = ", as text";
const SCHEMA: &str = "matches this JSON Schema: ";

/// The same with a text in place of each string that is to hold one: what a model would write that reads the words. None
/// where there is no such text that is right.
fn with_texts(schema: &Value, random: &mut Random) -> Option<Value> {
    let Value::Object(words) = schema else { return Some(schema.clone()) };
    let told = words.get("description").and_then(Value::as_str).unwrap_or_default();
    if let Some((_, rest)) = told.split_once("Write a JSON ").filter(|(_, rest)| rest.contains(TEXT)) {
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

/// A value of a schema; none where none comes up.
fn written(schema: &Value, random: &mut Random) -> Option<Value> {
    let validator = jsonschema::draft202012::new(schema).ok()?;
    let around = json!({ "type": "object", "properties": { "x": schema }, "required": ["x"], "$defs": schema["$defs"] });
    (0..20).map(|_| right(&around, random)["x"].take()).find(|value| is_told(value) && validator.is_valid(value))
}

/// Whether a value is read for what it is: numbers that 64 bits hold, and no word null.
fn is_told(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_i64() || number.as_f64().is_some_and(|float| {
            number.is_f64() && (float.fract() != 0.0 || float.abs() < 2_f64.powi(53))
        }),
        Value::String(text) => !text.trim().eq_ignore_ascii_case("null"),
        Value::Array(items) => items.iter().all(is_told),
        Value::Object(map) => map.values().all(is_told),
        _ => true,
    }
}

/// Whether one of the losses is about the parameter in which this pointer leads somewhere, or about any.
fn excuses(losses: &[Loss], pointer: &str) -> bool {
    let parameter = pointer.split('/').nth(1).unwrap_or_default();
    losses.iter().filter(|loss| loss.how != How::Text).any(|loss| {
        let own = loss.path.strip_prefix('.').is_some_and(|path| {
            let rest = path.strip_prefix(parameter);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        });
        // That nothing else may be sent is no reason to refuse what is.
        let whole = loss.path.is_empty() && loss.word != "additionalProperties";
        own || whole || loss.path.starts_with("$defs")
    })
}

#[test]
fn what_a_dialect_allows_the_reader_takes() {
    let mut random = Random(7);
    let sources = Sources::from_memory(schemas::project(TOOLS, &mut random));
    let catalog = compile(&sources).catalog.expect("the tools compile");
    let lowered = lower(&catalog);
    let mut seen: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (id, tool) in catalog.tools() {
        let arguments = &lowered.tool(id).arguments;
        for dialect in DIALECTS {
            let lowering = dialect.lower(&catalog, tool);
            let Some(definition) = lowering.definition else { continue };
            if dialect.language.is_whole() && lowering.losses.is_empty() {
                continue; // As the author wrote it.
            }
            let counts = seen.entry(dialect.name).or_default();
            for turn in 0..1 << tool.atoms.len().min(2) {
                let turn: Atoms = turn;
                let table = arguments.in_turn(turn).unwrap_or_else(|| (**arguments).clone());
                let Some(schema) = parameters(dialect, &definition.value(turn, &[])) else { continue };
                for _ in 0..ARGUMENTS {
                    let Some(schema) = with_texts(&schema, &mut random) else { continue };
                    let validator = jsonschema::draft202012::new(&schema)
                        .unwrap_or_else(|error| panic!("{}: {error}: {schema:#}", dialect.name));
                    let value = right(&schema, &mut random);
                    if !is_told(&value) || !validator.is_valid(&value) {
                        counts[2] += 1;
                        continue;
                    }
                    let mut mended = value.clone();
                    repair(&mut mended, &table);
                    let problems = validate(&mended, &table);
                    counts[usize::from(!problems.is_empty())] += 1;
                    for problem in &problems {
                        if std::env::var("DBG").is_ok() {
                            let parameter = problem.path.split('/').nth(1).unwrap_or_default();
                            let all: std::collections::BTreeSet<_> = lowering.losses.iter().filter(|l| l.how != How::Text && ((l.path.is_empty() && l.word != "additionalProperties") || l.path.starts_with("$") || l.path.get(1..).is_some_and(|p| p.starts_with(parameter)))).map(|l| format!("{} {:?}", l.word, l.how)).collect();
                            if all.len() == 1 { eprintln!("WHY {} {all:?} {} {problem:?}", dialect.name, value); }
                        }
                        assert!(
                            excuses(&lowering.losses, &problem.path),
                            "{}: `{}` refuses {value} for {problem:?}\nas it is shown: {schema}\nas it is: {}\nlosses: {:?}",
                            dialect.name, tool.name(), tool.manifest.parameters().value(turn, &[]),
                            lowering.losses.iter().map(|loss| (&loss.path, loss.word, loss.how)).collect::<Vec<_>>(),
                        );
                    }
                }
            }
        }
    }
    eprintln!("taken, refused where something was lost, not made right: {seen:?}");
    for (dialect, [taken, refused, _]) in seen {
        let language = DIALECTS.iter().find(|known| known.name == dialect).expect("it is one of them").language;
        assert!(taken > if language.is_whole() { 50 } else { 300 }, "{dialect}: {taken} is worth little");
        assert!(refused < taken / 2, "{dialect}: {refused} of {taken} refused");
    }
}

/// A tool's parameters, narrowed once and twice.
fn twice(tool: &Tool, language: &'static Language) -> [Value; 2] {
    let manifest = &tool.manifest;
    let once = narrow(&manifest.params, &manifest.defs, language, true, None);
    let twice = narrow(&once.schema, &once.defs, language, true, None);
    [&once, &twice].map(|narrowed| narrowed.defs.document_in(&narrowed.schema, language.spelling).whole())
}

#[test]
fn what_is_narrow_stays_as_it_is() {
    let sources = Sources::from_memory(schemas::project(TOOLS, &mut Random(11)));
    let catalog = compile(&sources).catalog.expect("the tools compile");
    for (_, tool) in catalog.tools() {
        for dialect in DIALECTS {
            let [once, twice] = twice(tool, dialect.language);
            assert_eq!(once, twice, "{}: {}", dialect.name, tool.manifest.parameters().whole());
        }
    }
}
