//! Schemas without `$ref`, `anyOf`, `oneOf` and `allOf`: types, enums, items, properties, bounds and annotations.

use serde_json::Value;
use toolc::__gen::table::Type;
use toolc_tables::diagnostic::At;

use super::details::refuses_pattern;
use super::pattern::to_grammar_pattern;
use super::union::take_annotations;
use super::{Fallback, NarrowSchema, Narrower};
use crate::dialects::Enums;
use crate::prose::{enum_prose, keyword_prose};
use crate::schema::{Additional, Bounds, Choice, Schema, type_of};

/// The types that replace a missing `type`: every type that needs no further keywords.
const ANY: [Type; 4] = [Type::String, Type::Number, Type::Boolean, Type::Null];

impl Narrower<'_> {
    /// Narrows a schema without `$ref`, `anyOf`, `oneOf` and `allOf`.
    pub(super) fn narrow_plain(&mut self, mut schema: Schema) -> NarrowSchema {
        if !schema.others.is_empty() {
            let others = std::mem::take(&mut schema.others);
            let prose = self.others_description(&schema, others, "Must");
            schema.add_description(prose);
        }
        if let Some(constant) = schema
            .constant
            .take_if(|constant| !self.accepts("const") || matches!(constant.value, Value::Array(_) | Value::Object(_)))
        {
            schema.choices = vec![Choice { value: constant, when: None }];
        }
        self.narrow_types(&mut schema);
        let non_null: Vec<Type> = schema.types.iter().copied().filter(|ty| *ty != Type::Null).collect();
        let is_composite = |ty: &Type| matches!(ty, Type::Array | Type::Object);
        let may_list = self.accepts_type_lists() && !non_null.iter().any(is_composite);
        let has_null = self.accepts_null() && schema.types.contains(&Type::Null) && !non_null.is_empty();
        if (non_null.len() <= 1 || may_list) && (!has_null || self.lists_null()) {
            return self.narrow_single(schema);
        }
        // A union with an alternative for each type. Scalar types share one if the dialect accepts lists of types.
        let mut groups: Vec<Vec<Type>> = Vec::new();
        for ty in non_null {
            let scalars = groups.iter_mut().find(|group| self.accepts_type_lists() && !is_composite(&group[0]));
            match scalars.filter(|_| !is_composite(&ty)) {
                Some(group) => group.push(ty),
                None => groups.push(vec![ty]),
            }
        }
        if schema.types.contains(&Type::Null) {
            groups.push(vec![Type::Null]);
        }
        let annotations = take_annotations(&mut schema);
        let mut alternatives = Vec::new();
        for types in groups {
            let mut alternative = schema.clone();
            alternative.types = types;
            if let Some(alternative) = self.restrict_choices(alternative) {
                alternatives.push(self.narrow_single(alternative));
            }
        }
        self.combine_alternatives(annotations, alternatives)
    }

    /// Gives a schema explicit types, limited to those of its `enum`.
    fn narrow_types(&mut self, schema: &mut Schema) {
        if schema.types.is_empty() {
            let is_closed = schema.is_object();
            schema.types = schema.effective_types();
            if !is_closed && schema.types.contains(&Type::Object) {
                // The values of an `enum` alone say what the object contains.
                schema.additional = Additional::Allow;
            }
        }
        if schema.types.is_empty() {
            self.record_dropped(schema, "type");
            schema.types = if schema.is_object() {
                vec![Type::Object]
            } else if schema.items.is_some() {
                vec![Type::Array]
            } else {
                ANY.to_vec()
            };
        }
        if !schema.choices.is_empty() {
            let has_value = |ty: &Type| schema.choices.iter().any(|choice| is_of_type(&choice.value.value, *ty));
            let types: Vec<Type> = schema.types.iter().copied().filter(has_value).collect();
            if types.is_empty() {
                // `type` and `enum` contradict each other.
                self.record_dropped(schema, "enum");
                schema.choices.clear();
            } else {
                schema.types = types;
                // A value of another type is never valid, and a vendor may refuse it: null in an enum of strings.
                let is_typed = |choice: &Choice| schema.types.iter().any(|ty| is_of_type(&choice.value.value, *ty));
                schema.choices.retain(is_typed);
            }
        }
        if schema.types.contains(&Type::Number) {
            schema.types.retain(|ty| *ty != Type::Integer);
        }
    }

    /// Keeps the values of `enum` that fit the types of the schema. Returns `None` if the enum could be empty in some turn.
    fn restrict_choices(&mut self, mut schema: Schema) -> Option<Schema> {
        if !schema.choices.is_empty() {
            schema.choices.retain(|choice| schema.types.iter().any(|ty| is_of_type(&choice.value.value, *ty)));
            if schema.choices.iter().all(|choice| choice.when.is_some()) {
                self.record_dropped(&schema, "enum");
                return None;
            }
        }
        Some(schema)
    }

    /// Narrows a schema of one type, or of several scalar types; null may be one of the types.
    fn narrow_single(&mut self, mut schema: Schema) -> NarrowSchema {
        if schema.types == [Type::Null] {
            schema.choices.clear();
            schema.constant = None;
        } else if !self.accepts_null() && schema.types.contains(&Type::Null) {
            self.record_dropped(&schema, "null");
            schema.types.retain(|ty| *ty != Type::Null);
            schema.choices.retain(|choice| !choice.value.value.is_null());
        }
        let subset = &self.dialect.schema;
        if matches!(schema.additional, Additional::Unstated) && subset.open_objects().is_some() {
            // The declared properties say more than a text could.
            schema.additional = if schema.properties.is_empty() { Additional::Allow } else { Additional::Deny };
        }
        let is_open = schema.types.contains(&Type::Object)
            && schema.choices.is_empty()
            && ((!matches!(schema.additional, Additional::Deny) && subset.open_objects().is_some())
                || (schema.properties.is_empty() && subset.empty_objects().is_some()));
        if is_open {
            return self.narrow_to_json_text(&schema, "additionalProperties");
        }
        let is_json_text = self.narrow_enum(&mut schema);
        drop_keywords_of_other_types(&mut schema);
        let losses_before = self.losses.len();
        if schema.types.contains(&Type::Array) {
            let needs_items = self.dialect.schema.untyped_arrays().is_some();
            let any = needs_items.then(|| Schema::new(schema.place));
            schema.items = schema.items.take().map(|items| *items).or(any).map(|items| {
                let items = self.at_path("[]", |narrower| narrower.narrow_schema(items));
                Box::new(items.schema)
            });
        }
        if schema.types.contains(&Type::Object) {
            let properties = std::mem::take(&mut schema.properties);
            schema.properties = properties.into_iter().map(|property| self.narrow_property(property)).collect();
            self.narrow_additional(&mut schema);
        }
        // If a part is sent in another form, so are the default and the examples.
        let changes_form = self.losses[losses_before..].iter().any(|loss| loss.fallback != Fallback::Description);
        self.narrow_bounds(&mut schema);
        self.narrow_annotations(&mut schema, is_json_text || changes_form);
        NarrowSchema { schema, is_json_text }
    }

    /// Narrows the values of an `enum`. Returns whether they are JSON texts now.
    fn narrow_enum(&mut self, schema: &mut Schema) -> bool {
        let Some(enums) = self.dialect.schema.enums().filter(|_| !schema.choices.is_empty()) else { return false };
        let non_null: Vec<Type> = schema.types.iter().copied().filter(|ty| *ty != Type::Null).collect();
        match (enums.value, non_null.as_slice()) {
            (_, [Type::Array | Type::Object]) => {
                let fallback = if self.is_repaired { Fallback::JsonText } else { Fallback::Dropped };
                self.record_loss(schema.keyword_place("enum"), "enum", fallback);
                for choice in schema.choices.iter_mut().filter(|choice| !choice.value.value.is_null()) {
                    choice.value.value = choice.value.value.to_string().into();
                }
                for ty in schema.types.iter_mut().filter(|ty| **ty != Type::Null) {
                    *ty = Type::String;
                }
                schema.additional = Additional::Deny;
                schema.add_sentence(Some("Write one of these values, as JSON text.".to_owned()));
                true
            }
            (Enums::Strings, [Type::String]) => {
                self.narrow_null_choice(schema);
                self.narrow_empty_choice(schema);
                false
            }
            (Enums::Strings, []) => {
                schema.choices.clear();
                false
            }
            (Enums::Strings, _) => {
                self.narrow_null_choice(schema);
                self.describe_choices(schema);
                false
            }
            _ => false,
        }
    }

    /// Makes an `enum` of strings allow null in every turn or in none: drops a conditional null, and the type null if no value is null.
    fn narrow_null_choice(&mut self, schema: &mut Schema) {
        let null = schema.choices.iter().position(|choice| choice.value.value.is_null());
        if let Some(position) = null.filter(|position| schema.choices[*position].when.is_some()) {
            schema.choices.remove(position);
            self.record_dropped(schema, "enum");
        }
        if !schema.choices.iter().any(|choice| choice.value.value.is_null()) {
            schema.types.retain(|ty| *ty != Type::Null);
        }
    }

    /// Moves the empty string of an `enum` into the description. If nothing else remains in every turn, all values move.
    fn narrow_empty_choice(&mut self, schema: &mut Schema) {
        let is_empty = |choice: &Choice| choice.value.value == "";
        let Some(empty) = schema.choices.iter().find(|choice| is_empty(choice)) else { return };
        let (place, is_conditional) = (empty.value.place, empty.when.is_some());
        let remains = |choice: &Choice| choice.when.is_none() && !is_empty(choice) && !choice.value.value.is_null();
        if is_conditional || !schema.choices.iter().any(remains) {
            self.describe_choices(schema);
            return;
        }
        schema.choices.retain(|choice| !is_empty(choice));
        self.record_loss(place, "enum", Fallback::Description);
        schema.add_sentence(Some("An empty string is allowed, too.".to_owned()));
    }

    /// Moves the values of an `enum` into the description. An enum of integers keeps its least and greatest value as bounds.
    fn describe_choices(&mut self, schema: &mut Schema) {
        let mut choices = std::mem::take(&mut schema.choices);
        choices.retain(|choice| !choice.value.value.is_null());
        let is_always_allowed =
            |flag: bool| choices.iter().any(|choice| choice.when.is_none() && choice.value.value == flag);
        if schema.types.contains(&Type::Boolean) && is_always_allowed(true) && is_always_allowed(false) {
            return;
        }
        self.record_loss(
            choices.first().map_or(schema.place, |choice| choice.value.place),
            "enum",
            Fallback::Description,
        );
        schema.add_description(enum_prose(&choices));
        let numbers: Option<Vec<i64>> = choices.iter().map(|choice| choice.value.value.as_i64()).collect();
        if let Some(numbers) = numbers
            && let (Some(min), Some(max)) = (numbers.iter().min(), numbers.iter().max())
        {
            let place = schema.place;
            schema.bounds = schema.bounds.with(|bounds| {
                bounds.minimum = Some(At::new(Value::from(*min), place));
                bounds.maximum = Some(At::new(Value::from(*max), place));
                // Every value of the enum satisfies the other bounds.
                (bounds.exclusive_minimum, bounds.exclusive_maximum, bounds.multiple_of) = (None, None, None);
            });
        }
    }

    /// Keeps the supported bounds, pattern and format, and moves the others into the description.
    fn narrow_bounds(&mut self, schema: &mut Schema) {
        if schema.bounds.iter().next().is_some() {
            let is_integer = schema.types.iter().all(|ty| matches!(ty, Type::Integer | Type::Null));
            if is_integer {
                self.close_exclusive_bounds(schema);
            }
            let mut kept = Bounds::default();
            for (keyword, bound) in Bounds::clone(&schema.bounds).iter() {
                let limit = if keyword == "minItems" { self.dialect.schema.max_min_items() } else { None };
                let limit = limit.map(|limit| limit.value);
                if self.accepts(keyword) && self.is_too_long(keyword, &bound.value) {
                    self.describe_keyword(schema, keyword, bound.place, keyword_prose(keyword, &bound.value));
                    continue;
                }
                let is_within = limit.is_none_or(|limit| bound.value.as_u64().is_some_and(|value| value <= limit));
                if self.accepts(keyword) && is_within {
                    kept.set(keyword, bound.clone());
                    continue;
                }
                if self.accepts(keyword)
                    && let Some(limit) = limit
                {
                    kept.set(keyword, At::new(Value::from(limit), bound.place));
                }
                self.describe_keyword(schema, keyword, bound.place, keyword_prose(keyword, &bound.value));
            }
            schema.bounds = kept.into();
        }
        if let Some(pattern) = schema.pattern.take() {
            let kept = match self.dialect.schema.non_grammar_patterns() {
                _ if !self.accepts("pattern") || refuses_pattern(self.dialect, &pattern.value) => None,
                // llama.cpp reads the patterns of parameters only.
                _ if self.level > 1 && self.dialect.schema.nested_patterns().is_some() => None,
                None => Some(pattern.value.clone()),
                Some(_) => {
                    to_grammar_pattern(&pattern.value, self.dialect.schema.max_repetitions().map(|max| max.value))
                }
            };
            if let Some(kept) = kept {
                schema.pattern = Some(At::new(kept, pattern.place));
            } else {
                self.record_loss(pattern.place, "pattern", Fallback::Description);
                schema.add_sentence(keyword_prose("pattern", &Value::from(pattern.value)));
            }
        }
        let accepts_format = |format: &str| {
            let formats = self.dialect.schema.formats();
            self.accepts("format") && formats.is_none_or(|formats| formats.value.contains(&format))
        };
        if let Some(format) = schema.format.take_if(|format| !accepts_format(&format.value)) {
            self.describe_keyword(schema, "format", format.place, keyword_prose("format", &Value::from(format.value)));
        }
    }

    /// Returns whether a bound is a number of characters or items that a grammar cannot repeat.
    fn is_too_long(&self, keyword: &str, bound: &Value) -> bool {
        let is_count = ["minLength", "maxLength", "minItems", "maxItems"].contains(&keyword);
        let max = self.dialect.schema.max_repetitions().filter(|_| is_count);
        max.is_some_and(|max| bound.as_u64().is_none_or(|count| count > max.value))
    }

    /// Replaces exclusive bounds of integers by inclusive ones if the dialect supports only those: more than 3 is at least 4.
    fn close_exclusive_bounds(&self, schema: &mut Schema) {
        let close = |exclusive: &mut Option<At<Value>>, inclusive: &mut Option<At<Value>>, keyword: &str, step: i64| {
            if self.accepts(keyword) || !self.accepts(if step > 0 { "minimum" } else { "maximum" }) {
                return;
            }
            let Some(At { value, place }) = exclusive else { return };
            let Some(closed) = value.as_i64().and_then(|integer| integer.checked_add(step)) else { return };
            let is_tighter = match inclusive {
                None => true,
                Some(bound) => {
                    bound.value.as_i64().is_some_and(|bound| if step > 0 { closed > bound } else { closed < bound })
                }
            };
            if is_tighter {
                *inclusive = Some(At::new(Value::from(closed), *place));
                *exclusive = None;
            }
        };
        schema.bounds = schema.bounds.with(|bounds| {
            close(&mut bounds.exclusive_minimum, &mut bounds.minimum, "exclusiveMinimum", 1);
            close(&mut bounds.exclusive_maximum, &mut bounds.maximum, "exclusiveMaximum", -1);
        });
    }

    /// Keeps the supported annotations, and moves the others into the description. `changes_form`: the value is not sent in the form
    /// of the manifest, so its default and examples cannot be kept.
    pub(super) fn narrow_annotations(&mut self, schema: &mut Schema, changes_form: bool) {
        let can_keep = |default: &Value| {
            let fits = schema.any_of.is_empty() && schema.types.iter().any(|ty| is_of_type(default, *ty));
            self.accepts("default") && fits && !changes_form && !default.is_object()
        };
        if let Some(default) = schema.default.as_ref().filter(|default| !can_keep(&default.value)).cloned() {
            schema.default = None;
            self.describe_keyword(schema, "default", default.place, keyword_prose("default", &default.value));
        }
        if !schema.examples.is_empty() && (changes_form || !self.accepts("examples")) {
            let place = schema.keyword_place("examples");
            let examples: Value = std::mem::take(&mut schema.examples).into_iter().map(|at| at.value).collect();
            self.describe_keyword(schema, "examples", place, keyword_prose("examples", &examples));
        }
        if schema.deprecated && !self.accepts("deprecated") {
            schema.deprecated = false;
            self.describe_keyword(schema, "deprecated", schema.place, keyword_prose("deprecated", &Value::Bool(true)));
        }
    }
}

