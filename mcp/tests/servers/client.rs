//! What the tools of a server can do, and what a server gets.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolc::approval::CommandApproval;
use toolc::attachment::Attachment;
use toolc::cancel::CancelHandle;
use toolc::commands::programs::USUAL;
use toolc::commands::rules::{Conditions, Rule, RuleSet, Verdict};
use toolc::wire::mcp::{Incoming, Server as Served};
use toolc::{Dialect, Registry, ToolCall};
use toolc_mcp::{Answering, ErrorKind, PassedVariable, Server, ServerState, Servers, ToolSettings, Transport};

use crate::fixture::{Fixture, PATIENCE, error, has_python, is_connected, server};

#[test]
fn a_server_of_either_era_lists_its_tools_and_answers_calls() {
    if !has_python() {
        return;
    }
    let servers =
        [server("old", &[]), server("new", &["new"]), server("strict", &["old-and-strict", "noise", "pages"])];
    let fixture = Fixture::new(servers);
    for (name, protocol) in [("old", "2025-11-25"), ("new", "2026-07-28"), ("strict", "2025-11-25")] {
        let report = fixture.report(name);
        assert_eq!((report.state, report.protocol.as_deref()), (ServerState::Connected, Some(protocol)), "{report}");
        assert_eq!((report.tools.len(), report.has_problem()), (14, false), "{report}");
        let tool = format!("mcp__{name}__echo");
        assert_eq!(fixture.call(&tool, &json!({ "text": "hé" })), json!("hé"));
        let toolset = fixture.registry.toolset(&format!("mcp-{name}")).expect("it is registered");
        assert!(toolset.resolved.iter().any(|member| *member == tool), "{toolset:?}");
    }
    assert_eq!(fixture.report("old").server.as_deref(), Some("scripted 1"));
}

#[test]
fn arguments_are_repaired_and_validated_before_the_server_sees_them() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &[])]);
    assert_eq!(fixture.call("mcp__s__echo", &json!({ "text": 5 })), json!("5"));
    assert_eq!(fixture.call("mcp__s__echo", &json!({}))["kind"], "invalid_arguments");
    assert_eq!(fixture.call("mcp__s__structured", &json!({})), json!({ "n": 1 }));
    assert_eq!(fixture.call("mcp__s__slow", &json!({})), json!("at last"));
    let large = "x".repeat(3 << 20);
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    let response = turn.call_blocking(&ToolCall::new("mcp__s__echo", &json!({ "text": large }).to_string()));
    assert!(!response.is_error() && response.json.contains("xxxx"), "{}", &response.json[..200]);
}

#[test]
fn sounds_and_resources_are_passed_on_and_parts_of_a_later_version_are_noted() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("old", &["parts"]), server("new", &["new", "parts"])]);
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    for name in ["old", "new"] {
        for (arguments, text) in [
            ("{}", "\"Here.\""),
            (r#"{"later": true}"#, r#""Here.\n[content of the type \"video\" is left out: unknown variant"#),
        ] {
            let response = turn.call_blocking(&ToolCall::new(&format!("mcp__{name}__parts"), arguments));
            assert!(response.json.starts_with(text), "{name}: {}", response.json);
            let sound = Attachment::audio("audio/wav", *b"RIFF....WAVE").expect("it is valid");
            let file = Attachment::binary_resource("scripted://a.pdf", "application/pdf", *b"RIFF....WAVE");
            assert_eq!(response.attachments, [sound, file.expect("it is valid")], "{name}");
        }
    }
}

#[test]
fn an_error_of_a_tool_is_an_error_without_secrets() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &[])]);
    assert_eq!(error(&fixture.call("mcp__s__fail", &json!({}))), "it does not work: [secret]");
}

