use crate::fakes::{Fake, renamed, texts, tool, toolset};
use crate::{Dialect, Registry, Text, Toolset};

/// The tools of a session that enables and disables these.
fn granted(registry: &Registry, enabled: &[&str], disabled: &[&str]) -> String {
    let session = registry.session().enable(enabled.iter().copied()).disable(disabled.iter().copied());
    session.build().unwrap().turn(Dialect::OpenAi).tools().collect::<Vec<_>>().join(" ")
}

/// What is wrong with the second of these, beside the first.
fn collision(first: Fake, second: Fake) -> String {
    let registry = first.registry();
    let before = format!("{registry:?}");
    let error = registry.add(Box::new(second)).unwrap_err().to_string();
    assert_eq!(format!("{registry:?}"), before, "all of a provider, or nothing");
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
fn a_closed_toolset_holds_what_it_lists() {
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
    // The same declaration once more, by another provider, is no collision.
    registry.add(Box::new(Fake::new([]).toolset(aliased("web", &["internet"])))).unwrap();
    assert_eq!(granted(&registry, &["internet"], &[]), "look");
    assert!(registry.session().enable(["internets"]).build().unwrap_err().to_string().contains("unknown toolset"));
}

#[test]
fn an_alias_is_one_toolsets_alone() {
    let none = || Fake::new([]);
    let old = || none().toolset(aliased("web", &["old"]));
    assert_eq!(collision(none().toolset(toolset("old")), old()), "the toolset alias `old` is taken");
    assert_eq!(collision(Fake::new([tool("a", "old", &[])]), old()), "the toolset alias `old` is taken");
    assert_eq!(collision(old(), Fake::new([tool("a", "old", &[])])), "the toolset alias `old` is taken");
    assert_eq!(collision(old(), none().toolset(aliased("net", &["old"]))), "the toolset alias `old` is taken");
    assert_eq!(collision(none(), none().toolset(aliased("net", &["all"]))), "the toolset alias `all` is taken");
    // The same name with other aliases is another content.
    assert_eq!(collision(old(), none().toolset(toolset("web"))), "the toolset name `web` is taken");
}

#[test]
fn a_tool_has_its_name_in_a_dialect_alone() {
    let own = |name| Fake::new([tool(name, "home", &[])]);
    let called = |called, name| Fake::new([renamed(called, tool(name, "home", &[]))]);
    assert_eq!(collision(own("ask"), called("ask", "query")), "the tool name `ask` is taken");
    assert_eq!(collision(called("ask", "query"), own("ask")), "the tool name `ask` is taken");
    assert_eq!(collision(called("ask", "query"), called("ask", "look")), "the tool name `ask` is taken");
    assert_eq!(collision(own("a"), called("tool_search", "b")), "the tool name `tool_search` is taken");
    assert_eq!(collision(own("a"), own("a")), "the tool name `a` is taken");
    // Its own name, said once more.
    own("a").registry().add(Box::new(called("b", "b"))).unwrap();
}

#[test]
fn all_that_is_taken_is_told_at_once() {
    let first = Fake::new([tool("a", "home", &[])]).fact("online", true).toolset(aliased("web", &["old"]));
    let second = Fake::new([tool("a", "home", &[])]).fact("online", false).toolset(aliased("net", &["old", "new"]));
    let second = second.toolset(Toolset { description: Text::from("else"), ..aliased("web", &["old"]) });
    assert_eq!(
        collision(first, second),
        "the tool name `a` is taken, the toolset name `web` is taken, the toolset alias `old` is taken, \
         the fact name `online` is taken"
    );
}
