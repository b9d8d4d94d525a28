use std::borrow::Cow;

use toolc::error::Refusal;
use toolc::{DynamicTools, Registry, Toolset};

use super::{add, registry, shown, tool};

fn texts(names: &[&'static str]) -> Vec<Cow<'static, str>> {
    names.iter().map(|&name| name.into()).collect()
}

fn toolset(name: &'static str, tools: &[&'static str], includes: &[&'static str]) -> Toolset {
    Toolset::new(name).with_tools(tools.iter().copied()).with_includes(includes.iter().copied())
}

/// Toolsets like those of the original: web, file and terminal, a core, and presets on top of it.
fn house() -> Registry {
    let registry = registry([
        tool("web_search", "web"),
        tool("web_extract", "web"),
        tool("read_file", "file"),
        tool("write_file", "file"),
        tool("terminal", "terminal"),
        tool("send_message", "messaging"),
    ]);
    let legacy = toolset("web", &[], &[]).with_aliases(["web_tools"]);
    let telegram = toolset("telegram", &[], &["messaging"]).with_base("core");
    let sets = DynamicTools::new().toolset(legacy).toolset(toolset("core", &["terminal"], &["file"])).toolset(telegram);
    add(&registry, sets);
    registry
}

#[test]
fn resolve_toolset_expands_each_include_once() {
    let registry = house();
    let both = toolset("debugging", &["terminal", "web_search"], &["web", "core", "file"]);
    add(&registry, DynamicTools::new().toolset(both));
    let resolved = registry.toolset("debugging").unwrap().resolved;
    assert_eq!(resolved, ["read_file", "terminal", "web_extract", "web_search", "write_file"]);
}

#[test]
fn resolve_toolset_of_all_and_of_a_star_is_every_tool() {
    let registry = house();
    for name in ["all", "*"] {
        assert_eq!(shown(&registry, &[name], &[]), shown(&registry, &[], &[]));
    }
    assert_eq!(shown(&registry, &["all"], &[]).split(' ').count(), 6);
}

#[test]
fn resolve_toolset_terminates_on_an_include_cycle() {
    let registry = house();
    let rings = DynamicTools::new().toolset(toolset("a", &[], &["b"])).toolset(toolset("b", &["terminal"], &["a"]));
    let error = registry.add(rings.build().unwrap()).unwrap_err();
    assert_eq!(error.refusals(), [Refusal::IncludeCycle(texts(&["a", "b", "a"]))]);
}

#[test]
fn a_toolset_of_the_registry_alone_can_be_enabled() {
    let registry = house();
    add(&registry, DynamicTools::new().tool(tool("plug", "plugin")));
    assert_eq!(shown(&registry, &["plugin"], &[]), "plug");
    assert!(registry.toolsets().iter().any(|name| name == "plugin"));
    assert!(shown(&registry, &["all"], &["plugin"]).split(' ').all(|name| name != "plug"));
}

#[test]
fn create_custom_toolset_behaves_like_a_declared_one() {
    let registry = house();
    let custom = toolset("my_workflow", &["web_search"], &["file"]).with_description("Mine.");
    add(&registry, DynamicTools::new().toolset(custom.clone()));
    assert_eq!(shown(&registry, &["my_workflow"], &[]), "read_file web_search write_file");
    assert_eq!(registry.toolset("my_workflow").unwrap().declared, custom);
    add(&registry, DynamicTools::new().toolset(toolset("mine_and_more", &["terminal"], &["my_workflow"])));
    assert_eq!(shown(&registry, &["mine_and_more"], &["file"]), "terminal web_search");
}

#[test]
fn get_toolset_info_returns_declared_and_resolved_tools() {
    let info = house().toolset("telegram").unwrap();
    assert_eq!((info.declared.base.as_deref(), &*info.declared.includes), (Some("core"), &*texts(&["messaging"])));
    assert_eq!(info.resolved, ["read_file", "send_message", "terminal", "write_file"]);
}

#[test]
fn get_toolset_names_are_declared_ones_and_plugins() {
    assert_eq!(house().toolsets(), ["core", "file", "messaging", "telegram", "terminal", "web"]);
}

#[test]
fn validate_toolset_accepts_names_aliases_and_all() {
    let registry = house();
    for name in ["web", "web_tools", "all", "*", "messaging"] {
        assert!(registry.session().enable([name]).build().is_ok(), "{name}");
    }
    let error = registry.session().enable(["wbe"]).build().unwrap_err();
    assert_eq!(error.to_string(), "unknown toolset `wbe`: did you mean `web`?");
}

#[test]
fn a_session_has_its_enabled_toolsets_only_and_disabled_ones_win() {
    let registry = house();
    assert_eq!(shown(&registry, &["web", "file"], &["file"]), "web_extract web_search");
    assert_eq!(shown(&registry, &[], &["file", "web"]), "send_message terminal");
    assert_eq!(shown(&registry, &["file"], &["all"]), "");
}

#[test]
fn legacy_toolset_names_resolve_to_current_toolsets() {
    let registry = house();
    assert_eq!(shown(&registry, &["web_tools"], &[]), "web_extract web_search");
    assert_eq!(shown(&registry, &["web", "file"], &["web_tools"]), "read_file write_file");
    add(&registry, DynamicTools::new().toolset(toolset("old", &[], &["web_tools"])));
    assert_eq!(shown(&registry, &["old"], &[]), "web_extract web_search");
}

#[test]
fn disabling_a_platform_keeps_the_core() {
    let registry = house();
    assert_eq!(
        shown(&registry, &["telegram", "web"], &["telegram"]),
        "read_file terminal web_extract web_search write_file"
    );
}
