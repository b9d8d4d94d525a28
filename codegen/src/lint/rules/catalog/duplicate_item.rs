//! A list that contains the same item twice: tools or tags of a toolset, requirements, or words of a command rule.
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

use crate::diagnostic::{At, Code, Diagnostic, Edit, Level, Sink};
use crate::lint::{Check, Lint, Rule};

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
    }
}

fn check_list(list: &[At<String>], sink: &Sink) {
    for (index, item) in list.iter().enumerate() {
        let Some(first) = list[..index].iter().find(|first| first.value == item.value) else { continue };
        sink.push(
            Diagnostic::new(Code::DUPLICATE_ITEM, item.place, format!("this list contains `{}` twice", item.value))
                .related(first.place, "first listed here")
                .help("remove it")
                .fix(Edit::Remove(item.place)),
        );
    }
}
