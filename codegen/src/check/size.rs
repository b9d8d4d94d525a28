//! Finds tools that are too large for the argument tables and the segments of definitions.

use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::text::atoms::Template;
use crate::text::template::Piece;

/// Tables and segments have 16-bit indices, and each part needs a few. Usable tools are far smaller.
const MOST: usize = 10_000;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    for (_, tool) in catalog.tools() {
        let manifest = &tool.manifest;
        let schemas: usize = manifest.schemas().map(|schema| 1 + schema.choices.len()).sum();
        let texts = (manifest.schemas().filter_map(|schema| schema.description.as_ref()))
            .chain([&manifest.description])
            .chain(manifest.dialect.iter().filter_map(|dialect| dialect.description.as_ref()));
        let parts = schemas + texts.map(|text| pieces(&text.value)).sum::<usize>();
        if parts > MOST {
            let message = format!(
                "`{}` has {parts} schemas, enum values and pieces of text, but at most {MOST} are allowed",
                tool.name()
            );
            sink.push(Diagnostic::new(Code::SCHEMA_TOO_LARGE, manifest.name.place, message).help("split the tool"));
        }
    }
}

fn pieces(template: &Template) -> usize {
    let all = |piece: &Piece<_, _>| match piece {
        Piece::Choice { branches, otherwise } => {
            branches.iter().map(|(_, text)| 1 + pieces(text)).sum::<usize>() + pieces(otherwise)
        }
        _ => 1,
    };
    template.iter().map(all).sum()
}
