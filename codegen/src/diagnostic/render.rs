//! Findings as a person reads them: the way rustc shows its own.

use std::collections::BTreeMap;

use annotate_snippets::{AnnotationKind, Group, Level as Shown, Snippet};

use super::{Diagnostic, Level, Place, SourceId};
use crate::source::Sources;

/// Draws findings over their sources.
pub struct Renderer<'s> {
    sources: &'s Sources,
    renderer: annotate_snippets::Renderer,
}

impl<'s> Renderer<'s> {
    /// With colours for a terminal, or without any.
    pub fn new(sources: &'s Sources, colour: bool) -> Self {
        let renderer =
            if colour { annotate_snippets::Renderer::styled() } else { annotate_snippets::Renderer::plain() };
        Self { sources, renderer }
    }

    /// One finding, without a line break at its end.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.code.level {
            Level::Error => Shown::ERROR,
            Level::Warning => Shown::WARNING,
        };
        let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.id);
        let mut group = Group::with_title(title);
        for (source, labels) in by_file(diagnostic) {
            let file = self.sources.get(source);
            let mut snippet = Snippet::source(file.text.as_str()).path(self.sources.display(source));
            for (place, label, kind) in labels {
                let mut annotation = kind.span(clamp(place, &file.text));
                if !label.is_empty() {
                    annotation = annotation.label(label);
                }
                snippet = snippet.annotation(annotation);
            }
            group = group.element(snippet);
        }
        for help in &diagnostic.help {
            group = group.element(Shown::HELP.message(help.as_str()));
        }
        self.renderer.render(&[group])
    }
}

type Labels<'d> = Vec<(Place, &'d str, AnnotationKind)>;

/// The finding's own file first, then the others in the order in which they are named.
fn by_file(diagnostic: &Diagnostic) -> Vec<(SourceId, Labels<'_>)> {
    let (place, label) = &diagnostic.at;
    let mut order = vec![place.source];
    let mut files: BTreeMap<SourceId, Labels<'_>> = BTreeMap::new();
    files.entry(place.source).or_default().push((*place, label, AnnotationKind::Primary));
    for (place, label) in &diagnostic.related {
        if !order.contains(&place.source) {
            order.push(place.source);
        }
        files.entry(place.source).or_default().push((*place, label, AnnotationKind::Context));
    }
    order.into_iter().filter_map(|source| files.remove(&source).map(|labels| (source, labels))).collect()
}

/// The place within the text, on character boundaries.
fn clamp(place: Place, text: &str) -> std::ops::Range<usize> {
    let span = place.span();
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    start..end
}
