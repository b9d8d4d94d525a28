//! The first letters of the options of a command.

use crate::flags::{self, Argument};
use crate::reading::Command;
use crate::syntax::Part;

/// The first letters of the options of a command. Most rules look for other options, which is then known without a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptionLetters {
    /// A bit for each ASCII character that follows the first dash.
    letters: u128,
    /// Whether there can be any option.
    any: bool,
}

impl OptionLetters {
    pub(super) fn new(command: &Command, arguments: &[Argument<'_>]) -> Self {
        let mut options = Self { letters: 0, any: command.appended };
        for argument in arguments {
            match argument {
                Argument::Option { name, value, .. } => {
                    options.add(first_letter(name));
                    // What is taken for a value can be a cluster of options.
                    if let Some(flags::Value::Word(word)) = value
                        && let Some(Part::Literal { text, .. }) = word.parts.first()
                        && text.starts_with('-')
                    {
                        text.as_bytes().iter().for_each(|letter| options.add(Some(letter)));
                    }
                }
                Argument::Either { .. } => options.any = true,
                Argument::Operand { .. } => {}
            }
        }
        for word in command.arguments() {
            match word.parts.as_slice() {
                [] | [Part::Tilde { .. }, ..] => {}
                [Part::Literal { text, .. }, ..] if !text.is_empty() && !text.starts_with('-') => {}
                [Part::Literal { text, .. }, rest @ ..] if text.len() > 1 || rest.is_empty() => {
                    options.add(text.as_bytes().get(1));
                }
                _ => options.any = true,
            }
        }
        options
    }

    fn add(&mut self, letter: Option<&u8>) {
        match letter {
            // Some rules ignore case.
            Some(letter) if letter.is_ascii() => self.letters |= 1 << letter.to_ascii_lowercase(),
            Some(_) => self.any = true,
            None => {}
        }
    }

    /// Returns whether there is certainly no option.
    pub(super) fn is_empty(self) -> bool {
        !self.any && self.letters == 0
    }

    pub(super) fn can_contain(self, name: &str) -> bool {
        let is_letter = |letter: &u8| !letter.is_ascii() || self.letters >> letter.to_ascii_lowercase() & 1 == 1;
        self.any || first_letter(name).is_some_and(is_letter)
    }
}

/// Returns the first letter of an option. In a group without a dash, as in `ps eww`, an option is only a letter.
fn first_letter(name: &str) -> Option<&u8> {
    name.as_bytes().get(usize::from(name.len() > 1))
}
