//! Calls through the golden project: what a handler is given, and what the model gets back.

use serde_json::{Value, json};
use toolc::{Answer, Dialect, Registry, Task, ToolCall, Turn};
use toolc_tests::echo::Echo;
use toolc_tests::golden::shapes::every_choice::Odd;

fn turn(toolset: &str) -> Turn {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::provider(Echo)).expect("the names are unique");
    registry.session().enable([toolset]).build().expect("the toolset is known").turn(Dialect::OpenAi)
}

fn answer(tool: &str, arguments: &str) -> Answer {
    pollster::block_on(turn("all").call(&ToolCall::new(tool, arguments)))
}

/// What the handler saw.
fn echo(tool: &str, arguments: &Value) -> String {
    let Answer { json, error } = answer(tool, &arguments.to_string());
    assert!(error.is_none(), "{json}");
    serde_json::from_str(&json).expect("text is a JSON string")
}

/// A line for each field of what the handler saw.
fn fields(seen: &str) -> String {
    let mut depth = 0;
    let lines = seen.chars().map(|letter| {
        depth += i32::from("{[(".contains(letter)) - i32::from(")]}".contains(letter));
        if letter == ',' && depth == 1 { '\n' } else { letter }
    });
    lines.collect::<String>().replace("\n ", "\n")
}

/// The error that the model gets.
fn error(tool: &str, arguments: &str) -> Value {
    let Answer { json, error } = answer(tool, arguments);
    assert!(error.is_some(), "{json}");
    serde_json::from_str(&json).expect("an error is JSON")
}

/// The problems of an error: path, what was expected, what is there.
fn problems(tool: &str, arguments: &Value) -> Vec<[String; 3]> {
    let error = error(tool, &arguments.to_string());
    assert_eq!(error["kind"], "invalid_arguments", "{error}");
    let text = |problem: &Value, key: &str| problem[key].as_str().expect("text").to_owned();
    let problems = error["problems"].as_array().expect("problems").iter();
    problems.map(|problem| ["path", "expected", "got"].map(|key| text(problem, key))).collect()
}

