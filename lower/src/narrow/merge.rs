//! Merging: combines two schemas that must both hold into one. Keywords that one schema cannot express are moved to the description.

use std::cmp::Ordering;

use serde_json::Value;
use toolc::__gen::table::Type;
use toolc_tables::diagnostic::{At, Place};

use super::{Fallback, Narrower};
use crate::prose::{append_sentence, json_prose, keyword_prose};
use crate::schema::{Additional, Bounds, Choice, Other, Property, Schema, compare_numbers, equal};
use crate::text::atoms::{Template, When};
use crate::text::condition::Condition;
use crate::text::template::Piece;

/// The maximum number of pairs of alternatives when two unions are merged.
const MAX_PAIRS: usize = 16;
/// The maximum length of further keywords, as JSON, that a description quotes.
const MAX_DESCRIBED: usize = 2_000;

impl Narrower<'_> {
    /// Merges two schemas without `$ref` and `allOf`. Annotations of `first` win. Returns `None` if no value satisfies both.
    pub(super) fn merge(&mut self, mut first: Schema, second: Schema) -> Option<Schema> {
        let are_objects = [first.is_object(), second.is_object()];
        first.types = common_types(&first.types, &second.types)?;
        first.title = first.title.or(second.title);
        if let Some(description) = second.description {
            merge_descriptions(&mut first.description, description);
        }
        first.deprecated |= second.deprecated;
        merge_values(&mut first, second.choices, second.constant)?;
        first.default = first.default.or(second.default);
        if first.examples.is_empty() {
            first.examples = second.examples;
        }
        let (bounds, unmerged_step) = merge_bounds(Bounds::clone(&first.bounds), &second.bounds);
        first.bounds = bounds.into();
        if let Some(step) = unmerged_step {
            let place = first.place;
            self.describe_keyword(&mut first, "multipleOf", place, keyword_prose("multipleOf", &step));
        }
        match (&first.pattern, second.pattern) {
            (None, other) => first.pattern = other,
            (Some(pattern), Some(other)) if pattern.value != other.value => {
                let prose = keyword_prose("pattern", &Value::from(other.value.clone()));
                self.describe_keyword(&mut first, "pattern", other.place, prose);
            }
            _ => {}
        }
        match (&first.format, second.format) {
            (None, other) => first.format = other,
            (Some(format), Some(other)) if format.value != other.value => {
                let prose = keyword_prose("format", &Value::from(other.value));
                self.describe_keyword(&mut first, "format", other.place, prose);
            }
            _ => {}
        }
        first.items = match (first.items.take(), second.items) {
            (Some(items), Some(other)) => Some(Box::new(all_of(*items, *other))),
            (items, other) => items.or(other),
        };
        match are_objects {
            [true, true] => merge_objects(&mut first, second.properties, second.additional)?,
            [false, true] => (first.properties, first.additional) = (second.properties, second.additional),
            [_, false] => {}
        }
        self.merge_unions(&mut first, second.any_of, second.one_of);
        self.merge_others(&mut first, second.others);
        Some(first)
    }

    /// Merges two schemas, or adds `second` to the description of `first` if no value satisfies both.
    pub(super) fn merge_or_describe(&mut self, mut first: Schema, second: &Schema) -> Schema {
        if let Some(merged) = self.merge(first.clone(), second.clone()) {
            return merged;
        }
        let prose = self.describe_schema(second, "Must also match this JSON Schema");
        self.record_loss(second.place, "allOf", Fallback::Description);
        first.add_description(prose);
        first
    }

    /// Adds the alternatives of another schema. Two `anyOf` become the `anyOf` of all pairs; a second `oneOf` is described.
    fn merge_unions(&mut self, first: &mut Schema, any_of: Vec<Schema>, one_of: Vec<Schema>) {
        if first.any_of.is_empty() {
            first.any_of = any_of;
        } else if !any_of.is_empty() {
            if first.any_of.len() * any_of.len() > MAX_PAIRS {
                self.describe_union(first, any_of, "anyOf");
            } else {
                let mut pairs = Vec::new();
                for alternative in &first.any_of {
                    pairs.extend(any_of.iter().map(|other| all_of(alternative.clone(), other.clone())));
                }
                first.any_of = pairs;
            }
        }
        if first.one_of.is_empty() {
            first.one_of = one_of;
        } else if !one_of.is_empty() {
            self.describe_union(first, one_of, "oneOf");
        }
    }

    /// Adds further keywords of another schema. Those that the schema has with another value are described.
    fn merge_others(&mut self, first: &mut Schema, mut others: Vec<Other>) {
        others.retain(|other| !first.others.contains(other));
        // These three belong together.
        let group = |keyword: &'static str| if ["then", "else"].contains(&keyword) { "if" } else { keyword };
        let is_other = |other: &Other| first.others.iter().any(|known| group(known.keyword) == group(other.keyword));
        if others.iter().any(is_other) {
            let prose = self.others_description(first, others, "Must");
            first.add_description(prose);
        } else {
            first.others.append(&mut others);
        }
    }

    /// Returns a sentence about further keywords, which begins with `lead`, such as `Must`. Records their loss.
    pub(super) fn others_description(&mut self, schema: &Schema, others: Vec<Other>, lead: &str) -> Template {
        let mut only_others = Schema::new(schema.place);
        only_others.others = others;
        let size: usize = only_others.others.iter().map(|other| other.value.to_string().len()).sum();
        let prose = if size > MAX_DESCRIBED {
            Template::new()
        } else {
            self.describe_schema(&only_others, &format!("{lead} also match this JSON Schema"))
        };
        let fallback = if prose.is_empty() { Fallback::Dropped } else { Fallback::Description };
        for other in only_others.others {
            self.record_loss(schema.place, other.keyword, fallback);
        }
        prose
    }

    /// Moves a union into the description of `schema`.
    pub(super) fn describe_union(&mut self, schema: &mut Schema, alternatives: Vec<Schema>, keyword: &'static str) {
        let place = alternatives.first().map_or(schema.place, |alternative| alternative.place);
        self.record_loss(place, keyword, Fallback::Description);
        let prose = self.union_description(alternatives, keyword, "Must");
        schema.add_description(prose);
    }

    /// Returns a sentence about a union, which begins with `lead`, such as `Must`. It contains the JSON Schema of the union, unless
    /// the budget is too small.
    pub(super) fn union_description(
        &mut self,
        alternatives: Vec<Schema>,
        keyword: &'static str,
        lead: &str,
    ) -> Template {
        let Some(first) = alternatives.first() else { return Template::new() };
        let mut union = Schema::new(first.place);
        let how_many = if keyword == "oneOf" { "exactly" } else { "at least" };
        *(if keyword == "oneOf" { &mut union.one_of } else { &mut union.any_of }) = alternatives;
        if self.take_budget_for(&union) {
            let json = self.defs.document(&union).json();
            json_prose(&format!("{lead} also match this JSON Schema"), json)
        } else {
            vec![Piece::Text(format!("{lead} match {how_many} one of several alternatives."))]
        }
    }

    /// Moves a keyword at `place` into the description. Does nothing if `prose` is `None`: the keyword has no effect then.
    pub(super) fn describe_keyword(
        &mut self,
        schema: &mut Schema,
        keyword: &'static str,
        place: Place,
        prose: Option<String>,
    ) {
        if prose.is_some() {
            self.record_loss(place, keyword, Fallback::Description);
            schema.add_sentence(prose);
        }
    }
}

