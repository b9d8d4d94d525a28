//! Toolsets whose legacy names are taken, and closed ones that are open.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, Toolset};
use crate::diagnostic::{At, Code, Diagnostic, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let declared: Vec<&Toolset> =
        catalog.toolsets().map(|(_, toolset)| toolset).filter(|toolset| toolset.declared).collect();
    let mut taken: BTreeMap<&str, &At<String>> =
        declared.iter().map(|toolset| (toolset.name(), &toolset.manifest.name)).collect();
    for toolset in &declared {
        for alias in &toolset.manifest.aliases {
            check_alias(alias, &mut taken, sink);
        }
        if toolset.manifest.closed {
            check_closed(toolset, sink);
        }
    }
}

fn check_alias<'a>(alias: &'a At<String>, taken: &mut BTreeMap<&'a str, &'a At<String>>, sink: &Sink) {
    let message = format!("the toolset name `{}` is taken", alias.value);
    let found = Diagnostic::new(Code::ALIAS_SHADOWS_NAME, alias.place, message);
    if alias.value == "all" || alias.value == "*" {
        sink.push(found.help("it stands for every tool: choose another name"));
    } else if let Some(first) = taken.get(alias.value.as_str()) {
        sink.push(found.related(first.place, "it stands for this one").help("take one of them out"));
    } else {
        taken.insert(&alias.value, alias);
    }
}

fn check_closed(toolset: &Toolset, sink: &Sink) {
    for (_, place) in toolset.edges() {
        let message = format!("`{}` is closed, and would grow with this toolset", toolset.name());
        sink.push(
            Diagnostic::new(Code::INCOMPATIBLE_KEYS, place, message)
                .help("list the tools that are meant in `tools`, or take `closed` out"),
        );
    }
}
