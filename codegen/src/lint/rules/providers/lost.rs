//! What dialects cannot say as the author did, and what becomes of it: the lowering knows, and rules tell.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Place, Sink, ticked};
use crate::lint::Lint;
use crate::lower::narrow::{How, Loss};

/// Words that say what a value is for, and not what it may be.
pub(super) const ANNOTATIONS: &[&str] = &["default", "examples", "deprecated", "format"];

/// Tells of what is lost in a dialect, or in any (none), and for which `is_told` holds: each word once at its place.
pub(super) fn report(lint: &Lint<'_>, sink: &Sink, code: Code, only: Option<&str>, is_told: fn(&Loss) -> bool) {
    let dialects = lint.settings().dialects.iter().filter(|dialect| only.is_none_or(|only| only == dialect.name));
    for (_, tool) in lint.tools() {
        let mut found: BTreeMap<(Place, &str, &str), Vec<&str>> = BTreeMap::new();
        for dialect in dialects.clone().filter(|dialect| dialect.takes(tool)) {
            for loss in dialect.lower(lint, tool).losses.into_iter().filter(is_told) {
                let names = found.entry((loss.place, loss.word, becomes(loss.how))).or_default();
                if names.last() != Some(&dialect.name) {
                    names.push(dialect.name);
                }
            }
        }
        for ((place, word, becomes), dialects) in found {
            let (tool, dialect, dialects) = (tool.name(), dialects[0], ticked(&dialects, ", "));
            let message = format!("{dialects} cannot say the `{word}` of `{tool}` as it is written: {becomes}");
            sink.push(
                Diagnostic::new(code, place, message)
                    .help(format!("`cargo xtask show {tool} --dialect {dialect}` shows it")),
            );
        }
    }
}

fn becomes(how: How) -> &'static str {
    match how {
        How::Words => "the description says it",
        How::Text => "the value is sent as JSON text, which is read back",
        How::Left => "it is not said, or some values cannot be sent",
    }
}
