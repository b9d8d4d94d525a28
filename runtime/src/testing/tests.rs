use crate::result::output::ToolResult;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::call::response::CallResponse;
use crate::call::{Call, ToolCall};
use crate::data::dialect::Dialect;
use crate::data::table::Table;
use crate::env::Env;
use crate::fakes::{Fake, tool};
use crate::provider::HandlerReply;
use crate::result::error::ToolError;
use crate::result::output::ToolOutput;
use crate::run::cancel::CancelHandle;
use crate::run::task::Task;
use serde_json::Value;

/// Returns the message with which a test fails.
fn failure<T>(test: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(test)) {
        Ok(_) => panic!("the test does not fail"),
        Err(panic) => *panic.downcast::<String>().expect("a panic's message is text"),
    }
}

/// Returns the tool `say` with this schema.
fn say(schema: &Value) -> crate::data::catalog::Tool {
    let mut tool = tool("say", "home", &[]);
    tool.arguments = Table::from_schema(schema).expect("the schema is valid").into();
    tool
}

/// Returns a provider of the tool `say`, which returns its arguments.
fn echo() -> Fake {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    Fake::new([say(&schema)]).answer_with(|arguments, call| {
        call.progress(1.0, None, "");
        call.progress(1.5, Some(2.0), "echoing");
        HandlerReply::Ready(ToolOutput::json(&arguments))
    })
}

