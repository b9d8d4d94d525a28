//! Two schemas that have to hold together, as one. What cannot be said by one is said in words.

use std::cmp::Ordering;

use serde_json::Value;
use toolc::__gen::table::Type;

use super::{Fallback, Narrower};
use crate::diagnostic::{At, Place};
use crate::lower::prose::{of_json, said, say};
use crate::schema::{Additional, Bounds, Choice, Property, Schema, compare_numbers, equal};
use crate::text::atoms::{Template, When};
use crate::text::condition::Condition;

/// The most pairs of alternatives when two unions are merged.
const MOST_PAIRS: usize = 16;

impl Narrower<'_> {
    /// Merges two schemas without `$ref` and `allOf`; keywords of `first` come first. Returns `None` if no value satisfies both.
    pub(super) fn merge(&mut self, mut first: Schema, second: Schema) -> Option<Schema> {
        let are_objects = [first.is_object(), second.is_object()];
        first.types = types(&first.types, &second.types)?;
        first.title = first.title.or(second.title);
        if let Some(told) = second.description {
            join(&mut first.description, told);
        }
        first.deprecated |= second.deprecated;
        values(&mut first, second.choices, second.constant)?;
        first.default = first.default.or(second.default);
        if first.examples.is_empty() {
            first.examples = second.examples;
        }
        let (bounds, loose) = tightest(Bounds::clone(&first.bounds), &second.bounds);
        first.bounds = bounds.into();
        if let Some(step) = loose {
            let place = first.place;
            self.in_words(&mut first, "multipleOf", place, said("multipleOf", &step));
        }
        match (&first.pattern, second.pattern) {
            (None, other) => first.pattern = other,
            (Some(own), Some(other)) if own.value != other.value => {
                let words = said("pattern", &Value::from(other.value.clone()));
                self.in_words(&mut first, "pattern", other.place, words);
            }
            _ => {}
        }
        match (&first.format, second.format) {
            (None, other) => first.format = other,
            (Some(own), Some(other)) if *own != other => {
                let words = said("format", &Value::from(other));
                self.in_words(&mut first, "format", second.place, words);
            }
            _ => {}
        }
        first.items = match (first.items.take(), second.items) {
            (Some(own), Some(other)) => Some(Box::new(both(*own, *other))),
            (own, other) => own.or(other),
        };
        match are_objects {
            [true, true] => objects(&mut first, second.properties, second.additional)?,
            [false, true] => (first.properties, first.additional) = (second.properties, second.additional),
            [_, false] => {}
        }
        self.unions(&mut first, second.any_of, second.one_of);
        Some(first)
    }

    /// The same, where what contradicts `first` goes into words.
    pub(super) fn join(&mut self, first: Schema, second: &Schema) -> Schema {
        if let Some(both) = self.merge(first.clone(), second.clone()) {
            return both;
        }
        let mut first = first;
        let words = self.document(second, "Must also match this JSON Schema");
        self.lose(second.place, "allOf", Fallback::Description);
        first.say(words);
        first
    }

    fn unions(&mut self, first: &mut Schema, any_of: Vec<Schema>, one_of: Vec<Schema>) {
        if first.any_of.is_empty() {
            first.any_of = any_of;
        } else if !any_of.is_empty() {
            if first.any_of.len() * any_of.len() > MOST_PAIRS {
                self.union_in_words(first, any_of, "anyOf");
            } else {
                let own = std::mem::take(&mut first.any_of);
                let pairs = own.iter().flat_map(|one| any_of.iter().map(move |other| (one.clone(), other.clone())));
                first.any_of = pairs.map(|(one, other)| both(one, other)).collect();
            }
        }
        if first.one_of.is_empty() {
            first.one_of = one_of;
        } else if !one_of.is_empty() {
            self.union_in_words(first, one_of, "oneOf");
        }
    }

    /// Says a union in words.
    pub(super) fn union_in_words(&mut self, schema: &mut Schema, alternatives: Vec<Schema>, word: &'static str) {
        let place = alternatives.first().map_or(schema.place, |one| one.place);
        self.lose(place, word, Fallback::Description);
        let words = self.union_words(alternatives, word, "");
        schema.say(words);
    }

    /// What a union says, after some words about whose it is.
    pub(super) fn union_words(&mut self, alternatives: Vec<Schema>, word: &'static str, whose: &str) -> Template {
        let place = alternatives.first().map(|one| one.place);
        let Some(place) = place else { return Template::new() };
        let mut union = Schema::new(place);
        let how_many = if word == "oneOf" { "Exactly" } else { "At least" };
        *(if word == "oneOf" { &mut union.one_of } else { &mut union.any_of }) = alternatives;
        if self.room_for(&union) {
            let json = self.defs.document(&union).json();
            of_json(&format!("{whose}Must also match this JSON Schema"), json)
        } else {
            vec![crate::text::template::Piece::Text(format!("{whose}{how_many} one of its alternatives holds."))]
        }
    }

    /// Moves a keyword at `place` into the description.
    pub(super) fn in_words(&mut self, schema: &mut Schema, word: &'static str, place: Place, words: Option<String>) {
        if words.is_some() {
            self.lose(place, word, Fallback::Description);
            schema.tell(words);
        }
    }
}

