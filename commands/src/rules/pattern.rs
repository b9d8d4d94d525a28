//! Patterns: `*` stands for any text, `?` for one character, `[...]` for one of several.
//!
//! A pattern is compared with a whole text, or with a word of which only a part may be certain.

use std::ops::RangeInclusive;

use crate::certainty::Match;
use crate::syntax::{Glob, Part, Word};

/// Uncertain words that are longer than this are not compared. They count as possible matches.
const MAX_UNCERTAIN_CHARS: usize = 4096;
/// Uncertain words that have more parts than this are not compared either.
const MAX_UNCERTAIN_PARTS: usize = 512;

/// A character of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item<'p> {
    /// This character.
    Char(char),
    /// Any character.
    One,
    /// Any text.
    Any,
    /// One of these characters. With a leading `!` or `^`: any other one.
    Class(&'p str),
}

/// A mistake in a pattern, which does not mean what its author expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternFault<'p> {
    /// A `[` without a `]`, or with nothing between them. It stands for itself.
    Unclosed,
    /// A range such as `z-a`, which contains no character.
    EmptyRange(&'p str),
}

/// Returns the first mistake in a pattern.
pub fn pattern_fault(pattern: &str) -> Option<PatternFault<'_>> {
    items(pattern).find_map(|item| match item {
        Item::Char('[') => Some(PatternFault::Unclosed),
        Item::Class(class) => ranges(class.strip_prefix(['!', '^']).unwrap_or(class))
            .find(|(range, _)| range.is_empty())
            .map(|(_, written)| PatternFault::EmptyRange(written)),
        Item::Char(_) | Item::One | Item::Any => None,
    })
}

/// Returns whether a pattern matches a whole text.
pub fn matches(pattern: &str, text: &str) -> bool {
    // Most comparisons fail at once, most patterns are plain names, and most others begin or end with a `*`.
    if !can_begin_alike(pattern, text) {
        return false;
    }
    if let Some(last) = pattern.bytes().next_back()
        && !is_special(last)
        && last != b']'
        && text.bytes().next_back() != Some(last)
    {
        return false;
    }
    let Some(at) = pattern.bytes().position(is_special) else { return pattern == text };
    let (start, pattern) = pattern.split_at(at);
    let Some(text) = text.strip_prefix(start) else { return false };
    if pattern.bytes().any(|byte| matches!(byte, b'?' | b'[')) {
        return matches_items(pattern, text);
    }
    matches_pieces(pattern, text)
}

/// Returns whether a pattern matches a whole text in lower case.
pub(crate) fn matches_lowercase(pattern: &str, text: &str) -> bool {
    // Most comparisons fail here, without a copy.
    if let (Some(wanted), Some(first)) = (pattern.bytes().next(), text.bytes().next())
        && !is_special(wanted)
        && first.is_ascii()
        && first.to_ascii_lowercase() != wanted
    {
        return false;
    }
    if has_case(text) { matches(pattern, &text.to_lowercase()) } else { matches(pattern, text) }
}

/// Returns whether a text has, or may have, letters in upper case.
pub(crate) fn has_case(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii())
}

/// Returns whether the first character of a text can be that of a pattern.
pub(crate) fn can_begin_alike(pattern: &str, text: &str) -> bool {
    pattern.bytes().next().is_none_or(|first| is_special(first) || text.bytes().next() == Some(first))
}

/// Returns whether a text matches a pattern that begins with `*`, and has no other special characters.
fn matches_pieces(pattern: &str, text: &str) -> bool {
    let (mut pieces, mut text) = (&pattern[1..], text.as_bytes());
    while let Some(end) = pieces.bytes().position(|byte| byte == b'*') {
        // The first occurrence leaves the most for the other pieces.
        let Some(at) = position_of(&pieces.as_bytes()[..end], text) else { return false };
        text = &text[at + end..];
        pieces = &pieces[end + 1..];
    }
    text.ends_with(pieces.as_bytes())
}

/// Returns the first position of a piece in a text. A search is prepared for long texts, but most of these are short.
fn position_of(piece: &[u8], text: &[u8]) -> Option<usize> {
    let Some((first, rest)) = piece.split_first() else { return Some(0) };
    let last = text.len().checked_sub(piece.len())?;
    (0..=last).find(|at| text[*at] == *first && text[at + 1..].starts_with(rest))
}

