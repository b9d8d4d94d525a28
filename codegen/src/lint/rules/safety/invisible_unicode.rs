//! An invisible character in a manifest: zero-width characters, direction overrides, tag characters and control
//! characters, either literally or as an escape in a string that a model reads. Characters that scripts and emoji
//! need are allowed in such places.
//!
//! ## Why is this bad
//! Models read what a reviewer cannot see, so instructions can be hidden this way. Harmless invisible characters,
//! often copied from a web page, cost tokens and prevent searches from finding a word.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a win\u200Bdow of its lines. Use it before changing a file."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! description = "Read a text file, or a window of its lines. Use it before changing a file."
//! ```

use std::collections::BTreeMap;

use toolc_scan::{character_name as name, hidden_characters as hidden};

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Edit, Level, Place, Sink, SourceId};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("A006", "invisible-unicode", Some(Level::Warning), Check::File(check)).fixable();

fn check(lint: &Lint<'_>, file: SourceId, tool: Option<&Tool>, sink: &Sink) {
    let text: &str = &lint.sources.get(file).text;
    // Most manifests are ASCII.
    if !text.is_ascii() {
        // TOML rejects literal control characters, and allows a byte order mark at the start.
        let is_reported = |(at, letter): &(usize, char)| !letter.is_control() && (*at, *letter) != (0, '\u{feff}');
        let hidden = hidden(text).into_iter().filter(is_reported);
        let hidden = hidden.map(|(at, letter)| (Place::new(file, at..at + letter.len_utf8()), letter)).collect();
        report(lint, hidden, tool, sink);
    }
    for written in tool.into_iter().flat_map(|tool| lint.strings(tool)) {
        let place = |at: usize, letter: char| written.place(at..at + letter.len_utf8());
        let hidden = hidden(written.value()).into_iter().map(|(at, letter)| (place(at, letter), letter));
        // Literal characters were reported above.
        let escaped = hidden.filter(|(place, letter)| place.span().len() != letter.len_utf8()).collect();
        report(lint, escaped, tool, sink);
    }
}

/// Reports all characters of consecutive lines as one finding. The fix removes those in descriptions.
fn report(lint: &Lint<'_>, hidden: Vec<(Place, char)>, tool: Option<&Tool>, sink: &Sink) {
    let Some(&(first, letter)) = hidden.first() else { return };
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for (_, letter) in &hidden {
        *counts.entry(*letter).or_default() += 1;
    }
    let message = match hidden.len() {
        1 => format!("invisible character: {}", name(letter)),
        count => {
            const SHOWN: usize = 4;
            let kinds: Vec<String> = counts.keys().take(SHOWN).map(|letter| name(*letter)).collect();
            let more = if counts.len() > SHOWN { ", ..." } else { "" };
            format!("{count} invisible characters: {}{more}", kinds.join(", "))
        }
    };
    let found = Diagnostic::new(codes::INVISIBLE_UNICODE, first, message).help(if hidden.len() == 1 { "remove it" } else { "remove them" });
    let shown = hidden[1..].iter().take(8).fold(found, |found, (place, _)| found.related(*place, "and here"));
    let texts = tool.into_iter().flat_map(Tool::texts);
    let texts: Vec<Prose> = texts.map(|text| Prose::new(lint, text.place)).collect();
    let prose = hidden.into_iter().filter(|(place, _)| texts.iter().any(|text| text.contains(*place)));
    sink.push(prose.fold(shown, |found, (place, _)| found.fix(Edit::Replace(place, String::new()))));
}

/// A text, outside of its template tags. Removing a character from a value, a key or a condition would change its meaning, which
/// only the author can decide.
struct Prose {
    text: Place,
    /// The beginnings and the ends of the tags of both kinds, in order.
    tags: [[Vec<usize>; 2]; 2],
}

impl Prose {
    fn new(lint: &Lint<'_>, text: Place) -> Self {
        let written = &lint.sources.get(text.source).text[text.span()];
        let tags = [["{%", "%}"], ["{{", "}}"]];
        Self { text, tags: tags.map(|tag| tag.map(|mark| written.match_indices(mark).map(|(at, _)| at).collect())) }
    }

    fn contains(&self, place: Place) -> bool {
        let (text, place) = (self.text.span(), place.span());
        let last_before = |marks: &[usize]| {
            let at = place.start - text.start;
            marks[..marks.partition_point(|mark| mark + 2 <= at)].last().copied()
        };
        text.start < place.start
            && place.end < text.end
            && self.tags.iter().all(|[open, close]| last_before(open) <= last_before(close))
    }
}