/// The values of both; none where no value is named by both.
fn values(first: &mut Schema, choices: Vec<Choice>, constant: Option<At<Value>>) -> Option<()> {
    let named = |value: &Value, choices: &[Choice]| choices.iter().position(|one| equal(&one.value.value, value));
    match (first.constant.take(), constant) {
        (Some(one), Some(other)) if !equal(&one.value, &other.value) => return None,
        (Some(one), _) | (None, Some(one)) => {
            let lists = [&first.choices, &choices];
            if lists.iter().any(|list| !list.is_empty() && named(&one.value, list).is_none()) {
                return None;
            }
            first.choices.clear();
            first.constant = Some(one);
            return Some(());
        }
        (None, None) => {}
    }
    if first.choices.is_empty() {
        first.choices = choices;
    } else if !choices.is_empty() {
        let own = std::mem::take(&mut first.choices);
        first.choices = own
            .into_iter()
            .filter_map(|mut one| {
                let other = &choices[named(&one.value.value, &choices)?];
                one.when = and(one.when, other.when.clone());
                Some(one)
            })
            .collect();
        if first.choices.is_empty() {
            return None;
        }
    }
    Some(())
}

/// Both, put together later.
fn both(one: Schema, other: Schema) -> Schema {
    let mut schema = Schema::new(one.place);
    schema.all_of = vec![one, other];
    schema
}

fn and(one: Option<At<When>>, other: Option<At<When>>) -> Option<At<When>> {
    match (one, other) {
        (Some(one), Some(other)) if one.value != other.value => {
            Some(At::new(Condition::And(vec![one.value, other.value]), one.place))
        }
        (one, other) => one.or(other),
    }
}

fn join(own: &mut Option<At<Template>>, other: At<Template>) {
    match own {
        None => *own = Some(other),
        Some(own) if own.value == other.value => {}
        Some(own) => say(&mut own.value, other.value),
    }
}

fn types(one: &[Type], other: &[Type]) -> Option<Vec<Type>> {
    if one.is_empty() || other.is_empty() {
        return Some(if one.is_empty() { other } else { one }.to_vec());
    }
    let mut common = Vec::new();
    for ty in one {
        let found = match ty {
            ty if other.contains(ty) => Some(*ty),
            Type::Integer | Type::Number if other.contains(&Type::Number) || other.contains(&Type::Integer) => {
                Some(Type::Integer)
            }
            _ => None,
        };
        common.extend(found.filter(|found| !common.contains(found)));
    }
    (!common.is_empty()).then_some(common)
}

/// Returns the tightest bounds of both, and a `multipleOf` that cannot be merged.
fn tightest(mut own: Bounds, other: &Bounds) -> (Bounds, Option<Value>) {
    fn keep(own: &mut Option<At<Value>>, other: Option<&At<Value>>, tighter: Ordering) {
        let Some(other) = other else { return };
        let wins = own.as_ref().is_none_or(|own| compare_numbers(&other.value, &own.value) == Some(tighter));
        if wins {
            *own = Some(other.clone());
        }
    }
    let least = Ordering::Greater;
    let most = Ordering::Less;
    keep(&mut own.minimum, other.minimum.as_ref(), least);
    keep(&mut own.maximum, other.maximum.as_ref(), most);
    keep(&mut own.exclusive_minimum, other.exclusive_minimum.as_ref(), least);
    keep(&mut own.exclusive_maximum, other.exclusive_maximum.as_ref(), most);
    keep(&mut own.min_length, other.min_length.as_ref(), least);
    keep(&mut own.max_length, other.max_length.as_ref(), most);
    keep(&mut own.min_items, other.min_items.as_ref(), least);
    keep(&mut own.max_items, other.max_items.as_ref(), most);
    keep(&mut own.min_properties, other.min_properties.as_ref(), least);
    keep(&mut own.max_properties, other.max_properties.as_ref(), most);
    if other.unique_items.as_ref().is_some_and(|flag| flag.value == Value::Bool(true)) || own.unique_items.is_none() {
        own.unique_items.clone_from(&other.unique_items);
    }
    let mut loose = None;
    if let Some(step) = &other.multiple_of {
        let is_multiple = |of: &Value, step: &Value| match (of.as_i64(), step.as_i64()) {
            (Some(of), Some(step)) => step != 0 && of % step == 0,
            _ => equal(of, step),
        };
        match &own.multiple_of {
            Some(own) if is_multiple(&own.value, &step.value) => {}
            Some(own) if !is_multiple(&step.value, &own.value) => loose = Some(step.value.clone()),
            _ => own.multiple_of = Some(step.clone()),
        }
    }
    (own, loose)
}

/// What both say of objects.
fn objects(first: &mut Schema, properties: Vec<Property>, additional: Additional) -> Option<()> {
    let own = std::mem::take(&mut first.properties);
    let (mut all, mut others) = (Vec::new(), properties);
    for mut property in own {
        let position = others.iter().position(|other| other.name.value == property.name.value);
        match position.map(|position| others.remove(position)) {
            Some(other) => {
                property.required |= other.required;
                property.secret |= other.secret;
                property.when = and(property.when, other.when);
                property.schema = both(property.schema, other.schema);
                all.push(property);
            }
            None => within(property, &additional, &mut all)?,
        }
    }
    for property in others {
        within(property, &first.additional, &mut all)?;
    }
    first.properties = all;
    first.additional = match (std::mem::replace(&mut first.additional, Additional::Deny), additional) {
        (Additional::Deny, _) | (_, Additional::Deny) => Additional::Deny,
        (Additional::Allow, other) | (other, Additional::Allow) => other,
        (Additional::Schema(one), Additional::Schema(other)) => Additional::Schema(Box::new(both(*one, *other))),
    };
    Some(())
}

/// Adds a property that the other object does not declare. Returns `None` if it is required and not allowed.
fn within(mut property: Property, additional: &Additional, all: &mut Vec<Property>) -> Option<()> {
    match additional {
        Additional::Deny => return (!property.required).then_some(()),
        Additional::Allow => {}
        Additional::Schema(schema) => property.schema = both(property.schema, (**schema).clone()),
    }
    all.push(property);
    Some(())
}
