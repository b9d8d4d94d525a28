//! Values that a language has no schema for, sent as strings that hold their JSON text. The runtime's repair reads them
//! back where the schema allows no strings.

use toolc::__gen::table::Type;

use super::{Fallback, Narrow, Narrower};
use crate::lower::prose::of_json;
use crate::schema::{Additional, Schema};
use crate::text::atoms::Template;
use crate::text::template::Piece;

/// `$ref`s that are followed to tell which types a value may have.
pub(super) const DEEPEST: usize = 16;

const SCALARS: [Type; 4] = [Type::String, Type::Number, Type::Boolean, Type::Null];

impl Narrower<'_> {
    /// Strings that hold the JSON text of a value of this schema: `word` is what cannot be said.
    pub(super) fn text(&mut self, given: &Schema, word: &'static str) -> Narrow {
        let how = if self.reads_texts { Fallback::JsonText } else { Fallback::Dropped };
        self.lose(given.word_place(word), word, how);
        let mut schema = Schema::new(given.place);
        schema.types = vec![Type::String];
        let is_nullable = self.accepts_null() && self.admits(given, Type::Null, 0);
        if is_nullable && self.lists_null() {
            schema.types.push(Type::Null);
        }
        schema.title.clone_from(&given.title);
        schema.description.clone_from(&given.description);
        (schema.deprecated, schema.default, schema.examples) =
            (given.deprecated, given.default.clone(), given.examples.clone());
        let words = self.text_words(given);
        schema.say(words);
        self.annotate(&mut schema, true);
        if is_nullable && !self.lists_null() {
            let mut null = Schema::new(given.place);
            null.types = vec![Type::Null];
            let text = Narrow { schema, is_text: true };
            return self.settle(Schema::new(given.place), vec![text, null.into()]);
        }
        Narrow { schema, is_text: true }
    }

    fn text_words(&mut self, given: &Schema) -> Template {
        let composite: Vec<Type> = Type::ALL.into_iter().filter(|ty| self.admits(given, *ty, 0)).collect();
        let noun = match composite.as_slice() {
            [Type::Object] | [Type::Null, Type::Object] => "object",
            [Type::Array] | [Type::Null, Type::Array] => "array",
            _ => "value",
        };
        let lead = format!("Write a JSON {noun}, as text");
        let is_any = given.reference.is_none()
            && given.in_place().next().is_none()
            && given.properties.is_empty()
            && given.bounds.iter().next().is_none()
            && matches!(given.additional, Additional::Allow);
        if is_any {
            return vec![Piece::Text(format!("{lead}."))];
        }
        let told = Schema {
            title: None,
            description: None,
            default: None,
            examples: Vec::new(),
            deprecated: false,
            ..given.clone()
        };
        if self.room_for(&told) {
            return of_json(&format!("{lead}, that matches this JSON Schema"), self.defs.document(&told).json());
        }
        self.leave(given, "properties");
        vec![Piece::Text(format!("{lead}."))]
    }

    /// Lowers a schema that is too deep: to JSON text if that is distinguishable from other strings, and otherwise to its scalar
    /// types.
    pub(super) fn cut(&mut self, given: &Schema) -> Narrow {
        let leads_back = given.reference.as_ref().is_some_and(|reference| self.recursive[reference.to.0]);
        let word = if leads_back { "$ref" } else { "additionalProperties" };
        if !self.admits(given, Type::String, 0) {
            return self.text(given, word);
        }
        self.leave(given, word);
        let mut schema = Schema::new(given.place);
        schema.types = SCALARS.into_iter().filter(|ty| self.admits(given, *ty, 0)).collect();
        schema.title.clone_from(&given.title);
        schema.description.clone_from(&given.description);
        self.plain(schema)
    }

    /// What a schema says, led in by some words.
    pub(super) fn document(&mut self, schema: &Schema, lead: &str) -> Template {
        if self.room_for(schema) { of_json(lead, self.defs.document(schema).json()) } else { Template::new() }
    }

    /// Whether a schema may allow values of a type.
    pub(super) fn admits(&self, schema: &Schema, ty: Type, depth: usize) -> bool {
        if depth > DEEPEST {
            return true;
        }
        let types = schema.effective_types();
        let is_named = types.is_empty()
            || types.iter().any(|one| *one == ty || matches!((one, ty), (Type::Integer, Type::Number)));
        let admits = |one: &Schema| self.admits(one, ty, depth + 1);
        is_named
            && schema.reference.as_ref().is_none_or(|to| admits(&self.defs.get(to.to).schema))
            && (schema.any_of.is_empty() || schema.any_of.iter().any(admits))
            && (schema.one_of.is_empty() || schema.one_of.iter().any(admits))
            && schema.all_of.iter().all(admits)
    }
}
