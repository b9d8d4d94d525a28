//! Judged commands in calls: rules, modes, answers, what is remembered, waiting and records.

mod always;
mod memory;
mod panics;
mod parameters;
mod records;
mod shell_state;
mod start;
mod typed;
mod waiting;

use std::collections::{HashSet, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::{Value, json};
use toolc_commands::programs::USUAL;
use toolc_commands::rules::{Conditions, Place, Rule, RuleSet, Verdict};

use crate::call::ToolCall;
use crate::call::approval::command::CommandAnswer::{self, Always, Deny, Once, Session};
use crate::call::approval::command::CommandReason;
use crate::call::approval::log::{ApprovalLog, ApprovalRecord};
use crate::call::approval::policy::{CommandApproval, CommandMode};
use crate::call::approval::store::{ApprovalStore, StoredCommand};
use crate::call::approval::{ApprovalDecision, ApprovalReason, ApprovalRequest, Approver, OwnedApprovalRequest};
use crate::data::dialect::Dialect;
use crate::env::Env;
use crate::fakes::wait;
use crate::provider::dynamic::DynamicTool;
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::session::SessionBuilder;
use crate::session::turn::Turn;

const fn rule(name: &'static str, verdict: Verdict, conditions: &Conditions<'static>) -> Rule<'static> {
    Rule {
        name,
        description: "Deletes things.",
        check: "Which ones.",
        verdict,
        can_be_exempted: true,
        low_risk: false,
        optional: None,
        exempts: &[],
        conditions: *conditions,
    }
}

/// `rm -r` and `git push --force` ask, `rm -r` of a folder of the system is denied, `mkfs` too.
static RULES: LazyLock<RuleSet<'static>> = LazyLock::new(|| {
    const RM: Conditions<'_> = Conditions { programs: &["rm"], flags: &["-r", "--recursive"], ..Conditions::EMPTY };
    const PUSH: Conditions<'_> =
        Conditions { programs: &["git"], subcommands: &[&["push"]], flags: &["--force"], ..Conditions::EMPTY };
    const RM_SYSTEM: Conditions<'_> = Conditions { operands_in: &["system"], ..RM };
    let rules = [
        rule("deletion", Verdict::Ask, &RM),
        rule("force-push", Verdict::Ask, &PUSH),
        rule("system-deletion", Verdict::Deny, &RM_SYSTEM),
    ];
    let system = Place { name: "system", description: "", paths: &["/", "/etc", "/usr"], except: &[] };
    RuleSet::new(&rules, &[system], USUAL)
});

/// A person with prepared answers, who approves once when they are used up.
#[derive(Default)]
struct Person {
    answers: Mutex<VecDeque<ApprovalDecision>>,
    asked: Mutex<Vec<OwnedApprovalRequest>>,
}

impl Person {
    fn new(answers: impl IntoIterator<Item = ApprovalDecision>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter().collect()), asked: Mutex::default() })
    }

    /// Returns the number of questions since the last call.
    fn asked(&self) -> usize {
        std::mem::take(&mut *self.asked.lock().unwrap()).len()
    }

    /// Returns the reasons of the only question since the last call.
    fn reason(&self) -> CommandReason {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let [request] = &asked[..] else { panic!("{asked:?}") };
        match &request.reasons[..] {
            [ApprovalReason::Command(reason)] => reason.clone(),
            other => panic!("{other:?}"),
        }
    }
}

impl Approver for Person {
    fn decide<'a>(
        &'a self,
        request: &'a ApprovalRequest<'a>,
    ) -> Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>> {
        self.asked.lock().unwrap().push(request.to_owned_request());
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async { answer.unwrap_or(ApprovalDecision::AllowOnce) })
    }
}

/// A log that keeps each record as a line.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl ApprovalLog for Log {
    fn decided(&self, record: &ApprovalRecord<'_>) {
        let ApprovalRecord { line, verdict, rules, decision, decided_by, .. } = record;
        let text = format!("{line}: {} {rules:?} {} by {}", verdict.word(), decision.word(), decided_by.word());
        self.0.lock().unwrap().push(text);
    }
}

#[derive(Default)]
struct Store(Mutex<HashSet<StoredCommand>>);

impl ApprovalStore for Store {
    fn contains(&self, command: &StoredCommand) -> bool {
        self.0.lock().unwrap().contains(command)
    }

    fn add(&self, command: &StoredCommand) -> Result<(), String> {
        self.0.lock().unwrap().insert(command.clone());
        Ok(())
    }
}

