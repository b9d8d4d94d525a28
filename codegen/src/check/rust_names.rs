//! Names that differ in a manifest and are one in Rust: methods of a trait, modules, and fields of a struct.

use std::collections::BTreeMap;

use crate::catalog::Catalog;
use crate::diagnostic::{At, Code, Diagnostic, Sink};
use crate::names::{plain, snake};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    distinct("tool", catalog.tools().map(|(_, tool)| &tool.manifest.name), sink);
    distinct("toolset", catalog.toolsets().map(|(_, toolset)| &toolset.manifest.name), sink);
    for schema in catalog.tools().flat_map(|(_, tool)| tool.manifest.params.walk()) {
        distinct("property", schema.properties.iter().map(|property| &property.name), sink);
    }
}

fn distinct<'n>(what: &str, names: impl Iterator<Item = &'n At<String>>, sink: &Sink) {
    let mut taken: BTreeMap<String, &At<String>> = BTreeMap::new();
    for name in names {
        let rust = plain(&snake(&name.value));
        match taken.get(&rust) {
            Some(first) => {
                let message = format!("the {what} names `{}` and `{}` are one in Rust", first.value, name.value);
                sink.push(
                    Diagnostic::new(Code::RUST_NAME_COLLISION, name.place, message)
                        .label(format!("becomes `{rust}`"))
                        .related(first.place, format!("becomes `{rust}`, too"))
                        .help("rename one of them"),
                );
            }
            None => drop(taken.insert(rust, name)),
        }
    }
}
