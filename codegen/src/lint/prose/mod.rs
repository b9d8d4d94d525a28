//! What the description of a parameter says about its value, and where the schema says otherwise.
//!
//! Each submodule reads one kind of statement, in English and carefully: one that could be about something else, or about some cases
//! only, is ignored. To add a kind, write its reader and list it in [`READERS`].

mod bounds;
mod choices;
mod defaults;
mod formats;
mod layouts;
mod presence;
mod shapes;
mod units;

use std::ops::Range;

use regex::Regex;
use toolc::__gen::table::Type;
use toolc_lower::schema::{Defs, Property, Schema};

use crate::diagnostic::Place;

/// A statement of a text that its schema contradicts.
#[derive(Debug)]
pub(super) struct Contradiction {
    /// The place of the statement in the text.
    pub span: Range<usize>,
    /// What the text says, and what the schema says.
    pub message: String,
    /// The place of what the schema says, and a label for it.
    pub other: (Place, String),
    /// What to do.
    pub help: &'static str,
}

/// A parameter and its description.
pub(super) struct Described<'s> {
    pub text: &'s str,
    pub property: &'s Property,
    /// The names of all parameters of the tool.
    pub names: &'s [&'s str],
    /// The schema that says what values the parameter has: its own, or the one that it refers to.
    schema: &'s Schema,
}

type Reader = fn(&Described<'_>) -> Option<Contradiction>;

/// The readers, one for each kind of statement.
const READERS: [Reader; 8] = [
    presence::read,
    defaults::read,
    bounds::read,
    choices::read,
    units::read,
    shapes::read,
    formats::read,
    layouts::read,
];

/// Returns the statements of a description that the schema contradicts.
pub(super) fn contradictions(described: &Described<'_>) -> impl Iterator<Item = Contradiction> {
    READERS.iter().filter_map(|reader| reader(described))
}

const CORRECT: &str = "correct one of them";

impl<'s> Described<'s> {
    pub(super) fn new(text: &'s str, property: &'s Property, defs: &'s Defs, names: &'s [&'s str]) -> Self {
        Self { text, property, names, schema: main_schema(&property.schema, defs) }
    }

    fn name(&self) -> &'s str {
        &self.property.name.value
    }

    /// Returns the types of the value, without null. Empty if any type is allowed.
    fn types(&self) -> Vec<Type> {
        self.schema.effective_types().into_iter().filter(|ty| *ty != Type::Null).collect()
    }

    /// Returns the type of the value, if it has only one besides null.
    fn only_type(&self) -> Option<Type> {
        match self.types().as_slice() {
            [only] if self.schema.in_place().next().is_none() => Some(*only),
            _ => None,
        }
    }

    /// Returns the place of the type, or of the parameter.
    fn type_place(&self) -> Place {
        self.schema.place
    }

    /// Returns the only match of a pattern. A text with several is about different cases.
    fn only_match(&self, pattern: &Regex) -> Option<regex::Captures<'s>> {
        let mut all = pattern.captures_iter(self.text);
        all.next().filter(|_| all.next().is_none())
    }
}

/// Returns the schema behind a `$ref`, and the alternative that is not null.
fn main_schema<'s>(schema: &'s Schema, defs: &'s Defs) -> &'s Schema {
    let mut schema = schema;
    // A chain of references can be a cycle.
    for _ in 0..4 {
        let is_bare = schema.types.is_empty() && schema.choices.is_empty() && schema.constant.is_none();
        let not_null = |one: &&Schema| one.effective_types() != [Type::Null];
        let mut others = schema.any_of.iter().chain(&schema.one_of).filter(not_null);
        schema = match (&schema.reference, others.next(), others.next()) {
            (Some(reference), None, None) if is_bare => &defs.get(reference.to).schema,
            (None, Some(only), None) if is_bare => only,
            _ => break,
        };
    }
    schema
}

/// Compiles a pattern that is part of the program.
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// Words that make a statement one about some cases.
const CASES: [&str; 13] =
    ["if", "when", "for", "unless", "except", "per", "each", "every", "otherwise", "depending", "in", "on", "with"];

/// Returns whether a statement that ends at a place is about some cases only: the rest of its sentence begins with, or has, a word
/// that says so.
fn is_conditional(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    let sentence = rest.find(['.', ';', ')', '\n']).map_or(rest, |stop| &rest[..stop]);
    let mut words = sentence.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| CASES.contains(&word))
}

/// Returns whether the sentence of a statement that begins at a place names cases before it, as in "On Windows, the default is 5".
fn follows_case(text: &str, start: usize) -> bool {
    let before = &text[..start];
    let sentence = before.rfind([';', '\n']).max(before.rfind(". ")).map_or(before, |end| &before[end + 1..]);
    let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
    sentence.contains(',')
        && (CASES.contains(&first.as_str()) || ["without", "under", "during", "by"].contains(&first.as_str()))
}

/// Returns whether one of these words is in a text as a whole, in any case.
fn has_any(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| words.contains(&word))
}

/// Returns whether a word is in a text as a whole, in any case.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    !word.is_empty()
        && text
            .match_indices(&word)
            .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests;
