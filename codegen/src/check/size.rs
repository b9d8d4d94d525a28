//! Tools larger than the tables of their arguments and the segments of their definitions can count.

use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::text::atoms::Template;
use crate::text::template::Piece;

/// Tables and segments are counted in 16 bits, and each of these comes to a few. No tool that a model can use comes near.
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
                "`{}` has {parts} schemas, enum values and pieces of text, where at most {MOST} fit",
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
