//! Arguments that are accepted, as handlers get them.

use super::*;

#[test]
fn defaults_of_every_type_are_applied() {
    insta::assert_snapshot!(fields(&echo("every_default", &json!({}))), @r#"
    Args { flag: true
    count: -7
    whole: 4
    least: -9223372036854775808
    ratio: -0.0015
    even: 2.0
    word: "a \"quoted\" \\ text\nof two lines; größer {as} ever"
    choice: AB
    maybe: Some(5)
    words: ["one", "two"]
    empty: []
    choices: [Some(Green), Some(Red)]
    map: {"a": 1.5, "b": 2.0}
    no_map: {}
    record: Record { name: "box", size: Some(RecordSize { width: 2.0, height: 0.5, depth: None }), tags: Some(["x"]), note: None }
    records: [RecordsItem { id: 1, label: "none" }, RecordsItem { id: 2, label: "second" }]
    anything: Object {"nested": Array [Number(1), String("two"), Object {"three": Number(3.5)}]}
    free: {"key": Array [Bool(true)]} }
    "#);
    // The default of a property of an object that is sent; null where it is allowed, and where it is not.
    let sent = json!({
        "maybe": null, "count": null, "record": { "name": "crate", "size": { "width": 1 } }, "records": [{ "id": 3 }],
        "words": [], "map": {}, "anything": null, "free": {}, "choices": ["red"],
    });
    insta::assert_snapshot!(fields(&echo("every_default", &sent)), @r#"
    Args { flag: true
    count: -7
    whole: 4
    least: -9223372036854775808
    ratio: -0.0015
    even: 2.0
    word: "a \"quoted\" \\ text\nof two lines; größer {as} ever"
    choice: AB
    maybe: None
    words: []
    empty: []
    choices: [Some(Red)]
    map: {}
    no_map: {}
    record: Record { name: "crate", size: Some(RecordSize { width: 1.0, height: 0.5, depth: None }), tags: None, note: None }
    records: [RecordsItem { id: 3, label: "none" }]
    anything: Null
    free: {} }
    "#);
}

#[test]
fn arguments_of_every_type_reach_the_handler() {
    let least = json!({ "flag": true, "count": 3, "must_be_told": null });
    insta::assert_snapshot!(fields(&echo("every_type", &least)), @"
    Args { flag: true
    count: 3
    ratio: None
    word: None
    list: None
    words: None
    grid: None
    bare: None
    nothing: None
    anything: None
    maybe_count: None
    null_or_words: None
    must_be_told: None
    word_or_count: None
    mix: None }
    ");
    let all = json!({
        "flag": false, "count": -3, "ratio": 1, "word": "ü", "list": [1, null, "x"], "words": ["a"],
        "grid": [[1, 2.5], []], "bare": {}, "nothing": null, "anything": { "a": [null] }, "maybe_count": 4,
        "null_or_words": ["a", null], "must_be_told": "told", "word_or_count": 7, "mix": [1],
    });
    insta::assert_snapshot!(fields(&echo("every_type", &all)), @r#"
    Args { flag: false
    count: -3
    ratio: Some(1.0)
    word: Some("ü")
    list: Some([Number(1), Null, String("x")])
    words: Some(["a"])
    grid: Some([[1.0, 2.5], []])
    bare: Some(Bare)
    nothing: None
    anything: Some(Object {"a": Array [Null]})
    maybe_count: Some(4)
    null_or_words: Some([Some("a"), None])
    must_be_told: Some("told")
    word_or_count: Some(Number(7))
    mix: Some(Array [Number(1)]) }
    "#);
    // Optional, and null: absent where null is not allowed.
    let nulls = json!({
        "flag": true, "count": 3, "must_be_told": null, "ratio": null, "word": null, "list": null, "words": null,
        "grid": null, "bare": null, "anything": null, "maybe_count": null, "null_or_words": null,
        "word_or_count": null, "mix": null,
    });
    assert_eq!(echo("every_type", &nulls), echo("every_type", &least));
}

#[test]
fn almost_right_arguments_are_repaired() {
    let almost = json!({
        "flag": "TRUE", "count": " +05.0 ", "ratio": "1e3", "word": 12, "list": "one", "words": "['a', 'b',]",
        "grid": "[[1, \"2\"]]", "bare": "{}", "maybe_count": "null", "null_or_words": "None", "must_be_told": "NULL",
        "word_or_count": "007", "mix": "[True, {}]",
    });
    insta::assert_snapshot!(fields(&echo("every_type", &almost)), @r#"
    Args { flag: true
    count: 5
    ratio: Some(1000.0)
    word: Some("12")
    list: Some([String("one")])
    words: Some(["a", "b"])
    grid: Some([[1.0, 2.0]])
    bare: Some(Bare)
    nothing: None
    anything: None
    maybe_count: None
    null_or_words: Some([Some("None")])
    must_be_told: None
    word_or_count: Some(String("007"))
    mix: Some(Array [Bool(true), Object {}]) }
    "#);
}

#[test]
fn objects_and_maps_reach_the_handler_typed() {
    let all = json!({
        "order": { "lines": [{ "item": "nail", "amount": "100" }, { "note": null, "item": "screw" }], "address": {} },
        "labels": { "b": "2", "a": 1 },
        "sizes": { "door": { "height": "2.05", "width": 0.9 } },
        "groups": { "g": [{ "x": true }, {}] },
        "free": { "any": { "thing": [1] } },
        "mixed": { "known": "1", "unknown": "1" },
        "closed": { "known": 1 },
        "maybe": null,
    });
    insta::assert_snapshot!(fields(&echo("every_object", &all)), @r#"
    Args { order: Order { lines: [OrderLinesItem { item: "nail", amount: 100, note: None }, OrderLinesItem { item: "screw", amount: 1, note: None }], address: Some(OrderAddress { street: None }) }
    labels: Some({"a": "1", "b": "2"})
    sizes: Some({"door": SizesValue { width: 0.9, height: Some(2.05) }})
    groups: Some({"g": [{"x": true}, {}]})
    free: Some({"any": Object {"thing": Array [Number(1)]}})
    mixed: Some(Mixed { known: Some(1), rest: {"unknown": String("1")} })
    closed: Some(Closed { known: Some(1) })
    maybe: None }
    "#);
}

#[test]
fn enum_values_reach_the_handler_as_variants() {
    let odd: Vec<String> = ["", "a-b", "a_b", "Self", "3d", "type", "größe", "+", "say \"hi\""]
        .into_iter()
        .map(|word| {
            let seen = echo("every_choice", &json!({ "order": "asc", "odd": word }));
            let from = seen.find("odd: ").expect("the text has the field") + "odd: ".len();
            seen[from..].split_once(", level").expect("the text has the next field").0.to_owned()
        })
        .collect();
    insta::assert_snapshot!(odd.join(" "), @"Some(Empty) Some(AMinusB) Some(AB) Some(Self_) Some(_3d) Some(Type) Some(Größe) Some(Plus) Some(SayHi)");
    let all = json!({
        "order": "desc", "level": "3", "factor": 1.0, "untyped": "no", "mixed": { "key": "value" }, "maybe": "left",
        "several": ["blue", "red"],
    });
    insta::assert_snapshot!(fields(&echo("every_choice", &all)), @r#"
    Args { order: Desc
    odd: None
    level: 3
    factor: Some(1.0)
    untyped: Some(No)
    mixed: Some(Object {"key": String("value")})
    maybe: Some(Left)
    several: Some([Blue, Red]) }
    "#);
    assert_eq!([Odd::AMinusB.as_str(), Odd::AB.as_str(), Odd::_3d.as_str()], ["a-b", "a_b", "3d"]);
}

#[test]
fn parameters_with_odd_names_reach_their_fields() {
    let all = json!({
        "type": "t", "self": "s", "$vectorSearch": {}, "a.b": 1, "2fa": true, "größe": 1.5, "~/x": 2, "camelCase": 3,
        "args": "vec", "option": { "string": "x" },
    });
    insta::assert_snapshot!(fields(&echo("Odd-Names", &all)), @r#"
    Args { type: "t"
    self_: Some("s")
    vector_search: Some(VectorSearch { limit: 10 })
    a_b: Some(1)
    _2fa: true
    größe: Some(1.5)
    x: Some(2)
    camel_case: Some(3)
    args: Some(Vec)
    option: Some(Option2 { string: Some(X) }) }
    "#);
    let wrong = json!({ "$vectorSearch": { "$limit": [] }, "a.b": [], "~/x": [], "größe": [] });
    let paths: Vec<String> = problems("Odd-Names", &wrong).into_iter().map(|[path, ..]| path).collect();
    assert_eq!(paths, ["/type", "/$vectorSearch/$limit", "/a.b", "/größe", "/~0~1x"]);
}

#[test]
fn a_union_accepts_what_one_alternative_accepts() {
    let all = json!({
        "version": "v1", "when": "2026-01-01T00:00:00Z", "maybe": "3", "perhaps": "right", "either": "7",
        "exactly": { "kind": "circle", "radius": "1.5" }, "both": 11,
    });
    insta::assert_snapshot!(fields(&echo("every_union", &all)));
    let none = json!({ "maybe": null, "perhaps": "null", "either": "a" });
    insta::assert_snapshot!(fields(&echo("every_union", &none)));
    let wrong = json!({
        "version": "v2", "answer": 41, "maybe": 0, "perhaps": "up", "either": {}, "exactly": { "kind": "square" },
        "both": 5,
    });
    insta::assert_snapshot!(lines(&problems("every_union", &wrong)));
}

#[test]
fn references_to_definitions_reach_the_handler_as_their_types() {
    insta::assert_snapshot!(fields(&echo("every_ref", &json!({ "tree": { "label": "root" } }))));
    let all = json!({
        "tree": {
            "label": "root",
            "children": [{ "label": "a", "children": [{ "label": "b" }], "best": { "label": 3 } }, "{'label': 'c'}"],
        },
        "list": { "value": 1, "next": { "value": "2", "next": { "value": 3, "next": null } } },
        "even": { "odd": { "even": { "odd": { "even": {}, "back": { "label": "x" } } } } },
        "words": "one", "again": ["a", "b"], "nest": [[[]], []], "folders": { "home": { "me": {} }, "tmp": {} },
        "maybe": { "x": 1, "y": null }, "nullable": { "x": 2, "y": 3 }, "colour": null,
        "expression": { "op": "sum", "of": [1, "x", { "op": "not", "of": "y" }] },
        "narrow": "ab", "all": "abcd", "points": [{ "x": 1 }, { "x": "2", "y": "3" }],
    });
    insta::assert_snapshot!(fields(&echo("every_ref", &all)));
    let nulls = json!({ "tree": { "label": "root" }, "maybe": "null", "nullable": null });
    let seen = echo("every_ref", &nulls);
    assert!(seen.contains("maybe: None") && seen.contains("nullable: None"), "{seen}");

    let wrong = json!({
        "tree": { "children": [{ "label": "", "best": { "lable": "x" } }] },
        "list": { "value": 1, "next": { "value": 2, "next": {} } },
        "even": { "odd": {} }, "folders": { "home": { "me": 1 } }, "maybe": {}, "colour": "infrared",
        "expression": { "op": "not", "of": { "op": "sum", "of": [{ "op": "not" }] } },
        "narrow": "a", "all": "abcde",
    });
    insta::assert_snapshot!(lines(&problems("every_ref", &wrong)));
}

#[test]
fn distinguishable_alternatives_reach_the_handler_as_variants() {
    insta::assert_snapshot!(fields(&echo("every_sort", &json!({}))));
    let all = json!({
        "shape": { "radius": "1.5", "kind": "circle" }, "named": { "kind": "text" },
        "level": { "version": 1, "more": [true], "again": null }, "by_type": { "a": 1 },
        "ids": [1, "all", "2"], "together": { "on": false }, "open": { "name": "n", "rest": 1, "b": 2, "a": null },
        "counts": { "b": "2", "a": 1 }, "further": 7, "nullable_sort": { "x": 1 },
        "sorts": { "a": null, "b": "7", "c": "{'x': 1}" }, "mixed": { "x": "1" }, "sides": -1, "presets": { "a": 2 },
    });
    insta::assert_snapshot!(fields(&echo("every_sort", &all)));
    for (value, variant) in [
        (json!(null), "None"),
        (json!(true), "Some(Boolean(true))"),
        (json!(-1), "Some(Integer(-1))"),
        (json!("-1"), "Some(String(\"-1\"))"),
        (json!([]), "Some(Array([]))"),
        (json!({}), "Some(Object({}))"),
    ] {
        let seen = echo("every_sort", &json!({ "by_type": value }));
        assert!(seen.contains(&format!("by_type: {variant},")), "{seen}");
    }
    let seen = echo("every_sort", &json!({ "together": null, "level": { "version": 2, "name": null } }));
    assert!(seen.contains("together: None") && seen.contains("level: Some(_2(Level2 { name: None }))"), "{seen}");

    let wrong = json!({
        "shape": { "kind": "circle", "side": 1 }, "named": { "kind": "shape" }, "level": { "version": 2, "more": 1 },
        "by_type": [1, []], "ids": [0, "some", null], "together": {}, "open": { "rest": 1 }, "counts": { "a": -1 },
        "further": [], "nullable_sort": { "y": 1 }, "sorts": { "a": [] }, "mixed": "x", "sides": 1,
        "presets": { "a": 3 },
    });
    insta::assert_snapshot!(lines(&problems("every_sort", &wrong)));
}
