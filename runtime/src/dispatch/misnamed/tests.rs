use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::call::ToolCall;
use crate::call::approval::{ApprovalDecision, approver_fn};
use crate::call::hooks::{CallInfo, Hook, HookAction};
use crate::call::response::CallResponse;
use crate::data::behaviour::{Approval, Behaviour};
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement::Env as Needs;
use crate::env::Env;
use crate::fakes::{Fake, renamed, texts, tool, wait};
use crate::registry::Registry;
use crate::result::error::ToolError;
use crate::result::limit::ResultLimits;
use crate::session::turn::Turn;

fn turn(registry: &Registry) -> Turn {
    registry.session().env(Env::empty()).build().unwrap().turn_blocking(Dialect::OpenAi)
}

fn call(turn: &Turn, name: &str) -> CallResponse {
    wait(turn.call(&ToolCall::new(name, "{}").with_id("call-1")))
}

/// Returns the repairs of a call.
fn names(response: &CallResponse) -> Vec<String> {
    response.repairs.iter().map(ToString::to_string).collect()
}

/// Returns a registry with a provider of each of these lists of tools.
fn providers(names: &[&[&str]]) -> Registry {
    let registry = Registry::new();
    for names in names {
        registry.add(Box::new(Fake::new(names.iter().map(|name| tool(name, "home", &[]))))).unwrap();
    }
    registry
}

#[track_caller]
fn assert_runs(turn: &Turn, name: &str, own: &str) {
    assert_eq!(call(turn, name).json, format!("{own:?}"), "{name}");
}