/// Returns the configuration of most tests: commands run in `/w/app`.
fn commands() -> CommandApproval {
    CommandApproval::new(&RULES).directory("/w/app").home("/home/me")
}

fn terminal(name: &'static str) -> DynamicTool {
    let schema = json!({"type": "object", "properties": {
        "command": {"type": "string"}, "workdir": {"type": "string"}, "pin": {"type": "string"},
    }});
    DynamicTool::sync(name, "", schema, |_, _| Ok(ToolOutput::text("ran"))).shell("command")
}

/// Returns a turn with the tools `terminal` and `other`, which run commands.
fn turn(config: CommandApproval, set: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Turn {
    with_tools([terminal("terminal"), terminal("other").approval_always_and_shell()], config, set)
}

impl DynamicTool {
    /// Each call needs approval, and the command is judged.
    fn approval_always_and_shell(self) -> Self {
        use crate::data::behaviour::Approval;
        self.approval(Approval::ALWAYS.with_shell("command"))
    }
}

fn with_tools(
    tools: impl IntoIterator<Item = DynamicTool>,
    config: CommandApproval,
    set: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> Turn {
    let registry = Registry::new();
    for tool in tools {
        registry.add(tool.build().unwrap()).unwrap();
    }
    let session = registry.session().env(Env::empty().with_var("OUT", "/srv/out")).commands(config);
    set(session).build().unwrap().turn_blocking(Dialect::OpenAi)
}

/// Calls a tool, and returns `ran` or the kind of the error.
fn call(turn: &Turn, tool: &str, arguments: &Value) -> String {
    let response = wait(turn.call(&ToolCall::new(tool, &arguments.to_string()).with_id("c1")));
    match serde_json::from_str(&response.json).unwrap() {
        Value::String(text) => text,
        error => error["kind"].as_str().unwrap().to_owned(),
    }
}

fn run(turn: &Turn, command: &str) -> String {
    call(turn, "terminal", &json!({"command": command}))
}

/// Returns the message of the error with which a command ends.
fn error(turn: &Turn, command: &str) -> String {
    let response = wait(turn.call(&ToolCall::new("terminal", &json!({"command": command}).to_string())));
    let error: Value = serde_json::from_str(&response.json).unwrap();
    error["error"].as_str().unwrap().to_owned()
}

const ALLOWED: &str = "ls -la";
const ASKS: &str = "rm -rf build";
const DENIED: &str = "rm -rf /etc";

#[test]
fn each_verdict_mode_and_answer() {
    let deny = || ApprovalDecision::Deny("no".to_owned());
    let answers =
        || [ApprovalDecision::AllowOnce, ApprovalDecision::AllowForSession, ApprovalDecision::AllowAlways, deny()];
    for mode in CommandMode::ALL {
        for (index, answer) in answers().into_iter().enumerate() {
            let person = Person::new([answer.clone()]);
            let turn = turn(commands().mode(mode), |s| s.approver(Arc::clone(&person) as _));
            assert_eq!((run(&turn, ALLOWED), person.asked()), ("ran".to_owned(), 0), "{mode:?} {answer:?}");
            assert_eq!((run(&turn, DENIED), person.asked()), ("denied".to_owned(), 0), "{mode:?} {answer:?}");
            let (expected, questions) = match mode {
                CommandMode::Ask if index < 3 => ("ran", 1),
                CommandMode::Ask => ("denied", 1),
                CommandMode::Deny => ("denied", 0),
                CommandMode::Off => ("ran", 0),
            };
            assert_eq!((run(&turn, ASKS), person.asked()), (expected.to_owned(), questions), "{mode:?} {answer:?}");
        }
    }
}

#[test]
fn without_a_person_what_needs_approval_does_not_run() {
    let turn = turn(commands(), |s| s);
    assert_eq!([ALLOWED, ASKS, DENIED].map(|command| run(&turn, command)), ["ran", "refused", "denied"]);
    assert_eq!(call(&turn, "other", &json!({"command": ALLOWED})), "refused", "the tool needs approval anyway");
}

#[test]
fn the_mode_that_denies_asks_no_person_about_a_tool_that_needs_approval() {
    let person = Person::new([ApprovalDecision::AllowOnce]);
    let turn = turn(commands().mode(CommandMode::Deny), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!((&*call(&turn, "other", &json!({"command": ALLOWED})), person.asked()), ("denied", 0));
}

#[test]
fn a_call_is_judged_without_a_run_and_answers_for_the_session_are_listed() {
    let person = Person::new([ApprovalDecision::AllowForSession]);
    let turn = turn(commands(), |s| s.approver(Arc::clone(&person) as _));
    let open = |command: &str| {
        let judged = turn.judge_call(&ToolCall::new("terminal", &json!({ "command": command }).to_string()));
        judged.unwrap().open.iter().map(|reason| reason.verdict).collect::<Vec<_>>()
    };
    assert_eq!([ALLOWED, ASKS, DENIED].map(open), [vec![], vec![Verdict::Ask], vec![Verdict::Deny]]);
    assert_eq!((person.asked(), turn.answers_for_session()), (0, Vec::new()));
    assert_eq!(run(&turn, ASKS), "ran");
    let answers = turn.answers_for_session();
    assert!(!answers.is_empty() && answers[0].starts_with("commands of `terminal` about which "), "{answers:?}");
}

#[test]
fn a_session_without_rules_judges_nothing() {
    let registry = Registry::new();
    registry.add(terminal("terminal").build().unwrap()).unwrap();
    let turn = registry.session().build().unwrap().turn_blocking(Dialect::OpenAi);
    assert_eq!(run(&turn, DENIED), "ran");
}

#[test]
fn errors_name_the_rule_and_no_part_of_the_line() {
    let asking = |mode| turn(commands().mode(mode), |s| s);
    for (message, rule) in [
        (error(&asking(CommandMode::Ask), "TOKEN=hunter2 rm -rf /etc"), "system-deletion"),
        (error(&asking(CommandMode::Ask), "TOKEN=hunter2 rm -rf x"), "deletion"),
        (error(&asking(CommandMode::Deny), "TOKEN=hunter2 rm -rf x"), "deletion"),
        (
            error(&turn(commands(), |s| s.approver(Person::new([ApprovalDecision::Deny(String::new())]))), ASKS),
            "deletion",
        ),
    ] {
        assert!(message.contains(&format!("Deletes things (rule `{rule}`)")), "{message}");
        assert!(message.contains("in another spelling") && !message.contains("hunter2"), "{message}");
    }
}

#[test]
fn the_question_shows_the_command_and_what_is_offered() {
    let person = Person::new([]);
    let turn = turn(commands().store(Arc::new(Store::default())), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!(run(&turn, "cd src && rm -rf \"a b\""), "ran");
    let reason = person.reason();
    assert_eq!((&*reason.line, &*reason.parameter), ("cd src && rm -rf \"a b\"", "command"));
    assert_eq!((&*reason.environment, reason.directory.as_deref()), ("local", Some("/w/app")));
    assert_eq!((reason.verdict, reason.findings.len()), (Verdict::Ask, 1));
    let finding = &reason.findings[0];
    assert_eq!(
        (&*finding.rule, &*finding.description, &*finding.check),
        ("deletion", "Deletes things.", "Which ones.")
    );
    assert!(finding.is_certain && reason.line[finding.span.range()].starts_with("-rf"), "{finding:?}");
    assert_eq!(reason.to_string(), "deletion: Deletes things");
    assert_eq!(reason.offers, [Once, Session, Always, Deny]);

    for (command, offers) in [
        ("rm -rf $OUT", &[Once, Session, Deny][..]),
        ("rm -rf \"$(pick)\"", &[Once, Deny]),
        ("ls | xargs rm -rf", &[Once, Deny]),
        ("rm -rf x; ls \u{202e}", &[Once, Deny]),
        ("API_TOKEN=hunter2 rm -rf x", &[Once, Session, Deny]),
    ] {
        assert_eq!(run(&turn, command), "ran");
        assert_eq!(person.reason().offers, offers, "{command}");
    }
}

#[test]
fn other_reasons_are_part_of_the_same_question() {
    let person = Person::new([ApprovalDecision::AllowForSession]);
    let turn = turn(commands(), |s| s.approver(Arc::clone(&person) as _));
    assert_eq!(call(&turn, "other", &json!({"command": ASKS})), "ran");
    let asked = std::mem::take(&mut *person.asked.lock().unwrap());
    assert!(matches!(&asked[0].reasons[..], [ApprovalReason::Declared, ApprovalReason::Command(_)]), "{asked:?}");
    let question = asked[0].to_string();
    assert!(question.ends_with("(every call of this tool needs approval) (deletion: Deletes things)"), "{question}");
    // Both are remembered.
    assert_eq!((call(&turn, "other", &json!({"command": ASKS})), person.asked()), ("ran".to_owned(), 0));
}
