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

use rayon::prelude::*;
use toolc::__gen::is_invisible;

use crate::diagnostic::{Code, Diagnostic, Edit, Level, Place, Sink, SourceId};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("A006", "invisible-unicode", Some(Level::Warning), Check::Catalog(check)).fixable();

fn check(lint: &Lint<'_>, sink: &Sink) {
    let sources: Vec<SourceId> = (0..).map(SourceId).zip(lint.sources.all()).map(|(id, _)| id).collect();
    sources.par_iter().for_each(|&id| {
        let text = &lint.sources.get(id).text;
        // Most manifests are ASCII.
        if !text.is_ascii() {
            // TOML rejects literal control characters, and allows a byte order mark at the start.
            let is_reported = |(at, letter): &(usize, char)| !letter.is_control() && (*at, *letter) != (0, '\u{feff}');
            let hidden = hidden(text).into_iter().filter(is_reported);
            let hidden = hidden.map(|(at, letter)| (Place::new(id, at..at + letter.len_utf8()), letter)).collect();
            report(lint, hidden, sink);
        }
    });
    let tools: Vec<_> = lint.tools().map(|(_, tool)| tool).collect();
    tools.par_iter().for_each(|tool| {
        for written in lint.strings(tool) {
            let place = |at: usize, letter: char| written.place(at..at + letter.len_utf8());
            let hidden = hidden(written.value()).into_iter().map(|(at, letter)| (place(at, letter), letter));
            // Literal characters were reported above.
            report(lint, hidden.filter(|(place, letter)| place.span().len() != letter.len_utf8()).collect(), sink);
        }
    });
}

/// Reports all characters of consecutive lines as one finding. The fix removes those in descriptions.
fn report(lint: &Lint<'_>, hidden: Vec<(Place, char)>, sink: &Sink) {
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
    let found = Diagnostic::new(Code::INVISIBLE_UNICODE, first, message).help(if hidden.len() == 1 { "remove it" } else { "remove them" });
    let shown = hidden[1..].iter().take(8).fold(found, |found, (place, _)| found.related(*place, "and here"));
    let texts = lint.tools().flat_map(|(_, tool)| tool.texts()).map(|text| text.place);
    let texts: Vec<Place> = texts.filter(|text| text.source == first.source).collect();
    let prose = hidden.into_iter().filter(|(place, _)| is_prose(lint, &texts, *place));
    sink.push(prose.fold(shown, |found, (place, _)| found.fix(Edit::Replace(place, String::new()))));
}

/// Returns whether a place is in one of these texts, outside of template tags. Removing the character from a value, a key or a
/// condition would change its meaning, which only the author can decide.
fn is_prose(lint: &Lint<'_>, texts: &[Place], place: Place) -> bool {
    let (start, end) = (place.span().start, place.span().end);
    texts.iter().find(|text| text.span().start < start && end < text.span().end).is_some_and(|text| {
        let before = &lint.sources.get(text.source).text[text.span().start..start];
        [("{%", "%}"), ("{{", "}}")].iter().all(|(open, close)| before.rfind(open) <= before.rfind(close))
    })
}

/// Returns the name of the first invisible character that its neighbors do not need.
pub(in crate::lint) fn first(text: &str) -> Option<String> {
    hidden(text).first().map(|(_, letter)| name(*letter))
}

fn name(letter: char) -> String {
    let what = match letter {
        '\u{ad}' => " (soft hyphen)",
        '\u{200b}' => " (zero width space)",
        '\u{200c}' => " (zero width non-joiner)",
        '\u{200d}' => " (zero width joiner)",
        '\u{200e}' | '\u{200f}' | '\u{61c}' => " (direction mark)",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => " (turns the direction of text)",
        '\u{2028}' => " (line separator)",
        '\u{2029}' => " (paragraph separator)",
        '\u{2060}' => " (word joiner)",
        '\u{2800}' => " (blank Braille pattern)",
        '\u{feff}' => " (byte order mark)",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => " (variation selector)",
        '\u{e0000}'..='\u{e007f}' => " (tag)",
        letter if letter.is_control() => " (control character)",
        _ => "",
    };
    format!("U+{:04X}{what}", u32::from(letter))
}