/// Returns whether a pattern, or a component of one, is a name, without wildcards.
pub(crate) fn is_plain_name(component: &str) -> bool {
    !component.contains(['*', '?', '['])
}

/// Returns the characters that every text has which a pattern matches.
pub(super) fn certain_letters(pattern: &str) -> impl Iterator<Item = char> {
    items(pattern).filter_map(|item| match item {
        Item::Char(letter) => Some(letter),
        Item::One | Item::Any | Item::Class(_) => None,
    })
}

/// Returns whether a byte of a pattern does not stand for itself.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[')
}

fn matches_items(mut pattern: &str, mut text: &str) -> bool {
    // What follows the last `*`, and the text from which on that was tried.
    let mut star: Option<(&str, &str)> = None;
    loop {
        let mut letters = text.chars();
        let (item, next) = (split_item(pattern), letters.next());
        match (item, next) {
            (None, None) => return true,
            (Some((Item::Any, after)), _) => {
                if after.is_empty() {
                    return true;
                }
                star = Some((after, text));
                pattern = after;
                continue;
            }
            (Some((item, after)), Some(letter)) if accepts(item, letter) => {
                pattern = after;
                text = letters.as_str();
                continue;
            }
            _ => {}
        }
        // Try again, with one more character for the last `*`.
        let Some((after, from)) = star else { return false };
        let mut letters = from.chars();
        if letters.next().is_none() {
            return false;
        }
        star = Some((after, letters.as_str()));
        (pattern, text) = (after, letters.as_str());
    }
}

/// Returns whether a pattern matches a word: certainly, perhaps, or not.
pub(crate) fn matches_word(pattern: &str, word: &Word) -> Match {
    if pattern == "*" {
        return Match::Yes;
    }
    if let Some(text) = word.text() {
        return Match::from(matches(pattern, &text));
    }
    if word.parts.len() > MAX_UNCERTAIN_PARTS {
        return Match::Maybe;
    }
    if word.parts.iter().any(|part| part.splits() && !matches!(part, Part::Glob(_))) {
        return Match::Maybe;
    }
    let is_empty = |part: &Part| matches!(part, Part::Literal { text, .. } if text.is_empty());
    let mut literals = word.parts.iter().filter(|part| matches!(part, Part::Literal { .. }));
    if literals.all(is_empty) {
        // Any text can be there.
        return Match::Maybe;
    }
    if !can_begin(pattern, word) || !can_end(pattern, word) {
        return Match::No;
    }
    let mut atoms = Vec::new();
    for part in &word.parts {
        match part {
            Part::Literal { text, .. } => atoms.extend(text.chars().map(Some)),
            Part::Glob(Glob::AnyChar | Glob::Class(_)) => atoms.push(None),
            _ if atoms.last() == Some(&None) => {}
            _ => atoms.push(None),
        }
    }
    if atoms.len() > MAX_UNCERTAIN_CHARS || can_match(pattern, &atoms) { Match::Maybe } else { Match::No }
}

/// Returns whether the first characters of a pattern and of a word, as far as both are certain, are the same.
fn can_begin(pattern: &str, word: &Word) -> bool {
    let Some(Part::Literal { text, .. }) = word.parts.first() else { return true };
    pattern.bytes().take_while(|byte| !is_special(*byte)).zip(text.bytes()).all(|(wanted, own)| wanted == own)
}

/// Returns whether the last characters of a pattern and of a word, as far as both are certain, are the same.
fn can_end(pattern: &str, word: &Word) -> bool {
    let Some(Part::Literal { text, .. }) = word.parts.last() else { return true };
    let is_certain = |byte: &u8| !is_special(*byte) && *byte != b']';
    pattern.bytes().rev().take_while(is_certain).zip(text.bytes().rev()).all(|(wanted, own)| wanted == own)
}