#[test]
fn a_program_gets_usual_and_named_variables_only() {
    if !has_python() {
        return;
    }
    let (mut settings, folder) = (server("s", &[]), tempfile::tempdir().expect("failed to make a folder"));
    let Transport::Stdio { env, directory, .. } = &mut settings.transport else { panic!("it is a program") };
    let variable = |name: &str, source: &str, is_secret| PassedVariable {
        name: name.to_owned(),
        source: source.to_owned(),
        is_secret,
    };
    *env =
        vec![variable("AS", "TOKEN", Some(true)), variable("EMPTY", "EMPTY", None), variable("UNSET", "UNSET", None)];
    let path = folder.path().canonicalize().expect("it exists");
    *directory = Some(path.clone());
    let fixture = Fixture::new([settings]);
    let result = fixture.call("mcp__s__env", &json!({}));
    let result: Value = result.as_str().expect("a text").parse().expect("it is JSON");
    let variables = result["env"].as_object().expect("an object");
    assert_eq!(variables["AS"], "[secret]", "the result is redacted");
    assert_eq!((&variables["EMPTY"], variables.get("UNSET")), (&json!(""), None));
    assert_eq!(fixture.report("s").unset_variables, ["UNSET"]);
    assert!(variables.contains_key("PATH") && !variables.contains_key("TOKEN"), "{variables:?}");
    assert!(!variables.contains_key("OTHER_KEY") && !variables.contains_key("CARGO_MANIFEST_DIR"), "{variables:?}");
    assert_eq!(result["directory"], path.to_str().expect("the path is UTF-8"));
}

#[test]
fn progress_is_passed_on() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &[])]);
    let (sender, receiver) = std::sync::mpsc::channel();
    let session = fixture.registry.session().on_progress(move |report| {
        let _ = sender.send((report.done, report.total, report.message.to_owned()));
    });
    let session = session.build().expect("the session is valid");
    let response = session.turn_blocking(Dialect::OpenAi).call_blocking(&ToolCall::new("mcp__s__progress", "{}"));
    assert_eq!(response.json, r#""done""#);
    let reports: Vec<_> = receiver.try_iter().collect();
    assert_eq!(reports.last(), Some(&(3.0, Some(3.0), "step 3".to_owned())), "{reports:?}");
}

#[test]
fn a_cancelled_call_and_one_that_takes_too_long_are_cancelled_at_the_server() {
    if !has_python() {
        return;
    }
    let mut hasty = server("hasty", &[]);
    hasty.call_timeout = std::time::Duration::from_millis(300);
    let fixture = Fixture::new([server("patient", &[]), hasty]);
    let cancel = CancelHandle::new();
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    let response = std::thread::scope(|scope| {
        let (turn, handle) = (&turn, &cancel);
        let call =
            scope.spawn(move || turn.call_blocking(&ToolCall::new("mcp__patient__forever", "{}").with_cancel(handle)));
        std::thread::sleep(std::time::Duration::from_millis(300));
        cancel.cancel();
        call.join().expect("no panic")
    });
    assert!(response.json.contains(r#""kind":"cancelled""#), "{}", response.json);
    let is_noticed = || {
        let started = Instant::now();
        while !fixture.note().exists() && started.elapsed() < PATIENCE {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        fixture.note().exists()
    };
    assert!(is_noticed(), "the server gets the cancellation");
    std::fs::remove_file(fixture.note()).expect("it exists");
    assert_eq!(fixture.call("mcp__hasty__forever", &json!({}))["kind"], "timeout");
    assert!(is_noticed(), "the server gets the cancellation");
    assert_eq!(fixture.call("mcp__hasty__echo", &json!({ "text": "still there" })), json!("still there"));
}

#[test]
fn changed_tools_replace_the_others_at_once() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &[]), server("new", &["new"]), server("other", &[])]);
    let before = fixture.session().turn_blocking(Dialect::OpenAi);
    for name in ["s", "new"] {
        let changed = fixture.call(&format!("mcp__{name}__change"), &json!({}));
        assert_eq!(changed, json!("changed"), "the running call is answered");
        fixture.wait_for(name, |report| report.tools.len() == 3);
        assert_eq!(fixture.own_names(name), ["echo", "fail", "new"]);
    }
    assert_eq!(before.tools().filter(|tool| tool.starts_with("mcp__s__")).count(), 14, "a turn keeps its tools");
    assert_eq!(fixture.own_names("other").len(), 14);
}

