//! Finds tools that are too large for the argument tables and the segments of definitions.

use toolc_lower::text::atoms::Template;
use toolc_lower::text::template::Piece;

use crate::catalog::{Catalog, Tool};
use crate::diagnostic::codes;
use crate::diagnostic::{Diagnostic, Sink};

/// Tables and segments have 16-bit indices, and each part needs a few. Usable tools are far smaller.
const MAX_PARTS: usize = 10_000;

pub(super) fn check_tool(_: &Catalog, tool: &Tool, sink: &Sink) {
    let manifest = &tool.manifest;
    let schemas: usize = manifest.schemas().map(|schema| 1 + schema.choices.len()).sum();
    let texts = (manifest.schemas().filter_map(|schema| schema.description.as_ref()))
        .chain([&manifest.description])
        .chain(manifest.dialect.iter().filter_map(|dialect| dialect.description.as_ref()));
    let parts = schemas + texts.map(|text| count_pieces(&text.value)).sum::<usize>();
    if parts > MAX_PARTS {
        let message = format!(
            "`{}` has {parts} schemas, enum values and pieces of text, but at most {MAX_PARTS} are allowed",
            tool.name()
        );
        sink.push(Diagnostic::new(codes::SCHEMA_TOO_LARGE, manifest.name.place, message).help("split the tool"));
    }
}

fn count_pieces(template: &Template) -> usize {
    let count = |piece: &Piece<_, _>| match piece {
        Piece::Choice { branches, otherwise } => {
            branches.iter().map(|(_, text)| 1 + count_pieces(text)).sum::<usize>() + count_pieces(otherwise)
        }
        _ => 1,
    };
    template.iter().map(count).sum()
}
