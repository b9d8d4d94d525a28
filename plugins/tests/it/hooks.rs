//! Tests of the hooks of plugins: what programs see of the calls of any tools, and what they can do about them. The programs are scripts
//! of Python.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::fixture::{Fixture, env, fixture};
use serde_json::{Value, json};
use toolc::cancel::CancelHandle;
use toolc::search::ToolSearch;
use toolc::testing::assert_reply;
use toolc::{CallResponse, Dialect, DynamicTool, Env, SessionBuilder, ToolCall, ToolError, ToolOutput};
use toolc_plugins::Level;
use toolc_test_support::Missing;
use toolc_test_support::programs::has;

/// A limit that is never reached.
const LONG_TIMEOUT: Duration = Duration::from_mins(5);

/// The beginning of every program: it reads the request, and notes it in the file `seen`.
const START: &str = r#"#!/usr/bin/env python3
import json, os, sys, time
request = json.loads(sys.stdin.readline())
with open(os.path.join(os.path.dirname(sys.argv[0]), "seen"), "a") as seen:
    seen.write(json.dumps(request) + "\n")
arguments = request["arguments"]
def reply(result): print(json.dumps({"result": result}))
"#;

/// What a session with hooks has shown.
struct Hooked {
    f: Fixture,
    warnings: Arc<Mutex<Vec<String>>>,
    /// How often the handler of `echo` has run.
    runs: Arc<AtomicUsize>,
}

/// Returns a fixture with the tools `echo` and `fail`, or `None` if a program is missing.
fn hooked() -> Option<Hooked> {
    if !has("python3") {
        return None;
    }
    let f = fixture()?;
    fs::remove_dir_all(f.path("plugins/weather")).expect("it exists");
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let schema = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"}, "count": {"type": "integer", "maximum": 9}, "pin": {"type": "string"},
        },
        "required": ["text"],
    });
    let echo = DynamicTool::sync("echo", "Repeat.", schema, move |args: Value, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        ToolOutput::json(&args)
    });
    let fail = DynamicTool::sync("fail", "Fail.", json!({"type": "object"}), |_, _| {
        Err(ToolError::new("it failed with hunter3"))
    });
    f.registry.add(echo.toolset("words").secret("pin").build().expect("it is valid")).expect("it is new");
    f.registry.add(fail.toolset("failures").build().expect("it is valid")).expect("it is new");
    Some(Hooked { f, warnings: Arc::default(), runs })
}

impl Hooked {
    /// Writes a plugin with these hooks, whose program goes on after [`START`] with `code`.
    fn plugin(&self, name: &str, hooks: &str, code: &str) {
        let manifest = format!("executable = \"run\"\nenv = [\"WEATHER_KEY\"]\n\n{hooks}");
        self.f.put(&format!("plugins/{name}/plugin.toml"), &manifest, 0o644);
        self.f.put(&format!("plugins/{name}/run"), &format!("{START}{code}"), 0o755);
        let variables = "[env.WEATHER_KEY]\ndescription = \"Opens the service.\"\n";
        self.f.put(&format!("plugins/{name}/manifests/env.toml"), variables, 0o644);
    }

    /// Loads the plugins, and returns a session with their hooks.
    fn session(&self) -> SessionBuilder {
        for report in self.f.load() {
            assert!(report.findings.is_empty(), "{report}");
        }
        let env = env().with_secret("OTHER_KEY", "hunter3");
        let warnings = Arc::clone(&self.warnings);
        let hooks = self.f.plugins.hooks(&self.f.registry).env(env.clone()).home("/the/home");
        let hooks = hooks.on_warning(move |text| warnings.lock().unwrap().push(text.to_owned()));
        hooks.add_to(self.f.registry.session().env(env))
    }

    fn call(&self, tool: &str, arguments: &Value) -> CallResponse {
        let session = self.session().build().expect("the session is valid");
        let arguments = arguments.to_string();
        let request = ToolCall::new(tool, &arguments).with_id("call_1");
        let response = session.turn_blocking(Dialect::OpenAi).call_blocking(&request);
        assert!(self.f.plugins.settle(LONG_TIMEOUT));
        response
    }

    /// Returns what the program of a plugin has seen since the last time.
    fn seen(&self, plugin: &str) -> Vec<Value> {
        let path = self.f.path(&format!("plugins/{plugin}/seen"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
    }

    fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap())
    }

    fn runs(&self) -> usize {
        self.runs.swap(0, Ordering::Relaxed)
    }
}

const GUARD: &str = "[hooks.before]\ntools = [\"echo\"]\n";