/// Returns whether the first and the last characters of two patterns, as far as they are certain, are the same. Most pairs of patterns
/// that have no text in common differ in them.
pub(crate) fn have_same_ends(one: &str, other: &str) -> bool {
    let fits = |(one, other): (Option<u8>, Option<u8>)| match (one, other) {
        (Some(one), Some(other)) => {
            one == other || is_special(one) || is_special(other) || one == b']' || other == b']'
        }
        _ => true,
    };
    fits((one.bytes().next(), other.bytes().next())) && fits((one.bytes().next_back(), other.bytes().next_back()))
}

/// Returns whether both patterns can match the same text. A class in the second one counts as any text.
pub(crate) fn can_both_match(one: &str, other: &str) -> bool {
    let atoms = items(other).map(|item| match item {
        Item::Char(letter) => Some(letter),
        Item::One | Item::Any | Item::Class(_) => None,
    });
    can_match(one, &atoms.collect::<Vec<_>>())
}

/// Returns whether a pattern can match a text in which `None` stands for any text.
fn can_match(pattern: &str, atoms: &[Option<char>]) -> bool {
    if atoms.len() < u128::BITS as usize { can_match_short(pattern, atoms) } else { can_match_long(pattern, atoms) }
}

/// The same for a text whose positions are the bits of a number.
fn can_match_short(pattern: &str, atoms: &[Option<char>]) -> bool {
    // The positions before unknown parts.
    let unknown = (0..atoms.len()).filter(|at| atoms[*at].is_none()).fold(0_u128, |all, at| all | 1 << at);
    let all = u128::MAX >> (u128::BITS as usize - 1 - atoms.len());
    // An unknown part can be empty.
    let with_skipped = |mut reached: u128| {
        let mut open = reached & unknown;
        while open != 0 {
            reached |= open << 1;
            open = (open << 1) & unknown;
        }
        reached
    };
    // Bit `n` says whether the items so far can match the first `n` atoms, the last of them perhaps only in part.
    let mut reached = with_skipped(1);
    for item in items(pattern) {
        if item == Item::Any {
            reached = all & (u128::MAX << reached.trailing_zeros());
            continue;
        }
        // The text of an unknown part may continue.
        let mut next = reached & (unknown << 1);
        let mut open = reached & all >> 1 & !unknown;
        while open != 0 {
            let at = open.trailing_zeros();
            open &= open - 1;
            if atoms[at as usize].is_some_and(|letter| accepts(item, letter)) {
                next |= 1 << (at + 1);
            }
        }
        if next == 0 {
            return false;
        }
        reached = with_skipped(next);
    }
    reached >> atoms.len() & 1 == 1
}

/// The same for a text of any length.
fn can_match_long(pattern: &str, atoms: &[Option<char>]) -> bool {
    // `reached[n]` says whether the items so far can match the first `n` atoms, the last of them perhaps only in part.
    let mut reached = vec![false; atoms.len() + 1];
    let mut next = reached.clone();
    reached[0] = true;
    skip_unknown(&mut reached, atoms);
    for item in items(pattern) {
        next.fill(false);
        for at in (0..=atoms.len()).filter(|at| reached[*at]) {
            if item == Item::Any {
                next[at..].fill(true);
                break;
            }
            // The text of an unknown part may continue.
            if at > 0 && atoms[at - 1].is_none() {
                next[at] = true;
            }
            if let Some(Some(letter)) = atoms.get(at)
                && accepts(item, *letter)
            {
                next[at + 1] = true;
            }
        }
        if !next.contains(&true) {
            return false;
        }
        std::mem::swap(&mut reached, &mut next);
        skip_unknown(&mut reached, atoms);
    }
    reached[atoms.len()]
}

/// Marks the positions after unknown parts that are empty.
fn skip_unknown(reached: &mut [bool], atoms: &[Option<char>]) {
    for (at, atom) in atoms.iter().enumerate() {
        if reached[at] && atom.is_none() {
            reached[at + 1] = true;
        }
    }
}

fn accepts(item: Item<'_>, letter: char) -> bool {
    match item {
        Item::Char(own) => own == letter,
        Item::One | Item::Any => true,
        Item::Class(class) => {
            let (negated, class) = match class.strip_prefix(['!', '^']) {
                Some(rest) => (true, rest),
                None => (false, class),
            };
            let found = ranges(class).any(|(range, _)| range.contains(&letter));
            found != negated
        }
    }
}

