//! Marks of words. Words with different marks are different, so most rules are left out without a comparison of texts.

use super::Conditions;
use super::pattern::{certain_letters, is_plain_name};

/// A set of marks. Each mark is that of many words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks(u128);

impl Marks {
    /// The marks of a command that has no words. A rule without a condition about words has it, too.
    pub(crate) const ALWAYS: Self = Self(1 << 127);
    /// The marks of words that are not certain.
    pub(crate) const ALL: Self = Self(u128::MAX);

    /// Returns the mark of a word, in upper or lower case.
    pub(crate) fn of_word(word: &str) -> Self {
        // FNV-1a
        let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193);
        if word.is_ascii() { Self(1 << (word.bytes().fold(0x811c_9dc5, mix) % 127)) } else { Self::ALL }
    }

    /// Returns the mark of the words that begin like this one.
    pub(crate) fn of_start(word: &str) -> Self {
        match word.bytes().next() {
            Some(first) => Self::of_letter(first),
            None => Self::ALL,
        }
    }

    /// Returns the mark of a letter, in upper or lower case.
    pub(crate) fn of_letter(letter: u8) -> Self {
        if letter.is_ascii() { Self(1 << (letter.to_ascii_lowercase() % 127)) } else { Self::ALL }
    }

    /// Returns the mark of an option by its first letter: `-r`, `--recursive`, `-o=VALUE`. In a group without a dash, as in `ps eww`, it
    /// is only a letter.
    pub(crate) fn of_option(option: &str) -> Self {
        match *option.as_bytes() {
            [] => Self::ALWAYS,
            // No other mark is that of a letter in upper case.
            [b'-', b'-', first, ..] if first.is_ascii() => Self(1 << (first.to_ascii_uppercase() % 127)),
            [b'-', b'-', ..] => Self::ALL,
            [letter] | [letter, b'=', ..] | [_, letter, ..] => Self::of_letter(letter),
        }
    }

    /// Adds marks.
    pub(crate) fn add(&mut self, others: Self) {
        self.0 |= others.0;
    }

    /// Returns the marks of the characters of a text, in upper or lower case.
    pub(crate) fn of_characters(text: &str) -> Self {
        if text.is_ascii() {
            text.bytes().fold(Self(0), |all, byte| Self(all.0 | Self::of_letter(byte).0))
        } else {
            Self::ALL
        }
    }

    /// Returns the marks of the characters that each of these patterns needs. Without patterns, none is needed.
    fn needed_by(patterns: &[&str]) -> Self {
        let of_pattern = |pattern: &&str| {
            let letters = certain_letters(pattern).filter(char::is_ascii);
            letters.fold(0, |all, letter| all | Self::of_characters(letter.encode_utf8(&mut [0; 4])).0)
        };
        Self(patterns.iter().map(of_pattern).reduce(|all, needed| all & needed).unwrap_or(0))
    }

    /// Returns whether all of these marks are among others.
    fn are_in(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// Returns whether both sets have a mark.
    pub(crate) fn meet(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

/// The marks of the words that a command has, or of those that a rule looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signature {
    /// The words with which a subcommand can begin.
    pub(crate) subcommands: Marks,
    /// The options, by their first letters.
    pub(crate) options: Marks,
    /// The arguments, by their first letters.
    pub(crate) arguments: Marks,
    /// The characters of the arguments. Those of a rule are the ones that each of its patterns needs.
    pub(crate) characters: Marks,
}

impl Signature {
    /// The signature of any command.
    pub(crate) const ANY: Self =
        Self { subcommands: Marks::ALL, options: Marks::ALL, arguments: Marks::ALL, characters: Marks::ALL };

    /// Returns the signature of the commands that can meet conditions.
    pub(super) fn of(wanted: &Conditions<'_>) -> Self {
        let of_subcommand = |words: &&[&str]| match words.first() {
            Some(first) if is_plain_name(first) && !first.starts_with('-') => Marks::of_word(first),
            _ => Marks::ALL,
        };
        let of_pattern = |pattern: &&str| match pattern.bytes().next() {
            Some(first) if is_plain_name(&pattern[..pattern.floor_char_boundary(1)]) => Marks::of_letter(first),
            _ => Marks::ALL,
        };
        Self {
            subcommands: all(wanted.subcommands.iter().map(of_subcommand)),
            options: all(wanted.flags.iter().map(|flag| Marks::of_option(flag))),
            arguments: all(wanted.arguments.iter().map(of_pattern)),
            characters: Marks::needed_by(wanted.arguments),
        }
    }

    /// Returns whether a command with this signature can meet the conditions with that one.
    pub(super) fn can_meet(self, wanted: Self) -> bool {
        self.subcommands.meet(wanted.subcommands)
            && self.options.meet(wanted.options)
            && self.arguments.meet(wanted.arguments)
            && wanted.characters.are_in(self.characters)
    }
}

/// Returns all of these marks, or those of any command if the rule looks for nothing.
fn all(marks: impl Iterator<Item = Marks>) -> Marks {
    marks
        .reduce(|mut all, marks| {
            all.add(marks);
            all
        })
        .unwrap_or(Marks::ALL)
}