#[test]
fn only_included_tools_are_used_and_unknown_names_are_reported() {
    if !has_python() {
        return;
    }
    let (mut some, mut most) = (server("some", &[]), server("most", &[]));
    some.include = Some(vec!["echo".to_owned(), "missing".to_owned()]);
    most.exclude = vec!["echo".to_owned()];
    let fixture = Fixture::new([some, most]);
    assert_eq!(fixture.own_names("some"), ["echo"]);
    let left_out = fixture.report("some").left_out;
    assert!(matches!(left_out.as_slice(), [one] if one.tool == "missing"), "{left_out:?}");
    assert_eq!(fixture.own_names("most").len(), 13);
}

#[test]
fn hints_count_only_if_the_server_is_trusted() {
    if !has_python() {
        return;
    }
    let mut trusted = server("trusted", &[]);
    trusted.trusted = true;
    let fixture = Fixture::new([server("untrusted", &[]), trusted]);
    let is_read_only = |name: &str| fixture.registry.tool(name).expect("it exists").behaviour.annotations.read_only;
    assert!(is_read_only("mcp__trusted__echo") && !is_read_only("mcp__untrusted__echo"));
}

#[test]
fn clients_get_the_type_of_results_and_the_icons_of_trusted_servers() {
    if !has_python() {
        return;
    }
    let mut trusted = server("trusted", &[]);
    trusted.trusted = true;
    let fixture = Fixture::new([server("untrusted", &[]), trusted]);
    let session = fixture.registry.session().build().expect("a session");
    let list: Value =
        serde_json::from_str(session.turn_blocking(Dialect::Mcp).definitions()).expect("definitions are JSON");
    let tool =
        |name: &str| list.as_array().into_iter().flatten().find(|tool| tool["name"] == name).expect("it is listed");
    let (trusted, untrusted) = (tool("mcp__trusted__structured"), tool("mcp__untrusted__structured"));
    assert_eq!(trusted["icons"], json!([{ "src": "https://example.com/n.png", "sizes": ["48x48"] }]));
    assert_eq!(trusted["_meta"], json!({ "com.example/kind": "number" }));
    assert!(untrusted.get("icons").is_none() && untrusted.get("_meta").is_none());
    for tool in [trusted, untrusted] {
        assert_eq!(tool["outputSchema"]["$defs"]["structured"]["required"], json!(["n"]));
    }
    let declared = session.turn_blocking(Dialect::TypeScript).definitions().to_owned();
    assert!(declared.contains("Promise<mcp__trusted__structured$structured | { text: string;"), "{declared}");
}

#[test]
fn the_meta_of_a_result_reaches_clients_without_secrets_if_the_server_is_trusted() {
    if !has_python() {
        return;
    }
    let mut trusted = [server("old", &[]), server("new", &["new"])];
    for server in &mut trusted {
        server.trusted = true;
    }
    let fixture = Fixture::new(trusted.into_iter().chain([server("untrusted", &[])]));
    let turn = fixture.registry.session().build().expect("a session").turn_blocking(Dialect::Mcp);
    let sent = |name: &str| {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": format!("mcp__{name}__structured") },
        });
        let Incoming::Call(request) = Served::new("s", "1").receive(&message.to_string(), &turn) else {
            panic!("it is a call")
        };
        let sent = request.result(&turn, &turn.call_blocking(&request.call()));
        sent.parse::<Value>().expect("it is JSON")["result"].clone()
    };
    for name in ["old", "new"] {
        let result = sent(name);
        assert_eq!(result["_meta"], json!({ "com.example/kind": "number", "com.example/token": "[secret]" }));
        assert_eq!((&result["structuredContent"], &result["isError"]), (&json!({ "n": 1 }), &json!(false)));
        assert!(!result["content"].to_string().contains("com.example"), "a model reads it: {result}");
    }
    assert_eq!(sent("untrusted").get("_meta"), None);
}

