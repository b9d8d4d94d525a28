//! `pattern` and `format` at every depth, after repair, in errors; and errors about unions.

use serde_json::{Value, json};

use super::*;

fn table(properties: &Value) -> Table {
    let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    Table::from_schema(&schema).expect("the schema is valid")
}

fn problems(properties: &Value, arguments: &Value) -> Vec<String> {
    let table = table(properties);
    match Arguments::read(&arguments.to_string(), &table, Limits::default()) {
        Ok(_) => Vec::new(),
        Err(error) => {
            let line =
                |problem: &Problem| format!("{}: expected {}, got {}", problem.path, problem.expected, problem.got);
            error.problems().iter().map(line).collect()
        }
    }
}

fn date() -> Value {
    json!({ "type": "string", "format": "date" })
}

#[test]
fn texts_that_break_pattern_or_format_are_refused_at_every_depth() {
    let https = json!({ "type": "string", "pattern": "^https:" });
    for (schema, good, bad, path) in [
        (date(), json!("2026-01-31"), json!("tomorrow"), "/x"),
        (https.clone(), json!("https://a"), json!("http://a"), "/x"),
        (json!({ "type": "array", "items": date() }), json!(["2026-01-31"]), json!(["2026-01-31", "x"]), "/x/1"),
        (
            json!({ "type": "object", "properties": { "at": date() } }),
            json!({ "at": "2026-01-31" }),
            json!({ "at": "x" }),
            "/x/at",
        ),
        (
            json!({ "type": "object", "additionalProperties": https }),
            json!({ "a": "https:" }),
            json!({ "a": "ftp:" }),
            "/x/a",
        ),
        (json!({ "anyOf": [{ "type": "integer" }, date()] }), json!("2026-01-31"), json!("x"), "/x"),
        (json!({ "allOf": [{ "type": "string" }, { "pattern": "b" }] }), json!("abc"), json!("ac"), "/x"),
        (json!({ "$ref": "#/properties/d", "pattern": "1$" }), json!("2026-01-31"), json!("2026-01-30"), "/x"),
    ] {
        let properties = json!({ "x": schema, "d": date() });
        assert_eq!(problems(&properties, &json!({ "x": good })), [""; 0], "{schema}");
        let found = problems(&properties, &json!({ "x": bad }));
        assert!(matches!(&*found, [one] if one.starts_with(&format!("{path}: "))), "{schema}: {found:?}");
    }
    // Only strings have a pattern or a format.
    let any = json!({ "x": { "pattern": "a", "format": "date" } });
    assert_eq!(problems(&any, &json!({ "x": 1 })), [""; 0]);
}

#[test]
fn a_value_is_checked_after_its_repair() {
    let code = json!({ "x": { "type": "string", "pattern": "^[0-9]{3}$" } });
    assert_eq!(problems(&code, &json!({ "x": 123 })), [""; 0]);
    assert_eq!(
        problems(&code, &json!({ "x": 12 })),
        ["/x: expected string that matches the pattern ^[0-9]{3}$, got \"12\""]
    );
    let dates = json!({ "x": { "type": "array", "items": date() } });
    assert_eq!(problems(&dates, &json!({ "x": "2026-01-31" })), [""; 0]);
    let nullable = json!({ "x": { "type": ["string", "null"], "format": "date" } });
    assert_eq!(problems(&nullable, &json!({ "x": "null" })), [""; 0]);
}

#[test]
fn an_error_names_the_form_with_an_example_and_a_bounded_part_of_the_pattern() {
    let found = problems(&json!({ "x": date() }), &json!({ "x": "tomorrow" }));
    assert_eq!(found, ["/x: expected a date like 2026-01-31, got \"tomorrow\""]);
    let long = json!({ "x": { "type": "string", "maxLength": 90, "pattern": format!("^{}$", "é".repeat(90)) } });
    let found = problems(&long, &json!({ "x": "b" }));
    let shown = "é".repeat(39);
    assert_eq!(
        found,
        [format!("/x: expected string with at most 90 characters that matches the pattern ^{shown}…, got \"b\"")]
    );
}

#[test]
fn a_pattern_that_the_engine_cannot_hold_refuses_nothing() {
    let properties = json!({ "x": { "type": "string", "pattern": "^(?!a)" } });
    assert_eq!(problems(&properties, &json!({ "x": "a" })), [""; 0]);
    assert_eq!(table(&properties).unenforced_patterns().collect::<Vec<_>>(), [("^(?!a)", "a look-around")]);
}

#[test]
fn a_text_that_is_too_long_for_its_pattern_is_refused_in_bounded_time() {
    let properties = json!({ "x": { "type": "string", "pattern": "(?:a{0,40}){40}b" } });
    let start = std::time::Instant::now();
    let found = problems(&properties, &json!({ "x": "a".repeat(4_000_000) }));
    assert!(!found.is_empty());
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    // In this time, ordinary texts and patterns are checked.
    let words = json!({ "x": { "type": "string", "pattern": "^[a-z ]*$" } });
    assert_eq!(problems(&words, &json!({ "x": "some words ".repeat(20_000) })), [""; 0]);
}

#[test]
fn a_pattern_is_compiled_once_for_all_turns() {
    let table = table(&json!({ "x": { "type": "string", "pattern": "^https:" } }));
    let copy = table.clone();
    let [one, other] = [&table, &copy].map(|table| table.bounds[0].text.clone().expect("a rule"));
    assert!(std::sync::Arc::ptr_eq(&one, &other));
}

#[test]
fn an_error_about_a_union_names_every_alternative() {
    let vehicle = json!({ "vehicle": { "oneOf": [
        { "type": "string", "enum": ["car", "bike", "foot"] },
        { "type": "object", "properties": { "kind": { "type": "string" }, "kmh": { "type": "number" } },
          "required": ["kind", "kmh"], "additionalProperties": false },
    ] } });
    assert_eq!(
        problems(&vehicle, &json!({ "vehicle": "train" })),
        [r#"/vehicle: expected one of "car", "bike", "foot" or object with "kind", "kmh", got "train""#]
    );
    assert_eq!(
        problems(&vehicle, &json!({ "vehicle": { "kind": "train", "kmh": "fast" } })),
        [r#"/vehicle/kmh: expected number (or /vehicle: one of "car", "bike", "foot"), got "fast""#]
    );
    let tagged =
        |kind: &str| json!({ "type": "object", "properties": { "kind": { "const": kind } }, "required": ["kind"] });
    let tags = json!({ "x": { "oneOf": [tagged("a"), tagged("b"), { "type": "integer" }] } });
    assert_eq!(
        problems(&tags, &json!({ "x": { "kind": "c" } })),
        [r#"/x/kind: expected one of "a", "b" (or /x: integer), got "c""#]
    );
    // The names of alternatives are bounded.
    let words = |at: usize| json!({ "type": "string", "pattern": format!("^{}{at}$", "x".repeat(60)) });
    let many = json!({ "x": { "anyOf": (0..20).map(words).collect::<Vec<_>>() } });
    let found = problems(&many, &json!({ "x": "y" })).join("");
    assert!(found.contains(" more, got") && found.len() < 700, "{found}");
}
