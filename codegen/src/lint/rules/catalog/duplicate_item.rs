//! A list that contains the same item twice: callers or icons of a tool, tools or tags of a toolset, requirements, dialects or vendor's
//! tools of `toolc.toml`, or words of a command rule, a group or a place. The programs of a group count as items of a list that names the group.
//! Includes are reported as `redundant-include`, excludes as `excludes-nothing`.
//!
//! ## Why is this bad
//! The second item has no effect. Usually another name was meant, which is now missing.
//!
//! ## Example
//! ```toml
//! # manifests/toolsets/research.toml
//! tools = ["web_search", "read_file", "web_search"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/toolsets/research.toml
//! tools = ["web_search", "read_file"]
//! ```

use crate::lint::codes;
use crate::diagnostic::{At, Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};
use crate::manifest::GroupManifest;

pub(super) const RULE: Rule =
    Rule::new("C060", "duplicate-item", Some(Level::Warning), Check::Catalog(check)).fixable();

fn check(lint: &Lint<'_>, sink: &Sink) {
    let of_tools = lint.tools().map(|(_, tool)| &tool.manifest.requires);
    let of_toolsets = lint.toolsets().map(|(_, toolset)| &toolset.manifest.requires);
    for requires in of_tools.chain(of_toolsets) {
        let names = [&requires.env, &requires.any_env, &requires.programs, &requires.os];
        for list in names.into_iter().chain([&requires.tools, &requires.any_tools]) {
            check_list(list, sink);
        }
        for one in &requires.any {
            check_list(&one.env, sink);
            check_list(&one.programs, sink);
        }
    }
    for (_, tool) in lint.tools() {
        check_list(&tool.manifest.callers, sink);
        check_list(&tool.manifest.icons, sink);
    }
    let own = &lint.settings().vendor_tools;
    for list in [&lint.settings().listed_dialects, &own.anthropic, &own.openai, &own.gemini] {
        check_list(list, sink);
    }
    for (_, toolset) in lint.toolsets() {
        check_list(&toolset.manifest.tools, sink);
        check_list(&toolset.manifest.tags, sink);
    }
    for rule in lint.commands().iter().flat_map(|commands| &commands.rules) {
        let lists = rule.lists().into_iter().map(|(.., list)| list);
        for list in lists.chain([&*rule.exempts, &rule.matches, &rule.ignores]) {
            check_list(list, sink);
        }
        let groups = || lint.commands().iter().flat_map(|commands| &commands.groups);
        for list in rule.lists().into_iter().map(|(.., list)| list) {
            let is_named = |name: &str| list.iter().any(|item| item.value.strip_prefix('@') == Some(name));
            for group in groups().filter(|group| is_named(&group.name.value)) {
                check_members(list, group, sink);
            }
        }
    }
    for commands in lint.commands() {
        for group in &commands.groups {
            check_list(&group.programs, sink);
        }
        for place in &commands.places {
            check_list(&place.paths, sink);
            check_list(&place.except, sink);
        }
        for access in &commands.access {
            check_list(&access.programs, sink);
            check_list(&access.reads, sink);
        }
    }
}

/// Reports the programs of a list that are also in a group of the list.
fn check_members(list: &[At<String>], group: &GroupManifest, sink: &Sink) {
    for item in list {
        let Some(member) = group.programs.iter().find(|member| member.value == item.value) else { continue };
        let message = format!("this list contains `{}` twice: the group `@{}` has it", item.value, group.name.value);
        sink.push(
            Diagnostic::new(codes::DUPLICATE_ITEM, item.place, message)
                .related(member.place, "listed in the group here")
                .help("remove it")
                .fix(Edit::Remove(item.place)),
        );
    }
}

fn check_list(list: &[At<String>], sink: &Sink) {
    for (index, item) in list.iter().enumerate() {
        let Some(first) = list[..index].iter().find(|first| first.value == item.value) else { continue };
        sink.push(
            Diagnostic::new(codes::DUPLICATE_ITEM, item.place, format!("this list contains `{}` twice", item.value))
                .related(first.place, "first listed here")
                .help("remove it")
                .fix(Edit::Remove(item.place)),
        );
    }
}
