//! Turns of the golden project: which tools they show, why they hide the rest, and how tools run.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use toolc::agent::AgentTask;
use toolc::behaviour::{Annotations, Approval, Behaviour, Execution, MaxResultChars, Parallel};
use toolc::explain::Status;
use toolc::search::ToolSearch;
use toolc::{
    CallResponse, Dialect, DynamicTool, DynamicTools, Env, FactValue, Registry, Session, Task, ToolCall, ToolError,
    ToolOutput, Turn,
};
use toolc_tests::echo::Echo;
use toolc_tests::golden::{self, AgentCall, Facts, names};

fn session(toolsets: &[&str], env: Env, facts: Facts) -> Session {
    let registry = Registry::new();
    registry.add(golden::shared_provider(Echo)).expect("the names are unique");
    let session = registry.session().enable(toolsets.iter().copied()).env(env).facts(facts);
    let session = session.check_timeout(Duration::from_hours(1)).build();
    session.expect("toolsets and facts are known")
}

fn turn(toolsets: &[&str], env: Env) -> Turn {
    session(toolsets, env, Facts::default()).turn_blocking(Dialect::OpenAi)
}

/// Returns an environment that satisfies all requirements of the golden tools.
fn complete_env() -> Env {
    Env::empty().with_var("GOLDEN_KEY", "k").with_var("GOLDEN_BROWSER", "b").with_program("golden-program")
}

fn shown(turn: &Turn) -> Vec<&str> {
    turn.tools().collect()
}

fn hidden(turn: &Turn) -> Vec<String> {
    turn.hidden().map(|hidden| format!("{}: {}", hidden.tool, hidden.reason)).collect()
}

fn call(turn: &Turn, tool: &str, arguments: &Value) -> (bool, Value) {
    let CallResponse { json, error, .. } = pollster::block_on(turn.call(&ToolCall::new(tool, &arguments.to_string())));
    (error.is_some(), serde_json::from_str(&json).expect("a response is JSON"))
}

#[test]
fn a_missing_requirement_hides_a_tool_and_is_named() {
    let guarded = |env: Env| {
        let turn = turn(&["guards", "lib", "later"], env);
        assert_eq!(turn.hidden().count() + shown(&turn).len(), 7);
        hidden(&turn)
    };
    let both_hidden = |reason: &str| ["guarded", "in_chat"].map(|tool| format!("{tool}: {reason}")).to_vec();
    assert_eq!(guarded(Env::empty()), both_hidden("needs the environment variable `GOLDEN_KEY`"));
    let env = Env::empty().with_var("GOLDEN_KEY", "k");
    assert_eq!(guarded(env.clone()), both_hidden("needs the program `golden-program`"));
    let env = env.with_program("golden-program");
    let in_chat = "in_chat: the fact `platform` rules it out".to_owned();
    assert_eq!(guarded(env), ["guarded: needs the environment variable `GOLDEN_BROWSER`".to_owned(), in_chat.clone()]);
    assert_eq!(guarded(complete_env()), std::slice::from_ref(&in_chat));
    assert_eq!(
        guarded(complete_env().with_var("GOLDEN_CLOSED", "guarded")),
        ["guarded: `guarded` is closed".to_owned(), in_chat]
    );
    assert_eq!(guarded(complete_env().with_var("GOLDEN_CLOSED", "guards")).len(), 2);
}

#[test]
fn the_tools_of_a_turn_are_decided_before_its_texts() {
    // Tools are hidden without the tools that they require, and shown with them, also under a legacy name.
    assert!(shown(&turn(&["guards"], complete_env())).is_empty());
    assert!(shown(&turn(&["sentries", "lib", "later"], complete_env())).contains(&"guarded"));
    // A tool is hidden together with the tool that it requires.
    let turn = turn(&["all"], Env::empty());
    assert!(!shown(&turn).contains(&"guarded") && shown(&turn).contains(&"fetch_all"));
    assert!(turn.definitions().contains("Then crunch it."));
}

