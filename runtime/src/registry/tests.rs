//! The names of tools and toolsets: conflicts, overrides, and providers that are added and removed.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use crate::args::Slots;
use crate::call::{Call, ToolCall};
use crate::data::catalog::{Definition, Fact, Tool, Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::data::pack::Packed;
use crate::data::requirement::Requirement::Tools;
use crate::data::segment::{Atom, Condition, Op, Segment};
use crate::fakes::{Fake, renamed, texts, tool, toolset, wait};
use crate::provider::compiled::{CatalogData, CompiledCatalog, CompiledToolset};
use crate::provider::dynamic::{DynamicTool, DynamicTools};
use crate::provider::{HandlerReply, ToolProvider};
use crate::registration::refusal::Refusal;
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::session::Session;
use crate::session::turn::Turn;

/// Returns the tools of a session with these toolsets enabled and disabled.
fn granted(registry: &Registry, enabled: &[&str], disabled: &[&str]) -> String {
    let session = registry.session().enable(enabled.iter().copied()).disable(disabled.iter().copied());
    session.build().unwrap().turn_blocking(Dialect::OpenAi).tools().collect::<Vec<_>>().join(" ")
}

/// Adds `second` to a registry with `first`, and returns the error.
fn collision(first: Fake, second: Fake) -> String {
    let registry = first.registry();
    let before = format!("{registry:?}");
    let error = registry.add(Box::new(second)).unwrap_err().to_string();
    assert_eq!(format!("{registry:?}"), before, "a refused provider changes nothing");
    error.strip_prefix("provider refused: ").unwrap().to_owned()
}

fn aliased(name: &'static str, aliases: &[&'static str]) -> Toolset {
    Toolset { aliases: texts(aliases), ..toolset(name) }
}

#[test]
fn excludes_hold_across_providers() {
    let files = Fake::new([tool("read", "file", &[]), tool("write", "file", &[])]);
    let reader = Toolset { includes: texts(&["file"]), excludes: texts(&["write", "ghost"]), ..toolset("reader") };
    let both = Toolset { includes: texts(&["reader", "file"]), ..toolset("both") };
    let registry = files.registry();
    registry.add(Box::new(Fake::new([]).toolset(reader).toolset(both))).unwrap();
    assert_eq!(granted(&registry, &["reader"], &[]), "read");
    assert_eq!(granted(&registry, &["both"], &[]), "read write");
    assert_eq!(granted(&registry, &[], &["reader"]), "write");
}

#[test]
fn a_closed_toolset_only_contains_what_it_names() {
    let closed = Toolset { closed: true, tools: texts(&["read", "look"]), ..toolset("file") };
    let tools = [tool("read", "file", &[]), tool("write", "file", &[]), tool("look", "web", &[])];
    let registry = Fake::new(tools).toolset(closed).registry();
    assert_eq!(granted(&registry, &["file"], &[]), "look read");
    assert_eq!(granted(&registry, &[], &[]), "look read write");
}

#[test]
fn an_alias_means_its_toolset() {
    let tools = [tool("read", "file", &[]), tool("look", "web", &[])];
    let bundle = Toolset { includes: texts(&["old_files"]), base: Some("internet".into()), ..toolset("bundle") };
    let fake = Fake::new(tools).toolset(aliased("file", &["old_files", "files", "file"]));
    let registry = fake.toolset(aliased("web", &["internet"])).toolset(bundle).registry();
    assert_eq!(granted(&registry, &["old_files"], &[]), "read");
    assert_eq!(granted(&registry, &[], &["internet"]), "read");
    assert_eq!(granted(&registry, &["bundle"], &[]), "look read");
    // An equal declaration by another provider is accepted.
    registry.add(Box::new(Fake::new([]).toolset(aliased("web", &["internet"])))).unwrap();
    assert_eq!(granted(&registry, &["internet"], &[]), "look");
    assert!(registry.session().enable(["internets"]).build().unwrap_err().to_string().contains("unknown toolset"));
}

