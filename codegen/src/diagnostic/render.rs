//! Findings as a person reads them: the way rustc shows its own.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

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
        let level = match diagnostic.level {
            Level::Error => Shown::ERROR,
            Level::Warning => Shown::WARNING,
        };
        let title = level.primary_title(cut(&diagnostic.message)).id(diagnostic.code.id);
        let mut group = Group::with_title(title);
        for (source, labels) in by_file(diagnostic) {
            let text = &self.sources.get(source).text;
            let shown = lines_around(labels.iter().map(|(place, ..)| *place), text);
            let before = text[..shown.start].matches('\n').count();
            let mut snippet =
                Snippet::source(&text[shown.clone()]).line_start(before + 1).path(self.sources.display(source));
            for (place, label, kind) in labels {
                let span = clamp(place, text);
                let mut annotation = kind.span(span.start - shown.start..span.end - shown.start);
                if !label.is_empty() {
                    annotation = annotation.label(cut(label));
                }
                snippet = snippet.annotation(annotation);
            }
            group = group.element(snippet);
        }
        for help in &diagnostic.help {
            group = group.element(Shown::HELP.message(cut(help)));
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

/// The lines that the places touch, and all between: the renderer's work grows with what it is given.
fn lines_around(places: impl Iterator<Item = Place>, text: &str) -> Range<usize> {
    let spans = places.map(|place| clamp(place, text));
    let all = spans.reduce(|all, span| all.start.min(span.start)..all.end.max(span.end)).unwrap_or(0..0);
    let start = text[..all.start].rfind('\n').map_or(0, |found| found + 1);
    let end = text[all.end..].find('\n').map_or(text.len(), |found| all.end + found);
    start..end
}

/// Shortens a message, which may quote a line of a megabyte.
fn cut(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 1_000;
    if text.len() <= LONGEST {
        return text.into();
    }
    format!("{}…", &text[..text.floor_char_boundary(LONGEST)]).into()
}

/// The place within the text, on character boundaries.
fn clamp(place: Place, text: &str) -> Range<usize> {
    let span = place.span();
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    start..end
}
