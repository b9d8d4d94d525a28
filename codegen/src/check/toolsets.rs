//! Checks toolsets: aliases must be free, and a closed toolset must not include an open one.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, Toolset};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let declared: Vec<&Toolset> =
        catalog.toolsets().map(|(_, toolset)| toolset).filter(|toolset| toolset.declared).collect();
    let names = declared.iter().map(|toolset| (toolset.name(), (&toolset.manifest.name, "the name of a toolset")));
    let mut taken: Taken<'_> = names.collect();
    for toolset in &declared {
        for alias in &toolset.manifest.aliases {
            check_alias(alias, &mut taken, sink);
        }
        if toolset.manifest.closed {
            check_closed(toolset, sink);
        }
    }
}

/// The names that are in use, each with its place and what it is.
type Taken<'a> = BTreeMap<&'a str, (&'a At<String>, &'static str)>;

fn check_alias<'a>(alias: &'a At<String>, taken: &mut Taken<'a>, sink: &Sink) {
    let found = |what: &str| {
        Diagnostic::new(codes::ALIAS_SHADOWS_NAME, alias.place, format!("the alias `{}` is {what}", alias.value))
    };
    if alias.value == "all" || alias.value == "*" {
        sink.push(found("reserved: it means all tools").help("choose another alias"));
    } else if let Some((first, what)) = taken.get(alias.value.as_str()) {
        sink.push(
            found(&format!("already {what}"))
                .related(first.place, "used here")
                .help("choose another alias, or remove it"),
        );
    } else {
        taken.insert(&alias.value, (alias, "an alias"));
    }
}

fn check_closed(toolset: &Toolset, sink: &Sink) {
    for (_, place) in toolset.edges() {
        let message = format!("`{}` is closed, but this toolset can grow", toolset.name());
        sink.push(
            Diagnostic::new(codes::INCOMPATIBLE_KEYS, place, message)
                .help("list its tools in `tools`, or remove `closed`"),
        );
        sink.refuse_in_check(place, codes::INCOMPATIBLE_KEYS);
    }
}
