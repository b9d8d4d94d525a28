//! The marks of the words of a command. Most rules look for other words, which is then known without a comparison.

use crate::flags::{self, Argument, has_dash};
use crate::reading::Command;
use crate::rules::{Marks, Signature};
use crate::syntax::{Part, Word};

/// Returns the signature of a command with these arguments.
pub(super) fn signature(command: &Command, arguments: &[Argument<'_>]) -> Signature {
    if command.appended {
        return Signature::ANY;
    }
    let (mut subcommands, mut options, mut starts) = (Marks::ALWAYS, Marks::ALWAYS, Marks::ALWAYS);
    for argument in arguments {
        match argument {
            Argument::Option { name, value, .. } => {
                options.add(Marks::of_option(name));
                // What is taken for a value can be a cluster of options.
                if let Some(flags::Value::Word(word)) = value
                    && let Some(Part::Literal { text, .. }) = word.parts.first()
                    && has_dash(text)
                {
                    text.bytes().for_each(|letter| options.add(Marks::of_letter(letter)));
                }
            }
            Argument::Either { .. } => {
                options = Marks::ALL;
                subcommands = Marks::ALL;
            }
            Argument::Operand { word, .. } => subcommands.add(of_literal(word, Marks::of_word)),
        }
    }
    // Words that run elsewhere are also compared together, with spaces between them.
    let mut characters = Marks::of_letter(b' ');
    for word in command.arguments() {
        characters.add(of_literal(word, Marks::of_characters));
        starts.add(of_literal(word, Marks::of_start));
        options.add(match word.parts.as_slice() {
            [] | [Part::Tilde { .. }, ..] => Marks::ALWAYS,
            // Operands follow.
            [Part::Literal { text, .. }] if text == "--" => Marks::ALWAYS,
            [Part::Literal { text, .. }, ..] if !text.is_empty() && !has_dash(text) => Marks::ALWAYS,
            [Part::Literal { text, .. }, rest @ ..] if rest.is_empty() || !matches!(text.as_str(), "-" | "--") => {
                Marks::of_option(text)
            }
            _ => Marks::ALL,
        });
    }
    Signature { subcommands, options, arguments: starts, characters }
}

/// Returns the mark of a word that is one literal, and all marks for any other.
fn of_literal(word: &Word, mark: fn(&str) -> Marks) -> Marks {
    match word.parts.as_slice() {
        [Part::Literal { text, .. }] => mark(text),
        _ => Marks::ALL,
    }
}