#[track_caller]
fn assert_refused(turn: &Turn, name: &str) {
    let json = call(turn, name).json;
    assert!(json.contains(r#""kind":"unknown_tool""#), "{name}: {json}");
}

#[test]
fn a_name_with_a_known_prefix_or_in_another_spelling_reaches_its_tool() {
    let turn = turn(&providers(&[&["read_file", "mcp__git__git-log"]]));
    for name in ["functions.read_file", "default_api.read_file", "Read_File", "read-file", "functions.READ-file"] {
        assert_runs(&turn, name, "read_file");
    }
    for name in ["default_api:read_file", "default_api::Read-File", "functions:read_file", "default_api/read_file"] {
        assert_runs(&turn, name, "read_file");
    }
    assert_runs(&turn, "mcp__git__git_log", "mcp__git__git-log");
    assert_runs(&turn, "MCP__git__git-log", "mcp__git__git-log");
}

#[test]
fn a_name_with_a_decoration_reaches_its_tool() {
    let turn = turn(&providers(&[&["read_file", "look"]]));
    for name in [
        " read_file",
        "read_file ",
        "\nread_file\t",
        "read_file<|channel|>commentary",
        "read_file<|channel|>commentary to=functions.look",
        "read_file <|constrain|>json",
        "functions.read_file<|message|>",
        "<|start|>read_file",
        "read_file<｜tool▁sep｜>",
        "functions.read_file:0",
        "functions.read_file:12",
        " functions.Read-File:3<|end|>",
        "read_file:0",
    ] {
        assert_runs(&turn, name, "read_file");
    }
    let sent = "read_file<|channel|>commentary";
    let repairs = names(&call(&turn, sent));
    assert_eq!(repairs, [format!(r#"the name of the tool: "{sent}" became "read_file" (tool_name)"#)]);
}

#[test]
fn a_decoration_does_not_make_a_name_mean_another_tool() {
    let numbered = turn(&providers(&[&["read_file", "read_file:0", "read-file"]]));
    assert_runs(&numbered, "read_file:0", "read_file:0");
    for name in ["read_file:1", " read_file", "read_file<|channel|>", "functions.read_file:0"] {
        assert_refused(&numbered, name);
    }
    let one = turn(&providers(&[&["read_file"]]));
    for name in ["read_file:a", "read_file:", "read_file:0:1", ":0", "<|channel|>", "<|read_file|>", "read_file <b>"] {
        assert_refused(&one, name);
    }
    let json = call(&one, "nothing<|channel|>commentary").json;
    assert!(json.contains(r"unknown tool `nothing\\u{3c}|channel|>commentary`"), "{json}");
}

#[test]
fn other_names_are_not_corrected() {
    let turn = turn(&providers(&[&["read_file", "mcp__git__log"]]));
    for name in [
        "readfile",
        "read file",
        "read_files",
        "tools.read_file",
        "functions.functions.read_file",
        "functions.",
        "functions",
        "Functions.read_file",
        "log",
        "git__log",
        "mcp__hub__log",
        "mcp__git__read_file",
        "",
    ] {
        assert_refused(&turn, name);
    }
    assert_refused(&turn, &format!("functions.{}", "read_file".repeat(100)));
}

#[test]
fn the_exact_name_always_wins() {
    let turn = turn(&providers(&[&["read_file", "read-file", "functions.read_file"]]));
    for name in ["read_file", "read-file", "functions.read_file"] {
        assert_runs(&turn, name, name);
    }
}

#[test]
fn a_name_that_fits_several_tools_is_refused_with_the_nearest_names() {
    let one = turn(&providers(&[&["read_file", "read-file"]]));
    let two = turn(&providers(&[&["read_file"], &["read-file"]]));
    for turn in [one, two] {
        for name in ["Read_File", "functions.Read_File", "default_api.Read-File"] {
            let json = call(&turn, name).json;
            assert!(json.contains("did you mean `read-file` or `read_file`?"), "{json}");
        }
    }
}

#[test]
fn a_corrected_name_never_reaches_another_tool_than_a_hidden_or_denied_one() {
    let hidden = Fake::new([tool("read-file", "other", &[Needs(texts(&["KEY"]))])]);
    let registry = providers(&[&["read_file"]]);
    registry.add(Box::new(hidden)).unwrap();
    let turn_with = turn(&registry);
    assert_runs(&turn_with, "read_file", "read_file");
    for name in ["read-file", "functions.read-file", "READ_file"] {
        assert_refused(&turn_with, name);
    }
    let json = call(&turn_with, "functions.read-file").json;
    assert!(json.contains("not available now") && json.contains("KEY"), "{json}");

    let granted = registry.session().env(Env::empty()).enable(["home"]).build().unwrap();
    assert_refused(&granted.turn_blocking(Dialect::OpenAi), "read-file");
}

#[test]
fn a_tool_that_is_not_shown_is_not_reached_by_a_corrected_name() {
    let registry = providers(&[&["look"]]);
    registry.add(Box::new(Fake::new([tool("erase", "danger", &[])]))).unwrap();
    let session = registry.session().env(Env::empty()).enable(["home"]).build().unwrap();
    let turn = session.turn_blocking(Dialect::OpenAi);
    for name in ["erase", "functions.erase", "Erase"] {
        assert_refused(&turn, name);
    }
}

#[test]
fn the_name_in_the_dialect_is_the_one_that_is_corrected() {
    let fake = Fake::new([renamed("say_it", tool("speak_up", "home", &[])), tool("other", "home", &[])]);
    let turn = turn(&fake.registry());
    assert_runs(&turn, "functions.Say-It", "speak_up");
    for own in ["speak_up", "Speak_Up"] {
        assert_refused(&turn, own);
    }
}

#[test]
fn hooks_approval_and_limits_see_the_tools_own_name() {
    struct Recorder(Arc<Mutex<Vec<String>>>);
    impl Hook for Recorder {
        fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
            self.0.lock().unwrap().push(format!("before {} as {:?}", call.tool(), call.called_as()));
            Ok(HookAction::Continue)
        }

        fn after_call(&self, call: &CallInfo<'_>, _: &CallResponse) -> Result<(), ToolError> {
            self.0.lock().unwrap().push(format!("after {} as {:?}", call.tool(), call.called_as()));
            Ok(())
        }
    }
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let asked = Arc::clone(&seen);
    let approver = approver_fn(move |request| {
        asked.lock().unwrap().push(format!("approve {}", request.tool));
        ApprovalDecision::AllowOnce
    });
    let behaviour = Behaviour { approval: Approval { always: true, shell: None }, ..Behaviour::default() };
    let long = crate::data::catalog::Tool { behaviour, ..tool("say_it", "home", &[]) };
    let fake = Fake::new([long]).answer(|_| {
        crate::provider::HandlerReply::Ready(Ok(crate::result::output::ToolOutput::text("x".repeat(5_000))))
    });
    let session = fake
        .registry()
        .session()
        .env(Env::empty())
        .hook(Arc::new(Recorder(Arc::clone(&seen))))
        .approver(approver)
        .result_limits(ResultLimits::default().with_per_call(2_000));
    let turn = session.build().unwrap().turn_blocking(Dialect::OpenAi);
    let exact = call(&turn, "say_it");
    let corrected = call(&turn, "functions.say-it");
    assert!(corrected.is_shortened());
    assert_eq!((&corrected.json, corrected.error), (&exact.json, exact.error));
    assert_eq!(names(&corrected), [r#"the name of the tool: "functions.say-it" became "say_it" (tool_name)"#]);
    assert!(exact.repairs.is_empty());
    let seen = seen.lock().unwrap();
    assert_eq!(seen[..3], ["before say_it as None", "approve say_it", "after say_it as None"]);
    let called_as = r#"as Some("functions.say-it")"#;
    assert_eq!(
        seen[3..],
        [&*format!("before say_it {called_as}"), "approve say_it", &*format!("after say_it {called_as}")]
    );
}

#[test]
fn a_batch_answers_under_the_name_that_the_model_used() {
    let turn = turn(&providers(&[&["read_file", "look"]]));
    let calls = [ToolCall::new("functions.look", "{}").with_id("a"), ToolCall::new("READ_FILE", "{}").with_id("b")];
    let completed = wait(turn.batch(&calls));
    let of = |at: usize| (completed[at].call.name(), completed[at].call.id(), completed[at].response.json.as_str());
    assert_eq!(of(0), ("functions.look", "a", r#""look""#));
    assert_eq!(of(1), ("READ_FILE", "b", r#""read_file""#));
}

/// Returns numbers that only depend on the seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

#[test]
fn a_call_reaches_only_the_shown_tool_that_alone_fits_in_any_registry() {
    const PARTS: &[&str] = &["a", "A", "b", "-", "_", "__", ".", "functions.", "default_api."];
    let mut random = Random(0x5eed);
    let fold = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    let (mut exact, mut corrected, mut refused) = (0, 0, 0);
    for _ in 0..1_000 {
        let name = |random: &mut Random| -> String {
            (0..=random.below(4)).map(|_| PARTS[random.below(PARTS.len())]).collect()
        };
        // Names that are taken are refused by the registry.
        let registry = Registry::new();
        let mut registered: Vec<(String, bool)> = Vec::new();
        for _ in 0..=random.below(3) {
            for _ in 0..=random.below(3) {
                let (name, kind) = (name(&mut random), random.below(4));
                let needs = if kind == 0 { vec![Needs(texts(&["KEY"]))] } else { Vec::new() };
                let home = if kind == 1 { "denied" } else { "home" };
                let added = registry.add(Box::new(Fake::new([tool(&name, home, &needs)])));
                if added.is_ok() {
                    registered.push((name, kind > 1));
                }
            }
        }
        if !registered.iter().any(|(_, shown)| *shown) {
            continue;
        }
        let turn =
            registry.session().env(Env::empty()).enable(["home"]).build().unwrap().turn_blocking(Dialect::OpenAi);
        for _ in 0..20 {
            let sent = name(&mut random);
            let bare = sent.strip_prefix("functions.").or_else(|| sent.strip_prefix("default_api."));
            let fits = |name: &str| {
                [Some(&*sent), bare.filter(|bare| !bare.is_empty())]
                    .iter()
                    .flatten()
                    .any(|sent| fold(sent) == fold(name))
            };
            let fitting: Vec<&(String, bool)> = registered.iter().filter(|(name, _)| fits(name)).collect();
            let json = call(&turn, &sent).json;
            let expected = match registered.iter().find(|(name, _)| *name == sent) {
                Some((name, shown)) => shown.then_some((name, &mut exact)),
                None => match fitting[..] {
                    [(name, true)] => Some((name, &mut corrected)),
                    _ => None,
                },
            };
            if let Some((name, count)) = expected {
                assert_eq!(json, format!("{name:?}"), "{sent} of {registered:?}");
                *count += 1;
            } else {
                let value: Value = serde_json::from_str(&json).unwrap();
                assert_eq!(value["kind"], "unknown_tool", "{sent} of {registered:?}: {json}");
                refused += 1;
            }
        }
    }
    assert!(exact > 100 && corrected > 100 && refused > 100, "{exact} {corrected} {refused}");
}
