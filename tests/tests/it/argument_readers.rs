//! Three readings of arguments agree: the tables that gen writes, the tables made from JSON Schemas at run time, and a JSON
//! Schema validator. The schemas and arguments are random, and the same in every run. `TOOLC_TOOLS` sets how many tools are
//! generated.

use jsonschema::{Keyword, ValidationError, Validator};
use serde_json::{Map, Value, json};
use toolc::args::{repair, validate};
use toolc_tests::arguments::{doubled, misspell, mutate, unrelated_arguments, valid_arguments};
use toolc_tests::random::Random;
use toolc_tests::schemas;

use super::fuzz::arguments::{Subject, check_arguments, is_rounded, same};

/// Tools of one project.
const PROJECT: usize = 50;
/// Arguments for each tool in each turn.
const ARGUMENTS: usize = 30;

#[test]
fn compiled_and_run_time_tables_read_arguments_as_a_validator_does() {
    let tools = std::env::var("TOOLC_TOOLS").map_or(PROJECT, |count| count.parse().expect("TOOLC_TOOLS is a number"));
    let mut random = Random(1);
    let mut counts = Counts::default();
    for _ in 0..tools.div_ceil(PROJECT) {
        for subject in Subject::all(schemas::project(PROJECT, &mut random)) {
            let standard = Standard::new(&subject.schema);
            for number in 0..ARGUMENTS {
                let mut value = valid_arguments(&subject.schema, &mut random);
                match number % 5 {
                    0 | 1 => {}
                    2 => misspell(&mut value, &mut random),
                    3 => mutate(&mut value, &mut random),
                    _ => value = unrelated_arguments(&subject.schema, &mut random),
                }
                assert_agreement(&subject, &standard, &value, &mut counts);
                if let Some(text) = doubled(&value, &mut random).filter(|_| number % 5 == 0) {
                    assert_eq!(check_arguments(&subject, &text), None, "{text}");
                }
            }
        }
    }
    let Counts { right, repaired, wrong } = counts;
    let all = right + repaired + wrong;
    eprintln!("{all} arguments for {tools} tools: {right} right, {repaired} repaired, {wrong} wrong");
    // The test is useful only if all three occur often.
    assert!(right > all / 4 && repaired > all / 20 && wrong > all / 5);
}

