//! Tests of numbers, and of arguments that are said twice, toward schemas of run time.

use serde_json::{Value, json};

use super::*;

/// Returns the arguments in `text` for parameters with these schemas, with the digits of numbers.
fn read_digits(text: &str, properties: &Value) -> Result<String, ToolError> {
    let schema = json!({"type": "object", "properties": properties});
    let table = Table::from_schema(&schema).unwrap().with_wide_integers();
    let mut buffer = SlotBuffer::default();
    let mut arguments: Value = read(text, &table, Limits::default(), &mut buffer)?.value(0);
    restore_numbers(text, &mut arguments, &|digits| format!("<{digits}>").into());
    Ok(arguments.to_string().replace("\"<", "").replace(">\"", ""))
}

#[test]
fn a_number_that_becomes_a_string_keeps_its_digits() {
    let text = json!({"id": {"type": "string"}, "ids": {"type": "array", "items": {"type": "string"}},
        "maybe": {"type": ["string", "null"]}, "any": {"anyOf": [{"type": "string"}, {"type": "array"}]},
        "deep": {"type": "object", "properties": {"id": {"type": "string"}}}});
    for digits in ["108177563933458432123", "3.10", "1e5", "-0", "0.10", "1E+2", "18446744073709551616", "7", "-1.0"] {
        for (sent, expected) in [
            (r#"{"id":N}"#, r#"{"id":"N"}"#),
            (r#"{"ids":N}"#, r#"{"ids":["N"]}"#),
            (r#"{"ids":[N,"a", N ]}"#, r#"{"ids":["N","a","N"]}"#),
            (r#"{"maybe":N}"#, r#"{"maybe":"N"}"#),
            (r#"{"any":N}"#, r#"{"any":"N"}"#),
            (r#"{"deep":{"id":N}}"#, r#"{"deep":{"id":"N"}}"#),
            (r#"{"deep":"{\"id\":N}"}"#, r#"{"deep":{"id":"N"}}"#),
            (r#"{"deep":"{'id':N,}"}"#, r#"{"deep":{"id":"N"}}"#),
            (r"{'id':N,}", r#"{"id":"N"}"#),
            ("```json\n{\"id\":N}\n```", r#"{"id":"N"}"#),
            (r#""{\"id\":N}""#, r#"{"id":"N"}"#),
            (r#"{"id":N}{"id":N}"#, r#"{"id":"N"}"#),
        ] {
            let [sent, expected] = [sent, expected].map(|text| text.replace('N', digits));
            assert_eq!(read_digits(&sent, &text).unwrap(), expected, "{sent}");
        }
    }
    let table = Table::from_schema(&json!({"type": "object", "properties": text})).unwrap();
    let repairs = repairs::find(r#"{"id":3.10}"#, &table, Limits::default());
    assert_eq!(repairs[0].to_string(), r#"/id: 3.10 became "3.10" (string)"#);
}

#[test]
fn the_digits_that_were_sent_are_validated() {
    let version = json!({"v": {"enum": ["3.10", "3.11"]}, "short": {"type": "string", "maxLength": 3}});
    assert_eq!(read_digits(r#"{"v":3.10}"#, &version).unwrap(), r#"{"v":"3.10"}"#);
    assert_eq!(read_digits(r#"{"short":1e5}"#, &version).unwrap(), r#"{"short":"1e5"}"#);
    assert!(read_digits(r#"{"short":3.10}"#, &version).is_err());
}

#[test]
fn an_integer_is_passed_on_without_a_fraction_at_every_depth() {
    let integer = json!({"type": "integer"});
    let schemas = json!({
        "n": integer,
        "list": {"type": "array", "items": integer},
        "deep": {"type": "object", "properties": {"n": {"type": "array", "items": {"type": "object", "properties": {"n": integer}}}}},
        "map": {"type": "object", "additionalProperties": integer},
        "maybe": {"type": ["integer", "null"]},
        "either": {"anyOf": [{"type": "string"}, integer]},
        "one": {"oneOf": [integer, {"type": "boolean"}]},
        "all": {"allOf": [integer, {"minimum": 0}]},
        "word": {"enum": [1, 5, 1000]},
        "const": {"const": 5},
        "text": {"type": ["integer", "string"]},
        "number": {"type": "number"},
        "both": {"type": ["integer", "number"]},
        "any": {},
    });
    for (sent, expected) in [("5.0", "5"), ("1e3", "1000"), ("5.00", "5"), ("1E+3", "1000")] {
        for (arguments, becomes) in [
            (r#"{"n":N}"#, true),
            (r#"{"list":[N,N]}"#, true),
            (r#"{"list":N}"#, true),
            (r#"{"deep":{"n":[{"n":N}]}}"#, true),
            (r#"{"map":{"x":N}}"#, true),
            (r#"{"maybe":N}"#, true),
            (r#"{"either":N}"#, true),
            (r#"{"one":N}"#, true),
            (r#"{"all":N}"#, true),
            (r#"{"word":N}"#, true),
            (r#"{"text":N}"#, true),
            (r#"{"number":N}"#, false),
            (r#"{"both":N}"#, false),
            (r#"{"any":N}"#, false),
            (r#"{"unknown":N}"#, false),
        ] {
            let arguments_sent = arguments.replace('N', sent);
            let mut wanted = arguments.replace('N', if becomes { expected } else { sent });
            if arguments == r#"{"list":N}"# {
                wanted = format!(r#"{{"list":[{expected}]}}"#);
            }
            assert_eq!(read_digits(&arguments_sent, &schemas).unwrap(), wanted, "{arguments_sent}");
        }
    }
    assert_eq!(read_digits(r#"{"const":5.0}"#, &schemas).unwrap(), r#"{"const":5}"#);
    for (sent, expected) in [("-0", "0"), ("-0.0", "0"), ("-5.0", "-5"), ("9007199254740994.0", "9007199254740994")] {
        let text = format!(r#"{{"n":{sent}}}"#);
        assert_eq!(read_digits(&text, &schemas).unwrap(), format!(r#"{{"n":{expected}}}"#), "{sent}");
    }
    assert!(read_digits(r#"{"n":5.5}"#, &schemas).is_err());
}

#[test]
fn an_integer_with_a_fraction_or_an_exponent_never_becomes_another_one() {
    let integer = json!({"type": "integer"});
    let schemas = json!({
        "n": integer,
        "list": {"type": "array", "items": integer},
        "deep": {"type": "object", "properties": {"n": {"type": "array", "items": integer}}},
        "maybe": {"type": ["integer", "null"]},
        "all": {"allOf": [integer, {"minimum": -1e30}]},
    });
    for (sent, expected) in [
        ("9007199254740993.0", "9007199254740993"),
        ("12345678901234567890.0", "12345678901234567890"),
        ("1.2345678901234567890e19", "12345678901234567890"),
        ("90071992547409930e-1", "9007199254740993"),
        ("-9223372036854775809.0", "-9223372036854775809.0"),
        ("123456789012345678901.0", "123456789012345678901.0"),
        ("9007199254740993.5", "9007199254740993.5"),
    ] {
        for arguments in [
            r#"{"n":N}"#,
            r#"{"list":[1,N,2]}"#,
            r#"{"deep":{"n":[N]}}"#,
            r#"{"deep":"{\"n\":[N]}"}"#,
            r#"{"maybe":N}"#,
            r#"{"all":N}"#,
            r"{'n':N,}",
            "```json\n{\"n\":N}\n```",
            r#""{\"n\":N}""#,
            r#"{"n":N}{"n":N}"#,
        ] {
            let read = read_digits(&arguments.replace('N', sent), &schemas).unwrap();
            assert!(read.contains(expected), "{arguments} {sent}: {read}");
            assert_eq!(read.matches(expected).count(), 1, "{arguments} {sent}: {read}");
        }
    }
    let text = json!({"id": {"type": "string"}});
    for digits in ["9007199254740993.0", "1e18", "9007199254740993"] {
        let read = read_digits(&format!(r#"{{"id":{digits}}}"#), &text).unwrap();
        assert_eq!(read, format!(r#"{{"id":"{digits}"}}"#));
    }
    let word = json!({"w": {"enum": [9_007_199_254_740_992_u64]}});
    assert!(read_digits(r#"{"w":9007199254740993.0}"#, &word).is_err(), "it is another integer");
    assert_eq!(read_digits(r#"{"w":9007199254740992.0}"#, &word).unwrap(), r#"{"w":9007199254740992}"#);
}

#[test]
fn numbers_beyond_64_bits_keep_their_digits() {
    let schemas = json!({
        "n": {"type": "number"},
        "u": {"type": "integer", "minimum": 0, "maximum": 18_446_744_073_709_551_615_u64},
        "i": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "number"}},
    });
    for sent in [
        r#"{"n":123456789012345678901234567890}"#,
        r#"{"n":-123456789012345678901234567890}"#,
        r#"{"n":0.1234567890123456789012345}"#,
        r#"{"n":3.10}"#,
        r#"{"n":1.5e300}"#,
        r#"{"n":18446744073709551615}"#,
        r#"{"n":18446744073709551616}"#,
        r#"{"u":18446744073709551615}"#,
        r#"{"u":9223372036854775808}"#,
        r#"{"i":123456789012345678901234567890}"#,
        r#"{"list":[1.10,123456789012345678901,2]}"#,
        r#"{"any":{"deep":[123456789012345678901.50]}}"#,
    ] {
        assert_eq!(read_digits(sent, &schemas).unwrap(), sent);
    }
    let text = r#"{"n":"123456789012345678901234567890"}"#;
    assert_eq!(read_digits(text, &schemas).unwrap(), r#"{"n":123456789012345678901234567890}"#);
    assert!(read_digits(r#"{"u":18446744073709551616000}"#, &schemas).is_err());
    assert!(read_digits(r#"{"i":123456789012345678901234567890.5e-1}"#, &schemas).is_ok(), "too large for a fraction");
}

#[test]
fn bounds_beyond_an_i64_are_exact() {
    let properties =
        json!({ "n": { "type": "integer", "minimum": -9_223_372_036_854_775_808_i64, "maximum": u64::MAX } });
    for within in ["18446744073709551615", "18446744073709551614", "0", "-9223372036854775808"] {
        assert!(read_digits(&format!("{{\"n\":{within}}}"), &properties).is_ok(), "{within}");
    }
    for beyond in ["18446744073709551616", "1e20", "-9223372036854777856", "-1e20"] {
        let error = read_digits(&format!("{{\"n\":{beyond}}}"), &properties).expect_err(beyond).to_string();
        assert!(error.contains("between -9223372036854775808 and 18446744073709551615"), "{error}");
    }
}

#[test]
fn arguments_that_are_said_twice_are_read_once() {
    let schemas = json!({"a": {"type": "string"}, "n": {"type": "number"}});
    for (sent, expected) in [
        (r#"{"a":"x"}{"a":"x"}"#, r#"{"a":"x"}"#),
        (r#"{}{"a":"x"}"#, r#"{"a":"x"}"#),
        ("{ }\n{\"a\":\"x\"}\n", r#"{"a":"x"}"#),
        (r#"{"a":"x"} { "a" : "x" } {"a":"x"}"#, r#"{"a":"x"}"#),
        (r#"{}{}{"a":"x"}{"a":"x"}"#, r#"{"a":"x"}"#),
        ("{}{}", "{}"),
        (r#"{'a':'x'}{"a":"x"}"#, r#"{"a":"x"}"#),
        (r#"{"a":"}{"}{"a":"}{"}"#, r#"{"a":"}{"}"#),
        (r#""{}{\"a\":\"x\"}""#, r#"{"a":"x"}"#),
    ] {
        assert_eq!(read_digits(sent, &schemas).unwrap(), expected, "{sent}");
    }
    for (sent, what) in [
        (r#"{"a":"x"}{"a":"y"}"#, "another object, which differs from it, follows"),
        (r#"{"a":"x"}{}"#, "another object"),
        (r#"{"a":"x"} and more"#, "other text follows"),
        (r#"{"a":"x"}}"#, "a bracket too many follows"),
        (r#"{"n":12345678901234567890123}{"n":12345678901234567890124}"#, "another object"),
        (r"{}{}[]", "another object"),
    ] {
        let error = read_digits(sent, &schemas).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MalformedArguments);
        assert!(error.message().contains(what), "{sent}: {}", error.message());
    }
    let many = "{}".repeat(100_000);
    assert!(read_digits(&many, &schemas).is_err());
}