#[test]
fn an_alias_belongs_to_one_toolset() {
    let empty = || Fake::new([]);
    let old = || empty().toolset(aliased("web", &["old"]));
    assert_eq!(collision(empty().toolset(toolset("old")), old()), "the toolset alias `old` is taken");
    assert_eq!(collision(Fake::new([tool("a", "old", &[])]), old()), "the toolset alias `old` is taken");
    assert_eq!(collision(old(), Fake::new([tool("a", "old", &[])])), "the toolset alias `old` is taken");
    assert_eq!(collision(old(), empty().toolset(aliased("net", &["old"]))), "the toolset alias `old` is taken");
    // A declaration with other aliases is not equal.
    let expected = "the toolset name `web` is taken by another toolset";
    assert_eq!(collision(old(), empty().toolset(toolset("web"))), expected);
}

#[test]
fn a_name_in_a_dialect_belongs_to_one_tool() {
    let named = |name| Fake::new([tool(name, "home", &[])]);
    let renamed_to = |dialect_name, name| Fake::new([renamed(dialect_name, tool(name, "home", &[]))]);
    let expected = "the name `ask` is taken by another tool, at least in one dialect: choose another one";
    assert_eq!(collision(named("ask"), renamed_to("ask", "query")), expected);
    assert_eq!(collision(renamed_to("ask", "query"), named("ask")), expected);
    assert_eq!(collision(renamed_to("ask", "query"), renamed_to("ask", "look")), expected);
    let expected = "the tool name `a` is taken: choose another one, or override that tool (`add_overriding`)";
    assert_eq!(collision(named("a"), named("a")), expected);
    assert_eq!(collision(named("b"), Fake::new([tool("a", "home", &[]), tool("a", "home", &[])])), expected);
    // A name in a dialect that equals the tool's name is not a conflict.
    named("a").registry().add(Box::new(renamed_to("b", "b"))).unwrap();
}

#[test]
fn all_conflicts_are_reported_together() {
    let first = Fake::new([tool("a", "home", &[])]).fact("online", true).toolset(aliased("web", &["old"]));
    let second = Fake::new([tool("a", "home", &[])]).fact("online", false).toolset(aliased("net", &["old", "new"]));
    let second = second.toolset(Toolset { description: Cow::from("else"), ..aliased("web", &["old"]) });
    assert_eq!(
        collision(first, second),
        "the tool name `a` is taken: choose another one, or override that tool (`add_overriding`); the toolset name \
         `web` is taken by another toolset; the toolset alias `old` is taken; the fact name `online` is taken, \
         with another default"
    );
}

