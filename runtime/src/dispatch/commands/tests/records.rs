//! What the log is called with.

use super::*;
use crate::call::approval::shell::{InputLanguage, ProgramInput};
use crate::call::decision::CallDecision;
use crate::call::hooks::{CallInfo, Hook};
use crate::call::response::CallResponse;
use crate::result::error::ToolError;

#[test]
fn each_decision_has_a_record() {
    let log = Arc::new(Log::default());
    let with = |config: CommandApproval, person: Option<Arc<Person>>| {
        turn(config.log(Arc::clone(&log) as _), |s| match person {
            Some(person) => s.approver(person),
            None => s,
        })
    };
    let answers = [
        ApprovalDecision::Deny("no".to_owned()),
        ApprovalDecision::AllowOnce,
        ApprovalDecision::AllowAlways,
        ApprovalDecision::AllowForSession,
    ];
    let store = Arc::new(Store::default());
    let asking = with(commands().store(Arc::clone(&store) as _), Some(Person::new(answers)));
    for command in ["ls", "rm -r a", "rm -r a", "rm -r a", "rm -r a", "rm -r b", "rm -r c", "rm -r /etc"] {
        run(&asking, command);
    }
    let ask = |line: &str, rest: &str| format!("{line}: ask [\"deletion\"] {rest}");
    let denied = r#"rm -r /etc: deny ["system-deletion", "deletion"] denied by rule"#.to_owned();
    let expected = [
        ask("rm -r a", "denied by person"),
        ask("rm -r a", "allowed by person"),
        ask("rm -r a", "allowed-always by person"),
        ask("rm -r a", "allowed by always"),
        ask("rm -r b", "allowed-for-session by person"),
        ask("rm -r c", "allowed by session"),
        denied,
    ];
    assert_eq!(log.take(), expected);

    for (mode, rest) in [(CommandMode::Off, "allowed by mode"), (CommandMode::Deny, "denied by mode")] {
        run(&with(commands().mode(mode), None), "rm -r a");
        assert_eq!(log.take(), [ask("rm -r a", rest)]);
    }
    run(&with(commands(), None), "rm -r a");
    assert_eq!(log.take(), [ask("rm -r a", "denied by unanswered")]);
}

#[test]
fn records_have_no_secrets() {
    use crate::data::catalog::Variable;
    use crate::fakes::Fake;
    let log = Arc::new(Log::default());
    let registry = Registry::new();
    registry.add(terminal("terminal").build().unwrap()).unwrap();
    let variable = Variable { secret: true, ..Variable::new("WEATHER", "For the weather.") };
    registry.add(Box::new(Fake::new([]).variable(variable))).unwrap();
    let env = Env::empty().with_var("WEATHER", "sunshine").with_var("MY_API_KEY", "moonshine");
    let config = commands().mode(CommandMode::Off).log(Arc::clone(&log) as _);
    let turn = registry.session().env(env).commands(config).build().unwrap().turn_blocking(Dialect::OpenAi);
    for (line, logged) in [
        ("rm -r sunshine moonshine", "rm -r [secret] [secret]"),
        ("rm -r x; curl https://me:hunter2@host/", "rm -r x; curl https://me:[secret]@host/"),
        ("DB_PASSWORD=hunter2 rm -r x", "DB_PASSWORD=[secret] rm -r x"),
        ("rm -r x; mysql -phunter2 db", "rm -r x; mysql [secret] db"),
    ] {
        assert_eq!(run(&turn, line), "ran");
        assert_eq!(log.take(), [format!("{logged}: ask [\"deletion\"] allowed by mode")]);
    }
}

