//! Schemas larger than an argument table can count.

use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic, Sink};

/// A table counts its parts in 16 bits. No tool that a model can use comes near.
const MOST: usize = 10_000;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    for (_, tool) in catalog.tools() {
        let parts: usize = tool.manifest.schemas().map(|schema| 1 + schema.choices.len()).sum();
        if parts > MOST {
            let message = format!("`{}` has {parts} schemas and enum values, where at most {MOST} fit", tool.name());
            sink.push(
                Diagnostic::new(Code::SCHEMA_TOO_LARGE, tool.manifest.name.place, message).help("split the tool"),
            );
        }
    }
}
