//! Schemas without unions and composition: types, values, bounds.

use serde_json::Value;
use toolc::__gen::table::Type;

use super::pattern::for_grammar;
use super::union::shell;
use super::{Fallback, Narrow, Narrower};
use crate::diagnostic::At;
use crate::dialects::Enums;
use crate::lower::prose::{one_of, said};
use crate::schema::{Additional, Bounds, Choice, Schema, type_of};

/// The types of an unconstrained value.
const ANY: [Type; 4] = [Type::String, Type::Number, Type::Boolean, Type::Null];

impl Narrower<'_> {
    pub(super) fn plain(&mut self, mut schema: Schema) -> Narrow {
        if let Some(constant) = schema
            .constant
            .take_if(|constant| !self.accepts("const") || matches!(constant.value, Value::Array(_) | Value::Object(_)))
        {
            schema.choices = vec![Choice { value: constant, when: None }];
        }
        self.types(&mut schema);
        let others: Vec<Type> = schema.types.iter().copied().filter(|ty| *ty != Type::Null).collect();
        let is_composite = |ty: &Type| matches!(ty, Type::Array | Type::Object);
        let may_list = self.accepts_type_lists() && !others.iter().any(is_composite);
        let has_null = self.accepts_null() && schema.types.contains(&Type::Null) && !others.is_empty();
        if (others.len() <= 1 || may_list) && (!has_null || self.lists_null()) {
            return self.one(schema);
        }
        let mut groups: Vec<Vec<Type>> = Vec::new();
        for ty in others {
            let scalars = groups.iter_mut().find(|group| self.accepts_type_lists() && !is_composite(&group[0]));
            match scalars.filter(|_| !is_composite(&ty)) {
                Some(group) => group.push(ty),
                None => groups.push(vec![ty]),
            }
        }
        if schema.types.contains(&Type::Null) {
            groups.push(vec![Type::Null]);
        }
        let shell = shell(&mut schema);
        let mut alternatives = Vec::new();
        for group in groups {
            let mut part = schema.clone();
            part.types = group;
            if let Some(part) = self.chosen(part) {
                alternatives.push(self.one(part));
            }
        }
        self.settle(shell, alternatives)
    }

    /// Names the types of a schema that names none, and those alone that it can have.
    fn types(&mut self, schema: &mut Schema) {
        if schema.types.is_empty() {
            let is_closed = schema.is_object();
            schema.types = schema.effective_types();
            if !is_closed && schema.types.contains(&Type::Object) {
                // The values of an `enum` alone say what the object contains.
                schema.additional = Additional::Allow;
            }
        }
        if schema.types.is_empty() {
            self.leave(schema, "type");
            schema.types = if schema.is_object() {
                vec![Type::Object]
            } else if schema.items.is_some() {
                vec![Type::Array]
            } else {
                ANY.to_vec()
            };
        }
        if !schema.choices.is_empty() {
            let named = |ty: &Type| schema.choices.iter().any(|choice| fits(&choice.value.value, *ty));
            let types: Vec<Type> = schema.types.iter().copied().filter(named).collect();
            if types.is_empty() {
                // It contradicts itself.
                self.leave(schema, "enum");
                schema.choices.clear();
            } else {
                schema.types = types;
            }
        }
        if schema.types.contains(&Type::Number) {
            schema.types.retain(|ty| *ty != Type::Integer);
        }
    }

    /// The part of a schema that is about its own types. None where no value of them is there in every turn.
    fn chosen(&mut self, mut part: Schema) -> Option<Schema> {
        if !part.choices.is_empty() {
            part.choices.retain(|choice| part.types.iter().any(|ty| fits(&choice.value.value, *ty)));
            if part.choices.iter().all(|choice| choice.when.is_some()) {
                self.leave(&part, "enum");
                return None;
            }
        }
        Some(part)
    }

    /// A schema of one type or of scalars, perhaps with null.
    fn one(&mut self, mut schema: Schema) -> Narrow {
        if schema.types == [Type::Null] {
            schema.choices.clear();
            schema.constant = None;
        } else if !self.accepts_null() && schema.types.contains(&Type::Null) {
            self.leave(&schema, "null");
            schema.types.retain(|ty| *ty != Type::Null);
            schema.choices.retain(|choice| !choice.value.value.is_null());
        }
        let subset = &self.dialect.schema;
        let is_open = schema.types.contains(&Type::Object)
            && schema.choices.is_empty()
            && ((!matches!(schema.additional, Additional::Deny) && subset.open_objects().is_some())
                || (schema.properties.is_empty() && subset.empty_objects().is_some()));
        if is_open {
            return self.text(&schema, "additionalProperties");
        }
        let is_text = self.values(&mut schema);
        only_own(&mut schema);
        let known = self.losses.len();
        if schema.types.contains(&Type::Array) {
            let needs_items = self.dialect.schema.untyped_arrays().is_some();
            let any = needs_items.then(|| Schema::new(schema.place));
            schema.items = schema.items.take().map(|items| *items).or(any).map(|items| {
                let items = self.below("[]", |narrower| narrower.schema(items));
                Box::new(items.schema)
            });
        }
        if schema.types.contains(&Type::Object) {
            let properties = std::mem::take(&mut schema.properties);
            schema.properties = properties.into_iter().map(|property| self.property(property)).collect();
            self.additional_values(&mut schema);
        }
        // A value that the author wrote may not be sent as it is any more.
        let is_other = self.losses[known..].iter().any(|loss| loss.fallback != Fallback::Description);
        self.bounds(&mut schema);
        self.annotate(&mut schema, is_text || is_other);
        Narrow { schema, is_text }
    }

    /// The values of an `enum`. Whether they are JSON texts now.
    fn values(&mut self, schema: &mut Schema) -> bool {
        let Some(enums) = self.dialect.schema.enums().filter(|_| !schema.choices.is_empty()) else { return false };
        let others: Vec<Type> = schema.types.iter().copied().filter(|ty| *ty != Type::Null).collect();
        match (enums.value, others.as_slice()) {
            (_, [Type::Array | Type::Object]) => {
                let how = if self.reads_texts { Fallback::JsonText } else { Fallback::Dropped };
                self.lose(schema.word_place("enum"), "enum", how);
                for choice in schema.choices.iter_mut().filter(|choice| !choice.value.value.is_null()) {
                    choice.value.value = choice.value.value.to_string().into();
                }
                schema.types.iter_mut().filter(|ty| **ty != Type::Null).for_each(|ty| *ty = Type::String);
                schema.additional = Additional::Deny;
                schema.tell(Some("Write one of these values, as JSON text.".to_owned()));
                true
            }
            (Enums::Strings, [Type::String]) => {
                self.null_choice(schema);
                false
            }
            (Enums::Strings, []) => {
                schema.choices.clear();
                false
            }
            (Enums::Strings, _) => {
                self.null_choice(schema);
                self.choices_in_words(schema);
                false
            }
            _ => false,
        }
    }

    /// Adds null to an `enum` of strings, in every turn or in none.
    fn null_choice(&mut self, schema: &mut Schema) {
        let null = schema.choices.iter().position(|choice| choice.value.value.is_null());
        if let Some(position) = null.filter(|position| schema.choices[*position].when.is_some()) {
            schema.choices.remove(position);
            self.leave(schema, "enum");
        }
        if !schema.choices.iter().any(|choice| choice.value.value.is_null()) {
            schema.types.retain(|ty| *ty != Type::Null);
        }
    }

    /// Says the values of an `enum` in words; of integers, at least between which they are.
    fn choices_in_words(&mut self, schema: &mut Schema) {
        let mut choices = std::mem::take(&mut schema.choices);
        choices.retain(|choice| !choice.value.value.is_null());
        let is_both = |flag: bool| choices.iter().any(|choice| choice.when.is_none() && choice.value.value == flag);
        if schema.types.contains(&Type::Boolean) && is_both(true) && is_both(false) {
            return;
        }
        self.lose(choices.first().map_or(schema.place, |choice| choice.value.place), "enum", Fallback::Description);
        schema.say(one_of(&choices));
        let numbers: Option<Vec<i64>> = choices.iter().map(|choice| choice.value.value.as_i64()).collect();
        if let Some(numbers) = numbers
            && let (Some(least), Some(most)) = (numbers.iter().min(), numbers.iter().max())
        {
            let place = schema.place;
            schema.bounds = schema.bounds.with(|bounds| {
                bounds.minimum = Some(At::new(Value::from(*least), place));
                bounds.maximum = Some(At::new(Value::from(*most), place));
                // Every value of the enum is within whatever else is said.
                (bounds.exclusive_minimum, bounds.exclusive_maximum, bounds.multiple_of) = (None, None, None);
            });
        }
    }

    /// Bounds, pattern and format.
    fn bounds(&mut self, schema: &mut Schema) {
        if schema.bounds.iter().next().is_some() {
            let is_integer = schema.types.iter().all(|ty| matches!(ty, Type::Integer | Type::Null));
            if is_integer {
                self.next_integers(schema);
            }
            let mut kept = Bounds::default();
            for (word, bound) in Bounds::clone(&schema.bounds).iter() {
                let most = self.dialect.schema.max_min_items().filter(|_| word == "minItems").map(|most| most.value);
                let fits = most.is_none_or(|most| bound.value.as_u64().is_some_and(|least| least <= most));
                if self.accepts(word) && fits {
                    kept.set(word, bound.clone());
                    continue;
                }
                if let (true, Some(most)) = (self.accepts(word), most) {
                    kept.set(word, At::new(Value::from(most), bound.place));
                }
                if let Some(words) = said(word, &bound.value) {
                    self.lose(bound.place, word, Fallback::Description);
                    schema.tell(Some(words));
                }
            }
            schema.bounds = kept.into();
        }
        if let Some(pattern) = schema.pattern.take() {
            let kept = match self.dialect.schema.non_grammar_patterns() {
                _ if !self.accepts("pattern") => None,
                None => Some(pattern.value.clone()),
                Some(_) => for_grammar(&pattern.value),
            };
            if let Some(kept) = kept {
                schema.pattern = Some(At::new(kept, pattern.place));
            } else {
                self.lose(pattern.place, "pattern", Fallback::Description);
                schema.tell(said("pattern", &Value::from(pattern.value)));
            }
        }
        let knows = |format: &str| {
            self.accepts("format") && self.dialect.schema.formats().is_none_or(|known| known.value.contains(&format))
        };
        if let Some(format) = schema.format.take_if(|format| !knows(format)) {
            self.in_words(schema, "format", schema.place, said("format", &Value::from(format)));
        }
    }

    /// Bounds of integers that are not to be reached, by the next integers, where only those can be said.
    fn next_integers(&self, schema: &mut Schema) {
        let next = |bound: &mut Option<At<Value>>, to: &mut Option<At<Value>>, word: &str, by: i64| {
            if self.accepts(word) || !self.accepts(if by > 0 { "minimum" } else { "maximum" }) {
                return;
            }
            let Some(At { value, place }) = bound else { return };
            let Some(integer) = value.as_i64().and_then(|integer| integer.checked_add(by)) else { return };
            let tighter = to
                .as_ref()
                .is_none_or(|to| to.value.as_i64().is_some_and(|to| if by > 0 { integer > to } else { integer < to }));
            if tighter {
                *to = Some(At::new(Value::from(integer), *place));
                *bound = None;
            }
        };
        schema.bounds = schema.bounds.with(|bounds| {
            next(&mut bounds.exclusive_minimum, &mut bounds.minimum, "exclusiveMinimum", 1);
            next(&mut bounds.exclusive_maximum, &mut bounds.maximum, "exclusiveMaximum", -1);
        });
    }

    /// Keeps the annotations of a value. `is_other`: values are not sent as the author writes them.
    pub(super) fn annotate(&mut self, schema: &mut Schema, is_other: bool) {
        let stays = |default: &Value| {
            let is_own = schema.any_of.is_empty() && !is_other && schema.types.iter().any(|ty| fits(default, *ty));
            self.accepts("default") && is_own && !default.is_object()
        };
        if let Some(default) = schema.default.as_ref().filter(|default| !stays(&default.value)).cloned() {
            schema.default = None;
            self.in_words(schema, "default", default.place, said("default", &default.value));
        }
        if !schema.examples.is_empty() && (is_other || !self.accepts("examples")) {
            let place = schema.word_place("examples");
            let examples = std::mem::take(&mut schema.examples).into_iter().map(|at| at.value).collect();
            self.in_words(schema, "examples", place, said("examples", &examples));
        }
        if schema.deprecated && !self.accepts("deprecated") {
            schema.deprecated = false;
            self.in_words(schema, "deprecated", schema.place, said("deprecated", &Value::Bool(true)));
        }
    }
}