#[test]
fn a_hook_allows_refuses_and_rewrites_calls() {
    let Some(it) = hooked() else { return };
    let code = r#"
if arguments["text"] == "no": reply({"refuse": "never that"})
elif arguments["text"] == "change": reply({"arguments": {"text": "changed", "count": "5", "pin": None}})
elif arguments["text"] == "too many": reply({"arguments": {"count": 10}})
else: reply("allow")
"#;
    it.plugin("guard", GUARD, code);
    assert_reply!(it.call("echo", &json!({"text": "yes", "count": "3"})), {"text": "yes", "count": 3});
    let expected = json!({
        "hook": "before", "tool": "echo", "arguments": {"text": "yes", "count": 3}, "call_id": "call_1", "task": "default",
        "home": "/the/home",
    });
    assert_eq!(it.seen("guard"), [expected]);
    assert_reply!(it.call("echo", &json!({"text": "no"})), Err(Blocked, "the host blocked the call: never that"));
    // Changed arguments are repaired, and an optional one can be removed.
    assert_reply!(it.call("echo", &json!({"text": "change", "pin": "1234"})), {"text": "changed", "count": 5});
    assert_eq!(it.runs(), 2);
    // Changed arguments that are not valid are not run.
    assert_reply!(it.call("echo", &json!({"text": "too many"})), Err(HookFailed, "the call was not run"));
    assert_eq!((it.runs(), it.take_warnings()), (0, vec![]));
    it.seen("guard");
    it.call("fail", &json!({}));
    assert_eq!(it.seen("guard"), Vec::<Value>::new(), "the hook is not about this tool");
}

#[test]
fn hooks_see_no_secrets_and_keep_those_that_they_do_not_change() {
    let Some(it) = hooked() else { return };
    let code = r#"
if request["hook"] == "before":
    arguments["count"] = 5
    reply({"arguments": arguments})
else: reply({"replace": {"was": request["result"], "key": os.environ["WEATHER_KEY"]}})
"#;
    it.plugin("guard", "[hooks.before]\ntools = [\"echo\"]\n[hooks.transform]\ntools = [\"echo\"]\n", code);
    let response = it.call("echo", &json!({"text": "hunter3 is mine", "pin": "1234"}));
    // The result is redacted for the hook as for the model; what the hook adds is, too.
    let was = json!({"text": "[secret] is mine", "count": 5, "pin": "1234"});
    assert_reply!(response, json!({"was": was, "key": "[secret]"}));
    let seen = it.seen("guard");
    assert_eq!(seen[0]["arguments"], json!({"text": "[secret] is mine", "pin": "[secret]"}));
    assert!(!seen.iter().any(|request| request.to_string().contains("hunter")), "{seen:?}");
    assert_eq!(it.take_warnings(), Vec::<String>::new());

    let schema = json!({"type": "object", "properties": {"login": {
        "type": "object", "properties": {"user": {"type": "string"}, "pin": {"type": "string"}},
    }}});
    let login = DynamicTool::sync("login", "Log in.", schema, |args: Value, _| ToolOutput::json(&args));
    it.f.registry.add(login.secret("login").build().expect("it is valid")).expect("it is new");
    let hooks = "[hooks.before]\ntools = [\"login\"]\nrequired = true\n";
    it.plugin("guard", hooks, "reply({\"arguments\": {\"login\": {\"pin\": \"[secret]\"}}})\n");
    let arguments = json!({"login": {"user": "me", "pin": "1234"}});
    assert_reply!(it.call("login", &arguments), Err(HookFailed, "a check of this host failed"));
}