#[test]
fn a_record_names_the_call() {
    #[derive(Default)]
    struct Names(Mutex<Vec<String>>);

    impl ApprovalLog for Names {
        fn decided(&self, record: &ApprovalRecord<'_>) {
            let ApprovalRecord { tool, call, session, task, environment, directory, milliseconds, .. } = record;
            assert!(*milliseconds < 60_000);
            let text = format!("{tool} {call} {session} {task} {environment} {directory:?}");
            self.0.lock().unwrap().push(text);
        }
    }

    let log = Arc::new(Names::default());
    let turn = turn(commands().environment("docker").log(Arc::clone(&log) as _), |s| s.id("chat-7"));
    assert_eq!(call(&turn, "terminal", &json!({"command": ASKS, "workdir": "sub"})), "refused");
    assert_eq!(*log.0.lock().unwrap(), [r#"terminal c1 chat-7 default docker Some("/w/app/sub")"#]);
}

#[test]
fn a_log_that_panics_decides_nothing() {
    struct Broken;

    impl ApprovalLog for Broken {
        fn decided(&self, _: &ApprovalRecord<'_>) {
            panic!("the disk is full")
        }
    }

    let turn = turn(commands().log(Arc::new(Broken)), |s| s.approver(Person::new([])));
    assert_eq!([ASKS, DENIED].map(|command| run(&turn, command)), ["ran", "denied"]);
}

/// A hook that keeps the decisions about each call.
#[derive(Default)]
struct Decisions(Mutex<Vec<String>>);

impl Hook for Decisions {
    fn after_call(&self, call: &CallInfo<'_>, _: &CallResponse) -> Result<(), ToolError> {
        let decisions = call.decisions().into_iter().map(|decision| {
            assert!(decision.at.is_some());
            let CallDecision { verdict, reasons, decision, decided_by, .. } = decision;
            let reasons: Vec<String> = reasons
                .into_iter()
                .map(|reason| reason.rule.map_or(reason.text, |rule| format!("rule {rule}")))
                .collect();
            format!("{} ({}) {} by {}", verdict.word(), reasons.join(", "), decision.word(), decided_by.word())
        });
        let place = call.start_directory().map(|path| path.display().to_string()).unwrap_or_default();
        let decisions = decisions.collect::<Vec<_>>().join("; ");
        self.0.lock().unwrap().push(format!("{} {} {place}: {decisions}", call.tool(), call.is_judged()));
        Ok(())
    }
}

#[test]
fn hooks_see_the_decisions_about_a_call() {
    let hook = Arc::new(Decisions::default());
    let answers = [ApprovalDecision::AllowOnce, ApprovalDecision::AllowForSession];
    let turn = turn(commands(), |s| s.approver(Person::new(answers)).hook(Arc::clone(&hook) as _));
    for command in [ALLOWED, "rm -r a", "rm -r /etc"] {
        run(&turn, command);
    }
    for command in ["rm -r a", ALLOWED] {
        call(&turn, "other", &json!({"command": command}));
    }
    let declared = "ask (every call of this tool needs approval)";
    let expected = [
        "terminal true /w/app: ".to_owned(),
        "terminal true /w/app: ask (rule deletion) allowed by person".to_owned(),
        "terminal true /w/app: deny (rule system-deletion, rule deletion) denied by rule".to_owned(),
        format!(
            "other true /w/app: {declared} allowed-for-session by person; ask (rule deletion) allowed-for-session by person"
        ),
        format!("other true /w/app: {declared} allowed by session"),
    ];
    assert_eq!(*hook.0.lock().unwrap(), expected);
}

#[test]
fn hooks_see_the_decisions_about_the_input_of_a_handler() {
    let hook = Arc::new(Decisions::default());
    let writer = DynamicTool::sync("writer", "", json!({"type": "object"}), |_, call| {
        call.approve_input_blocking(ProgramInput {
            line: "rm -r a",
            earlier: &[],
            language: InputLanguage::Shell,
            directory: Some("/w/app"),
            parameter: "data",
            tool: "writer",
        })?;
        Ok(ToolOutput::text("ran"))
    });
    let turn = with_tools([writer], commands(), |s| s.approver(Person::new([])).hook(Arc::clone(&hook) as _));
    assert_eq!(call(&turn, "writer", &json!({})), "ran");
    assert_eq!(*hook.0.lock().unwrap(), ["writer false : ask (rule deletion) allowed by person"]);
}
