//! Renders findings for people, in the style of rustc.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level as Title, Snippet};

use super::{Diagnostic, Level, Place, SourceId};
use crate::source::Files;
use crate::visible::{visible, visible_source};

/// Renders findings with the source lines around them.
pub struct Renderer<'s> {
    files: &'s dyn Files,
    renderer: annotate_snippets::Renderer,
}

impl<'s> Renderer<'s> {
    /// Creates a renderer, with colours for a terminal or without.
    pub fn new(files: &'s dyn Files, colour: bool) -> Self {
        let renderer =
            if colour { annotate_snippets::Renderer::styled() } else { annotate_snippets::Renderer::plain() };
        Self { files, renderer }
    }

    /// Renders a finding, without a line break at the end.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.level {
            Level::Error => Title::ERROR,
            Level::Warning => Title::WARNING,
        };
        let title = level.primary_title(truncate(&diagnostic.message)).id(diagnostic.code.id);
        let mut group = Group::with_title(title);
        for (source, labels) in by_file(diagnostic) {
            let text = self.files.text(source);
            let excerpt = lines_around(labels.iter().map(|(place, ..)| *place), text);
            let before = text[..excerpt.start].matches('\n').count();
            let mut snippet = Snippet::source(visible_source(&text[excerpt.clone()]))
                .line_start(before + 1)
                .path(visible(&self.files.display(source)).into_owned());
            for (place, label, kind) in labels {
                let span = clamp(place, text);
                let mut annotation = kind.span(span.start - excerpt.start..span.end - excerpt.start);
                if !label.is_empty() {
                    annotation = annotation.label(truncate(label));
                }
                snippet = snippet.annotation(annotation);
            }
            group = group.element(snippet);
        }
        for help in &diagnostic.help {
            group = group.element(Title::HELP.message(truncate(help)));
        }
        self.renderer.render(&[group])
    }
}

type Labels<'d> = Vec<(Place, &'d str, AnnotationKind)>;

/// Groups the labels by file: first the file of the finding, then the others in the order of the related places.
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

/// Returns the range from the first to the last line that contains one of the places. The renderer gets only these lines, since its
/// run time grows with its input.
fn lines_around(places: impl Iterator<Item = Place>, text: &str) -> Range<usize> {
    let spans = places.map(|place| clamp(place, text));
    let all = spans.reduce(|all, span| all.start.min(span.start)..all.end.max(span.end)).unwrap_or(0..0);
    let start = text[..all.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[all.end..].find('\n').map_or(text.len(), |newline| all.end + newline);
    start..end
}

/// Truncates a message to 1,000 bytes. It may quote a line of a megabyte, with any characters.
fn truncate(text: &str) -> Cow<'_, str> {
    const MAX_BYTES: usize = 1_000;
    if text.len() <= MAX_BYTES {
        return visible(text);
    }
    format!("{}…", visible(&text[..text.floor_char_boundary(MAX_BYTES)])).into()
}

/// Returns the range of a place, limited to the text and extended to character boundaries.
fn clamp(place: Place, text: &str) -> Range<usize> {
    let span = place.span();
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    start..end
}