#[test]
fn rewritten_commands_are_judged_and_a_hook_cannot_approve() {
    use std::sync::LazyLock;

    use toolc::approval::CommandApproval;
    use toolc::commands::programs::USUAL;
    use toolc::commands::rules::{Conditions, Rule, RuleSet, Verdict};

    const DELETION: Rule<'_> = Rule {
        name: "deletion",
        description: "Deletes files.",
        check: "",
        low_risk: false,
        optional: None,
        verdict: Verdict::Ask,
        can_be_exempted: false,
        exempts: &[],
        conditions: Conditions { programs: &["rm"], ..Conditions::EMPTY },
    };
    static RULES: LazyLock<RuleSet<'static>> = LazyLock::new(|| RuleSet::new(&[DELETION], &[], USUAL));

    let Some(it) = hooked() else { return };
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]});
    let tool = DynamicTool::sync("run", "Run.", schema, |args: Value, _| ToolOutput::json(&args)).shell("command");
    it.f.registry.add(tool.build().expect("it is valid")).expect("it is new");
    let call = |code: &str, command: &str| {
        it.plugin("guard", "[hooks.before]\ntools = [\"run\"]\n", code);
        let session = it.session().commands(CommandApproval::new(&RULES)).build().expect("the session is valid");
        let arguments = json!({ "command": command }).to_string();
        session.turn_blocking(Dialect::OpenAi).call_blocking(&ToolCall::new("run", &arguments))
    };
    let harmless = "reply({\"arguments\": {\"command\": \"ls\"}})\n";
    assert_reply!(call(harmless, "rm -r x"), {"command": "ls"});
    let harmful = "reply({\"arguments\": {\"command\": \"rm -r x\"}})\n";
    assert_reply!(call(harmful, "ls"), Err(Refused, "Deletes files (rule `deletion`)"));
    assert_reply!(call("reply(\"allow\")\n", "rm -r x"), Err(Refused, "Deletes files (rule `deletion`)"));
    // There is no word for approval: such a reply is a failure, which changes nothing.
    assert_reply!(call("reply(\"approve\")\n", "rm -r x"), Err(Refused, "Deletes files (rule `deletion`)"));
    assert!(it.take_warnings()[0].ends_with("got \"approve\""));
}

#[test]
fn a_hook_that_fails_is_reported_and_fails_the_call_if_it_is_required() {
    let Some(it) = hooked() else { return };
    let failures = [
        ("print(json.dumps({'error': 'the key is ' + os.environ['WEATHER_KEY']}))\n", "the key is [secret]"),
        ("sys.exit('broken: ' + os.environ['WEATHER_KEY'])\n", "exit status 1; its stderr: broken: [secret]"),
        ("time.sleep(600)\n", "it took longer than 300ms"),
        ("print('hello')\n", "gave no valid reply: expected `{\"result\": ...}`"),
        (
            "reply(None)\n",
            "expected the result `\"allow\"`, `{\"refuse\": \"reason\"}` or `{\"arguments\": {...}}`, got null",
        ),
        ("print('x' * 5_000_000)\n", "printed more than 4194304 bytes"),
    ];
    for (code, message) in failures {
        // Python may need long to start, so only the program that sleeps has a short limit.
        let timeout = if code.contains("sleep") { "300ms" } else { "5m" };
        let hooks = format!("{GUARD}timeout = \"{timeout}\"\n");
        it.plugin("guard", &hooks, code);
        assert_reply!(it.call("echo", &json!({"text": "x"})), {"text": "x"});
        let warnings = it.take_warnings();
        assert!(warnings[0].starts_with("the hook `before` of the plugin `guard` failed for a call of `echo`: "));
        assert!(warnings.len() == 1 && warnings[0].contains(message), "{warnings:?}");
        assert_eq!(it.runs(), 1);

        it.plugin("guard", &format!("{hooks}required = true\n"), code);
        let text = "the call was not run: a check of this host failed, which the call did not cause";
        assert_reply!(it.call("echo", &json!({"text": "x"})), Err(HookFailed, text));
        assert_eq!(it.runs(), 0);
    }
}

