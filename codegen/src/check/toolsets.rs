//! Checks toolsets: aliases must be free, and a closed toolset must not include an open one.

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
        sink.push(found.help("it is reserved for all tools: choose another name"));
    } else if let Some(first) = taken.get(alias.value.as_str()) {
        sink.push(found.related(first.place, "it names this toolset").help("remove one of them"));
    } else {
        taken.insert(&alias.value, alias);
    }
}

fn check_closed(toolset: &Toolset, sink: &Sink) {
    for (_, place) in toolset.edges() {
        let message = format!("`{}` is closed, but this toolset can grow", toolset.name());
        sink.push(
            Diagnostic::new(Code::INCOMPATIBLE_KEYS, place, message)
                .help("list its tools in `tools`, or remove `closed`"),
        );
    }
}
