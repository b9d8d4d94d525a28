use std::time::Duration;

use crate::availability::HiddenReason;
use crate::data::catalog::Toolset;
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::data::requirement::Requirement::{AnyEnv, AnyTools, Check, Os, Programs, Tools, When};
use crate::data::segment::{Atom, Condition, Op};
use crate::env::Env;
use crate::fakes::{Fake, texts, tool, toolset};
use crate::provider::availability::Availability;
use crate::registry::Registry;
use crate::session::SessionBuilder;
use crate::session::turn::Turn;

fn env(names: &[&'static str]) -> Requirement {
    Requirement::Env(texts(names))
}

fn tools(names: &[&'static str]) -> Requirement {
    Tools(texts(names))
}

fn any_tools(names: &[&'static str]) -> Requirement {
    AnyTools(texts(names))
}

/// Returns the turn with all tools in this environment.
fn turn(registry: &Registry, env: Env) -> Turn {
    session(registry, env).build().unwrap().turn_blocking(Dialect::OpenAi)
}

fn session(registry: &Registry, env: Env) -> SessionBuilder {
    registry.session().env(env).check_timeout(Duration::from_hours(1))
}

fn shown(turn: &Turn) -> String {
    turn.tools().collect::<Vec<_>>().join(" ")
}

fn hidden(turn: &Turn) -> Vec<String> {
    turn.hidden().map(|hidden| format!("{}: {}", hidden.tool, hidden.reason)).collect()
}

#[test]
fn each_kind_of_requirement_hides_its_tool() {
    let online = When { condition: Condition(vec![Op::Atom(0)]), atoms: vec![Atom::Fact("online".into())] };
    let registry = Fake::new([
        tool("a_env", "home", &[env(&["KEY", "HOST", "PORT"])]),
        tool("b_any_env", "home", &[AnyEnv(texts(&["ONE", "OTHER"]))]),
        tool("c_programs", "home", &[Programs(texts(&["git", "make"]))]),
        tool("d_os", "home", &[Os(texts(&["plan9", "multics"]))]),
        tool("e_facts", "home", &[online]),
        tool("f_here", "home", &[Os(vec![std::env::consts::OS.into(), "plan9".into()])]),
        tool("g_free", "home", &[]),
    ])
    .fact("online", false)
    .registry();
    let bare = turn(&registry, Env::empty().with_var("HOST", "h").with_var("PORT", "").with_program("git"));
    assert_eq!(shown(&bare), "f_here g_free");
    assert_eq!(bare.definitions(), r#"["f_here","g_free"]"#);
    assert_eq!(
        hidden(&bare),
        [
            "a_env: needs the environment variables `KEY` and `PORT`",
            "b_any_env: needs one of the environment variables `ONE` and `OTHER`",
            "c_programs: needs the program `make`",
            "d_os: runs only on `plan9` or `multics`",
            "e_facts: the fact `online` rules it out",
        ]
    );
    let rich = ["KEY", "HOST", "PORT", "OTHER"].into_iter().fold(Env::empty(), |env, name| env.with_var(name, "x"));
    let session = session(&registry, rich.with_program("git").with_program("make"));
    let rich = session.facts([("online".into(), true.into())]).build().unwrap().turn_blocking(Dialect::OpenAi);
    assert_eq!(shown(&rich), "a_env b_any_env c_programs e_facts f_here g_free");
    assert_eq!(hidden(&rich).len(), 1);
}

#[test]
fn one_met_alternative_shows_the_tool() {
    let when = When { condition: Condition(vec![Op::Atom(0)]), atoms: vec![Atom::Fact("own_server".into())] };
    let any = Requirement::Any(vec![env(&["KEY"]), env(&["ID", "SECRET"]), Programs(texts(&["find"])), when]);
    let registry = Fake::new([tool("search", "home", &[any])]).fact("own_server", false).registry();
    let unmet = "search: needs one of these: the environment variable `KEY`, the environment variables `ID` and `SECRET`, the program \
                 `find`, `facts.own_server`";
    assert_eq!(hidden(&turn(&registry, Env::empty())), [unmet]);
    assert_eq!(hidden(&turn(&registry, Env::empty().with_var("ID", "x"))), [unmet]);
    let met = [
        Env::empty().with_var("KEY", "x"),
        Env::empty().with_var("ID", "x").with_var("SECRET", "x"),
        Env::empty().with_program("find"),
    ];
    for env in met {
        assert_eq!(shown(&turn(&registry, env)), "search");
    }
    let with_fact = session(&registry, Env::empty()).facts([("own_server".into(), true.into())]);
    assert_eq!(shown(&with_fact.build().unwrap().turn_blocking(Dialect::OpenAi)), "search");
}

#[test]
fn the_reason_is_the_first_unmet_requirement_starting_with_the_home_toolset() {
    let home = Toolset { requires: vec![Check, env(&["HOME_KEY"])], ..toolset("home") };
    let fake = Fake::new([tool("ask", "home", &[env(&["OWN"]), tools(&["missing"])])]).toolset(home);
    let (checks_run, registry) = (fake.checks_run(), fake.registry());
    assert_eq!(hidden(&turn(&registry, Env::empty())), ["ask: needs the environment variable `HOME_KEY`"]);
    let env = Env::empty().with_var("HOME_KEY", "x");
    assert_eq!(hidden(&turn(&registry, env.clone())), ["ask: needs the environment variable `OWN`"]);
    // Checks do not run while another requirement is unmet.
    assert!(checks_run.lock().unwrap().is_empty());
    let turn = turn(&registry, env.with_var("OWN", "x"));
    assert_eq!(hidden(&turn), ["ask: needs the tool `missing`, which no tool provider has"]);
    assert_eq!(*checks_run.lock().unwrap(), ["home"]);
}

#[test]
fn each_check_runs_once_and_only_for_granted_tools() {
    let checked = |name| Toolset { requires: vec![Check], ..toolset(name) };
    let fake = Fake::new([
        tool("a", "red", &[]),
        tool("b", "red", &[Check]),
        tool("c", "red", &[Check]),
        tool("d", "blue", &[Check]),
    ])
    .toolset(checked("red"))
    .toolset(checked("blue"))
    .toolset(Toolset { tools: texts(&["a"]), ..checked("mixed") })
    .available(|name, env| Availability::when(name != "c" || env.var("C").is_some(), "c is offline"));
    let (checks_run, registry) = (fake.checks_run(), fake.registry());
    let session = |name: &str| session(&registry, Env::empty()).enable([name]).build().unwrap();
    let red = session("red").turn_blocking(Dialect::OpenAi);
    assert_eq!((shown(&red), hidden(&red)), ("a b".into(), vec!["c: c is offline".to_owned()]));
    let mut names = std::mem::take(&mut *checks_run.lock().unwrap());
    // Checks run concurrently, in any order.
    names.sort();
    assert_eq!(names, ["b", "c", "red"]);
    // The requirements of a toolset apply to its home tools, not to the tools that it lists.
    assert_eq!(shown(&session("mixed").turn_blocking(Dialect::OpenAi)), "a");
    assert_eq!(*checks_run.lock().unwrap(), ["red"]);
}

#[test]
fn the_provider_of_a_tool_runs_the_check_of_its_toolset() {
    let shared = || Toolset { requires: vec![Check, env(&["KEY"])], ..toolset("shared") };
    let passing = Fake::new([tool("a", "shared", &[])]).toolset(shared());
    let failing = Fake::new([tool("b", "shared", &[]), tool("c", "shared", &[])]).toolset(shared());
    let failing = failing.available(|_, _| Availability::Unavailable("offline".into()));
    // This provider does not declare the toolset. The check runs on the first provider that does.
    let without_toolset =
        Fake::new([tool("d", "shared", &[])]).available(|_, _| Availability::Unavailable("unknown toolset".into()));
    let checks_run = [passing.checks_run(), failing.checks_run(), without_toolset.checks_run()];
    let registry = Registry::new();
    for fake in [passing, failing, without_toolset] {
        registry.add(Box::new(fake)).unwrap();
    }
    let turn = turn(&registry, Env::empty().with_var("KEY", "x"));
    assert_eq!((shown(&turn), hidden(&turn)), ("a d".into(), vec!["b: offline".to_owned(), "c: offline".to_owned()]));
    assert_eq!(checks_run.map(|checks_run| checks_run.lock().unwrap().len()), [1, 1, 0]);
}

#[test]
fn a_check_that_panics_fails() {
    let fake = Fake::new([tool("a", "home", &[Check]), tool("b", "home", &[])]);
    let registry = fake.available(|name, _| panic!("{name} fell over")).registry();
    let turn = turn(&registry, Env::empty());
    assert_eq!(
        (shown(&turn), hidden(&turn)),
        ("b".into(), vec!["a: its check failed unexpectedly: a fell over".into()])
    );
}

#[test]
fn tools_are_hidden_with_the_tools_that_they_require() {
    let registry = Fake::new([
        tool("alone", "home", &[any_tools(&["ghost", "no_key"])]),
        tool("chain_1", "home", &[tools(&["chain_2", "no_key"])]),
        tool("chain_2", "home", &[tools(&["chain_3"])]),
        tool("chain_3", "home", &[any_tools(&["no_key", "chain_4"])]),
        tool("chain_4", "home", &[tools(&["chain_2", "no_key"])]),
        tool("friend_1", "home", &[tools(&["friend_2"])]),
        tool("friend_2", "home", &[tools(&["friend_1", "friend_2"])]),
        tool("ghostly", "home", &[tools(&["ghost", "no_key"])]),
        tool("no_key", "home", &[env(&["KEY"])]),
        tool("one_will_do", "home", &[any_tools(&["no_key", "friend_1"])]),
    ])
    .registry();
    let poor = turn(&registry, Env::empty());
    assert_eq!(shown(&poor), "friend_1 friend_2 one_will_do");
    assert_eq!(
        hidden(&poor),
        [
            "alone: needs one of the tools `ghost` and `no_key`",
            "chain_1: needs the tool `no_key`",
            "chain_2: needs the tool `chain_3`",
            "chain_3: needs one of the tools `no_key` and `chain_4`",
            "chain_4: needs the tool `no_key`",
            "ghostly: needs the tool `ghost`, which no tool provider has",
            "no_key: needs the environment variable `KEY`",
        ]
    );
    let rich = turn(&registry, Env::empty().with_var("KEY", "x"));
    assert_eq!(shown(&rich), "alone chain_1 chain_2 chain_3 chain_4 friend_1 friend_2 no_key one_will_do");
}

#[test]
fn a_tool_that_is_not_granted_counts_as_missing() {
    let needy = Toolset { requires: vec![tools(&["helper"])], ..toolset("needy") };
    let fake = Fake::new([tool("a", "needy", &[]), tool("b", "needy", &[]), tool("helper", "other", &[])]);
    let registry = fake.toolset(needy).registry();
    let turn = |names: &[&str]| {
        registry.session().enable(names.iter().copied()).build().unwrap().turn_blocking(Dialect::OpenAi)
    };
    assert_eq!(shown(&turn(&["needy", "other"])), "a b helper");
    assert_eq!(hidden(&turn(&["needy"])), ["a: needs the tool `helper`", "b: needs the tool `helper`"]);
    assert_eq!(hidden(&turn(&["other"])), [""; 0]);
}

#[test]
fn a_tool_without_a_definition_counts_as_missing() {
    let mute = tool("mute", "home", &[]);
    let alone = Fake::new([mute.clone()]).defined("mute", None).registry();
    assert_eq!(
        turn(&alone, Env::empty()).hidden().map(|hidden| hidden.reason).collect::<Vec<_>>(),
        [&HiddenReason::Dialect]
    );
    let both = Fake::new([tool("asks", "home", &[tools(&["mute"])]), mute]).defined("mute", None).registry();
    let hidden = hidden(&turn(&both, Env::empty()));
    assert_eq!(hidden, ["asks: needs the tool `mute`", "mute: has no definition in this dialect"]);
}

#[test]
fn a_dialect_that_the_project_does_not_list_is_named_with_the_remedy() {
    let registry = Fake::new([tool("say", "home", &[])]).registry();
    let session = registry.session().build().unwrap();
    let turn = session.turn_blocking(Dialect::Mcp);
    let reasons: Vec<&HiddenReason> = turn.hidden().map(|hidden| hidden.reason).collect();
    assert_eq!(reasons, [&HiddenReason::UndeclaredDialect(Dialect::Mcp)]);
    let text = "was not generated for the dialect `mcp`: add \"mcp\" to `dialects` in toolc.toml, and run gen";
    assert_eq!(reasons[0].to_string(), text);
    assert!(turn.doctor().to_string().contains(text), "{}", turn.doctor());
}

#[test]
fn a_long_chain_of_requirements_is_resolved_in_one_turn() {
    let (count, name) = (20_000, |id: usize| format!("t{id:05}"));
    let needs_next = |id: usize| Tools(vec![name(id + 1).into()]);
    let chain = (0..count).map(|id| tool(&name(id), "home", &[needs_next(id)]));
    let last = tool(&name(count), "home", &[env(&["KEY"])]);
    let registry = Fake::new(chain.chain([last])).registry();
    let turn = turn(&registry, Env::empty());
    assert_eq!((turn.tools().count(), turn.hidden().count()), (0, count + 1));
    assert_eq!(turn.hidden().next().unwrap().reason.to_string(), "needs the tool `t00001`");
}

/// Compares the result with a literal implementation of the specification, on random small registries.
#[test]
fn the_available_tools_are_the_largest_consistent_set() {
    const NAMES: [&str; 8] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"];
    let mut seed = 1_u64;
    let mut random_below = |n: usize| {
        // A linear congruential generator (the constants are Knuth's). Its high bits are random enough.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % n
    };
    let mut sizes = [0; NAMES.len() + 1];
    for _ in 0..2_000 {
        let mut some = || (0..=random_below(2)).map(|_| NAMES[random_below(8)]).collect::<Vec<_>>();
        let listed: Vec<(Vec<&str>, Vec<&str>)> = NAMES.iter().map(|_| (some(), some())).collect();
        let kinds: Vec<usize> = NAMES.iter().map(|_| random_below(8)).collect();
        let requires = |id: usize| match kinds[id] {
            0 => vec![env(&["KEY"])],
            1 | 2 => vec![tools(&listed[id].0)],
            3 => vec![any_tools(&listed[id].0)],
            4 => vec![tools(&listed[id].0), any_tools(&listed[id].1)],
            _ => vec![],
        };
        let mut left: Vec<&str> =
            NAMES.iter().zip(&kinds).filter(|(_, kind)| **kind != 0).map(|(name, _)| *name).collect();
        loop {
            let is_left = |name: &&str| left.contains(name);
            let stays = |id: usize| match kinds[id] {
                1 | 2 => listed[id].0.iter().all(is_left),
                3 => listed[id].0.iter().any(is_left),
                4 => listed[id].0.iter().all(is_left) && listed[id].1.iter().any(is_left),
                _ => true,
            };
            let next: Vec<&str> =
                left.iter().copied().filter(|name| stays(NAMES.iter().position(|n| n == name).unwrap())).collect();
            if next == left {
                break;
            }
            left = next;
        }
        sizes[left.len()] += 1;
        let fake = Fake::new((0..NAMES.len()).map(|id| tool(NAMES[id], "home", &requires(id))));
        let turn = turn(&fake.registry(), Env::empty());
        assert_eq!(shown(&turn), left.join(" "), "{listed:?} {kinds:?}");
        assert_eq!(turn.hidden().count(), NAMES.len() - left.len());
    }
    // The test is only meaningful if the registries differ.
    assert!(sizes[1..8].iter().all(|&count| count > 10), "{sizes:?}");
}