#[test]
fn the_failure_of_a_required_hook_reaches_the_host() {
    use toolc::hooks::{CallInfo, Hook, HostError};

    struct Errors(Mutex<Vec<String>>);

    impl Hook for Errors {
        fn on_host_error(&self, _: &CallInfo<'_>, error: &HostError<'_>) {
            self.0.lock().unwrap().push(error.to_string());
        }
    }

    let Some(it) = hooked() else { return };
    it.plugin("guard", &format!("{GUARD}required = true\n"), "sys.exit(3)\n");
    let errors = Arc::new(Errors(Mutex::default()));
    let session = it.session().hook(errors.clone()).build().expect("the session is valid");
    let response = session.turn_blocking(Dialect::OpenAi).call_blocking(&ToolCall::new("echo", r#"{"text": "x"}"#));
    assert_reply!(response, Err(HookFailed));
    let expected = "the plugin `guard` failed before a call: the plugin `guard` failed: exit status 3";
    assert_eq!(*errors.0.lock().unwrap(), [expected]);
}

#[test]
fn a_hook_replaces_results_and_errors() {
    let Some(it) = hooked() else { return };
    let code = r#"
if "error" in request: reply({"fail": "explained: " + request["error"]["message"]})
elif arguments["text"] == "keep": reply("keep")
elif arguments["text"] == "fail": reply({"fail": "not for you"})
else: reply({"replace": {"text": request["result"]["text"].upper()}})
"#;
    it.plugin("loud", "[hooks.transform]\ntoolsets = [\"words\", \"failures\"]\n", code);
    assert_reply!(it.call("echo", &json!({"text": "keep"})), {"text": "keep"});
    assert_reply!(it.call("echo", &json!({"text": "quiet"})), {"text": "QUIET"});
    assert_reply!(it.call("echo", &json!({"text": "fail"})), Err(Failed, "not for you"));
    assert_reply!(it.call("fail", &json!({})), Err(Failed, "explained: it failed with [secret]"));
    assert_eq!(it.seen("loud")[3]["error"]["kind"], "failed");

    let hooks = "[hooks.transform]\ntools = [\"echo\"]\n";
    it.plugin("loud", hooks, "reply(\"nonsense\")\n");
    assert_reply!(it.call("echo", &json!({"text": "x"})), {"text": "x"});
    assert!(it.take_warnings()[0].contains("the hook `transform` of the plugin `loud` failed for a call of `echo`"));
    it.plugin("loud", &format!("{hooks}required = true\n"), "reply(\"nonsense\")\n");
    assert_reply!(it.call("echo", &json!({"text": "x"})), Err(Failed, "its result is withheld"));
    assert_eq!((it.take_warnings().len(), it.runs()), (1, 5));
}

#[test]
fn a_hook_sees_the_end_of_all_calls_in_their_order_without_delaying_them() {
    let Some(it) = hooked() else { return };
    it.plugin("log", "[hooks.after]\ntoolsets = [\"all\"]\n", "time.sleep(0.3)\nreply(None)\n");
    let session = it.session().build().expect("the session is valid");
    let turn = session.turn_blocking(Dialect::OpenAi);
    for (tool, arguments) in [("echo", r#"{"text": "x"}"#), ("fail", "{}"), ("echo", "{}"), ("missing", "{}")] {
        turn.call_blocking(&ToolCall::new(tool, arguments));
    }
    assert!(it.seen("log").len() < 4, "the calls do not wait for the hook");
    assert!(it.f.plugins.settle(LONG_TIMEOUT));
    let seen = it.f.path("plugins/log/seen");
    assert!(seen.exists(), "the host can wait for the hook");
    it.seen("log");
    for (tool, arguments) in [("echo", r#"{"text": "x"}"#), ("fail", "{}"), ("echo", "{}"), ("missing", "{}")] {
        turn.call_blocking(&ToolCall::new(tool, arguments));
    }
    assert!(it.f.plugins.settle(LONG_TIMEOUT));
    let seen = it.seen("log");
    let shown: Vec<Value> = seen.iter().map(|request| json!([request["tool"], request["error"]["kind"]])).collect();
    let expected = [("echo", None), ("fail", Some("failed")), ("echo", Some("invalid_arguments"))];
    assert_eq!(shown[..3], expected.map(|(tool, kind)| json!([tool, kind])));
    assert_eq!(shown[3], json!(["missing", "unknown_tool"]));
    assert_eq!(seen[0]["result"], json!({"text": "x"}));
    assert_eq!(seen[1]["error"]["message"], "it failed with [secret]");
    assert_eq!(it.take_warnings(), Vec::<String>::new());
}

#[test]
fn a_plugin_may_have_hooks_only_but_not_nothing() {
    let Some(it) = hooked() else { return };
    it.plugin("guard", GUARD, "reply({\"refuse\": \"never that\"})\n");
    fs::remove_dir_all(it.f.path("plugins/guard/manifests")).expect("it exists");
    it.f.put("plugins/guard/plugin.toml", &format!("executable = \"run\"\n{GUARD}"), 0o644);
    assert_reply!(it.call("echo", &json!({"text": "x"})), Err(Blocked, "never that"));
    it.f.put("plugins/guard/plugin.toml", "executable = \"run\"\n", 0o644);
    let report = it.f.load().remove(0);
    assert!(
        report.is_broken() && report.to_string().contains("the plugin has no tools, no hooks and no memory"),
        "{report}"
    );
}

#[test]
fn hooks_run_in_the_order_of_names_and_see_earlier_changes() {
    let Some(it) = hooked() else { return };
    let both = format!("{GUARD}[hooks.transform]\ntools = [\"echo\"]\n");
    for (name, letter) in [("b-second", "b"), ("a-first", "a")] {
        let code = format!(
            "if request['hook'] == 'before': reply({{'arguments': {{'text': arguments['text'] + '{letter}'}}}})\n\
             else: reply({{'replace': {{'text': request['result']['text'] + '{letter}'}}}})\n"
        );
        it.plugin(name, &both, &code);
    }
    assert_reply!(it.call("echo", &json!({"text": "-"})), {"text": "-abab"});
}

#[test]
fn a_bridged_call_is_shown_to_hooks_as_a_call_of_the_inner_tool() {
    let Some(it) = hooked() else { return };
    it.plugin("guard", GUARD, "reply({\"refuse\": \"no \" + request[\"tool\"]})\n");
    let session = it.session().tool_search(ToolSearch::with_threshold(0)).build().expect("the session is valid");
    let turn = session.turn_blocking(Dialect::OpenAi);
    let arguments = json!({"calls": [{"name": "echo", "arguments": {"text": "x"}}]}).to_string();
    let response = turn.call_blocking(&ToolCall::new("tool_call", &arguments));
    assert_reply!(response, Err(Blocked, "no echo"));
}

#[test]
fn a_cancelled_call_ends_the_program_of_its_hook() {
    let Some(it) = hooked() else { return };
    let code = "open(sys.argv[0] + '.pipe', 'w')\ntime.sleep(600)\n";
    for (hook, kind) in [("before", "nothing was done"), ("transform", "its effects are not undone")] {
        let hooks = format!("[hooks.{hook}]\ntools = [\"echo\"]\ntimeout = \"10m\"\n");
        it.plugin("guard", &hooks, &code.replace("open(", "pipe = open("));
        let pipe = it.f.path("plugins/guard/run.pipe");
        let _ = fs::remove_file(&pipe);
        if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            return Missing::program("mkfifo").skip();
        }
        let (session, cancel) = (it.session().build().expect("the session is valid"), CancelHandle::new());
        let turn = session.turn_blocking(Dialect::OpenAi);
        let request = ToolCall::new("echo", r#"{"text": "x"}"#).with_cancel(&cancel);
        std::thread::scope(|scope| {
            let call = scope.spawn(|| turn.call_blocking(&request));
            // Opening waits until the program opens the pipe, and reading ends when no process has it open.
            let mut reader = fs::File::open(&pipe).expect("failed to open");
            cancel.cancel();
            assert_reply!(call.join().expect("the call ends"), Err(Cancelled, kind));
            std::io::Read::read_to_end(&mut reader, &mut Vec::new()).expect("failed to read");
        });
        assert!(it.f.plugins.settle(LONG_TIMEOUT));
    }
}

#[test]
fn a_hook_ends_with_the_time_limit_of_the_call() {
    let Some(it) = hooked() else { return };
    it.plugin("slow", "[hooks.transform]\ntools = [\"echo\"]\ntimeout = \"10m\"\n", "time.sleep(600)\n");
    let session = it.session().timeout(Duration::from_millis(50)).build().expect("the session is valid");
    let turn = session.turn_blocking(Dialect::OpenAi);
    let began = Instant::now();
    let response = turn.call_blocking(&ToolCall::new("echo", r#"{"text": "x"}"#));
    assert_reply!(response, Err(Timeout, "this host took longer than 50ms to process its result, which is lost"));
    assert!(began.elapsed() < Duration::from_mins(1));
    assert!(it.f.plugins.settle(LONG_TIMEOUT));
}

#[test]
fn a_report_lists_hooks_and_names_that_do_not_exist() {
    let Some(it) = hooked() else { return };
    let hooks = "[hooks.before]\ntools = [\"eco\", \"echo\"]\ntoolsets = [\"word\"]\nrequired = true\n\
                 [hooks.after]\ntoolsets = [\"all\"]\n";
    it.plugin("guard", hooks, "");
    let reports = it.f.load();
    let [report] = &reports[..] else { panic!("{reports:?}") };
    let text = report.to_string();
    assert!(text.contains("required hook `before` for eco and echo and the toolset word, hook `after` for all calls"));
    let messages: Vec<_> = report.findings.iter().map(|found| (found.level, found.message.as_str())).collect();
    let unknown = [
        "the hook `before` sees no calls of the tool `eco`, which does not exist: did you mean `echo`?",
        "the hook `before` sees no calls of the toolset `word`, which does not exist: did you mean `words`?",
    ];
    assert_eq!(messages, unknown.map(|message| (Level::Warning, message)));
    let value = serde_json::to_value(report).expect("a report is data");
    let before = json!({"hook": "before", "tools": ["eco", "echo"], "toolsets": ["word"], "required": true});
    assert_eq!(value["hooks"][0], before);

    it.plugin("guard", "[hooks.before]\nrequired = true\n", "");
    let report = it.f.load().remove(0);
    assert!(report.is_broken() && report.to_string().contains("the hook `before` names no tools and no toolsets"));
    let session = it.f.plugins.hooks(&it.f.registry).env(Env::process()).add_to(it.f.registry.session());
    assert!(!format!("{session:?}").contains("guard"), "a broken plugin has no hooks");
}
