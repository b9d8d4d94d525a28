//! Keywords that an API accepts and ignores: they are also stated in words, for the model to read.

use std::borrow::Cow;

use serde_json::Value;
use toolc_tables::diagnostic::Place;

use super::Narrowed;
use super::root::lowercase_first;
use crate::prose::{append_sentence, keyword_prose};
use crate::schema::{Additional, Def, Defs, Schema};
use crate::text::template::Piece;

impl Narrowed<'_> {
    /// Adds a sentence to the description of each value whose schema has one of these keywords. The keywords stay.
    pub fn state_in_words(&mut self, keywords: &[&str]) {
        if self.schemas().iter().all(|schema| sentences(schema, keywords).is_empty()) {
            return;
        }
        for sentence in sentences(&self.schema, keywords) {
            let sentence = format!("The arguments must have {}", lowercase_first(&sentence));
            append_sentence(&mut self.about, vec![Piece::Text(sentence)]);
        }
        for property in &mut self.schema.to_mut().properties {
            state(&mut property.schema, keywords);
        }
        let mut defs: Vec<Def> = self.defs.iter().map(|(_, def)| def.clone()).collect();
        for def in &mut defs {
            state(&mut def.schema, keywords);
        }
        self.defs = Cow::Owned(Defs::new(defs));
    }
}

/// Returns a sentence for each of these keywords that a schema has.
fn sentences(schema: &Schema, keywords: &[&str]) -> Vec<String> {
    let bounds = schema.bounds.iter().map(|(keyword, bound)| (keyword, bound.value.clone()));
    let pattern = schema.pattern.iter().map(|pattern| ("pattern", Value::from(pattern.value.as_str())));
    let format = schema.format.iter().map(|format| ("format", Value::from(format.value.as_str())));
    let all = bounds.chain(pattern).chain(format).filter(|(keyword, _)| keywords.contains(keyword));
    all.filter_map(|(keyword, value)| keyword_prose(keyword, &value)).collect()
}

/// Returns a sentence for each keyword that restricts a text, besides `enum` and `const`. A pattern at the place `definition` is left out.
pub fn text_constraints(schema: &Schema, definition: Option<Place>) -> Vec<String> {
    let is_stated = schema.pattern.as_ref().is_some_and(|pattern| definition == Some(pattern.place));
    let keywords: &[&str] = &["minLength", "maxLength", "format", "pattern"];
    sentences(schema, if is_stated { &keywords[..3] } else { keywords })
}

fn state(schema: &mut Schema, keywords: &[&str]) {
    for sentence in sentences(schema, keywords) {
        schema.add_sentence(Some(sentence));
    }
    for property in &mut schema.properties {
        state(&mut property.schema, keywords);
    }
    for inner in schema.any_of.iter_mut().chain(&mut schema.one_of).chain(&mut schema.all_of) {
        state(inner, keywords);
    }
    schema.items.iter_mut().for_each(|items| state(items, keywords));
    if let Additional::Schema(values) = &mut schema.additional {
        state(values, keywords);
    }
}