#[test]
fn defaults_of_every_shape_are_applied() {
    insta::assert_snapshot!(fields(&echo("every_default", &json!({}))), @r#"
    Args { flag: true
    count: -7
    whole: 4
    least: -9223372036854775808
    ratio: -0.0015
    even: 2.0
    word: "a \"quoted\" \\ text\nof two lines; größer {as} ever"
    choice: AB2
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
    // The default of a property within what is sent; null where it is allowed, and where it is not.
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
    choice: AB2
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
fn every_type_arrives() {
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
fn what_is_almost_right_is_repaired() {
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
fn objects_and_maps_arrive_typed() {
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
fn choices_arrive_as_variants() {
    let odd: Vec<String> = ["", "a-b", "a_b", "Self", "3d", "type", "größe", "+", "say \"hi\""]
        .into_iter()
        .map(|word| {
            let seen = echo("every_choice", &json!({ "order": "asc", "odd": word }));
            let from = seen.find("odd: ").expect("the field is there") + "odd: ".len();
            seen[from..].split_once(", level").expect("the next field is there").0.to_owned()
        })
        .collect();
    insta::assert_snapshot!(odd.join(" "), @"Some(Empty) Some(AB) Some(AB2) Some(Self_) Some(_3d) Some(Type) Some(Größe) Some(Empty2) Some(SayHi)");
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
    assert_eq!([Odd::AB.as_str(), Odd::AB2.as_str(), Odd::_3d.as_str()], ["a-b", "a_b", "3d"]);
}

#[test]
fn odd_names_arrive_in_their_fields() {
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
fn every_bound_is_held() {
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
    /items: expected array of integer at least 0 with 1 to 3 items, no two alike, got 0 items
    /again/0: expected integer, got object
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
    /items: expected array of integer at least 0 with 1 to 3 items, no two alike, got 4 items
    /items/3: expected integer at least 0, got -4
    /keys: expected object with 1 to 2 keys, got 3 keys
    ");
    assert_eq!(
        problems("every_bound", &json!({ "items": [1, 1.0] })),
        [["/items", "array of integer at least 0 with 1 to 3 items, no two alike", "items that come twice"]]
    );
}

fn lines(problems: &[[String; 3]]) -> String {
    let line = |[path, expected, got]: &[String; 3]| format!("{path}: expected {expected}, got {got}");
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn all_problems_are_told_at_once() {
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
    /order/lines/1/amuont: expected no argument of this name; did you mean "amount"?, got 2
    /order/adress: expected no argument of this name; did you mean "address"?, got object
    /labels/a: expected string, got array
    /sizes/door/width: expected number (required), got nothing
    /groups/g/0/x: expected boolean, got "maybe"
    /closed/unknown: expected no argument of this name; did you mean "known"?, got 1
    /nonsense: expected no argument of this name; known are "order", "labels", "sizes", "groups", "free", "mixed", "closed", "maybe", got 1
    "#);
    insta::assert_snapshot!(lines(&problems("every_choice", &json!({ "odd": "A-B", "level": 4, "mixed": 2 }))), @r#"
    /order: expected one of "asc", "desc" (required), got nothing
    /odd: expected one of "", "a-b", "a_b", "Self", "3d", "type", "größe", "+", "say \"hi\"", got "A-B"
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
        [["/path", "no argument of this name; there are none here", "\"x\""]]
    );
}

#[test]
fn arguments_that_are_no_object_of_this_tool_never_reach_a_handler() {
    let kind = |arguments: &str| error("run_now", arguments)["kind"].clone();
    for malformed in
        ["", "{", "{\"outcome\": \"panic\"", "nonsense", "{} {}", "{\"outcome\":\"echo\",\"outcome\":\"panic\"}"]
    {
        assert_eq!(kind(malformed), "malformed_arguments", "{malformed}");
    }
    let deep = format!("{{\"outcome\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(kind(&deep), "malformed_arguments");
    for invalid in ["[]", "1", "null", "{\"outcome\":\"panik\"}", "{\"outcom\":\"panic\"}"] {
        assert_eq!(kind(invalid), "invalid_arguments", "{invalid}");
    }
}

#[test]
fn every_way_to_end_gives_one_json_text() {
    for tool in ["run_now", "run_later"] {
        assert!(echo(tool, &json!({})).starts_with("Args { outcome: Echo"), "{tool}");
        let failed = error(tool, r#"{"outcome":"fail"}"#);
        assert_eq!(failed, json!({ "error": "asked to fail", "kind": "failed" }), "{tool}");
        let refused = error(tool, r#"{"outcome":"refuse"}"#);
        assert_eq!(refused, json!({ "error": "asked to \"refuse\"", "kind": "refused" }), "{tool}");
        let panicked = error(tool, r#"{"outcome":"panic"}"#);
        assert_eq!(panicked["kind"], "panicked", "{tool}");
        assert!(panicked["error"].as_str().is_some_and(|text| text.contains("asked to panic")), "{panicked}");
        assert_eq!(panicked.as_object().map(serde_json::Map::len), Some(2), "{panicked}");
        // The turn survives it.
        assert!(echo(tool, &json!({})).starts_with("Args"), "{tool}");
    }
    assert_eq!(echo("run_later", &json!({ "pauses": 3 })), "Args { outcome: Echo, pauses: 3 }");
    let panicked_at_once = error("run_later", r#"{"outcome":"panic","pauses":0}"#);
    assert_eq!(panicked_at_once["kind"], "panicked");
}

#[test]
fn a_handler_knows_of_its_call() {
    for tool in ["no_parameters", "wait"] {
        let task = Task::new("task_1");
        let call = ToolCall::new(tool, "{}").with_id("call_1").with_task(&task);
        let answer = pollster::block_on(turn("all").call(&call));
        let expected = format!(r#""(Args, \"{tool}\", \"call_1\", \"task_1\")""#);
        assert_eq!((answer.json, answer.error), (expected, None));
    }
}

#[test]
fn what_a_turn_did_not_show_cannot_be_called() {
    let answer = pollster::block_on(turn("later").call(&ToolCall::new("run_now", "{}")));
    assert!(answer.is_error());
    assert_eq!(
        serde_json::from_str::<Value>(&answer.json).expect("an error is JSON"),
        json!({ "error": "there is no tool `run_now` in this turn: the tools are: run_later, wait", "kind": "unknown_tool" })
    );
    assert!(!pollster::block_on(turn("later").call(&ToolCall::new("run_later", "{}"))).is_error());
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest() {
    let text = |tool: &str| error(tool, "{}")["error"].as_str().expect("text").to_owned();
    assert_eq!(text("odd_names"), "there is no tool `odd_names` in this turn: did you mean `Odd-Names`?");
    assert_eq!(text("every_defualt"), "there is no tool `every_defualt` in this turn: did you mean `every_default`?");
    let few = pollster::block_on(turn("lib").call(&ToolCall::new("browser", "{}"))).json;
    assert!(few.contains("the tools are: Odd-Names, no_parameters, run_now\""), "{few}");
    assert_eq!(error("browser", "not even JSON")["kind"], "unknown_tool");
    assert_eq!(
        serde_json::from_str::<Value>(&pollster::block_on(turn("nothing").call(&ToolCall::new("wait", "{}"))).json)
            .expect("JSON"),
        json!({ "error": "there is no tool `wait` in this turn: no tool is enabled", "kind": "unknown_tool" })
    );
    assert_eq!(turn("nothing").definitions(), "[]");
}

#[test]
fn a_toolset_can_be_served_alone() {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::later::provider(Echo)).expect("the names are unique");
    let session = registry.session().enable(["everything"]).build().expect("the toolset is known");
    assert_eq!(session.turn(Dialect::OpenAi).tools().collect::<Vec<_>>(), ["run_later", "wait"]);
    registry.add(toolc_tests::golden::lib_::provider(Echo)).expect("the names are still unique");
    assert_eq!(session.turn(Dialect::OpenAi).tools().count(), 5);
    assert!(registry.add(toolc_tests::golden::provider(Echo)).is_err(), "its tools are there already");
}

/// A turn of these toolsets with these facts.
fn turn_with(toolsets: &[&str], facts: toolc_tests::golden::Facts) -> Turn {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::provider(Echo)).expect("the names are unique");
    registry
        .session()
        .enable(toolsets.iter().copied())
        .facts(facts)
        .build()
        .expect("all is known")
        .turn(Dialect::OpenAi)
}

fn depends(turn: &Turn) -> Value {
    let all: Vec<Value> = serde_json::from_str(turn.definitions()).expect("definitions are JSON");
    let one = all.into_iter().find(|one| one["function"]["name"] == "depends").expect("it is there");
    one["function"].clone()
}

#[test]
fn a_definition_follows_the_turn_and_its_facts() {
    use toolc_tests::golden::Facts;
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();

    let alone = depends(&turn_with(&["shapes"], Facts::default()));
    assert_eq!(alone["description"], "On cli, 2 deep. {% Alone.");
    let parameters = &alone["parameters"]["properties"];
    assert_eq!(keys(parameters), ["mode", "inner"]);
    assert_eq!(parameters["mode"]["enum"], json!(["text"]));
    assert_eq!(keys(&parameters["inner"]["properties"]), ["c"]);

    let facts = Facts { platform: "a \"chat\"".into(), vision: true, depth: 3 };
    let beside = depends(&turn_with(&["shapes", "lib", "later"], facts));
    assert_eq!(beside["description"], "On a \"chat\", 3 deep, with \"eyes\". Beside run_now or run_later.");
    let parameters = &beside["parameters"]["properties"];
    assert_eq!(keys(parameters), ["first", "mode", "inner", "last"]);
    assert_eq!(parameters["mode"]["enum"], json!(["picture", "text", "both"]));
    assert_eq!(keys(&parameters["inner"]["properties"]), ["a", "b"]);

    let deep = depends(&turn_with(&["shapes"], Facts { depth: 3, ..Facts::default() }));
    assert_eq!(deep["description"], "On cli, 3 deep. Deep.");
}

#[test]
fn what_a_turn_hides_is_refused_as_unknown() {
    use toolc_tests::golden::Facts;
    let arguments = r#"{"first": 1, "last": "x", "mode": "picture", "inner": {"a": "x", "c": "y"}}"#;
    let call = |turn: &Turn| pollster::block_on(turn.call(&ToolCall::new("depends", arguments)));
    let alone = call(&turn_with(&["shapes"], Facts::default()));
    let answer: Value = serde_json::from_str(&alone.json).expect("answers are JSON");
    let told: Vec<(&str, &str)> = (answer["problems"].as_array().expect("problems").iter())
        .map(|problem| (problem["path"].as_str().unwrap_or(""), problem["expected"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        told,
        [
            ("/mode", "\"text\""),
            ("/inner/a", "no argument of this name; known are \"c\""),
            ("/first", "no argument of this name; known are \"mode\", \"inner\""),
            ("/last", "no argument of this name; known are \"mode\", \"inner\""),
        ]
    );
    let facts = Facts { platform: "chat".into(), vision: true, ..Facts::default() };
    let beside = call(&turn_with(&["shapes", "lib"], facts));
    // `c` stands where `run_now` does not.
    assert!(beside.json.contains("/inner/c") && !beside.json.contains("/first"), "{}", beside.json);
}

#[test]
fn a_session_is_told_of_facts_that_nobody_knows() {
    let registry = Registry::new();
    registry.add(toolc_tests::golden::provider(Echo)).expect("the names are unique");
    let told = |name: &'static str, value: toolc::FactValue| {
        registry.session().facts([(name.into(), value)]).build().map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(told("visoin", true.into()), Err("unknown fact `visoin`: did you mean `vision`?".into()));
    assert_eq!(told("vision", 3.into()), Err("the fact `vision` is a boolean, and cannot be an integer".into()));
    assert_eq!(told("vision", true.into()), Ok(()));

    let session = registry.session().enable(["shapes"]).build().expect("the toolset is known");
    let before = session.turn(Dialect::OpenAi);
    session.set_facts([("platform".into(), "chat".into())]).expect("the fact is known");
    let after = session.turn(Dialect::OpenAi);
    assert!(before.definitions().contains("On cli") && after.definitions().contains("On chat"));
}

#[test]
fn unions_take_what_one_of_them_takes() {
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
fn what_leads_to_definitions_arrives_as_their_types() {
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
fn sorts_that_can_be_told_apart_arrive_as_variants() {
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

#[test]
fn words_of_the_root_are_about_the_arguments_together() {
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
fn results_are_written_as_their_types_say() {
    let result = |tool: &str, arguments: &Value| {
        let Answer { json, error } = answer(tool, &arguments.to_string());
        assert!(error.is_none(), "{json}");
        json
    };
    let tree =
        json!({ "label": "root", "children": [{ "label": "leaf" }], "next": { "label": "next", "children": [] } });
    let all = json!({ "tree": tree, "node": "any" });
    insta::assert_snapshot!(result("return_all", &all));
    let (text, node) = (result("return_all", &all), result("return_all", &json!({ "tree": tree, "node": tree })));
    let catalog = concat!(env!("CARGO_MANIFEST_DIR"), "/projects/golden/generated/catalog.json");
    let catalog = std::fs::read_to_string(catalog).expect("failed to read");
    let catalog: Value = serde_json::from_str(&catalog).expect("the catalog is JSON");
    let schema = |tool: &str| {
        let tools = catalog["tools"].as_array().expect("an array");
        tools.iter().find(|one| one["name"] == tool).expect("the tool is there")["returns"].clone()
    };
    for (tool, text) in [
        ("return_all", text),
        ("return_all", node),
        ("return_bare", result("return_bare", &json!({}))),
        ("return_def", result("return_def", &json!({}))),
        ("return_list", result("return_list", &json!({}))),
        ("return_maybe", result("return_maybe", &json!({ "found": true }))),
        ("return_maybe", result("return_maybe", &json!({ "found": false }))),
        ("return_sort", result("return_sort", &json!({ "as": 1 }))),
        ("return_sort", result("return_sort", &json!({ "as": "1" }))),
        ("return_word", result("return_word", &json!({}))),
    ] {
        let validator = jsonschema::draft202012::new(&schema(tool)).expect("a schema");
        let value: Value = serde_json::from_str(&text).expect("a result is JSON");
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{tool}: {text}: {errors:?}");
    }
    assert_eq!(result("return_def", &json!({})), r#"{"path":"a","more":{"path":"b"}}"#);
    assert_eq!(result("return_list", &json!({})), r#"[{"id":1},{"id":2}]"#);
    assert_eq!(result("return_maybe", &json!({ "found": false })), "null");
    assert_eq!(result("return_sort", &json!({ "as": "x" })), "\"x\"");
    assert_eq!(result("return_word", &json!({})), "\"no\"");
    assert_eq!(result("return_bare", &json!({})), "[1,2]");
    assert_eq!(error("return_sort", r#"{"as": ""}"#), json!({ "error": "asked to fail", "kind": "failed" }));
}

#[test]
fn a_secret_is_in_no_error() {
    let wrong = json!({ "command": "ls", "password": "hunter2 ".repeat(9), "pasword": "hunter2", "account": { "pin": "12e4x", "pim": 12e4 } });
    let told = error("shell", &wrong.to_string());
    assert_eq!(told["problems"].as_array().map(Vec::len), Some(4), "{told}");
    let text = told.to_string();
    assert!(!text.contains("hunter2") && !text.contains("12e4") && !text.contains("120000"), "{text}");
    assert!(text.contains("a value that is not shown") && text.contains("at most 20 characters"), "{text}");
    // A text that may hold one is not told either: an object that was cut off, or the arguments as a whole.
    for wrong in [json!({ "command": "ls", "account": "{\"pin\": hunter2" }), json!("hunter2")] {
        let told = error("shell", &wrong.to_string()).to_string();
        assert!(!told.contains("hunter2") && told.contains("a value that is not shown"), "{told}");
    }
    // Nor does the handler show it that prints what it was given.
    let given = json!({ "command": "ls", "password": "hunter2", "account": { "pin": 120_000 } });
    let seen = echo("shell", &given);
    assert!(seen.contains("password: Secret(..)") && seen.contains("pin: Secret(..)"), "{seen}");
    // What is missing is told, and what is beside it.
    let told = error("shell", &json!({ "command": 5, "password": [] }).to_string()).to_string();
    assert!(told.contains("/password") && !told.contains("array"), "{told}");
}