/// Returns the ranges of a class, each with its spelling. A single character is a range of one.
fn ranges(class: &str) -> impl Iterator<Item = (RangeInclusive<char>, &str)> {
    let mut rest = class;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices();
        let (_, first) = letters.next()?;
        let end = match (letters.next(), letters.next()) {
            (Some((_, '-')), Some((at, last))) => Some((at, last)),
            _ => None,
        };
        let (at, last) = end.unwrap_or((0, first));
        let (written, after) = rest.split_at(at + last.len_utf8());
        rest = after;
        Some((first..=last, written))
    })
}

fn items(pattern: &str) -> impl Iterator<Item = Item<'_>> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        let (item, after) = split_item(rest)?;
        rest = after;
        Some(item)
    })
}

/// Returns the first character of a pattern, and the rest.
fn split_item(pattern: &str) -> Option<(Item<'_>, &str)> {
    let first = pattern.chars().next()?;
    if first == '['
        && let Some(end) = pattern[1..].find(']').filter(|end| *end > 0)
    {
        return Some((Item::Class(&pattern[1..=end]), &pattern[end + 2..]));
    }
    let item = match first {
        '*' => Item::Any,
        '?' => Item::One,
        letter => Item::Char(letter),
    };
    Some((item, &pattern[first.len_utf8()..]))
}

/// Returns the name of an option of a rule, and the pattern for its value.
pub(crate) fn split_flag(flag: &str) -> (&str, Option<&str>) {
    // A loop is faster than a search here, because names are short.
    let sign = flag.bytes().position(|byte| byte == b'=');
    sign.map_or((flag, None), |at| (&flag[..at], Some(&flag[at + 1..])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;
    use crate::syntax::Origin;

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text, expected) in [
            ("rm", "rm", true),
            ("rm", "rmdir", false),
            ("mkfs*", "mkfs.ext4", true),
            ("*", "", true),
            ("*system(*", "BEGIN { system(\"id\") }", true),
            ("a*b*c", "axxbyybc", true),
            ("a*b*c", "axxbyyb", false),
            ("[0-7]*[2367]", "777", true),
            ("[0-7]*[2367]", "755", false),
            ("[!-]*", "-x", false),
            ("?", "é", true),
            ("[", "[", true),
            ("a[b", "a[b", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn faults_of_patterns_are_found() {
        use PatternFault::{EmptyRange, Unclosed};
        for pattern in ["rm", "mkfs*", "[0-7]*[2367]", "[!-]*", "[a-]", "[[]", "a]", "[^a-z]x", "[é-ü]"] {
            assert_eq!(pattern_fault(pattern), None, "{pattern}");
        }
        for (pattern, fault) in [
            ("[", Unclosed),
            ("a[b", Unclosed),
            ("[]", Unclosed),
            ("x[z-a]", EmptyRange("z-a")),
            ("[!9-0]", EmptyRange("9-0")),
        ] {
            assert_eq!(pattern_fault(pattern), Some(fault), "{pattern}");
        }
    }

    #[test]
    fn a_word_with_unknown_parts_matches_perhaps() {
        let word = |parts: &[&str]| {
            let part = |text: &&str| match *text {
                "$" => Part::Unknown { splits: false },
                text => Part::Literal { text: text.to_owned(), origin: Origin::Plain },
            };
            Word { parts: parts.iter().map(part).collect(), span: Span::default() }
        };
        for (pattern, parts, expected) in [
            ("777", &["777"][..], Match::Yes),
            ("777", &["7", "$"], Match::Maybe),
            ("777", &["$"], Match::Maybe),
            ("777", &["6", "$"], Match::No),
            ("777", &["$", "6"], Match::No),
            ("of=/dev/*", &["of=", "$"], Match::Maybe),
            ("of=/dev/*", &["if=", "$"], Match::No),
            ("a?c", &["a", "$", "c"], Match::Maybe),
            ("ac", &["a", "$", "c"], Match::Maybe),
            ("abcd", &["a", "$", "c", "$", "d"], Match::Maybe),
            ("abcd", &["a", "$", "x", "$", "d"], Match::No),
        ] {
            assert_eq!(matches_word(pattern, &word(parts)), expected, "{pattern} {parts:?}");
        }
    }
}