/// Arguments that the two kinds of tables once read differently.
#[test]
fn both_tables_read_once_ambiguous_arguments_equally() {
    let check_tool = |lines: &str, turns: &[(&str, Option<Value>)]| {
        let tool = format!("name = \"t\"\ntoolset = \"s\"\ndescription = \"A tool.\"\n{lines}");
        let others = schemas::project(0, &mut Random(1)).into_iter();
        let subjects = Subject::all(others.chain([("manifests/tools/t.toml".to_owned(), tool)]).collect());
        for (text, got) in turns {
            let read: Vec<_> = subjects.iter().map(|subject| check_arguments(subject, text)).collect();
            assert_eq!(read.last(), Some(got), "{text}");
        }
        subjects
    };
    // `oneOf` refuses null if two alternatives allow it.
    let both = "[params.x]\nrequired = true\noneOf = [{ type = 'null' }, { type = ['null', 'array', 'number'] }]";
    check_tool(both, &[(r#"{"x":null}"#, None), (r#"{"x":2}"#, Some(json!({ "x": 2 })))]);
    // The spelling of a bound does not matter.
    check_tool(
        "params.x = { type = 'integer', multipleOf = 3.0, minimum = 9007199254740993.0 }",
        &[
            (r#"{"x":9007199254740993}"#, Some(json!({ "x": 9_007_199_254_740_993_i64 }))),
            (r#"{"x":9007199254740994}"#, None),
            (r#"{"x":9007199254740990}"#, None),
        ],
    );
    // Enum values hidden in a turn do not contribute types either.
    let subjects = check_tool(
        "params.x.enum = ['0.25', { value = 1, when = 'facts.one' }, { value = 1.5, when = 'facts.one' }]",
        &[(r#"{"x":0.25}"#, None), (r#"{"x":1}"#, Some(json!({ "x": 1 })))],
    );
    assert_eq!(check_arguments(&subjects[0], r#"{"x":0.25}"#), Some(json!({ "x": "0.25" })));
    // A null that several schemas describe means absence if one of them refuses null and none requires the property.
    let several = |required: bool| {
        format!(
            "params.x = {{ type = ['integer', 'null'], required = {required} }}\n[schema]\nadditionalProperties = true\n\
             anyOf = [{{ additionalProperties = true, properties = {{ x = {{ type = 'integer' }}, y = {{ type = 'integer' \
             }} }} }}]"
        )
    };
    let nulls = r#"{"x":null,"y":null,"z":null}"#;
    check_tool(&several(true), &[(nulls, None), (r#"{"x":1,"y":null,"z":null}"#, Some(json!({ "x": 1, "z": null })))]);
    check_tool(&several(false), &[(nulls, Some(json!({ "z": null })))]);
}

/// The numbers of arguments that were accepted as sent, accepted after repair, and refused.
#[derive(Default)]
struct Counts {
    right: usize,
    repaired: usize,
    wrong: usize,
}

/// Asserts that both tables and the validator agree about a value.
fn assert_agreement(subject: &Subject, standard: &Standard, value: &Value, counts: &mut Counts) {
    let context = || format!("{value}\nfor {}", subject.schema);
    let tables = [&subject.lowered, &subject.dynamic];
    let [(is_right, repaired), (_, other)] = tables.map(|table| {
        let is_right = validate(value, table).is_empty();
        standard.agrees(value, is_right, &context);
        let mut repaired = value.clone();
        repair(&mut repaired, table);
        standard.agrees(&repaired, validate(&repaired, table).is_empty(), &context);
        (is_right, repaired)
    });
    assert!(same(&repaired, &other), "repaired to {repaired} and to {other}: {}", context());
    assert!(!is_right || is_kept(value, &repaired), "right, but repaired to {repaired}: {}", context());
    let accepted = check_arguments(subject, &value.to_string());
    let is_accepted = accepted.is_some();
    // An integer that this value has only as a float is read exactly from its text.
    if !is_rounded(value) {
        standard.agrees(&repaired, is_accepted, &context);
    }
    // A number reaches the handler as the nearest float, which may be beyond a bound.
    if let Some(value) = accepted.filter(is_exact) {
        assert!(standard.strict.is_valid(&value), "{value} reaches the handler and is not valid: {}", context());
    }
    *match (is_right, is_accepted) {
        (true, true) => &mut counts.right,
        (false, true) => &mut counts.repaired,
        // Includes values that are valid with the string `null`, and not with null in its place.
        (_, false) => &mut counts.wrong,
    } += 1;
}

/// Returns whether a valid value is unchanged, except that the string `null` becomes null where null is allowed.
fn is_kept(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::String(text), Value::Null) => text.trim().eq_ignore_ascii_case("null"),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_kept(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_kept(a, b)))
        }
        _ => same(before, after),
    }
}

/// JSON Schema validators that apply the rules of the argument reader.
struct Standard {
    /// Validates the value that the handler gets.
    strict: Validator,
    /// Validates the value that a model sends, in which null can mean absence.
    lenient: Validator,
    /// Whether exactly one schema describes each value.
    is_simple: bool,
}

impl Standard {
    fn new(schema: &Value) -> Self {
        let build = |nulls| {
            let options = jsonschema::draft202012::options().with_keyword(INTEGERS, |_, _, _| Ok(Box::new(Integers)));
            let options = options.should_validate_formats(true);
            options.build(&as_read(schema, nulls)).unwrap_or_else(|error| panic!("{error}: {schema}"))
        };
        let text = schema.to_string();
        let is_simple =
            !["anyOf", "oneOf", "allOf", "$ref"].iter().any(|keyword| text.contains(&format!("\"{keyword}\":")));
        Self { strict: build(false), lenient: build(true), is_simple }
    }

    /// Asserts that `value` is accepted if and only if it is valid. If several schemas describe a null that may mean absence, a
    /// validator cannot decide: then only valid values are asserted to be accepted.
    fn agrees(&self, value: &Value, is_accepted: bool, context: &dyn Fn() -> String) {
        let is_valid = self.strict.is_valid(value);
        if is_valid || !contains_null(value) {
            assert_eq!(is_accepted, is_valid, "{value}: {}", context());
        } else if self.is_simple {
            assert_eq!(is_accepted, self.lenient.is_valid(value), "{value}: {}", context());
        }
    }
}

/// Returns whether all numbers are exact as floats.
fn is_exact(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_exact),
        Value::Object(map) => map.values().all(is_exact),
        Value::Number(number) => number.as_f64().is_some_and(|float| float.abs() < 2_f64.powi(53)),
        _ => true,
    }
}

fn contains_null(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(contains_null),
        Value::Object(map) => map.values().any(contains_null),
        value => value.is_null(),
    }
}

/// Rewrites a schema for the differences between the reader and the standard:
/// - an integer has 64 bits and is exact;
/// - with `nulls`, an optional property that is null without being nullable counts as absent.
fn as_read(schema: &Value, nulls: bool) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let mut read: Map<String, Value> =
        keywords.iter().map(|(keyword, value)| (keyword.clone(), keyword_as_read(keyword, value, nulls))).collect();
    let names =
        |ty: &str| schema["type"] == ty || schema["type"].as_array().is_some_and(|types| types.contains(&json!(ty)));
    if names("integer") && !names("number") {
        read.insert(INTEGERS.to_owned(), json!(true));
    }
    if !nulls {
        return read.into();
    }
    let required = keywords.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut optional = Vec::new();
    for (name, schema) in read.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if !required.contains(&json!(name)) {
            let absent = json!({ "type": "null", "not": schema });
            *schema = json!({ "anyOf": [schema, { "type": "null" }] });
            optional.push((name.clone(), absent));
        }
    }
    let counts = ["minProperties", "maxProperties"]
        .map(|keyword| (keyword, read.remove(keyword).and_then(|count| count.as_u64())));
    if counts.iter().any(|(_, count)| count.is_some()) && !optional.is_empty() {
        // One alternative for each set of properties that are sent and count as absent, with the counts raised by its size.
        let choices = (0..1_u32 << optional.len()).map(|choice| {
            let mut properties = Map::new();
            let mut sent = Vec::new();
            for (index, (name, absent)) in optional.iter().enumerate() {
                let is_absent = choice >> index & 1 == 1;
                properties.insert(name.clone(), if is_absent { absent.clone() } else { json!({ "not": absent }) });
                sent.extend(is_absent.then_some(name));
            }
            let mut choice = json!({ "properties": properties, "required": sent });
            for (keyword, count) in counts {
                if let Some(count) = count {
                    choice[keyword] = json!(count + sent.len() as u64);
                }
            }
            choice
        });
        let counted = json!({ "anyOf": choices.collect::<Vec<_>>() });
        let all = read.entry("allOf").or_insert_with(|| json!([]));
        all.as_array_mut().expect("`allOf` is an array").push(json!({ "if": { "type": "object" }, "then": counted }));
    } else {
        read.extend(counts.into_iter().filter_map(|(keyword, count)| Some((keyword.to_owned(), json!(count?)))));
    }
    read.into()
}

fn keyword_as_read(keyword: &str, value: &Value, nulls: bool) -> Value {
    match (keyword, value) {
        ("items" | "additionalProperties", below) => as_read(below, nulls),
        ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => all.iter().map(|one| as_read(one, nulls)).collect(),
        ("properties" | "$defs", Value::Object(all)) => {
            all.iter().map(|(name, below)| (name.clone(), as_read(below, nulls))).collect()
        }
        _ => value.clone(),
    }
}

const INTEGERS: &str = "integers";

/// Accepts numbers that are integers of 64 bits. From 2^53 on, a float does not identify the integer that was written.
struct Integers;

impl<'i> Keyword<'i> for Integers {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) { Ok(()) } else { Err(ValidationError::custom("not an integer of 64 bits")) }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        let Value::Number(number) = instance else { return true };
        match number.as_f64() {
            Some(float) if number.is_f64() => float.fract() == 0.0 && float.abs() < 2_f64.powi(53),
            _ => number.is_i64(),
        }
    }
}