/// Returns the invisible characters that their neighbors do not need, with their positions.
fn hidden(text: &str) -> Vec<(usize, char)> {
    if text.is_ascii() && !text.bytes().any(|b| b.is_ascii_control()) {
        return Vec::new();
    }
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let is_rtl = letters.iter().any(|(_, letter)| {
        matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
            && *letter != '\u{61c}'
    });
    let mut in_flag = false;
    let mut found = Vec::new();
    for (index, &(at, letter)) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before].1);
        let next = letters.get(index + 1).map(|(_, next)| *next);
        in_flag = letter == '\u{1f3f4}' || in_flag && matches!(letter, '\u{e0020}'..='\u{e007f}');
        let is_hidden = match letter {
            '\n' | '\t' | '\r' => false,
            // They end a line for JavaScript and some logs, and for no model.
            '\u{2028}' | '\u{2029}' => true,
            // Blank, unless it is a space between words in Braille.
            '\u{2800}' => !before.is_some_and(is_braille) || !next.is_some_and(is_braille),
            '\u{200c}' => !before.is_some_and(joins) || !next.is_some_and(joins),
            '\u{200d}' => !is_joined(before, next),
            '\u{200e}' | '\u{200f}' | '\u{61c}' => !is_rtl,
            '\u{fe00}'..='\u{fe0f}' => !before.is_some_and(varies),
            '\u{e0100}'..='\u{e01ef}' => !before.is_some_and(is_ideograph),
            '\u{e0000}'..='\u{e007f}' => !in_flag,
            letter => is_invisible(letter),
        };
        if is_hidden {
            found.push((at, letter));
        }
    }
    found
}

/// Returns whether a joiner is between letters of certain scripts, or between pictographs.
fn is_joined(before: Option<char>, next: Option<char>) -> bool {
    let of_letters = before.is_some_and(joins) && next.is_none_or(|next| joins(next) || next.is_whitespace());
    let is_picture = |letter: char| is_pictograph(letter) || is_modifier(letter);
    of_letters || before.is_some_and(is_picture) && next.is_some_and(is_pictograph)
}

/// Returns whether a letter belongs to a script that uses joiners.
fn joins(letter: char) -> bool {
    matches!(letter, '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1aaf}' | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
        && letter.is_alphanumeric()
        // Virama signs precede joiners, and are not letters.
        || matches!(letter, '\u{64b}'..='\u{65f}' | '\u{93c}' | '\u{94d}' | '\u{9cd}' | '\u{a4d}' | '\u{acd}' | '\u{b4d}' | '\u{bcd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}' | '\u{dca}')
}

fn is_braille(letter: char) -> bool {
    matches!(letter, '\u{2801}'..='\u{28ff}')
}

fn is_pictograph(letter: char) -> bool {
    matches!(letter, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns whether a character after a pictograph is part of it.
fn is_modifier(letter: char) -> bool {
    letter == '\u{fe0f}' || matches!(letter, '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether a character has variants that a variation selector can choose.
fn varies(letter: char) -> bool {
    is_pictograph(letter)
        || is_ideograph(letter)
        || letter.is_ascii_digit()
        || matches!(letter, '#' | '*' | '\u{2200}'..='\u{22ff}' | '\u{1000}'..='\u{109f}' | '\u{1820}'..='\u{18aa}' | '\u{3001}' | '\u{3002}' | '\u{ff01}'..='\u{ff60}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_scripts_and_emoji_need_are_allowed() {
        for text in [
            "plain\ntext\twith tabs",
            "e\u{301}",
            "👩\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "👨🏽\u{200d}💻",
            "🏳\u{fe0f}\u{200d}🌈",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "שלום\u{200f}!",
            "葛\u{e0100}",
            "\u{a0}no break",
            "⠓\u{2800}⠺",
        ] {
            assert_eq!(hidden(text), [], "{text:?}");
        }
        for text in [
            "a\u{200b}b",
            "a\u{200d}b",
            "a\u{200c}b",
            "\u{202e}abc",
            "a\u{e0041}\u{e0042}",
            "a\u{fe0f}",
            "😀\u{fe0f}\u{fe0e}",
            "x\u{feff}",
            "soft\u{ad}hyphen",
            "esc\u{1b}[31m",
            "left\u{200e}",
            "line\u{2028}break",
            "blank\u{2800}",
            "jo\u{34f}in",
        ] {
            assert!(!hidden(text).is_empty(), "{text:?}");
        }
    }
}
