use std::process::Command;
use std::sync::Mutex;

use serde_json::json;

use super::*;
use crate::call::ToolCall;
use crate::call::origin::{CallKind, CallOrigin};
use crate::data::behaviour::{Behaviour, Callers};
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::env::Env;
use crate::fakes::{Fake, secretive, tool, wait};
use crate::provider::HandlerReply;
use crate::provider::dynamic::{DynamicTool, DynamicTools};
use crate::registry::Registry;
use crate::result::error::ErrorKind;
use crate::result::image::Image;
use crate::result::output::{ToolOutput, ToolResult};
use crate::run::task::Task;
use crate::search::ToolSearch;
use crate::session::turn::Turn;

/// A hook that fails with an error that contains the result of the call.
struct LeakyHook;

impl Hook for LeakyHook {
    fn name(&self) -> &'static str {
        "leaky"
    }

    fn transform_result(&self, _: &CallInfo<'_>, result: &ToolResult) -> Result<Option<ToolResult>, ToolError> {
        Err(ToolError::new(format!("{result:?}")))
    }
}

/// Returns a turn with the tools `open` and `secretive`, and the lines of its log.
fn logged(hook: Option<Arc<dyn Hook>>) -> (Turn, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log_lines = Arc::clone(&lines);
    let redactor = Redactor::of_values(&["value-of-the-key".to_owned()]);
    let log = Log { write: move |line: &str| log_lines.lock().unwrap().push(line.to_owned()), redactor };
    let mut session = tools().registry().session().hook(Arc::new(log));
    if let Some(hook) = hook {
        session = session.hook(hook);
    }
    (session.build().unwrap().turn_blocking(Dialect::OpenAi), lines)
}

/// Returns two tools that return their arguments. The arguments of `secretive` include a secret.
fn tools() -> Fake {
    let mut open = (*secretive()).clone();
    open.properties.iter_mut().for_each(|property| property.secret = false);
    let behaviour = Behaviour::DEFAULT.with_callers(Callers::BOTH);
    Fake::new([
        Tool { arguments: Arc::new(open), behaviour, ..tool("open", "home", &[]) },
        Tool { arguments: secretive(), ..tool("secretive", "home", &[]) },
    ])
    .answer_with(|args, _| {
        HandlerReply::Ready(match args["say"].as_str() {
            Some("fail") => Err(ToolError::with_kind(ErrorKind::NotFound, format!("nothing for {}", args["pin"]))),
            Some("look") => ToolOutput::text("").with_image(Image::new("image/gif", *b"GIF89a").unwrap()),
            _ => ToolOutput::json(&args),
        })
    })
}

fn call(turn: &Turn, name: &str, id: &str, arguments: &str) {
    wait(turn.call(&ToolCall::new(name, arguments).with_id(id).with_task(&Task::new("errand"))));
}

/// Takes the lines out of the log, without the durations of calls.
fn take(lines: &Mutex<Vec<String>>) -> Vec<String> {
    let lines = std::mem::take(&mut *lines.lock().unwrap());
    let without_duration = |line: String| match line.split_once("took=") {
        Some((before, after)) => format!("{before}took {}", after.split_once(' ').unwrap().1),
        None => line,
    };
    lines.into_iter().map(without_duration).collect()
}

