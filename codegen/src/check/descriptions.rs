//! A parameter without a description: the model has to guess what it is for.

use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::text::questions::Template;
use crate::text::template::Piece;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    for (_, tool) in catalog.tools() {
        for property in tool.manifest.params.walk().into_iter().flat_map(|schema| &schema.properties) {
            let described = property.schema.description.as_ref().is_some_and(|text| !is_blank(&text.value));
            if !described {
                let message =
                    format!("the parameter `{}` of `{}` has no description", property.name.value, tool.name());
                sink.push(
                    Diagnostic::new(Code::PARAMETER_DESCRIPTION_MISSING, property.name.place, message)
                        .help("add `description = \"...\"`: what it means, in which unit, and what is a good value"),
                );
            }
        }
    }
}

/// Whether nothing but white space can come of a text.
fn is_blank(template: &Template) -> bool {
    template.iter().all(|piece| matches!(piece, Piece::Text(text) if text.trim().is_empty()))
}
