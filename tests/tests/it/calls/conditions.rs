//! Definitions and arguments that depend on the turn and on facts.

use super::*;
use toolc_tests::golden::{self, Facts};

fn turn_with(toolsets: &[&str], facts: Facts) -> Turn {
    let registry = Registry::new();
    registry.add(golden::shared_provider(Echo)).expect("the names are unique");
    registry
        .session()
        .enable(toolsets.iter().copied())
        .facts(facts)
        .build()
        .expect("the toolsets and facts are known")
        .turn_blocking(Dialect::OpenAi)
}

/// Returns the definition of the tool `depends`.
fn shown_definition(turn: &Turn) -> Value {
    let all: Vec<Value> = serde_json::from_str(turn.definitions()).expect("definitions are JSON");
    let depends = all.into_iter().find(|definition| definition["function"]["name"] == "depends");
    depends.expect("the tool is shown")["function"].clone()
}

#[test]
fn a_definition_depends_on_the_turn_and_its_facts() {
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();

    let alone = shown_definition(&turn_with(&["shapes"], Facts::default()));
    assert_eq!(alone["description"], "On cli, 2 deep. {% Alone.");
    let parameters = &alone["parameters"]["properties"];
    assert_eq!(keys(parameters), ["mode", "inner"]);
    assert_eq!(parameters["mode"]["enum"], json!(["text"]));
    assert_eq!(keys(&parameters["inner"]["properties"]), ["c"]);

    let facts = Facts { platform: "a \"chat\"".into(), vision: true, depth: 3 };
    let other = shown_definition(&turn_with(&["shapes", "lib", "later"], facts));
    assert_eq!(other["description"], "On a \"chat\", 3 deep, with \"eyes\". Goes with run_now or run_later.");
    let parameters = &other["parameters"]["properties"];
    assert_eq!(keys(parameters), ["first", "mode", "inner", "last"]);
    assert_eq!(parameters["mode"]["enum"], json!(["picture", "text", "both"]));
    assert_eq!(keys(&parameters["inner"]["properties"]), ["a", "b"]);

    let deep = shown_definition(&turn_with(&["shapes"], Facts { depth: 3, ..Facts::default() }));
    assert_eq!(deep["description"], "On cli, 3 deep. Deep.");
}

#[test]
fn values_hidden_in_a_turn_are_refused_as_unknown() {
    let arguments = r#"{"first": 1, "last": "x", "mode": "picture", "inner": {"a": "x", "c": "y"}}"#;
    let call = |turn: &Turn| pollster::block_on(turn.call(&ToolCall::new("depends", arguments)));
    let alone = call(&turn_with(&["shapes"], Facts::default()));
    let response: Value = serde_json::from_str(&alone.json).expect("responses are JSON");
    let problems: Vec<(&str, &str)> = (response["problems"].as_array().expect("problems").iter())
        .map(|problem| (problem["path"].as_str().unwrap_or(""), problem["expected"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        problems,
        [
            ("/mode", "\"text\""),
            ("/inner/a", "no argument of this name (the known ones are \"c\")"),
            ("/first", "no argument of this name (the known ones are \"mode\", \"inner\")"),
            ("/last", "no argument of this name (the known ones are \"mode\", \"inner\")"),
        ]
    );
    let facts = Facts { platform: "chat".into(), vision: true, ..Facts::default() };
    let other = call(&turn_with(&["shapes", "lib"], facts));
    // `c` is shown if `run_now` is not.
    assert!(other.json.contains("/inner/c") && !other.json.contains("/first"), "{}", other.json);
}

#[test]
fn a_session_with_an_unknown_fact_is_refused() {
    let registry = Registry::new();
    registry.add(golden::shared_provider(Echo)).expect("the names are unique");
    let error = |name: &'static str, value: toolc::FactValue| {
        registry.session().facts([(name.into(), value)]).build().map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(error("visoin", true.into()), Err("unknown fact `visoin`: did you mean `vision`?".into()));
    assert_eq!(error("vision", 3.into()), Err("the fact `vision` must be a boolean, not an integer".into()));
    assert_eq!(error("vision", true.into()), Ok(()));

    let session = registry.session().enable(["shapes"]).build().expect("the toolset is known");
    let before = session.turn_blocking(Dialect::OpenAi);
    session.set_facts([("platform".into(), "chat".into())]).expect("the fact is known");
    let after = session.turn_blocking(Dialect::OpenAi);
    assert!(before.definitions().contains("On cli") && after.definitions().contains("On chat"));
}