/// Intersects `enum` and `const`. Returns `None` if no value remains.
fn merge_values(first: &mut Schema, choices: Vec<Choice>, constant: Option<At<Value>>) -> Option<()> {
    let position_of =
        |value: &Value, choices: &[Choice]| choices.iter().position(|choice| equal(&choice.value.value, value));
    match (first.constant.take(), constant) {
        (Some(constant), Some(other)) if !equal(&constant.value, &other.value) => return None,
        (Some(constant), _) | (None, Some(constant)) => {
            let lists = [&first.choices, &choices];
            if lists.iter().any(|list| !list.is_empty() && position_of(&constant.value, list).is_none()) {
                return None;
            }
            first.choices.clear();
            first.constant = Some(constant);
            return Some(());
        }
        (None, None) => {}
    }
    if first.choices.is_empty() {
        first.choices = choices;
    } else if !choices.is_empty() {
        let mut common = Vec::new();
        for mut choice in std::mem::take(&mut first.choices) {
            if let Some(position) = position_of(&choice.value.value, &choices) {
                choice.when = and_conditions(choice.when, choices[position].when.clone());
                common.push(choice);
            }
        }
        if common.is_empty() {
            return None;
        }
        first.choices = common;
    }
    Some(())
}

/// Returns a schema whose `allOf` is the two schemas. It is flattened when it is narrowed.
fn all_of(first: Schema, second: Schema) -> Schema {
    let mut schema = Schema::new(first.place);
    schema.all_of = vec![first, second];
    schema
}

fn and_conditions(first: Option<At<When>>, second: Option<At<When>>) -> Option<At<When>> {
    match (first, second) {
        (Some(first), Some(second)) if first.value != second.value => {
            Some(At::new(Condition::And(vec![first.value, second.value]), first.place))
        }
        (first, second) => first.or(second),
    }
}

fn merge_descriptions(description: &mut Option<At<Template>>, other: At<Template>) {
    match description {
        None => *description = Some(other),
        Some(description) if description.value == other.value => {}
        Some(description) => append_sentence(&mut description.value, other.value),
    }
}

