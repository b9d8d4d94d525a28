//! Characters that a person does not see, and runs of blanks that move text out of sight.

use crate::codes::Code;
use crate::unit::Found;

/// The least number of blank lines, and of blanks in a line, before text that count as hiding it.
const MAX_BLANK_LINES: usize = 150;
const MAX_BLANKS: usize = 250;

/// The number of characters without a width from which they can carry a text.
const MAX_INVISIBLE: usize = 8;

/// Finds what a person does not see. In code, every such character counts.
pub(crate) fn check(text: &str, is_code: bool) -> Vec<Found> {
    let mut found = characters(text, is_code);
    found.extend(blanks(text));
    found.extend(ends_of_lines(text));
    found
}

/// The least number of blanks at the end of a line, and of such lines, that can carry a text.
const MIN_END: usize = 6;
const MIN_ENDS: usize = 6;

/// Lines that end with mixtures of spaces and tabs: they can stand for the bits of a text.
fn ends_of_lines(text: &str) -> Option<Found> {
    let mut at = 0;
    let mut ends = Vec::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let end = &body[body.trim_end_matches([' ', '\t']).len()..];
        if end.len() >= MIN_END && end.contains(' ') && end.contains('\t') {
            ends.push(at + body.len() - end.len()..at + body.len());
        }
        at += line.len();
    }
    let first = ends.first().cloned().filter(|_| ends.len() >= MIN_ENDS)?;
    let message = format!("{} lines end with mixtures of spaces and tabs, which can stand for a text.", ends.len());
    Some(Found::new(Code::HiddenText, first, message))
}

/// How much an invisible character hides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// The character has a use in some texts, or comes from copying.
    Light,
    /// The character is used only to hide text or to deceive.
    Heavy,
}

fn characters(text: &str, is_code: bool) -> Vec<Found> {
    let hidden = toolc_scan::hidden_characters(text);
    let hidden: Vec<(usize, char)> =
        hidden.into_iter().filter(|(at, letter)| !(*letter == '\u{feff}' && *at == 0) && *letter != '\u{c}').collect();
    let Some(first) = hidden.first() else { return Vec::new() };
    let is_rtl = text
        .chars()
        .any(|letter| matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'));
    let heavy = hidden.iter().find(|(at, letter)| weight(text, *at, *letter, is_code, is_rtl) == Weight::Heavy);
    let is_many = hidden
        .iter()
        .filter(|(_, letter)| {
            !letter.is_control() && !matches!(letter, '\u{ad}' | '\u{feff}' | '\u{2028}' | '\u{2029}')
        })
        .count()
        >= MAX_INVISIBLE;
    let in_a_row = hidden.windows(4).find(|window| {
        window.windows(2).all(|pair| pair[1].0 == pair[0].0 + pair[0].1.len_utf8()) && !window[0].1.is_control()
    });
    let place = heavy.or_else(|| in_a_row.map(|window| &window[0])).or(is_many.then_some(first));
    let (at, letter) = place.unwrap_or(first);
    let message =
        format!("The text has {} invisible characters, such as {}.", hidden.len(), toolc_scan::character_name(*letter));
    let end = text.ceil_char_boundary((at + 40).min(text.len()));
    let start = text.floor_char_boundary(at.saturating_sub(20));
    let finding = Found::new(Code::HiddenText, *at..*at + letter.len_utf8(), message);
    let finding = Found { matter: Some(text[start..end].to_owned()), ..finding };
    vec![if place.is_some() { finding } else { finding.into_note() }]
}

fn weight(text: &str, at: usize, letter: char, is_code: bool, is_rtl: bool) -> Weight {
    let before = text[..at].chars().next_back();
    let after = text[at + letter.len_utf8()..].chars().next();
    let splits_word = before.is_some_and(|letter| letter.is_ascii_alphanumeric())
        && after.is_some_and(|letter| letter.is_ascii_alphanumeric());
    let is_heavy = match letter {
        '\u{e0000}'..='\u{e007f}' | '\u{202d}' | '\u{202e}' | '\u{8}' => true,
        '\u{202a}'..='\u{202c}' | '\u{2066}'..='\u{2069}' => is_code || !is_rtl,
        '\u{1b}' => after == Some('[') || after == Some(']'),
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{180e}' | '\u{115f}' | '\u{1160}' | '\u{3164}'
        | '\u{ffa0}' => is_code || splits_word,
        '\u{feff}' => is_code && splits_word,
        _ => false,
    };
    if is_heavy { Weight::Heavy } else { Weight::Light }
}

fn blanks(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let (mut lines, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let body = line.trim_end();
        if body.trim().is_empty() {
            lines += 1;
        } else {
            if lines >= MAX_BLANK_LINES {
                found.push(Found::new(
                    Code::BlankRun,
                    at..at + body.len(),
                    format!("{lines} blank lines come before this text."),
                ));
            }
            lines = 0;
            if let Some(run) = long_run(body) {
                found.push(Found::new(
                    Code::BlankRun,
                    at + run..at + body.len(),
                    "A long run of blanks moves this text out of sight.",
                ));
            }
        }
        at += line.len();
    }
    found.truncate(16);
    found
}

/// Returns the place after a long run of blanks in a line that is not a row of a table.
fn long_run(line: &str) -> Option<usize> {
    if line.len() < MAX_BLANKS || line.trim_start().starts_with('|') {
        return None;
    }
    let mut start = None;
    for (at, letter) in line.char_indices() {
        if letter.is_whitespace() || matches!(letter, '\u{2800}' | '\u{3164}') {
            start.get_or_insert(at);
            continue;
        }
        if start.take().is_some_and(|start| at - start >= MAX_BLANKS)
            && line[at..].chars().filter(|letter| letter.is_alphanumeric()).count() >= 4
        {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::Severity;

    fn blocks(text: &str, is_code: bool) -> bool {
        check(text, is_code).iter().any(|found| found.severity == Severity::Block)
    }

    #[test]
    fn characters_that_hide_block_and_those_of_scripts_do_not() {
        for text in [
            "ig\u{200b}nore",
            "a\u{202e}b",
            "x\u{e0069}\u{e0067}",
            "a \u{200b}\u{200c}\u{200b}\u{200c} b",
            "\u{1b}[8mhidden",
        ] {
            assert!(blocks(text, false), "{text:?}");
        }
        for text in [
            "\u{feff}# Title",
            "می\u{200c}خواهم",
            "👩\u{200d}👧",
            "Word. \u{200b} Next",
            "Schei\u{ad}ben",
            "\u{2067}שלום\u{2069}",
            "שלום\u{200f}",
        ] {
            assert!(!blocks(text, false), "{text:?}");
        }
    }

    #[test]
    fn long_runs_of_blanks_are_found() {
        assert!(blocks(&format!("a{}b", "\n".repeat(200)), false));
        assert!(blocks(&format!("x = 1{}import os", " ".repeat(300)), true));
        assert!(!blocks(&format!("| a{} | bbbb |", " ".repeat(300)), false));
    }
}
