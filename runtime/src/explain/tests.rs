use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Absence, Grant, MissingTool, RequirementState, Status};
use crate::availability::HiddenReason;
use crate::data::catalog::{Tool, Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::data::requirement::Requirement::{AnyEnv, AnyTools, Check, Env as Needs, Os, Programs, Tools, When};
use crate::data::segment::{Atom, Comparison, Condition, FactValue, Op, Segment};
use crate::data::table::{Part, Table};
use crate::data::to_json::ToJson;
use crate::env::Env;
use crate::fakes::{Fake, FakeTime, renamed, texts, tool, toolset};
use crate::provider::availability::Availability;
use crate::registry::Registry;
use crate::session::Session;
use crate::session::turn::Turn;

/// Returns a session with these toolsets enabled and disabled, in an empty environment.
fn session(registry: &Registry, enabled: &[&str], disabled: &[&str]) -> Session {
    let session = registry.session().enable(enabled.iter().copied()).disable(disabled.iter().copied());
    session.env(Env::empty()).check_timeout(Duration::from_hours(1)).build().unwrap()
}

fn turn(registry: &Registry, enabled: &[&str], disabled: &[&str]) -> Turn {
    session(registry, enabled, disabled).turn_blocking(Dialect::OpenAi)
}

/// Returns the lines of an explanation.
fn lines(turn: &Turn, tool: &str) -> Vec<String> {
    turn.why(tool).unwrap().to_string().lines().map(|line| line.trim_start().to_owned()).collect()
}

fn json(value: &impl ToJson) -> Value {
    let mut out = String::new();
    value.to_json(&mut out);
    serde_json::from_str(&out).unwrap()
}

/// Returns a registry of nested toolsets, such as cli → debugging → file.
fn bundles() -> Registry {
    let includes = |name, includes: &[&'static str]| Toolset { includes: texts(includes), ..toolset(name) };
    Fake::new([
        tool("read", "file", &[]),
        tool("write", "file", &[]),
        tool("look", "web", &[]),
        tool("lost", "shut", &[]),
    ])
    .toolset(includes("debugging", &["file", "web"]))
    .toolset(includes("cli", &["debugging"]))
    .toolset(Toolset { base: Some("debugging".into()), includes: texts(&["web"]), ..toolset("chat") })
    .toolset(Toolset { excludes: texts(&["write"]), ..includes("reader", &["file"]) })
    .toolset(Toolset { closed: true, ..toolset("shut") })
    .registry()
}

#[test]
fn all_grants_of_a_tool_are_listed() {
    let registry = bundles();
    assert_eq!(
        lines(&turn(&registry, &["web", "cli", "file", "all"], &[]), "read"),
        [
            "`read` is shown",
            "granted: cli → debugging → file",
            "granted: file",
            "granted: `all`, which means all tools",
        ]
    );
    let open = turn(&registry, &[], &[]).why("read").unwrap();
    assert_eq!((&open.grants[..], open.status), (&[Grant::NothingEnabled][..], Status::Shown));
}

#[test]
fn denials_of_a_tool_are_listed() {
    let registry = bundles();
    assert_eq!(
        lines(&turn(&registry, &["cli"], &["debugging", "chat", "*"]), "look"),
        [
            "`look` is disabled",
            "granted: cli → debugging → web",
            "disabled: debugging → web",
            // Disabling `chat` does not disable `debugging`, which is its base.
            "disabled: `*`, which means all tools",
        ]
    );
    assert_eq!(
        lines(&turn(&registry, &["reader"], &[]), "write"),
        [
            "`write` is not granted",
            "excluded by `reader`: reader → file",
            "it is part of `chat`, `cli`, `debugging` or `file`"
        ]
    );
}

#[test]
fn toolsets_that_would_grant_a_tool_are_listed() {
    let registry = bundles();
    assert_eq!(
        lines(&turn(&registry, &["web"], &[]), "write"),
        ["`write` is not granted", "it is part of `chat`, `cli`, `debugging` or `file`"]
    );
    assert_eq!(lines(&turn(&registry, &["web"], &[]), "lost"), ["`lost` is not granted", "no toolset contains it"]);
}

#[test]
fn the_error_for_an_unknown_tool_suggests_similar_names() {
    let unknown = turn(&bundles(), &[], &[]).why("raed").unwrap_err();
    assert_eq!(unknown.to_string(), "no tool provider has a tool `raed`: did you mean `read`?");
    assert_eq!(json(&unknown)["nearest"], json!(["read"]));
    let long_name = turn(&bundles(), &[], &[]).why(&"x\u{1b}".repeat(99)).unwrap_err().to_string();
    assert!(long_name.len() < 500 && !long_name.contains('\u{1b}') && long_name.ends_with("…`"), "{long_name}");
}

#[test]
fn a_tool_is_explained_by_each_name_that_a_call_may_use() {
    let shown = tool("read_file", "file", &[]).with_aliases(["cat", "file_read"]);
    let hidden = tool("ask_user", "chat", &[Needs(texts(&["KEY"]))]).with_aliases(["ask"]);
    let both = [tool("run", "shell", &[]).with_aliases(["sh"]), tool("exec", "shell", &[]).with_aliases(["sh"])];
    let turn = turn(&Fake::new([shown, hidden].into_iter().chain(both)).registry(), &[], &[]);
    for name in ["read_file", "Read-File", "READ_FILE", "functions.read_file", "cat", "Cat", "file-read"] {
        assert_eq!(turn.why(name).unwrap().tool, "read_file", "{name}");
    }
    for name in ["Ask-User", "ASK", "functions.ask"] {
        assert_eq!(turn.why(name).unwrap().to_string(), turn.why("ask_user").unwrap().to_string(), "{name}");
    }
    for name in ["sh", "readfile", "rea", ""] {
        assert!(turn.why(name).is_err(), "{name}");
    }
}

#[test]
fn the_number_of_tools_agrees_with_its_noun() {
    let summary = |registry: &Registry| {
        let report = turn(registry, &[], &[]).doctor().to_string();
        report.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(summary(&Fake::new([tool("a", "home", &[])]).registry()), "1 of 1 tool is available");
    let two = Fake::new([tool("a", "home", &[]), tool("b", "home", &[])]).registry();
    assert_eq!(summary(&two), "2 of 2 tools are available");
}

#[test]
fn control_characters_are_escaped() {
    let registry = Fake::new([
        tool("a\u{1b}[2K", "ho\u{9b}me", &[Tools(texts(&["b\r\n✓ a"])), Needs(texts(&["K\u{202e}EY"]))]),
        tool("b", "home", &[]),
    ])
    .registry();
    let turn = turn(&registry, &[], &[]);
    let text = format!("{}\n{}", turn.why("a\u{1b}[2K").unwrap(), turn.doctor());
    assert!(!text.contains(['\u{1b}', '\u{9b}', '\r', '\u{202e}']), "{text:?}");
    assert!(!text.contains("\n✓ a"), "{text}");
}

#[test]
fn a_tool_is_found_by_its_name_in_the_dialect() {
    let registry = Fake::new([renamed("query", tool("ask", "home", &[]))]).registry();
    let turn = turn(&registry, &[], &[]);
    assert_eq!(turn.why("query"), turn.why("ask"));
    assert_eq!(lines(&turn, "query")[0], "`ask` (`query` in this dialect) is shown");
}

#[test]
fn each_requirement_is_listed_with_its_state() {
    let platform = Atom::Compared("platform".into(), Comparison::Equal, FactValue::Text("cli".into()));
    let when = When {
        condition: Condition(vec![Op::Atom(0), Op::Atom(1), Op::Or]),
        atoms: vec![platform, Atom::Fact("online".into())],
    };
    let home = Toolset { requires: vec![Check, Needs(texts(&["HOME_KEY"]))], ..toolset("home") };
    let needs = [
        Needs(texts(&["KEY", "HOST"])),
        AnyEnv(texts(&["ONE", "OTHER"])),
        Programs(texts(&["git"])),
        Os(vec![std::env::consts::OS.into()]),
        when,
        Tools(texts(&["free", "ghost"])),
        AnyTools(texts(&["free"])),
        Check,
    ];
    let fake = Fake::new([tool("free", "other", &[]), tool("needy", "home", &needs)]).toolset(home);
    let registry = fake.fact("online", false).registry();
    let env = Env::empty().with_var("HOST", "x").with_var("HOME_KEY", "x");
    let turn = registry.session().env(env).build().unwrap().turn_blocking(Dialect::OpenAi);
    assert_eq!(
        lines(&turn, "needy"),
        [
            "`needy` is hidden: needs the environment variable `KEY`".to_owned(),
            "granted: the session names no toolset or tool to enable, so it has all of them".to_owned(),
            "✓ needs the environment variable `HOME_KEY`, like all tools of `home`".to_owned(),
            "! needs the environment variables `KEY` and `HOST`: `KEY` is not set".to_owned(),
            "! needs one of the environment variables `ONE` and `OTHER`: none is set".to_owned(),
            "! needs the program `git`: `git` is not found".to_owned(),
            format!("✓ needs the system `{}`", std::env::consts::OS),
            "! needs `facts.platform == 'cli' or facts.online`: the condition is false".to_owned(),
            "! needs the tools `free` and `ghost`: no tool provider has `ghost`".to_owned(),
            "✓ needs the tool `free`".to_owned(),
            "- needs its availability check to pass, like all tools of `home`: not checked".to_owned(),
            "- needs its availability check to pass: not checked".to_owned(),
            "`ghost` is missing: no tool provider has it".to_owned(),
        ]
    );
    // Requirements of tools that are not granted are not evaluated.
    let registry = Fake::new([tool("a", "home", &[Needs(texts(&["KEY"]))]), tool("b", "other", &[])]).registry();
    let other = session(&registry, &["other"], &[]).turn_blocking(Dialect::OpenAi).why("a").unwrap();
    assert_eq!((other.status, &other.requirements[0].state), (Status::NotGranted, &RequirementState::NotEvaluated));
}

#[test]
fn the_result_of_a_check_is_listed_with_its_age() {
    let failure = Arc::new(Mutex::new(None::<&str>));
    let current = Arc::clone(&failure);
    let home = Toolset { requires: vec![Check], ..toolset("home") };
    let fake = Fake::new([tool("a", "home", &[])]).toolset(home).available(move |_, _| {
        let failure = *current.lock().unwrap();
        assert!(failure != Some("panic"), "it fell over");
        Availability::when(failure.is_none(), failure.unwrap_or_default())
    });
    let (registry, time) = (fake.registry(), FakeTime::new());
    let mut builder = registry.session().env(Env::empty()).check_timeout(Duration::from_hours(1));
    builder.clock = time.clock();
    let session = builder.build().unwrap();
    let check = || lines(&session.turn_blocking(Dialect::OpenAi), "a").pop().unwrap();
    assert_eq!(check(), "✓ needs its availability check to pass, like all tools of `home`, 0 ms ago");
    time.advance(20);
    assert_eq!(check(), "✓ needs its availability check to pass, like all tools of `home`, 20 s ago");
    *failure.lock().unwrap() = Some("no\npaper");
    time.advance(20);
    let failed = "✓ needs its availability check to pass, like all tools of `home`: it failed just now (no\\npaper), but succeeded 40 s ago";
    assert_eq!(check(), failed);
    let turn = session.turn_blocking(Dialect::OpenAi);
    let need = json(&turn.why("a").unwrap())["requirements"][0].clone();
    assert_eq!((&need["state"], &need["reason"]["text"]), (&json!("flake"), &json!("no\npaper")));
    assert_eq!(need["age"], json!(40.0));
    let doctor = turn.doctor().to_string();
    assert!(doctor.starts_with("✓ a (home)\n    ✓ needs") && doctor.contains("it failed just now"), "{doctor}");
    *failure.lock().unwrap() = Some("panic");
    time.advance(60);
    let failed = "! needs its availability check to pass, like all tools of `home`: its check failed unexpectedly: it fell over, 0 ms ago";
    assert_eq!(check(), failed);
    time.advance(5);
    assert!(check().ends_with("fell over, 5 s ago"));
}

#[test]
fn indirectly_missing_tools_are_listed() {
    let registry = Fake::new([
        tool("a", "home", &[Tools(texts(&["b", "c"]))]),
        tool("b", "home", &[AnyTools(texts(&["d", "ghost"]))]),
        tool("c", "home", &[Tools(texts(&["far"]))]),
        tool("d", "home", &[Tools(texts(&["b"])), Needs(texts(&["KEY"])), Programs(texts(&["git"]))]),
        tool("far", "away", &[]),
    ])
    .registry();
    let turn = turn(&registry, &["home"], &[]);
    let lines = lines(&turn, "a");
    assert_eq!(
        lines[2..],
        [
            "! needs the tools `b` and `c`: `b` and `c` are not available",
            "`b` is missing: needs one of the tools `d` and `ghost`",
            "`c` is missing: needs the tool `far`",
            "`d` is missing: needs the tool `b`; needs the environment variable `KEY`; needs the program `git`",
            "`ghost` is missing: no tool provider has it",
            "`far` is missing: it is not granted",
        ]
    );
    let missing = turn.why("a").unwrap().missing;
    assert_eq!(missing[4], MissingTool { tool: "far".into(), absence: Absence::NotGranted });
}

#[test]
fn a_long_chain_is_complete_as_data_and_truncated_as_text() {
    let name = |id: usize| format!("t{id:05}");
    let chain = (0..5_000).map(|id| tool(&name(id), "home", &[Tools(vec![name(id + 1).into()])]));
    let explanation = turn(&Fake::new(chain).registry(), &[], &[]).why("t00000").unwrap();
    assert_eq!(explanation.missing.len(), 5_000);
    assert_eq!(explanation.missing[4_999].absence, Absence::Unregistered);
    let text = explanation.to_string();
    assert!(text.lines().count() < 30 && text.ends_with("and 4980 more tools are missing"), "{text}");
}

#[test]
fn a_dialect_without_a_definition_is_a_reason() {
    let fake = Fake::new([tool("mute", "home", &[Check]), tool("asks", "home", &[Tools(texts(&["mute"]))])]);
    let registry = fake.defined("mute", None).registry();
    let turn = turn(&registry, &[], &[]);
    assert_eq!(turn.why("mute").unwrap().status, Status::Hidden(HiddenReason::Dialect));
    assert_eq!(lines(&turn, "asks").pop().unwrap(), "`mute` is missing: has no definition in this dialect");
    assert_eq!(turn.doctor().tools[1].unmet, [HiddenReason::Dialect]);
}

/// Returns a tool provider of `others` and the tool `web`, whose description, parameters and values have conditions.
fn conditional(others: impl IntoIterator<Item = Tool>) -> Fake {
    let schema = json!({"type": "object", "properties": {"mode": {"enum": ["text", "picture"]},
        "more": {"type": "object", "properties": {"deep": {"type": "string"}}}}});
    let mut table = Table::from_schema(&schema).unwrap();
    let at = |name: &str| table.properties.iter().position(|property| &*property.name == name).unwrap();
    let deep = u16::try_from(at("deep")).unwrap();
    let when = |ops: &[Op]| Condition(ops.to_vec());
    table.conditions =
        vec![(Part::Property(deep), when(&[Op::Atom(0)])), (Part::Literal(1), when(&[Op::Atom(1), Op::Not]))];
    let text = |text: &'static str| Segment::Text(text.into());
    let segments = vec![
        text(r#"{"name":"web","description":"Open a page."#),
        Segment::When { condition: when(&[Op::Atom(0)]), segments: 3 },
        text(r#" For \"look-ups\" "#),
        Segment::When { condition: when(&[Op::Atom(1)]), segments: 1 },
        text("take search."),
        text(r#"","parameters":{"type":"object","properties":{"mode":{"description":"What"#),
        Segment::When { condition: when(&[Op::Atom(2)]), segments: 1 },
        text(" to show"),
        text(r#"","enum":["text""#),
        Segment::When { condition: when(&[Op::Atom(1), Op::Not]), segments: 1 },
        text(r#","picture""#),
        text("]}}}}"),
    ];
    let tool = Tool {
        arguments: Arc::new(table),
        atoms: vec![
            Atom::Tool("search".into()),
            Atom::Fact("online".into()),
            Atom::Compared("unheard".into(), Comparison::Less, FactValue::Integer(3)),
        ],
        ..tool("web", "home", &[])
    };
    Fake::new(others.into_iter().chain([tool])).defined("web", Some(segments))
}

#[test]
fn each_conditional_part_is_listed_with_its_values() {
    let registry = conditional([tool("search", "other", &[])]).fact("online", true).registry();
    assert_eq!(
        lines(&turn(&registry, &["home"], &[]), "web")[2..],
        [
            "text \"For \"look-ups\" take search.\" is omitted: `tools.search` (`search` is not available)",
            "text \"take search.\" is omitted: `facts.online` (`online` is true)",
            "text \"to show\" of `mode` is omitted: `facts.unheard < 3` (unknown fact `unheard`)",
            "parameter `more.deep` is omitted: `tools.search` (`search` is not available)",
            "value \"picture\" of `mode` is omitted: `not facts.online` (`online` is true)",
        ]
    );
    let both = turn(&registry, &[], &[]).why("web").unwrap();
    assert_eq!(both.parts.iter().map(|part| part.is_shown).collect::<Vec<_>>(), [true, true, false, true, false]);
    assert_eq!(
        json(&both)["parts"][3],
        json!({"parameter": "more.deep", "condition": "tools.search",
            "atoms": [{"atom": "tools.search", "value": true}], "is_shown": true})
    );
}

fn variable(name: &'static str, url: &'static str, secret: bool) -> Variable {
    Variable { name: name.into(), description: "Opens it.".into(), prompt: "The key".into(), url: url.into(), secret }
}

#[test]
fn the_doctor_lists_unmet_requirements_and_variables_to_set() {
    let registry = Fake::new([
        tool("a", "home", &[Needs(texts(&["KEY"])), Needs(texts(&["KEY"])), Programs(texts(&["git"]))]),
        tool("b", "home", &[AnyEnv(texts(&["KEY", "UNHEARD"]))]),
        tool("c", "other", &[]),
        tool("d", "other", &[Tools(texts(&["a"]))]),
        tool("e", "else", &[]),
    ])
    .variable(variable("KEY", "https://example.org/keys", true))
    .registry();
    let doctor = turn(&registry, &["home", "other"], &[]).doctor();
    assert_eq!(
        doctor.to_string(),
        "\
! a (home)
    needs the environment variable `KEY`
    needs the program `git`
! b (home)
    needs one of the environment variables `KEY` and `UNHEARD`
✓ c (other)
! d (other)
    needs the tool `a`
    `a` is missing: needs the environment variable `KEY`; needs the environment variable `KEY`; needs the program `git`
1 of 4 tools are available

environment variables to set:
  KEY
    Opens it.
    https://example.org/keys
    for `a` and `b`
  UNHEARD
    for `b`, which needs only one of several variables"
    );
    let data = json(&doctor);
    assert_eq!(
        data["variables"][0],
        json!({"name": "KEY", "description": "Opens it.", "prompt": "The key", "url": "https://example.org/keys",
            "secret": true, "tools": ["a", "b"], "alternatives": []})
    );
    assert_eq!(data["variables"][1]["alternatives"], json!(["KEY"]));
    assert_eq!(data["tools"][1]["unmet"][0]["names"], json!(["KEY", "UNHEARD"]));
    let all = registry.session().env(Env::empty()).build().unwrap().turn_blocking(Dialect::OpenAi);
    assert_eq!(all.doctor().tools.len(), 5, "a session that names nothing to enable has all of the registry");
}

#[test]
fn values_of_secrets_are_never_shown() {
    let needs: [Requirement; 3] = [Needs(texts(&["KEY", "OTHER"])), AnyEnv(texts(&["KEY"])), Check];
    let fake =
        Fake::new([tool("asks", "home", &[Check]), tool("falls", "home", &[Check]), tool("lacks", "home", &needs)])
            .variable(variable("KEY", "", true))
            .available(|name, env| {
                let key = env.var("KEY").unwrap();
                assert!(name != "falls", "{key}");
                Availability::Unavailable(format!("{key} was refused").into())
            });
    let registry = fake.registry();
    let env = Env::empty().with_var("KEY", "hunter2-and-more");
    let builder = registry.session().env(env.clone());
    let mut all = format!("{env:?} {registry:?} {builder:?}");
    let session = builder.check_timeout(Duration::from_hours(1)).build().unwrap();
    let turn = session.turn_blocking(Dialect::OpenAi);
    let doctor = turn.doctor();
    all += &format!("{session:?} {turn:?} {doctor:?} {doctor} {}", json(&doctor));
    for name in ["asks", "falls", "lacks"] {
        let explanation = turn.why(name).unwrap();
        all += &format!("{explanation:?} {explanation} {} {}", json(&explanation), turn.unknown_tool(name).message());
    }
    turn.hidden().for_each(|hidden| all += &format!("{hidden:?} {hidden}"));
    assert!(all.contains("was refused") && all.contains("[secret]") && all.contains("OTHER"), "{all}");
    assert!(!all.contains("hunter2"), "{all}");
}