#[test]
fn a_harness_runs_the_whole_pipeline() {
    let harness = Harness::new(Box::new(echo()));
    assert_reply!(harness.call("say", json!({ "n": "5" })), { "n": 5 });
    assert_reply!(harness.call("say", r#"{"n": []}"#), Err(InvalidArguments, "/n"));
    assert_reply!(harness.call("sya", "{}"), Err(UnknownTool, "did you mean `say`?"));
    assert_eq!(harness.progress(), ["1", "1.5 of 2: echoing"]);
    let stop = CancelHandle::new();
    stop.cancel();
    assert_reply!(harness.send(&ToolCall::new("say", "{}").with_cancel(&stop)), Err(Cancelled));
    let response = harness.call("say", "{}");
    assert_reply!(&response, {});
    assert_eq!((response.value(), response.response().is_error()), (json!({}), false));
}

#[test]
fn a_harness_has_an_empty_environment() {
    let needs = || {
        let requirement = crate::data::requirement::Requirement::Env(vec!["KEY".into()]);
        Box::new(Fake::new([tool("say", "home", &[requirement])]))
    };
    let bare = Harness::new(needs());
    assert_reply!(bare.call("say", "{}"), Err(UnknownTool, "needs the environment variable `KEY`"));
    assert!(failure(|| bare.definition("say", Dialect::OpenAi)).contains("`KEY`"));
    let harness = Harness::with_session(needs(), |session| session.env(Env::empty().with_var("KEY", "k")));
    assert_reply!(harness.call("say", "{}"), "say");
    let message = failure(|| Harness::with_session(needs(), |session| session.enable(["hmoe"])));
    assert_eq!(message, "cannot create the session of the test: unknown toolset `hmoe`: did you mean `home`?");
}

#[test]
fn a_definition_has_a_line_for_each_value_in_order() {
    let text = r#"{"type":"function","function":{"name":"say","a":[1,{}]}}"#;
    let fake = Fake::new([tool("other", "home", &[]), tool("say", "home", &[])]);
    let segments = vec![crate::data::segment::Segment::Text(text.into())];
    let harness = Harness::new(Box::new(fake.defined("say", Some(segments))));
    let lines = [
        "{",
        "  \"type\": \"function\",",
        "  \"function\": {",
        "    \"name\": \"say\",",
        "    \"a\": [",
        "      1,",
        "      {}",
        "    ]",
        "  }",
        "}",
    ];
    assert_eq!(harness.definition("say", Dialect::OpenAi), lines.join("\n"));
    assert_eq!(harness.definition("other", Dialect::OpenAi), "\"other\"");
}

#[test]
fn each_caller_has_its_own_task() {
    #[derive(Default)]
    struct Counter(std::sync::Mutex<u32>);
    let count = |call: &Call<'_>| {
        let counter = call.state::<Counter>();
        let mut count = counter.0.lock().unwrap();
        *count += 1;
        *count
    };
    let (one, other) = (Caller::new(), Caller::new());
    assert_eq!([count(&one.call("a")), count(&one.call("b")), count(&other.call("a"))], [1, 2, 1]);
    assert_eq!((one.call("a").tool(), one.call("a").id()), ("a", "call_1"));
}

#[test]
fn a_caller_has_a_session_tools_and_facts() {
    let bare = Caller::new();
    assert_eq!(
        (bare.call("a").session(), bare.call("a").fact("chat"), bare.call("a").has_tool("b")),
        ("", None, false)
    );
    let caller = Caller::new().with_session_id("s").with_tools(["b", "c"]).with_fact("chat", true).with_fact("n", 3);
    caller.task().set_user_request("tea");
    let call = caller.call("a");
    assert_eq!((call.session(), call.user_request().as_deref()), ("s", Some("tea")));
    assert_eq!([call.fact("chat"), call.fact("n")], [Some(&true.into()), Some(&3.into())]);
    assert!(call.has_tool("b") && call.has_tool("c") && !call.has_tool("d"));
    call.progress(1.0, None, "");
    assert_eq!(caller.progress(), ["1"]);
    let message = failure(|| Caller::new().with_tools(["b"]).with_tools(["b"]));
    assert_eq!(
        message,
        "cannot create the turn of the caller: provider refused: the tool name `b` is taken: choose another one, or override that tool (`add_overriding`)"
    );
}

#[test]
fn a_caller_has_a_home_and_values_of_the_host() {
    assert_eq!(Caller::new().call("a").home(), None);
    let caller = Caller::new().with_home("/home").with_value(Arc::new(7_u8)).with_session_id("s");
    assert_eq!(caller.call("a").home(), Some(std::path::Path::new("/home")));
    assert_eq!(caller.call("a").value::<u8>().as_deref(), Some(&7));
    assert_reply!(
        caller.call("a").require_value::<u16>().map(|_| ToolOutput::text("")),
        Err(Failed, "`u16`, which `a` needs")
    );
}

#[test]
fn a_caller_cancels_running_and_later_calls() {
    let caller = Caller::new();
    let call = caller.call("wait");
    let waits = async {
        call.cancelled().await;
        "ended in order"
    };
    caller.cancel();
    assert_eq!(wait(waits), "ended in order");
    assert!(caller.call("wait").is_cancelled());
}

#[test]
fn a_failure_lists_all_differences_and_the_call() {
    let harness = Harness::new(Box::new(echo()));
    let message = failure(|| assert_reply!(harness.call("say", r#"{"m": "x", "n": 5}"#), { "n": 6, "a/b": null }));
    let lines = [
        "the result differs from the expected one",
        "/a~1b: expected null, got nothing",
        "/m: expected nothing, got \"x\"",
        "/n: expected 6, got 5",
        "     tool: say",
        "arguments: {\"m\": \"x\", \"n\": 5}",
        " response: {",
        "  \"m\": \"x\",",
        "  \"n\": 5",
        "}",
    ];
    assert_eq!(message.lines().collect::<Vec<_>>(), lines);
    let error = || harness.call("say", "[");
    assert!(failure(|| assert_reply!(error(), [1])).starts_with("the call failed, but a result was expected: [1]\n"));
    let message = failure(|| assert_reply!(error(), Err(NotFound)));
    assert!(
        message.starts_with("the error has the kind \"malformed_arguments\", but `not_found` was expected\n"),
        "{message}"
    );
    let message = failure(|| assert_reply!(error(), Err(MalformedArguments, "no such words")));
    assert!(message.starts_with("the error does not contain `no such words`\n"), "{message}");
    let message = failure(|| assert_reply!(Ok(ToolOutput::text("fine")), Err(Failed)));
    assert_eq!(message, "the call succeeded, but an error of kind `failed` was expected\n response: \"fine\"");
    assert!(failure(|| error().value()).starts_with("the call failed\n     tool: say\n"));
}

#[test]
fn long_texts_differ_at_a_line() {
    let difference = |expected: &str, got: &str| {
        let message = failure(|| assert_reply!(Ok(ToolOutput::text(got)), expected));
        message.lines().nth(1).expect("a line for the difference").to_owned()
    };
    assert_eq!(difference("a", "b"), "at the root: expected \"a\", got \"b\"");
    assert_eq!(difference("1\n2\n3", "1\ntwo\n3"), "at the root, line 2: expected \"2\\n\", got \"two\\n\"");
    assert_eq!(difference("1\n2", "1\n"), "at the root, line 2: expected \"2\", got the end of the string");
    let long = "é".repeat(1_000);
    let line = difference(&format!("{long}x"), &format!("{long}y"));
    assert!(line.len() < 400 && line.contains("(after 950 characters)") && line.ends_with("éy\""), "{line}");
    let many: Vec<u32> = (0..100).collect();
    let message = failure(|| assert_reply!(ToolOutput::json(&many), []));
    assert!(message.contains("/19: expected nothing, got 19\nand 80 more\n"), "{message}");
}

#[test]
fn assert_reply_accepts_every_kind_of_value() {
    assert_reply!(ToolOutput::json(&()), null);
    assert_reply!(ToolOutput::json(&true), true);
    assert_reply!(ToolOutput::json(&[1, 2]), [1, 2],);
    assert_reply!(ToolOutput::json(&json!({ "a": 1 })), { "a": 1 },);
    let expected = json!({ "a": [] });
    assert_reply!(ToolOutput::json(&expected), expected,);
    assert_reply!(
        CallResponse {
            json: "1".to_owned(),
            error: None,
            images: Vec::new(),
            attachments: Vec::new(),
            meta: None,
            repairs: crate::args::repairs::Repairs::NONE
        },
        1
    );
    let failed: ToolResult = Err(ToolError::new("no"));
    assert_reply!(failed.clone(), Err(Failed,),);
    assert_reply!(failed, Err(Failed, format!("{}o", 'n').as_str()));
    let task = Task::new("errand");
    assert_reply!(Harness::new(Box::new(echo())).send(&ToolCall::new("say", "{}").with_task(&task)), {});
}