/// Returns the types that both lists allow; an empty list allows all. Returns `None` if there is no common type.
fn common_types(first: &[Type], second: &[Type]) -> Option<Vec<Type>> {
    if first.is_empty() {
        return Some(second.to_vec());
    }
    if second.is_empty() {
        return Some(first.to_vec());
    }
    let mut common = Vec::new();
    for &ty in first {
        let shared = if second.contains(&ty) {
            ty
        } else if ty == Type::Integer && second.contains(&Type::Number)
            || ty == Type::Number && second.contains(&Type::Integer)
        {
            Type::Integer
        } else {
            continue;
        };
        if !common.contains(&shared) {
            common.push(shared);
        }
    }
    if common.is_empty() { None } else { Some(common) }
}

/// Returns the tighter one of each pair of bounds. Also returns the `multipleOf` of `other` if it cannot be merged.
fn merge_bounds(mut bounds: Bounds, other: &Bounds) -> (Bounds, Option<Value>) {
    fn tighten(bound: &mut Option<At<Value>>, other: Option<&At<Value>>, tighter: Ordering) {
        let Some(other) = other else { return };
        if bound.as_ref().is_none_or(|bound| compare_numbers(&other.value, &bound.value) == Some(tighter)) {
            *bound = Some(other.clone());
        }
    }
    const LOWER: Ordering = Ordering::Greater;
    const UPPER: Ordering = Ordering::Less;
    tighten(&mut bounds.minimum, other.minimum.as_ref(), LOWER);
    tighten(&mut bounds.maximum, other.maximum.as_ref(), UPPER);
    tighten(&mut bounds.exclusive_minimum, other.exclusive_minimum.as_ref(), LOWER);
    tighten(&mut bounds.exclusive_maximum, other.exclusive_maximum.as_ref(), UPPER);
    tighten(&mut bounds.min_length, other.min_length.as_ref(), LOWER);
    tighten(&mut bounds.max_length, other.max_length.as_ref(), UPPER);
    tighten(&mut bounds.min_items, other.min_items.as_ref(), LOWER);
    tighten(&mut bounds.max_items, other.max_items.as_ref(), UPPER);
    tighten(&mut bounds.min_properties, other.min_properties.as_ref(), LOWER);
    tighten(&mut bounds.max_properties, other.max_properties.as_ref(), UPPER);
    let is_unique = other.unique_items.as_ref().is_some_and(|flag| flag.value == Value::Bool(true));
    if is_unique || bounds.unique_items.is_none() {
        bounds.unique_items.clone_from(&other.unique_items);
    }
    let mut unmerged_step = None;
    if let Some(step) = &other.multiple_of {
        let is_multiple = |value: &Value, step: &Value| match (value.as_i64(), step.as_i64()) {
            (Some(value), Some(step)) => step != 0 && value % step == 0,
            _ => equal(value, step),
        };
        match &bounds.multiple_of {
            Some(first) if is_multiple(&first.value, &step.value) => {}
            Some(first) if !is_multiple(&step.value, &first.value) => unmerged_step = Some(step.value.clone()),
            _ => bounds.multiple_of = Some(step.clone()),
        }
    }
    (bounds, unmerged_step)
}

/// Merges the properties of two objects. Returns `None` if one requires a property that the other one denies.
fn merge_objects(first: &mut Schema, properties: Vec<Property>, additional: Additional) -> Option<()> {
    let mut merged = Vec::new();
    let mut others = properties;
    for mut property in std::mem::take(&mut first.properties) {
        let position = others.iter().position(|other| other.name.value == property.name.value);
        match position.map(|position| others.remove(position)) {
            Some(other) => {
                property.required |= other.required;
                property.secret |= other.secret;
                property.aliases.extend(other.aliases);
                property.when = and_conditions(property.when, other.when);
                property.schema = all_of(property.schema, other.schema);
                merged.push(property);
            }
            None => merge_undeclared(property, &additional, &mut merged)?,
        }
    }
    for property in others {
        merge_undeclared(property, &first.additional, &mut merged)?;
    }
    first.properties = merged;
    first.additional = match (std::mem::replace(&mut first.additional, Additional::Deny), additional) {
        (Additional::Deny, _) | (_, Additional::Deny) => Additional::Deny,
        (Additional::Unstated | Additional::Allow, other) | (other, Additional::Unstated | Additional::Allow) => other,
        (Additional::Schema(schema), Additional::Schema(other)) => {
            Additional::Schema(Box::new(all_of(*schema, *other)))
        }
    };
    Some(())
}

/// Adds a property that the other object does not declare, limited by the `additional` of that object. Returns `None` if the
/// property is required but denied.
fn merge_undeclared(mut property: Property, additional: &Additional, merged: &mut Vec<Property>) -> Option<()> {
    match additional {
        Additional::Deny => return if property.required { None } else { Some(()) },
        Additional::Allow | Additional::Unstated => {}
        Additional::Schema(schema) => property.schema = all_of(property.schema, (**schema).clone()),
    }
    merged.push(property);
    Some(())
}
