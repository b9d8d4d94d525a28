//! Arguments that never reach a handler, and the errors that the model gets.

use super::*;

#[test]
fn every_bound_is_enforced() {
    let within = json!({
        "closed": -3, "open": 999.5, "step": 0.75, "extreme": i64::MIN, "length": "äöüß", "items": [1, 2],
        "again": [1, 1], "keys": { "a": 1 },
    });
    insta::assert_snapshot!(fields(&echo("every_bound", &within)), @r#"
    Args { closed: Some(-3)
    open: Some(999.5)
    step: Some(0.75)
    extreme: Some(-9223372036854775808)
    length: Some("äöüß")
    items: Some([1, 2])
    again: Some([1, 1])
    keys: Some({"a": Number(1)}) }
    "#);
    let below = json!({
        "closed": -4, "open": -0.5, "step": 0.3, "length": "ä", "items": [], "again": {}, "keys": {},
    });
    insta::assert_snapshot!(lines(&problems("every_bound", &below)), @"
    /closed: expected integer between -3 and 3, got -4
    /open: expected number greater than -0.5 and less than 1000, got -0.5
    /step: expected number that is a multiple of 0.25, got 0.3
    /length: expected string with 2 to 4 characters, got 1 character
    /items: expected array of integer at least 0 with 1 to 3 items without duplicates, got 0 items
    /again: expected array of integer, got object
    /keys: expected object with 1 to 2 keys, got 0 keys
    ");
    let above = json!({
        "closed": 4, "open": 1000, "extreme": 9_223_372_036_854_775_808_u64, "length": "äöüßä", "items": [1, 2, 3, -4],
        "keys": { "a": 1, "b": 2, "c": 3 },
    });
    insta::assert_snapshot!(lines(&problems("every_bound", &above)), @"
    /closed: expected integer between -3 and 3, got 4
    /open: expected number greater than -0.5 and less than 1000, got 1000
    /extreme: expected integer between -9223372036854775808 and 9223372036854775807, got 9223372036854775808
    /length: expected string with 2 to 4 characters, got 5 characters
    /items: expected array of integer at least 0 with 1 to 3 items without duplicates, got 4 items
    /items/3: expected integer at least 0, got -4
    /keys: expected object with 1 to 2 keys, got 3 keys
    ");
    assert_eq!(
        problems("every_bound", &json!({ "items": [1, 1.0] })),
        [["/items", "array of integer at least 0 with 1 to 3 items without duplicates", "duplicate items"]]
    );
}

#[test]
fn all_problems_of_the_arguments_are_reported_at_once() {
    let wrong = json!({
        "order": { "lines": [{ "amount": 0 }, { "item": [], "amuont": 2 }], "adress": {} },
        "labels": { "a": [] },
        "sizes": { "door": { "height": 2 } },
        "groups": { "g": [{ "x": "maybe" }] },
        "closed": { "known": 1, "unknown": 1 },
        "nonsense": 1,
    });
    insta::assert_snapshot!(lines(&problems("every_object", &wrong)), @r#"
    /order/lines/0/item: expected string (required), got nothing
    /order/lines/0/amount: expected integer at least 1, got 0
    /order/lines/1/item: expected string, got array
    /order/lines/1/amuont: expected no argument of this name (did you mean "amount"?), got 2
    /order/adress: expected no argument of this name (did you mean "address"?), got object
    /labels/a: expected string, got array
    /sizes/door/width: expected number (required), got nothing
    /groups/g/0/x: expected boolean, got "maybe"
    /closed/unknown: expected no argument of this name (did you mean "known"?), got 1
    /nonsense: expected no argument of this name (the known ones are "order", "labels", "sizes", "groups", "free", "mixed", "closed", "maybe"), got 1
    "#);
    insta::assert_snapshot!(lines(&problems("every_choice", &json!({ "odd": "A+B", "level": 4, "mixed": 2 }))), @r#"
    /order: expected one of "asc", "desc" (required), got nothing
    /odd: expected one of "", "a-b", "a_b", "Self", "3d", "type", "größe", "+", "say \"hi\"", got "A+B"
    /level: expected one of 1, 2, 3, got 4
    /mixed: expected one of "auto", 1, 2.5, true, ["a",1], {"key":"value"}, null, got 2
    "#);
    insta::assert_snapshot!(lines(&problems("every_type", &json!({ "must_be_told": [] }))), @"
    /flag: expected boolean (required), got nothing
    /count: expected integer (required), got nothing
    /must_be_told: expected string or null, got array
    ");
    assert_eq!(
        problems("no_parameters", &json!({ "path": "x" })),
        [["/path", "no argument of this name (no arguments are known here)", "\"x\""]]
    );
}

#[test]
fn arguments_that_are_not_an_object_of_the_tool_never_reach_a_handler() {
    let kind = |arguments: &str| error("run_now", arguments)["kind"].clone();
    for malformed in
        ["{", "{\"outcome\": \"panic\"", "nonsense", "{} []", "{\"outcome\":\"echo\",\"outcome\":\"panic\"}"]
    {
        assert_eq!(kind(malformed), "malformed_arguments", "{malformed}");
    }
    let deep = format!("{{\"outcome\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(kind(&deep), "malformed_arguments");
    for invalid in ["[]", "1", "{\"outcome\":\"panik\"}", "{\"outcom\":\"panic\"}"] {
        assert_eq!(kind(invalid), "invalid_arguments", "{invalid}");
    }
}

#[test]
fn keywords_of_the_root_schema_apply_to_all_arguments() {
    assert_eq!(
        echo("exclusive", &json!({ "path": "a", "b": [1] })),
        "Args { path: Some(\"a\"), id: None, rest: {\"b\": Array [Number(1)]} }"
    );
    assert_eq!(echo("exclusive", &json!({ "id": "3" })), "Args { path: None, id: Some(3), rest: {} }");
    insta::assert_snapshot!(lines(&problems("exclusive", &json!({}))));
    let many: serde_json::Map<String, Value> = (0..21).map(|n| (format!("further{n}"), json!("x"))).collect();
    assert_eq!(problems("every_sort", &many.into()), [["", "object with 0 to 20 keys", "21 keys"]]);
}

#[test]
fn a_secret_is_never_in_an_error() {
    let wrong = json!({ "command": "ls", "password": "hunter2 ".repeat(9), "pasword": "hunter2", "account": { "pin": "12e4x", "pim": 12e4 } });
    let response = error("shell", &wrong.to_string());
    assert_eq!(response["problems"].as_array().map(Vec::len), Some(4), "{response}");
    let text = response.to_string();
    assert!(!text.contains("hunter2") && !text.contains("12e4") && !text.contains("120000"), "{text}");
    assert!(text.contains("a secret value") && text.contains("at most 20 characters"), "{text}");
    // Text that may contain a secret is redacted, too: a truncated object, or all arguments.
    for wrong in [json!({ "command": "ls", "account": "{\"pin\": hunter2" }), json!("hunter2")] {
        let response = error("shell", &wrong.to_string()).to_string();
        assert!(!response.contains("hunter2") && response.contains("a secret value"), "{response}");
    }
    // A handler that prints its arguments does not reveal it either.
    let given = json!({ "command": "ls", "password": "hunter2", "account": { "pin": 120_000 } });
    let seen = echo("shell", &given);
    assert!(seen.contains("password: Secret(..)") && seen.contains("pin: Secret(..)"), "{seen}");
    // Missing arguments are reported along with the others.
    let response = error("shell", &json!({ "command": 5, "password": [] }).to_string()).to_string();
    assert!(response.contains("/password") && !response.contains("array"), "{response}");
}