#[test]
fn shell_commands_are_judged_unless_the_configuration_says_no() {
    if !has_python() {
        return;
    }
    let (mut named, mut unjudged) = (server("named", &[]), server("unjudged", &[]));
    named.tools = vec![("echo".to_owned(), ToolSettings { shell: vec!["text".to_owned()], unjudged: false })];
    unjudged.tools = vec![("shell".to_owned(), ToolSettings { shell: Vec::new(), unjudged: true })];
    let fixture = Fixture::new([server("plain", &[]), named, unjudged]);
    let session = fixture.registry.session().commands(CommandApproval::new(&RULES));
    let turn = session.build().expect("the session is valid").turn_blocking(Dialect::OpenAi);
    let call = |name: &str, arguments: Value| turn.call_blocking(&ToolCall::new(name, &arguments.to_string())).json;
    let harmful = "rm -rf /";
    for refused in
        [call("mcp__plain__shell", json!({ "command": harmful })), call("mcp__named__echo", json!({ "text": harmful }))]
    {
        assert!(refused.contains("error"), "{refused}");
    }
    assert_eq!(call("mcp__plain__shell", json!({ "command": "ls" })), r#""ran ls""#);
    assert_eq!(call("mcp__plain__echo", json!({ "text": harmful })), r#""rm -rf /""#);
    assert_eq!(call("mcp__unjudged__shell", json!({ "command": harmful })), r#""ran rm -rf /""#);
}

/// A rule that denies deletion.
const DELETION: Rule<'_> = Rule {
    name: "deletion",
    description: "Deletes files.",
    check: "",
    low_risk: false,
    optional: None,
    verdict: Verdict::Deny,
    can_be_exempted: false,
    exempts: &[],
    conditions: Conditions { programs: &["rm"], ..Conditions::EMPTY },
};

static RULES: LazyLock<RuleSet<'static>> = LazyLock::new(|| RuleSet::new(&[DELETION], &[], USUAL));

#[test]
fn a_stopped_server_ends_and_its_tools_say_so() {
    if !has_python() {
        return;
    }
    let mut fixture = Fixture::new([server("s", &[])]);
    assert!(is_connected(&fixture.report("s")));
    fixture.servers.stop();
    assert_eq!(fixture.report("s").state, ServerState::Stopped);
    let turn = fixture.session().turn_blocking(Dialect::OpenAi);
    let reason = turn.why("mcp__s__echo").expect("it is known").to_string();
    assert!(reason.contains("the server is stopped"), "{reason}");
}

#[cfg(unix)]
#[test]
fn a_prepared_server_starts_when_it_is_released_or_never() {
    let folder = tempfile::tempdir().expect("failed to make a folder");
    let started = folder.path().join("started");
    let (registry, env) = (Registry::new(), toolc::Env::process());
    let prepared = |name: &str| {
        let args = vec!["-c".to_owned(), format!("touch '{}'; exec sleep 600", started.display())];
        let transport = Transport::Stdio { command: "sh".to_owned(), args, env: Vec::new(), directory: None };
        let server = Server { transport, ..server(name, &[]) };
        Servers::prepare(vec![server], &registry, &env, &Answering::default()).expect("the server is valid")
    };
    let servers = prepared("a");
    std::thread::sleep(Duration::from_millis(200));
    assert!(registry.toolset("mcp-a").is_some() && !started.exists());
    servers.releaser()();
    let released = Instant::now();
    while !started.exists() {
        assert!(released.elapsed() < PATIENCE, "{}", servers.reports()[0]);
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(servers);
    std::fs::remove_file(&started).expect("it exists");
    let never = prepared("b");
    let release = never.releaser();
    drop(never);
    release();
    std::thread::sleep(Duration::from_millis(200));
    assert!(!started.exists());
}

#[test]
fn a_name_that_is_taken_or_not_valid_is_refused() {
    let registry = Registry::new();
    let env = toolc::Env::empty();
    let start = |servers| toolc_mcp::Servers::start(servers, &registry, &env, &Answering::default()).map(drop);
    let refused = start(vec![server("a__b", &[])]).expect_err("it is not valid");
    assert_eq!(refused.kind(), ErrorKind::Settings);
    assert!(refused.to_string().contains("`a__b`: expected at most 32"), "{refused}");
}
