//! `anyOf` and `oneOf`. In a narrow subset a union has only its alternatives: sibling keywords are merged into each of them.

use toolc::__gen::table::Type;

use super::object::allow_null;
use super::{Fallback, Narrow, Narrower};
use crate::diagnostic::At;
use crate::lower::prose::{said, say};
use crate::schema::Schema;
use serde_json::Value;

/// The annotations of a union, without its constraints.
pub(super) fn shell(of: &mut Schema) -> Schema {
    let mut shell = Schema::new(of.place);
    shell.title = of.title.take();
    shell.description = of.description.take();
    shell.default = of.default.take();
    shell.examples = std::mem::take(&mut of.examples);
    shell.deprecated = std::mem::take(&mut of.deprecated);
    shell
}

impl Narrower<'_> {
    /// Replaces an unsupported `oneOf` by `anyOf`, which is equivalent if the alternatives exclude one another.
    pub(super) fn one_of(&mut self, schema: &mut Schema) {
        let alternatives = std::mem::take(&mut schema.one_of);
        if !schema.any_of.is_empty() {
            self.union_in_words(schema, alternatives, "oneOf");
            return;
        }
        let mut alone = Schema::new(schema.place);
        alone.one_of = alternatives;
        if !self.exclude_one_another(&alone) {
            self.in_words(schema, "oneOf", alone.word_place("oneOf"), said("oneOf", &Value::Null));
        }
        schema.any_of = alone.one_of;
    }

    /// Whether no value is of two of the alternatives of this `oneOf`.
    fn exclude_one_another(&self, union: &Schema) -> bool {
        let nullable = union.one_of.iter().filter(|one| one.is_null() || self.defs.is_nullable(one)).count();
        let others = union.one_of.iter().filter(|one| !one.is_null()).count();
        nullable <= 1 && (others <= 1 || self.defs.union(union).is_some())
    }

    /// A schema with `anyOf`.
    pub(super) fn union(&mut self, mut schema: Schema) -> Narrow {
        let alternatives = std::mem::take(&mut schema.any_of);
        let shell = shell(&mut schema);
        let has_siblings = schema.constrains() || schema.format.is_some();
        self.reads_texts &= schema.all_of.is_empty();
        let mut narrowed = Vec::new();
        for alternative in alternatives {
            let place = alternative.place;
            let one = self.scoped(|narrower| {
                if !has_siblings {
                    return Some(narrower.part(alternative));
                }
                match narrower.within_reach(alternative) {
                    Ok(flat) => {
                        let losses = narrower.losses.len();
                        let both = narrower.merge(flat, schema.clone());
                        if both.is_none() {
                            narrower.losses.truncate(losses);
                        }
                        // What has been pushed in may be a union, or be put together, again.
                        both.map(|both| narrower.part(both))
                    }
                    Err(given) => {
                        let mut cut = narrower.cut(&given);
                        let words = narrower.document(&schema, "Must also match this JSON Schema");
                        narrower.lose(place, "anyOf", Fallback::Description);
                        cut.schema.say(words);
                        Some(cut)
                    }
                }
            });
            narrowed.extend(one);
        }
        self.settle(shell, narrowed)
    }

    fn within_reach(&mut self, alternative: Schema) -> Result<Schema, Box<Schema>> {
        if self.is_too_much() { Err(Box::new(alternative)) } else { self.alone(alternative) }
    }

    /// A union of what has been narrowed, as the language has it.
    pub(super) fn settle(&mut self, mut shell: Schema, alternatives: Vec<Narrow>) -> Narrow {
        let mut all: Vec<Narrow> = Vec::new();
        for Narrow { mut schema, is_text } in alternatives {
            if schema.any_of.is_empty() {
                all.push(Narrow { schema, is_text });
                continue;
            }
            // A union within: its alternatives are alternatives.
            if let Some(told) = schema.description.take() {
                shell.say(told.value);
            }
            // Which of them are texts is not known any more; none that is a string otherwise is among those that are.
            all.extend(schema.any_of.into_iter().map(|schema| {
                let is_text = is_text && schema.types.contains(&Type::String);
                Narrow { schema, is_text }
            }));
        }
        self.drop_texts(&mut all, &shell);
        self.settle_nulls(&mut all, &shell);
        let is_text = all.iter().any(|one| one.is_text);
        let is_lone = all.len() == 1 && all[0].schema.reference.is_none();
        let mut schema = if is_lone {
            let mut only = all.remove(0).schema;
            attach(shell, &mut only);
            only
        } else if all.is_empty() {
            self.leave(&shell, "anyOf");
            let mut any = shell;
            any.types = vec![Type::String];
            any
        } else {
            shell.any_of = all.into_iter().map(|one| one.schema).collect();
            shell
        };
        self.annotate(&mut schema, is_text);
        if self.dialect.schema.union_siblings().is_some() && !schema.any_of.is_empty() {
            let told = super::union::shell(&mut schema);
            attach(told, &mut schema.any_of[0]);
        }
        Narrow { schema, is_text }
    }

    /// Drops alternatives with JSON text, which are indistinguishable from other strings.
    fn drop_texts(&mut self, all: &mut Vec<Narrow>, shell: &Schema) {
        let takes_strings = |one: &Narrow| match &one.schema.reference {
            Some(to) => self.admits(&self.defs.get(to.to).schema, Type::String, 0),
            None => one.schema.types.contains(&Type::String),
        };
        if all.iter().any(|one| one.is_text) && all.iter().any(|one| !one.is_text && takes_strings(one)) {
            all.retain(|one| !one.is_text);
            self.leave(shell, "type");
        }
    }

    fn settle_nulls(&mut self, all: &mut Vec<Narrow>, shell: &Schema) {
        let is_null = |one: &Narrow| one.schema.types == [Type::Null];
        let had = all.iter().any(is_null);
        if !had || all.iter().all(is_null) {
            all.truncate(if had { 1 } else { all.len() });
            return;
        }
        let is_nullable = |one: &Narrow| one.schema.types.contains(&Type::Null);
        if self.accepts_null() && !self.dialect.spelling.openapi {
            let mut seen = false;
            all.retain(|one| !is_null(one) || !std::mem::replace(&mut seen, true));
            return;
        }
        all.retain(|one| !is_null(one));
        if !self.accepts_null() {
            self.leave(shell, "null");
        } else if !all.iter().any(is_nullable) {
            allow_null(&mut all[0].schema);
        }
    }
}

/// Adds the annotations of a union to a schema.
fn attach(told: Schema, to: &mut Schema) {
    to.title = told.title.or(to.title.take());
    if let Some(At { value: mut text, place }) = told.description {
        if let Some(own) = to.description.take()
            && own.value != text
        {
            say(&mut text, own.value);
        }
        to.description = Some(At::new(text, place));
    }
    to.deprecated |= told.deprecated;
    to.default = told.default.or(to.default.take());
    if to.examples.is_empty() {
        to.examples = told.examples;
    }
}