#[test]
fn some_names_are_reserved() {
    let refusals = |fake: Fake| {
        let error = Registry::new().add_overriding(Box::new(fake)).unwrap_err();
        error.refusals().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    for name in ["tool_search", "tool_describe", "tool_call"] {
        let reserved = format!("the tool name `{name}` is reserved: choose another one");
        assert_eq!(refusals(Fake::new([tool(name, "home", &[])])), reserved);
        assert_eq!(refusals(Fake::new([renamed(name, tool("b", "home", &[]))])), reserved);
    }
    for name in ["all", "*"] {
        let reserved = format!("the toolset name `{name}` is reserved, it means all tools: choose another one");
        assert_eq!(refusals(Fake::new([]).toolset(toolset(name))), reserved);
        assert_eq!(refusals(Fake::new([tool("a", name, &[])])), reserved);
        assert_eq!(refusals(Fake::new([]).toolset(aliased("net", &[name]))), reserved);
    }
}

/// Returns a provider of these tools, whose results are all `result`.
fn provider(result: &'static str, tools: &[&str]) -> Box<dyn ToolProvider> {
    let fake = Fake::new(tools.iter().map(|name| tool(name, "home", &[])));
    Box::new(fake.answer(move |_| HandlerReply::Ready(Ok(ToolOutput::text(result)))))
}

/// Calls each tool of a turn, and returns the names and results.
fn results(turn: &Turn) -> String {
    let result = |name: &str| wait(turn.call(&ToolCall::new(name, "{}"))).json;
    turn.tools().map(|name| format!("{name}: {}", result(name))).collect::<Vec<_>>().join(", ")
}

fn turn_of(session: &Session) -> Turn {
    session.turn_blocking(Dialect::OpenAi)
}

#[test]
fn an_override_lasts_until_it_is_removed() {
    let registry = Registry::new();
    let session = registry.session().build().unwrap();
    let base = registry.add(provider("base", &["a", "b"])).unwrap();
    let (one, two) = (provider("one", &["a"]), provider("two", &["a", "c"]));
    let one = registry.add_overriding(one).unwrap();
    let two = registry.add_overriding(two).unwrap();
    let overridden = turn_of(&session);
    assert_eq!(results(&overridden), r#"a: "two", b: "base", c: "two""#);
    assert!(registry.remove(two) && !registry.remove(two));
    assert_eq!(results(&turn_of(&session)), r#"a: "one", b: "base""#);
    // The replacement keeps its position.
    registry.replace(base, provider("new base", &["a", "b"])).unwrap();
    registry.replace(one, provider("new one", &["a"])).unwrap();
    assert_eq!(results(&turn_of(&session)), r#"a: "new one", b: "new base""#);
    assert!(registry.remove(base));
    assert_eq!(results(&turn_of(&session)), r#"a: "new one""#);
    assert!(registry.remove(one));
    assert_eq!(results(&turn_of(&session)), "");
    // Existing turns do not change.
    assert_eq!(results(&overridden), r#"a: "two", b: "base", c: "two""#);
}

#[test]
fn overriding_must_be_requested() {
    let registry = Registry::new();
    let taken = || vec![Refusal::ToolNameTaken("a".into())];
    let overriding = registry.add_overriding(provider("over", &["a"])).unwrap();
    // The new tool would be hidden by the existing override.
    assert_eq!(registry.add(provider("late", &["a"])).unwrap_err().refusals(), taken());
    let other = registry.add(provider("other", &["b"])).unwrap();
    assert_eq!(registry.replace(other, provider("other", &["b", "a"])).unwrap_err().refusals(), taken());
    assert!(registry.remove(overriding));
    registry.replace(other, provider("other", &["b", "a"])).unwrap();
    assert_eq!(results(&turn_of(&registry.session().build().unwrap())), r#"a: "other", b: "other""#);
    // A name in a dialect does not override the tool of that name.
    let other_tool = Fake::new([renamed("a", tool("c", "home", &[]))]);
    let error = registry.add_overriding(Box::new(other_tool)).unwrap_err();
    assert_eq!(error.refusals(), [Refusal::DialectNameTaken("a".into())]);
}

#[test]
fn an_overridden_tool_keeps_its_name_in_a_dialect() {
    let registry = Registry::new();
    let query = || Fake::new([renamed("ask", tool("query", "home", &[]))]);
    registry.add(Box::new(query())).unwrap();
    let id = registry.add_overriding(provider("over", &["query"])).unwrap();
    assert!(registry.add(provider("other", &["ask"])).is_err());
    registry.replace(id, Box::new(query())).unwrap();
    assert_eq!(granted(&registry, &[], &[]), "query");
}

#[test]
fn a_refused_replacement_keeps_the_old_provider() {
    let registry = Registry::new();
    let id = registry.add(provider("old", &["a"])).unwrap();
    registry.add(provider("other", &["b"])).unwrap();
    let before = turn_of(&registry.session().build().unwrap());
    assert!(registry.replace(id, provider("new", &["b"])).is_err());
    assert_eq!(results(&turn_of(&registry.session().build().unwrap())), results(&before));
    registry.remove(id);
    let error = registry.replace(id, provider("new", &["a"])).unwrap_err();
    assert_eq!(error.refusals(), [Refusal::UnknownProvider(id)]);
    assert!(error.to_string().ends_with("is not registered: use `add`"), "{error}");
    // The id of a provider in another registry is unknown here.
    let foreign = Registry::new().add(provider("foreign", &["c"])).unwrap();
    assert!(!registry.remove(foreign));
}

#[test]
fn a_provider_is_dropped_with_its_last_turn() {
    let registry = Registry::new();
    let counter = Arc::new(());
    let handler_reference = Arc::clone(&counter);
    let fake = Fake::new([tool("a", "home", &[])]).answer(move |_| {
        let _ = &handler_reference;
        HandlerReply::Ready(Ok(ToolOutput::text("here")))
    });
    let id = registry.add(Box::new(fake)).unwrap();
    let session = registry.session().build().unwrap();
    let turn = turn_of(&session);
    registry.remove(id);
    assert_eq!((Arc::strong_count(&counter), results(&turn)), (2, r#"a: "here""#.to_owned()));
    drop((turn, turn_of(&session)));
    assert_eq!(Arc::strong_count(&counter), 1);
}

#[test]
fn conditions_and_requirements_see_tools_that_come_later() {
    let mut asking = tool("asking", "home", &[]);
    asking.atoms = vec![Atom::Tool("late".into())];
    let segments = vec![
        Segment::Text("\"asking".into()),
        Segment::When { condition: Condition(vec![Op::Atom(0)]), segments: 1 },
        Segment::Text(" late".into()),
        Segment::Text("\"".into()),
    ];
    let bundle = Toolset { tools: texts(&["late"]), ..toolset("bundle") };
    let fake = Fake::new([asking, tool("needing", "home", &[Tools(texts(&["late"]))])]);
    let registry = fake.defined("asking", Some(segments)).toolset(bundle).registry();
    let session = registry.session().build().unwrap();
    let bundled = registry.session().enable(["bundle"]).build().unwrap();
    let definitions = || [turn_of(&session).definitions().to_owned(), turn_of(&bundled).definitions().to_owned()];
    assert_eq!(definitions(), [r#"["asking"]"#, "[]"]);
    assert_eq!(turn_of(&bundled).missing_toolsets().collect::<Vec<_>>(), ["bundle"]);
    let doctor = turn_of(&bundled).doctor().to_string();
    assert!(doctor.starts_with("! the toolset `bundle` no longer exists or is empty\n0 of 0"), "{doctor}");
    let id = registry.add(provider("late", &["late"])).unwrap();
    assert_eq!(definitions(), [r#"["asking late","late","needing"]"#, r#"["late"]"#]);
    assert_eq!(turn_of(&bundled).missing_toolsets().count(), 0);
    registry.remove(id);
    assert_eq!(definitions(), [r#"["asking"]"#, "[]"]);
}

/// A provider of one tool. It records the dialects in which a turn requests its definitions.
#[derive(Default)]
struct RecordingProvider {
    tools: [Tool; 1],
    definitions: [Option<Definition>; 1],
    asked: Arc<Mutex<Vec<Dialect>>>,
}

impl ToolProvider for RecordingProvider {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        self.asked.lock().unwrap().push(dialect);
        &self.definitions
    }

    fn toolsets(&self) -> &[Toolset] {
        &[]
    }

    fn call<'a>(&'a self, index: usize, _: Slots<'_, '_>, _: &'a Call<'a>) -> HandlerReply<'a> {
        HandlerReply::no_such_tool(index)
    }
}

#[test]
fn definitions_are_requested_for_the_first_turn_in_a_dialect() {
    let definitions = [Some(Cow::from("\"a\"").into())];
    let recording = RecordingProvider { tools: [tool("a", "home", &[])], definitions, ..RecordingProvider::default() };
    let (registry, asked) = (Registry::new(), Arc::clone(&recording.asked));
    registry.add(Box::new(recording)).unwrap();
    let sessions = [(); 2].map(|()| registry.session().build().unwrap());
    assert_eq!(*asked.lock().unwrap(), []);
    for dialect in [Dialect::Anthropic, Dialect::Anthropic, Dialect::Mcp] {
        for session in &sessions {
            assert_eq!(session.turn_blocking(dialect).definitions(), r#"["a"]"#);
        }
    }
    assert_eq!(*asked.lock().unwrap(), [Dialect::Anthropic, Dialect::Mcp]);
}

fn dynamic(name: &'static str, home: &'static str) -> DynamicTool {
    let schema = serde_json::json!({"type": "object"});
    DynamicTool::sync(name, "Does it.", schema, |_, _| Ok(ToolOutput::text("done"))).toolset(home)
}

fn custom(toolset: Toolset) -> Box<dyn ToolProvider> {
    DynamicTools::new().toolset(toolset).build().unwrap()
}

#[test]
fn removing_the_last_tool_removes_its_toolset_and_aliases() {
    let registry = Registry::new();
    let one = registry.add(dynamic("one", "server").build().unwrap()).unwrap();
    let two = registry.add(dynamic("two", "server").build().unwrap()).unwrap();
    registry.add(custom(aliased("server", &["old_server"]))).unwrap();
    let session = registry.session().enable(["old_server"]).build().unwrap();
    let known = || (registry.toolsets().join(" "), registry.session().enable(["old_server"]).build().is_ok());
    assert_eq!(granted(&registry, &["old_server"], &[]), "one two");
    registry.remove(one);
    assert_eq!((granted(&registry, &["old_server"], &[]), known()), ("two".into(), ("server".into(), true)));
    registry.remove(two);
    assert_eq!(known(), (String::new(), false));
    assert_eq!(turn_of(&session).missing_toolsets().collect::<Vec<_>>(), ["old_server"]);
    registry.add(dynamic("three", "server").build().unwrap()).unwrap();
    assert_eq!((results(&turn_of(&session)), known()), (r#"three: "done""#.into(), ("server".into(), true)));
}

#[test]
fn a_toolset_with_other_members_stays_without_its_home_tools() {
    let registry = Registry::new();
    registry.add(dynamic("other", "elsewhere").build().unwrap()).unwrap();
    let tools = DynamicTools::new().tool(dynamic("one", "server"));
    let listed = Toolset { tools: texts(&["other"]), ..aliased("server", &["old"]) };
    registry.add(custom(listed)).unwrap();
    let id = registry.add(tools.build().unwrap()).unwrap();
    assert_eq!(granted(&registry, &["old"], &[]), "one other");
    registry.remove(id);
    assert_eq!(granted(&registry, &["old"], &[]), "other");
    // A catalog may declare an empty toolset.
    let id = registry.add(Box::new(Fake::new([]).toolset(toolset("shelf")))).unwrap();
    assert_eq!(granted(&registry, &["shelf"], &[]), "");
    registry.remove(id);
    assert!(registry.session().enable(["shelf"]).build().is_err());
}

#[test]
fn a_custom_toolset_must_name_existing_tools_and_toolsets() {
    let registry = Fake::new([tool("read_file", "file", &[]), tool("look", "web", &[])])
        .toolset(aliased("web", &["internet"]))
        .registry();
    let refusal = |toolset: Toolset| {
        let before = format!("{registry:?}");
        let error = registry.add(custom(toolset)).unwrap_err().to_string();
        assert_eq!(format!("{registry:?}"), before);
        error.strip_prefix("provider refused: ").unwrap().to_owned()
    };
    for (toolset, problem) in [
        (
            Toolset { tools: texts(&["raed_file"]), ..toolset("x") },
            "the toolset `x` names an unknown tool `raed_file`: did you mean `read_file`?",
        ),
        (
            Toolset { tools: texts(&["internet"]), ..toolset("x") },
            "the toolset `x` names an unknown tool `internet`: it is a toolset; name it in `includes`",
        ),
        (
            Toolset { includes: texts(&["web"]), excludes: texts(&["lock"]), ..toolset("x") },
            "the toolset `x` names an unknown tool `lock`: did you mean `look`?",
        ),
        (
            Toolset { includes: texts(&["fiel"]), ..toolset("x") },
            "the toolset `x` names an unknown toolset `fiel`: did you mean `file`?",
        ),
        (
            Toolset { base: Some("look".into()), ..toolset("x") },
            "the toolset `x` names an unknown toolset `look`: it is a tool; name it in `tools`",
        ),
        (
            Toolset { includes: texts(&["*"]), ..toolset("x") },
            "the toolset `x` names an unknown toolset `*`: it means all tools, and only sessions can enable it; \
             name the toolsets to include",
        ),
        (toolset("x"), "the toolset `x` is empty: add `tools` or `includes`, or make it the home toolset of a tool"),
        (
            Toolset { closed: true, ..toolset("file") },
            "the toolset `file` is empty: add `tools` or `includes`, or make it the home toolset of a tool",
        ),
    ] {
        assert_eq!(refusal(toolset), problem);
    }
    let mixed = Toolset { tools: texts(&["read_file"]), includes: texts(&["internet"]), ..toolset("mixed") };
    registry.add(custom(mixed)).unwrap();
    assert_eq!(granted(&registry, &["mixed"], &[]), "look read_file");
    assert_eq!(registry.toolset("mixed").unwrap().resolved, ["look", "read_file"]);
    assert_eq!(registry.toolset("internet").unwrap().declared.name, "web");
    assert_eq!(registry.toolset("file").unwrap().declared, toolset("file"));
    assert_eq!(registry.tool("look").unwrap().toolset, "web");
    assert!(registry.toolset("x").is_none() && registry.tool("x").is_none());
}

#[test]
fn an_include_cycle_is_refused() {
    let includes = |name, names: &[&'static str]| Toolset { includes: texts(names), ..toolset(name) };
    let cycle = |fake: Fake, last: Fake| {
        let error = fake.registry().add(Box::new(last)).unwrap_err();
        error.refusals().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    let expected = "include cycle: c → a → b → c: remove one of these includes";
    let existing = || Fake::new([]).toolset(includes("a", &["b", "d"])).toolset(includes("b", &["c"]));
    assert_eq!(cycle(existing(), Fake::new([]).toolset(includes("c", &["d", "a"]))), expected);
    // Through a base, and through an alias.
    let based = Toolset { base: Some("a".into()), ..aliased("z", &["c"]) };
    let expected = "include cycle: z → a → b → z: remove one of these includes";
    assert_eq!(cycle(existing(), Fake::new([]).toolset(based)), expected);
    let expected = "include cycle: a → a: remove one of these includes";
    assert_eq!(cycle(Fake::new([]), Fake::new([]).toolset(includes("a", &["a"]))), expected);
    // A toolset that is reached twice is not a cycle.
    let diamond = Fake::new([]).toolset(includes("c", &["d", "e"])).toolset(includes("e", &["d"]));
    existing().registry().add(Box::new(diamond.toolset(toolset("d")))).unwrap();
}

#[test]
fn long_chains_of_toolsets_do_not_overflow_the_stack() {
    let name = |id: usize| Cow::from(format!("set_{id}"));
    let link = |id: usize| Toolset { name: name(id), includes: vec![name(id + 1)], ..Toolset::default() };
    let chain = (0..50_000).map(link).fold(Fake::new([]), Fake::toolset);
    let registry = chain.registry();
    let back = Toolset { name: name(50_000), includes: vec![name(0)], ..Toolset::default() };
    let error = registry.add(Box::new(Fake::new([]).toolset(back))).unwrap_err();
    // The cycle has 50,001 toolsets, and its path ends with the first one.
    assert!(matches!(error.refusals(), [Refusal::IncludeCycle(path)] if path.len() == 50_002));
}

#[test]
fn removed_toolsets_never_grant_more_tools() {
    let registry = Registry::new();
    let web = registry.add(dynamic("look", "web").build().unwrap()).unwrap();
    registry.add(dynamic("run", "terminal").build().unwrap()).unwrap();
    registry.add(dynamic("read", "file").build().unwrap()).unwrap();
    let risky = || Toolset { tools: texts(&["run"]), ..aliased("risky", &["danger"]) };
    let id = registry.add(custom(risky())).unwrap();
    let session = |enabled: &[&str], disabled: &[&str]| {
        registry.session().enable(enabled.iter().copied()).disable(disabled.iter().copied()).build().unwrap()
    };
    let shown = |session: &Session| {
        let turn = turn_of(session);
        let list = |names: Vec<&str>| names.join(" ");
        (list(turn.tools().collect()), list(turn.missing_toolsets().collect()))
    };
    let (web_only, web_and_file) = (session(&["web"], &[]), session(&["web", "file"], &[]));
    let without_danger = session(&[], &["danger"]);
    // This session has no turn before the toolsets are removed.
    let without_earlier_turn = session(&[], &["danger"]);
    assert_eq!(shown(&without_danger), ("look read".into(), String::new()));
    assert_eq!(shown(&web_only).0, "look");
    registry.remove(web);
    registry.remove(id);
    // The session gets no tools, rather than all tools, although no toolset that it enables exists.
    assert_eq!(shown(&web_only), (String::new(), "web".into()));
    assert_eq!(shown(&web_and_file), ("read".into(), "web".into()));
    for session in [&without_danger, &without_earlier_turn] {
        assert_eq!(shown(session), ("read".into(), "danger".into()));
    }
    registry.add(dynamic("sort", "file").build().unwrap()).unwrap();
    assert_eq!(shown(&without_danger), ("read sort".into(), "danger".into()));
    let again = Toolset { tools: texts(&["sort"]), ..risky() };
    registry.add(custom(again)).unwrap();
    registry.add(dynamic("look", "web").build().unwrap()).unwrap();
    assert_eq!(shown(&without_danger), ("look read run".into(), String::new()));
    assert_eq!(shown(&web_only), ("look".into(), String::new()));
}

#[test]
fn an_unchanged_registry_returns_the_same_turn() {
    let registry = Fake::new([tool("a", "home", &[])]).registry();
    let session = registry.session().build().unwrap();
    let address = || turn_of(&session).definitions().as_ptr();
    let first = address();
    assert!(registry.add(Box::new(Fake::new([tool("a", "home", &[])]))).is_err());
    let foreign = Registry::new().add(Box::new(Fake::new([]))).unwrap();
    assert!(!registry.remove(foreign));
    assert_eq!(address(), first);
}

#[test]
fn an_override_may_change_the_home_toolset() {
    let registry = Fake::new([tool("a", "home", &[]), tool("b", "home", &[])]).registry();
    let moved: Tool = tool("a", "away", &[]);
    let id = registry.add_overriding(Box::new(Fake::new([moved]))).unwrap();
    assert_eq!((granted(&registry, &["home"], &[]), granted(&registry, &["away"], &[])), ("b".into(), "a".into()));
    registry.remove(id);
    assert_eq!((granted(&registry, &["home"], &[]), registry.toolsets()), ("a b".into(), texts(&["home"])));
}

#[test]
fn a_fact_keeps_its_default_when_a_provider_is_replaced() {
    let registry = Registry::new();
    let provider = |default| Box::new(Fake::new([]).fact("vision", default));
    let ids = [(); 3].map(|()| registry.add(provider(true)).unwrap());
    let taken = [Refusal::FactConflict("vision".into())];
    assert_eq!(registry.add(provider(false)).unwrap_err().refusals(), taken);
    for id in ids {
        assert_eq!(registry.replace(id, provider(false)).unwrap_err().refusals(), taken);
        registry.replace(id, provider(true)).unwrap();
    }
    for id in &ids[1..] {
        assert!(registry.remove(*id));
    }
    // Now only one provider has the fact, so its default may change.
    registry.replace(ids[0], provider(false)).unwrap();
    let twice = Fake::new([]).fact("vision", false).fact("vision", true);
    assert_eq!(registry.replace(ids[0], Box::new(twice)).unwrap_err().refusals(), taken);
}

#[test]
fn a_catalog_that_was_edited_by_hand_is_refused() {
    static PART: CompiledToolset = CompiledToolset { tools: &["9 too short"], definitions: |_| &[], index: &[] };
    static TOOLSETS: Packed<Toolset> = Packed::new(&[]);
    static FACTS: Packed<Fact> = Packed::new(&[]);
    static VARIABLES: Packed<Variable> = Packed::new(&[]);
    static COMMON: CatalogData = CatalogData { toolsets: &TOOLSETS, facts: &FACTS, variables: &VARIABLES };
    static COMPILED: CompiledCatalog = CompiledCatalog::new(&[&PART], &COMMON);
    let provider = COMPILED.provider((), |_, index, _, _| HandlerReply::no_such_tool(index), None, None);
    let error = Registry::new().add(provider).expect_err("its data cannot be read");
    assert!(matches!(error.refusals(), [Refusal::Damaged(why)] if why.contains("edited or merged by hand")), "{error}");
}