/// Takes away what is about values of other types.
fn only_own(schema: &mut Schema) {
    let has = |types: &[Type]| schema.types.iter().any(|ty| types.contains(ty));
    let numbers = has(&[Type::Integer, Type::Number]);
    let [strings, arrays, objects] = [Type::String, Type::Array, Type::Object].map(|ty| has(&[ty]));
    let keep = |keeps: bool, bound: &Option<At<Value>>| bound.clone().filter(|_| keeps);
    let own = &schema.bounds;
    schema.bounds = Bounds {
        minimum: keep(numbers, &own.minimum),
        maximum: keep(numbers, &own.maximum),
        exclusive_minimum: keep(numbers, &own.exclusive_minimum),
        exclusive_maximum: keep(numbers, &own.exclusive_maximum),
        multiple_of: keep(numbers, &own.multiple_of),
        min_length: keep(strings, &own.min_length),
        max_length: keep(strings, &own.max_length),
        min_items: keep(arrays, &own.min_items),
        max_items: keep(arrays, &own.max_items),
        unique_items: keep(arrays, &own.unique_items),
        min_properties: keep(objects, &own.min_properties),
        max_properties: keep(objects, &own.max_properties),
    }
    .into();
    schema.pattern.take_if(|_| !strings);
    schema.items.take_if(|_| !arrays);
    if !objects {
        schema.properties.clear();
        schema.additional = Additional::Deny;
    }
}

/// Whether a value is of a type.
pub(super) fn fits(value: &Value, ty: Type) -> bool {
    match (type_of(value), ty) {
        (Type::Integer, Type::Number) => true,
        (Type::Number, Type::Integer) => value.as_f64().is_some_and(|float| float.fract() == 0.0),
        (of, ty) => of == ty,
    }
}
