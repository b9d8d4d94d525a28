//! Finds names that differ in the manifests but are equal in Rust: methods, modules, traits and fields.

use std::collections::BTreeMap;

use proc_macro2::Ident;

use crate::catalog::{Catalog, Tool};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Sink};
use crate::names::{handlers, is_snake, plain, snake};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    distinct_snakes("tool", catalog.tools().map(|(_, tool)| &tool.manifest.name), sink);
    let declared = catalog.toolsets().filter(|(_, toolset)| toolset.declared);
    distinct("toolset", declared.map(|(_, toolset)| &toolset.manifest.name), &[snake, handlers], sink);
    distinct_snakes("fact", catalog.facts().iter().map(|fact| &fact.name), sink);
    check_available(catalog, sink);
}

/// Checks the names of properties.
pub(super) fn check_tool(_: &Catalog, tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.schemas() {
        distinct_snakes("property", schema.properties.iter().map(|property| &property.name), sink);
    }
}

/// Reports names that are equal in `snake_case`. Fast path: names that are already in `snake_case` cannot collide.
fn distinct_snakes<'n>(what: &str, names: impl Iterator<Item = &'n At<String>> + Clone, sink: &Sink) {
    if !names.clone().all(|name| is_snake(&name.value)) {
        distinct(what, names, &[snake], sink);
    }
}

/// Reports names with an equal Rust name. `name_functions` are the functions that derive Rust names.
fn distinct<'n>(
    what: &str,
    names: impl Iterator<Item = &'n At<String>>,
    name_functions: &[fn(&str) -> Ident],
    sink: &Sink,
) {
    let mut taken: BTreeMap<String, &At<String>> = BTreeMap::new();
    for name in names {
        let all = name_functions.iter().map(|name_of| plain(&name_of(&name.value)));
        let found: Vec<_> = all.map(|rust| (taken.insert(rust.clone(), name), rust)).collect();
        if let Some((Some(first), rust)) = found.into_iter().find(|(first, _)| first.is_some()) {
            let message = format!("the {what} names `{}` and `{}` are equal in Rust", first.value, name.value);
            sink.push(
                Diagnostic::new(codes::RUST_NAME_COLLISION, name.place, message)
                    .label(format!("becomes `{rust}`"))
                    .related(first.place, format!("also becomes `{rust}`"))
                    .help("rename one of them"),
            );
        }
    }
}

/// Reports a tool called `available`: the traits of handlers with a `check` have a method of this name.
fn check_available(catalog: &Catalog, sink: &Sink) {
    for (_, toolset) in catalog.toolsets() {
        let home: Vec<_> = toolset.home_tools.iter().map(|&id| &catalog[id].manifest).collect();
        let has_check =
            toolset.manifest.requires.checked().is_some() || home.iter().any(|tool| tool.requires.checked().is_some());
        let mut tools = home.iter().filter(|_| has_check);
        if let Some(tool) = tools.find(|tool| plain(&snake(&tool.name.value)) == "available") {
            let message = "the method `available` is reserved for the checks of handlers";
            sink.push(Diagnostic::new(codes::RUST_NAME_COLLISION, tool.name.place, message).help("rename the tool"));
        }
    }
}