#[test]
fn facts_decide_availability_and_a_panicking_check_fails() {
    let session = session(&["guards", "lib", "later"], complete_env(), Facts::default());
    session.set_facts([("platform".into(), FactValue::from("chat"))]).expect("the fact is known");
    let turn = session.turn_blocking(Dialect::OpenAi);
    let text = hidden(&turn);
    assert!(text[0] == "guarded: the facts `platform` and `vision` rule it out", "{text:?}");
    assert!(text[1].starts_with("in_chat: ") && text[1].contains("asked about `in_chat`"), "{text:?}");
}

#[test]
fn equal_facts_share_the_text_of_the_definitions() {
    let session = session(&["all"], complete_env(), Facts::default());
    let set_depth =
        |depth: i64| session.set_facts([("depth".into(), FactValue::from(depth))]).expect("the fact is known");
    set_depth(3);
    let first = session.turn_blocking(Dialect::OpenAi);
    set_depth(3);
    assert_eq!(first.definitions().as_ptr(), session.turn_blocking(Dialect::OpenAi).definitions().as_ptr());
    set_depth(4);
    assert_ne!(first.definitions(), session.turn_blocking(Dialect::OpenAi).definitions());
}

/// A turn reuses text of the previous one if its inputs are unchanged.
#[test]
fn earlier_turns_do_not_affect_later_ones() {
    let registry = Registry::new();
    registry.add(golden::shared_provider(Echo)).expect("the names are unique");
    let new_session = |search: bool| {
        let session = registry.session().env(complete_env()).check_timeout(Duration::from_hours(1));
        let session = if search { session.tool_search(ToolSearch::with_threshold(0)) } else { session };
        session.build().expect("the session is valid")
    };
    for search in [false, true] {
        let (session, mut seen) = (new_session(search), BTreeSet::new());
        for step in 0..60 {
            let platform = ["cli", "chat", "a \"longer\" word\n than any default has"][step % 3];
            let facts: [(Cow<'static, str>, FactValue); 3] = [
                ("platform".into(), platform.into()),
                ("vision".into(), (step % 4 < 2).into()),
                ("depth".into(), [-1_i64, 2, 1 << 53, 0, 3][step % 5].into()),
            ];
            let fresh = new_session(search);
            fresh.set_facts(facts.clone()).expect("the facts are known");
            session.set_facts(facts).expect("the facts are known");
            let dialects: &[Dialect] = if step % 7 < 5 { &[Dialect::OpenAi] } else { &[Dialect::OpenAi, Dialect::Mcp] };
            for &dialect in dialects {
                let turn = session.turn_blocking(dialect);
                assert_eq!(
                    turn.definitions(),
                    fresh.turn_blocking(dialect).definitions(),
                    "{search} {step} {dialect:?}"
                );
                seen.insert(turn.definitions().to_owned());
            }
        }
        let min_definitions = if search { 4 } else { 11 };
        assert!(seen.len() >= min_definitions, "{search}: {}", seen.len());
    }
}

#[test]
fn a_hidden_tool_cannot_be_called_and_its_reason_is_reported() {
    let (is_error, answer) = call(&turn(&["all"], Env::empty()), "guarded", &json!({}));
    assert!(is_error);
    assert_eq!(answer["kind"], "unknown_tool");
    assert!(answer["error"].as_str().is_some_and(|text| text.contains("`GOLDEN_KEY`")), "{answer}");
}

#[test]
fn a_blocking_tool_runs_on_another_thread() {
    let turn = turn(&["shut"], Env::empty());
    let task = Task::new("t");
    let request = ToolCall::new("crunch", "{}").with_id("7").with_task(&task);
    let CallResponse { json, error, .. } = pollster::block_on(turn.call(&request));
    assert!(error.is_none(), "{json}");
    let text: String = serde_json::from_str(&json).expect("text");
    assert_eq!(text, r#"(Args { outcome: Well }, "crunch", "7", "t", false)"#);
    assert_eq!(call(&turn, "crunch", &json!({ "outcome": "panic" })).1["kind"], "panicked");
    assert_eq!(call(&turn, "crunch", &json!({ "outcome": "fail" })).1["error"], "asked to fail");
    assert_eq!(call(&turn, "crunch", &json!({ "outcome": "?" })).1["kind"], "invalid_arguments");
}

#[test]
fn agent_run_tools_are_returned_to_the_agents_loop() {
    let turn = turn(&["all"], complete_env());
    let ask =
        |tool: &str, arguments: &str| pollster::block_on(turn.agent_call::<AgentCall>(&ToolCall::new(tool, arguments)));
    let Some(Ok(AgentTask { call: AgentCall::Delegate(args), pending })) =
        ask("delegate", r#"{"task":"t","depth":"3"}"#)
    else {
        panic!("a call of `delegate` arrives typed, and repaired")
    };
    assert_eq!((args.task.as_str(), args.depth), ("t", 3));
    assert_eq!(pending.finish(Ok(ToolOutput::text("done"))).json, "\"done\"");
    let Some(Err(answer)) = ask("delegate", "{}") else { panic!("invalid arguments did not end in a response") };
    assert!(answer.is_error() && answer.json.contains("invalid_arguments"));
    assert!(ask("run_now", "{}").is_none() && ask("missing", "{}").is_none(), "only agent-run tools");
    // A host without agent-run tools gets a response as well.
    assert!(call(&turn, "delegate", &json!({ "task": "t" })).0);
    // A toolset of agent-run tools has no handlers.
    let registry = Registry::new();
    registry.add(golden::r#loop::provider()).expect("the names are unique");
    assert_eq!(
        shown(&registry.session().build().expect("no toolset is named").turn_blocking(Dialect::OpenAi)),
        ["ask_back", "delegate"]
    );
}

#[test]
fn a_batch_answers_calls_of_every_execution() {
    let turn = turn(&["all"], complete_env());
    let requests = [("crunch", "{}"), ("delegate", r#"{"task":"t"}"#), ("ask_back", "{}"), ("delegate", "{}")];
    let requests = requests.map(|(tool, arguments)| ToolCall::new(tool, arguments).with_id(tool));
    let answered = pollster::block_on(turn.batch_with(&requests, |call, request| async move {
        match call {
            AgentCall::Delegate(args) => Ok(ToolOutput::text(format!("{} for {}", args.task, request.id()))),
            AgentCall::AskBack(_) => Err(ToolError::new("the user is away")),
        }
    }));
    let answers: Vec<Value> =
        answered.iter().map(|one| serde_json::from_str(&one.response.json).expect("a response is JSON")).collect();
    assert!(answers[0].as_str().is_some_and(|text| text.contains("crunch")), "{}", answers[0]);
    assert_eq!(answers[1], json!("t for delegate"));
    assert_eq!(answers[2]["error"], "the user is away");
    assert_eq!(answers[3]["kind"], "invalid_arguments");
}

#[test]
fn a_tool_that_needs_approval_is_refused_without_an_approver() {
    let turn = turn(&["shut"], Env::empty());
    let (is_error, answer) = call(&turn, "erase", &json!({}));
    assert!(is_error);
    assert_eq!(answer["kind"], "refused");
    assert!(!call(&turn, "shell", &json!({ "command": "ls" })).0, "`approval.shell` alone requires no approval");
}

#[test]
fn a_tool_may_have_another_name_in_a_dialect() {
    let turn = turn(&["shut"], Env::empty());
    assert!(turn.definitions().contains(r#""name":"fetch_everything""#));
    let (is_error, answer) = call(&turn, "fetch_everything", &json!({ "page": "p" }));
    assert_eq!((is_error, answer), (false, json!(r#"(Args { page: "p" }, "fetch_all")"#)));
    let (_, answer) = call(&turn, "fetch_all", &json!({ "page": "p" }));
    assert_eq!(answer["kind"], "unknown_tool", "the turn shows another name: {answer}");
}

#[test]
fn why_explains_manifests_and_availability() {
    let session = session(&["guards", "lib", "shapes"], complete_env(), Facts::default());
    session.set_facts([("vision".into(), true.into())]).expect("the fact is known");
    let turn = session.turn_blocking(Dialect::OpenAi);
    let why = turn.why("guarded").expect("the tool is known");
    assert!(matches!(why.status, Status::Hidden(_)), "{why}");
    let text = why.to_string();
    for line in [
        "granted: guards",
        "✓ needs the environment variable `GOLDEN_KEY`, like all tools of `guards`",
        "✓ needs `facts.platform == 'cli' or facts.vision`",
        "! needs the tools `run_now` and `run_later`: `run_later` is not available",
        "`run_later` is missing: it is not granted",
    ] {
        assert!(text.contains(&format!("\n    {line}")), "{line} is not in\n{text}");
    }
    assert!(!text.contains("`no_parameters` is not available"), "{text}");
    let depends = turn.why("depends").expect("the tool is known").to_string();
    for line in [
        "text \", with \"eyes\"\" is included: `facts.vision` (`vision` is true)",
        "text \"to the chat\" of `mode` is omitted: `facts.platform == 'chat'` (`platform` is 'cli')",
        "parameter `first` is included: `tools.run_now` (`run_now` is available)",
        "parameter `inner.b` is omitted: `tools.run_later` (`run_later` is not available)",
        "parameter `inner.c` is omitted: `not (tools.run_now or tools.run_later)` (",
        "value \"picture\" of `mode` is included: `facts.vision` (`vision` is true)",
        "value \"both\" of `mode` is included: `facts.vision and tools.run_now` (`vision` is true, `run_now` is available)",
    ] {
        assert!(depends.contains(&format!("\n    {line}")), "{line} is not in\n{depends}");
    }
}

#[test]
fn the_doctor_describes_missing_variables_and_shows_no_values() {
    let env = Env::empty().with_var("GOLDEN_BROWSER", "here").with_var("GOLDEN_KEY", "");
    let doctor = turn(&["guards", "lib", "later"], env).doctor();
    let [key] = &*doctor.variables else { panic!("exactly one variable is missing: {doctor}") };
    assert_eq!((&*key.name, &*key.description, key.secret), ("GOLDEN_KEY", "Opens what is guarded.", true));
    assert_eq!((&*key.prompt, &*key.url), ("Key of the guarded service", "https://example.org/keys"));
    assert_eq!(key.tools, ["guarded", "in_chat"]);
    let text = doctor.to_string();
    assert!(text.contains("! guarded (guards)\n    needs the environment variable `GOLDEN_KEY`\n"), "{text}");
    assert!(text.ends_with("    https://example.org/keys\n    for `guarded` and `in_chat`"), "{text}");

    let secret = complete_env().with_var("GOLDEN_KEY", "hunter2-and-more");
    let turn = turn(&["all"], secret);
    let whys: Vec<_> = turn.tools().chain(turn.hidden().map(|hidden| hidden.tool)).map(|name| turn.why(name)).collect();
    let all = format!("{turn:?} {whys:?} {:?} {}", turn.doctor(), turn.doctor());
    assert!(all.contains("GOLDEN_KEY") && !all.contains("hunter2"), "{all}");
}

/// A part that the compiler does not fill has its default in every tool.
#[test]
fn every_part_of_a_behaviour_is_compiled() {
    let provider = golden::shared_provider(Echo);
    let changed: BTreeSet<&str> = provider.tools().iter().flat_map(|tool| tool.behaviour.changed_parts()).collect();
    assert_eq!(changed, Behaviour::PARTS.iter().copied().collect(), "see codegen/src/lower/behaviour.rs");
}

#[test]
fn declared_values_are_available_as_data() {
    let provider = golden::shared_provider(Echo);
    let tool = |name: &str| provider.tools().iter().find(|tool| tool.name == name).expect("a tool").clone();
    let crunch = tool(names::tools::CRUNCH).behaviour;
    assert_eq!(crunch.execution, Execution::Blocking);
    assert_eq!((crunch.timeout, crunch.max_result_chars), (Some(Duration::from_secs(90)), Some(20_000.into())));
    assert_eq!((&crunch.parallel, crunch.defer), (&Parallel::Always, false));
    let harmless = Annotations::DEFAULT.with_read_only(true).with_idempotent(true).with_open_world(false);
    assert_eq!(crunch.annotations, harmless);
    let keyed = Parallel::Keyed { key: "page".into(), space: "pages".into() };
    let fetch_all = tool("fetch_all").behaviour;
    assert_eq!((fetch_all.parallel, fetch_all.max_result_chars), (keyed, Some(MaxResultChars::Unlimited)));
    assert_eq!(tool("shell").behaviour.approval, Approval::NONE.with_shell("command"));
    let erase = &tool("erase").behaviour;
    let deprecated = erase.deprecated.as_ref().expect("it is deprecated");
    assert_eq!((deprecated.replacement.as_deref(), &*deprecated.note), (Some("no_parameters"), "It erases too much."));

    let guards = provider.toolsets().iter().find(|toolset| toolset.name == names::toolsets::GUARDS).expect("a toolset");
    assert_eq!(
        (&*guards.aliases, &*guards.tags),
        (&["sentries".into(), "watch".into()][..], &["guarded".into(), "test".into()][..])
    );
    let secret: Vec<(&str, bool)> = golden::VARIABLES.iter().map(|one| (&*one.name, one.secret)).collect();
    assert_eq!(secret, [("GOLDEN_BROWSER", false), ("GOLDEN_KEY", true)]);
    let drawn: Vec<(&str, f64)> = golden::DISTRIBUTIONS[0].toolsets.iter().map(|(name, p)| (&**name, *p)).collect();
    assert_eq!(drawn, [("later", 12.5), ("shapes", 90.0)]);
}

#[test]
fn conditions_of_a_catalog_see_tools_added_at_run_time() {
    let registry = Registry::new();
    registry.add(golden::shared_provider(Echo)).expect("the names are unique");
    let session =
        |toolset: &str| registry.session().enable([toolset]).env(complete_env()).build().expect("the toolset is known");
    let (left, less) = (session("left"), session("less"));
    let find = || {
        let schema = json!({ "type": "object" });
        let tool = |name: &'static str| {
            DynamicTool::sync(name, "Find.", schema.clone(), |_, call| Ok(ToolOutput::text(call.tool())))
                .toolset("mcp-server")
        };
        DynamicTools::new().tool(tool("mcp_find")).tool(tool("mcp_look")).build().expect("the tools are valid")
    };
    let look = |session: &Session| {
        let turn = session.turn_blocking(Dialect::OpenAi);
        let suffix = turn.definitions().split("Take nothing at all.").nth(1).and_then(|rest| rest.split('"').next());
        (shown(&turn).join(" "), suffix.unwrap_or_default().to_owned())
    };
    let own = "Odd-Names every_type";
    let bare = [
        (format!("{own} no_parameters run_now"), " Goes with run_now.".to_owned()),
        ("Odd-Names every_bound every_type no_parameters".to_owned(), String::new()),
    ];
    assert_eq!([look(&left), look(&less)], bare);
    let id = registry.add(find()).expect("the names are free");
    let suffix = " Goes with mcp_find, run_now.".to_owned();
    assert_eq!(look(&left), (format!("{own} mcp_find mcp_look no_parameters run_now"), suffix));
    let suffix = " Goes with mcp_find.".to_owned();
    assert_eq!(look(&less), ("Odd-Names every_bound every_type mcp_find no_parameters".to_owned(), suffix));
    registry.remove(id);
    assert_eq!([look(&left), look(&less)], bare);
}
