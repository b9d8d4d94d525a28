//! Keywords that an API accepts and ignores: they are also stated in words, for the model to read.

use std::borrow::Cow;

use serde_json::Value;

use super::root::lowercase_first;
use super::{Fallback, Loss, Narrowed};
use crate::diagnostic::{At, Place};
use crate::lower::prose::{append_sentence, keyword_prose};
use crate::schema::{Additional, Def, Defs, Schema};
use crate::text::template::Piece;

impl Narrowed<'_> {
    /// Adds a sentence to the description of each value whose schema has one of these keywords. The keywords stay.
    pub(in crate::lower) fn state_in_words(&mut self, keywords: &[&str]) {
        if self.schemas().iter().all(|schema| ignored(schema, keywords).is_empty()) {
            return;
        }
        let mut losses = Vec::new();
        for (keyword, place, sentence) in ignored(&self.schema, keywords) {
            let sentence = format!("The arguments must have {}", lowercase_first(&sentence));
            append_sentence(&mut self.about, vec![Piece::Text(sentence)]);
            losses.push(Loss { place, path: String::new(), keyword, fallback: Fallback::Description });
        }
        for property in &mut self.schema.to_mut().properties {
            state(&mut property.schema, keywords, &format!(".{}", property.name.value), &mut losses);
        }
        let mut defs: Vec<Def> = self.defs.iter().map(|(_, def)| def.clone()).collect();
        for def in &mut defs {
            state(&mut def.schema, keywords, &format!("$defs.{}", def.name.value), &mut losses);
        }
        self.defs = Cow::Owned(Defs::new(defs));
        self.losses.extend(losses);
    }
}

/// Returns the ignored keywords of a schema, with their places and sentences.
fn ignored(schema: &Schema, keywords: &[&str]) -> Vec<(&'static str, Place, String)> {
    let text = |at: &At<String>| At::new(Value::from(at.value.as_str()), at.place);
    let bounds = schema.bounds.iter().map(|(keyword, bound)| (keyword, bound.clone()));
    let pattern = schema.pattern.iter().map(|pattern| ("pattern", text(pattern)));
    let format = schema.format.iter().map(|format| ("format", text(format)));
    let all = bounds.chain(pattern).chain(format).filter(|(keyword, _)| keywords.contains(keyword));
    all.filter_map(|(keyword, at)| Some((keyword, at.place, keyword_prose(keyword, &at.value)?))).collect()
}

fn state(schema: &mut Schema, keywords: &[&str], path: &str, losses: &mut Vec<Loss>) {
    for (keyword, place, sentence) in ignored(schema, keywords) {
        schema.add_sentence(Some(sentence));
        losses.push(Loss { place, path: path.to_owned(), keyword, fallback: Fallback::Description });
    }
    for property in &mut schema.properties {
        state(&mut property.schema, keywords, &format!("{path}.{}", property.name.value), losses);
    }
    if let Some(items) = &mut schema.items {
        state(items, keywords, &format!("{path}[]"), losses);
    }
    if let Additional::Schema(values) = &mut schema.additional {
        state(values, keywords, &format!("{path}.*"), losses);
    }
    for inner in schema.any_of.iter_mut().chain(&mut schema.one_of).chain(&mut schema.all_of) {
        state(inner, keywords, path, losses);
    }
}