#[test]
fn a_call_of_a_program_is_logged_with_its_program_and_namespace() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log_lines = Arc::clone(&lines);
    let write = move |line: &str| log_lines.lock().unwrap().push(line.to_owned());
    let log = Log { write, redactor: Redactor::default() };
    let tool = |name: &'static str, defer| {
        let schema = json!({"type": "object", "properties": {"say": {"type": "string"}}});
        let tool = DynamicTool::sync(name, "Does it.", schema, |args, _| ToolOutput::json(&args));
        tool.toolset("crm").callers(Callers::BOTH).defer(defer)
    };
    let registry = Registry::new();
    registry.add(DynamicTools::new().tools([tool("open", true), tool("shown", false)]).build().unwrap()).unwrap();
    let session = registry.session().hook(Arc::new(log)).tool_search(ToolSearch::with_threshold(0).by_vendor());
    let turn = session.build().unwrap().turn_blocking(Dialect::OpenAiResponses);
    let mut origin = CallOrigin::of(CallKind::Function);
    (origin.program, origin.namespace) = (Some("prog_1".to_owned()), "crm".to_owned());
    wait(turn.call(&ToolCall::new("open", r#"{"say": "a"}"#).with_origin(&origin)));
    let line = &take(&lines)[0];
    assert!(line.contains(r#" program="prog_1" namespace="crm" arguments={"#), "{line}");
}

#[test]
fn a_change_of_the_tools_is_one_line_with_its_causes() {
    let (lines, env) = (Arc::new(Mutex::new(Vec::new())), Env::empty().with_secret("KEY", "value-of-the-key"));
    let log_lines = Arc::clone(&lines);
    let write = move |line: &str| log_lines.lock().unwrap().push(line.to_owned());
    let registry = tools().registry();
    let session = registry.session().id("s1").hook(Arc::new(Log { write, redactor: registry.redactor(&env) }));
    let session = session.build().unwrap();
    session.turn_blocking(Dialect::OpenAi);
    let more = registry.add(Box::new(Fake::new([tool("more", "home", &[])]))).unwrap();
    session.turn_blocking(Dialect::OpenAi);
    registry.remove(more);
    session.turn_blocking(Dialect::OpenAi);
    session.turn_blocking(Dialect::OpenAi);
    let lines = take(&lines);
    let expected = [
        "toolc: tools session=\"s1\" +more (a tool provider with it was added)\n",
        "toolc: tools session=\"s1\" -more (its tool provider was removed)\n",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_call_is_two_lines() {
    let (turn, lines) = logged(None);
    call(&turn, "open", "call_1", r#"{"pin": 12, "say": "hello"}"#);
    let expected = [
        "toolc: begins tool=\"open\" id=\"call_1\" task=\"errand\" arguments={\"pin\":12,\"say\":\"hello\"}\n",
        "toolc: ends tool=\"open\" id=\"call_1\" task=\"errand\" took bytes=24 answer={\"pin\":12,\"say\":\"hello\"}\n",
    ];
    assert_eq!(take(&lines), expected);
    call(&turn, "open", "", r#"{"say": "fail"}"#);
    let ends = "toolc: ends tool=\"open\" id=\"\" task=\"errand\" took error=not_found bytes=47 ";
    assert!(take(&lines)[1].starts_with(ends));
    call(&turn, "open", "", r#"{"say": "look"}"#);
    assert!(take(&lines)[1].ends_with(" took bytes=2 images=1 answer=\"\"\n"));
    // A call that is not run only has the second line.
    for (name, arguments, kind) in [("opne", "{}", "unknown_tool"), ("open", "{}", "invalid_arguments")] {
        call(&turn, name, "", arguments);
        let lines = take(&lines);
        assert!(lines.len() == 1 && lines[0].contains(&format!(" took error={kind} sent=")), "{lines:?}");
        assert!(lines[0].contains(" answer={\"error\":"), "{lines:?}");
        // Whether the arguments of an unknown tool contain a secret is unknown.
        let sent = if name == "open" { "sent={} " } else { "sent=[secret] " };
        assert!(lines[0].contains(sent), "{lines:?}");
    }
}

#[test]
fn repaired_arguments_are_logged_as_they_were_sent() {
    let (turn, lines) = logged(None);
    // The order of keys does not depend on the features of `serde_json`.
    call(&turn, "open", "c", r#"{"pin": "12", "Say": 5}"#);
    let lines_of_call = take(&lines);
    let expected = [
        "toolc: begins tool=\"open\" id=\"c\" task=\"errand\" arguments={\"pin\":12,\"say\":\"5\"} sent={\"pin\": \"12\", \"Say\": 5}\n",
        "toolc: repairs tool=\"open\" id=\"c\" task=\"errand\" /pin: \"12\" became 12 (number)\n",
        "toolc: repairs tool=\"open\" id=\"c\" task=\"errand\" /Say: \"Say\" became \"say\" (parameter_name)\n",
        "toolc: repairs tool=\"open\" id=\"c\" task=\"errand\" /Say: 5 became \"5\" (string)\n",
    ];
    assert_eq!(lines_of_call[..4], expected);
    call(&turn, "secretive", "", r#"{"Pin": "12", "say": 5}"#);
    let lines_of_call = take(&lines).concat();
    assert!(lines_of_call.contains(r#"sent={"Pin":"[secret]","say":5}"#), "{lines_of_call}");
    assert!(lines_of_call.contains(r#"/Pin: "[secret]" became "[secret]" (number)"#), "{lines_of_call}");
    assert!(!lines_of_call.contains("12"), "{lines_of_call}");
    call(&turn, "secretive", "", r#""{'pin': '12',""#);
    let lines_of_call = take(&lines).concat();
    assert!(lines_of_call.contains("sent=\"[secret]\"") && !lines_of_call.contains("12"), "{lines_of_call}");
}

#[test]
fn long_values_are_truncated() {
    let (turn, lines) = logged(None);
    let long = "ü".repeat(1_000);
    call(&turn, "open", &long, &format!(r#"{{"say": "{long}"}}"#));
    let shown = format!("{{\"say\":\"{}…", "ü".repeat(MAX_CHARS - 8));
    let id = "ü".repeat(64);
    let expected = [
        format!("toolc: begins tool=\"open\" id=\"{id}\" task=\"errand\" arguments={shown}\n"),
        format!("toolc: ends tool=\"open\" id=\"{id}\" task=\"errand\" took bytes=2010 answer={shown}\n"),
    ];
    assert_eq!(take(&lines), expected);
}

#[test]
fn no_secret_is_in_any_line() {
    let (turn, lines) = logged(Some(Arc::new(LeakyHook)));
    let mut all = Vec::new();
    for arguments in [
        // Returned by the handler; in the handler's error; an invalid secret; a secret under an unknown name; malformed.
        r#"{"pin": 4711, "say": "hello"}"#,
        r#"{"pin": 4711, "say": "fail"}"#,
        r#"{"pin": "4711x", "say": "hello"}"#,
        r#"{"pni": 4711, "say": "hello"}"#,
        r#"{"pin": 4711, "say": "hello""#,
    ] {
        call(&turn, "secretive", "", arguments);
        all.extend(take(&lines));
    }
    assert!(all.iter().all(|line| !line.contains("4711")), "{all:#?}");
    let counts = ["begins", "fault", "ends"].map(|event| all.iter().filter(|line| line.contains(event)).count());
    assert_eq!(counts, [2, 2, 5], "{all:#?}");
    assert!(all[0].ends_with(" arguments={\"pin\":\"[secret]\",\"say\":\"hello\"}\n"), "{all:#?}");
    assert!(all[1].ends_with(" leaky failed while transforming a result: [secret]\n"), "{all:#?}");
    assert!(all[2].ends_with(" took bytes=26\n"), "{all:#?}");
    // The arguments of a tool without secrets are logged.
    call(&turn, "open", "", r#"{"pin": 4711, "say": "hello"}"#);
    assert!(take(&lines).iter().all(|line| line.contains("4711")));
}

#[test]
fn a_line_cannot_be_forged() {
    let (turn, lines) = logged(None);
    let forged = "x\" task=\"y\"\ntoolc: ends\r\u{1b}[2K\u{85}\u{2028}\u{202e}\u{7f}";
    call(&turn, forged, forged, "{}");
    let arguments = serde_json::json!({ "say": forged }).to_string();
    call(&turn, "open", forged, &arguments);
    let lines = take(&lines);
    assert_eq!(lines.len(), 3);
    for line in &lines {
        let inner = line.strip_suffix('\n').unwrap();
        assert!(inner.starts_with("toolc: ") && inner.matches(" task=\"errand\" ").count() == 1, "{inner}");
        let is_plain = |letter: char| letter == ' ' || letter.is_ascii_graphic();
        assert!(inner.chars().all(is_plain), "{inner}");
    }
}

/// The environment variable that is set in the child process of [`the_environment_enables_the_log`].
const CHILD: &str = "TOOLC_TEST_LOG_CHILD";

#[test]
fn the_environment_enables_the_log() {
    if std::env::var_os(CHILD).is_some() {
        let turn = tools().registry().session().build().unwrap().turn_blocking(Dialect::OpenAi);
        call(&turn, "secretive", "call_1", r#"{"pin": 4711, "say": "hello"}"#);
        return;
    }
    let log = |value: Option<&str>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let name = concat!(module_path!(), "::the_environment_enables_the_log");
        let name = name.split_once("::").map_or(name, |(_, path)| path);
        command.args(["--exact", name, "--nocapture"]).env(CHILD, "1").env_remove(VARIABLE);
        command.envs(value.map(|value| (VARIABLE, value)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        text.lines().filter(|line| line.starts_with("toolc: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = log(Some("1"));
    let starts = ["toolc: begins tool=\"secretive\" id=\"call_1\"", "toolc: ends tool=\"secretive\" id=\"call_1\""];
    assert!(lines.len() == 2 && starts.iter().zip(&lines).all(|(start, line)| line.starts_with(start)), "{lines:?}");
    assert!(!lines.concat().contains("4711"), "{lines:?}");
    assert_eq!([log(None), log(Some("")), log(Some("0"))], [const { Vec::<String>::new() }; 3]);
}

#[test]
fn the_values_of_secret_variables_are_redacted() {
    let (turn, lines) = logged(None);
    call(&turn, "open", "1", r#"{"say":"value-of-the-key"}"#);
    call(&turn, "value-of-the-key", "2", r#"{"say":"value-of-the-key"}"#);
    // It would be cut off in the middle.
    call(&turn, "open", "3", &format!(r#"{{"say":"{}value-of-the-key"}}"#, "x".repeat(MAX_CHARS - 15)));
    let lines = lines.lock().unwrap();
    assert!(lines.iter().any(|line| line.contains("[secret]")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.replace("tool=\"value-of-the-key\"", "").contains("value-of")), "{lines:?}");
}

#[test]
fn a_corrected_name_is_logged_with_what_the_model_wrote() {
    let (turn, lines) = logged(None);
    call(&turn, "functions.Open", "1", r#"{"say": "hello"}"#);
    call(&turn, "OPEN", "2", "{}");
    call(&turn, "open", "3", r#"{"say": "hello"}"#);
    let lines = lines.lock().unwrap();
    let begins = r#"toolc: begins tool="open" called_as="functions.Open" id="1" task="errand" arguments="#;
    assert!(lines[0].starts_with(begins), "{}", lines[0]);
    let repaired = r#"the name of the tool: "functions.Open" became "open" (tool_name)"#;
    assert!(lines[1].starts_with("toolc: repairs tool=\"open\"") && lines[1].contains(repaired), "{}", lines[1]);
    let ends = r#"toolc: ends tool="open" called_as="OPEN" id="2" task="errand" "#;
    assert!(lines[3].starts_with(ends) && lines[3].contains("error=invalid_arguments"), "{}", lines[3]);
    assert!(lines[4].starts_with(r#"toolc: begins tool="open" id="3""#), "{}", lines[4]);
}