/// Removes the keywords that only apply to other types than those of the schema.
fn drop_keywords_of_other_types(schema: &mut Schema) {
    let has = |types: &[Type]| schema.types.iter().any(|ty| types.contains(ty));
    let numbers = has(&[Type::Integer, Type::Number]);
    let [strings, arrays, objects] = [Type::String, Type::Array, Type::Object].map(|ty| has(&[ty]));
    let keep_if = |condition: bool, bound: &Option<At<Value>>| if condition { bound.clone() } else { None };
    let bounds = &schema.bounds;
    schema.bounds = Bounds {
        minimum: keep_if(numbers, &bounds.minimum),
        maximum: keep_if(numbers, &bounds.maximum),
        exclusive_minimum: keep_if(numbers, &bounds.exclusive_minimum),
        exclusive_maximum: keep_if(numbers, &bounds.exclusive_maximum),
        multiple_of: keep_if(numbers, &bounds.multiple_of),
        min_length: keep_if(strings, &bounds.min_length),
        max_length: keep_if(strings, &bounds.max_length),
        min_items: keep_if(arrays, &bounds.min_items),
        max_items: keep_if(arrays, &bounds.max_items),
        unique_items: keep_if(arrays, &bounds.unique_items),
        min_properties: keep_if(objects, &bounds.min_properties),
        max_properties: keep_if(objects, &bounds.max_properties),
    }
    .into();
    if !strings {
        schema.pattern = None;
    }
    if !arrays {
        schema.items = None;
    }
    if !objects {
        schema.properties.clear();
        schema.additional = Additional::Deny;
    }
}

/// Returns whether a value is of a type. A number without a fractional part is also an integer.
pub(super) fn is_of_type(value: &Value, ty: Type) -> bool {
    match (type_of(value), ty) {
        (Type::Integer, Type::Number) => true,
        (Type::Number, Type::Integer) => value.as_f64().is_some_and(|float| float.fract() == 0.0),
        (value_type, ty) => value_type == ty,
    }
}
