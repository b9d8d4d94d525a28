//! Whether a schema has any value at all. Sound but incomplete: whatever is hard to decide counts as satisfiable.

mod contradictions;
mod range;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;
use toolc::__gen::graph::cycles;
use toolc::__gen::table::Type;
use toolc_lower::schema::{Additional, DefId, Defs, Reference, Schema, type_of};

pub(super) use contradictions::contradictions;
use range::{Range, compare};

use crate::diagnostic::{At, Place};
use crate::source::SourceId;

/// Decides whether the schemas of a tool have values.
pub(in crate::lint) struct SchemaValues<'d> {
    defs: &'d Defs,
    /// Whether each definition is known to have a value.
    has_value: Vec<bool>,
    /// Whether nested schemas count as satisfiable, because they are reported separately.
    ignores_nested: bool,
}

/// Schemas that one value must satisfy together.
type Parts<'s> = Vec<&'s Schema>;

/// Schemas with more cases or deeper nesting count as satisfiable.
const MAX_CASES: usize = 64;
const MAX_DEPTH: usize = 8;

impl<'d> SchemaValues<'d> {
    pub(in crate::lint) fn new(defs: &'d Defs) -> Self {
        // The least fixpoint: start with definitions that need no other, then add those that need only these.
        let mut values = Self { defs, has_value: vec![false; defs.len()], ignores_nested: false };
        loop {
            let more: Vec<DefId> = (defs.iter().filter(|(id, _)| !values.has_value[id.0]))
                .filter(|(_, def)| values.is_satisfiable(&[&def.schema], 0))
                .map(|(id, _)| id)
                .collect();
            if more.is_empty() {
                return values;
            }
            for id in more {
                values.has_value[id.0] = true;
            }
        }
    }

    /// Returns the cycles of definitions that require each other, whose values would be infinite.
    pub(in crate::lint) fn infinite(&self) -> Vec<Vec<&'d Reference>> {
        let optimistic = Self { defs: self.defs, has_value: vec![true; self.has_value.len()], ignores_nested: false };
        let is_infinite =
            |id: DefId| !self.has_value[id.0] && optimistic.is_satisfiable(&[&self.defs.get(id).schema], 0);
        let next = |id: usize| {
            let references = required_refs(&self.defs.get(DefId(id)).schema);
            let first = references.into_iter().find(|reference| is_infinite(reference.to));
            first.map(|reference| (reference.to.0, reference)).into_iter().collect()
        };
        let infinite = self.defs.iter().map(|(id, _)| id).filter(|id| is_infinite(*id));
        let cycles = cycles(infinite.map(|id| id.0), next);
        cycles.into_iter().map(|cycle| cycle.into_iter().map(|(_, reference)| reference).collect()).collect()
    }

    /// Returns whether a schema has no value although all nested schemas have one, and no other rule reports that.
    pub(in crate::lint) fn is_empty(&self, schema: &Schema) -> bool {
        let shallow = Self { defs: self.defs, has_value: vec![true; self.has_value.len()], ignores_nested: true };
        // Values of an enum and contradictory bounds are reported by other rules.
        let is_reported_elsewhere = |schema: &Schema| {
            !schema.choices.is_empty() || schema.constant.is_some() || !contradictions(schema).is_empty()
        };
        let is_empty = |schema: &Schema| !shallow.is_satisfiable(&[schema], 0);
        let parts = schema.in_place().chain(schema.reference.iter().map(|to| &self.defs.get(to.to).schema));
        is_empty(schema) && !is_reported_elsewhere(schema) && !parts.into_iter().any(is_empty)
    }

    /// Returns whether null is the only value of a schema. Nested schemas are considered satisfiable.
    pub(in crate::lint) fn is_only_null(&self, schema: &Schema) -> bool {
        static OTHERS: LazyLock<Schema> = LazyLock::new(|| {
            let types = Type::ALL.into_iter().filter(|ty| *ty != Type::Null).collect();
            Schema { types, additional: Additional::Allow, ..Schema::new(Place::new(SourceId(0), 0..0)) }
        });
        let may_be_null = schema.types.contains(&Type::Null)
            || schema.types.is_empty()
                && (schema.reference.is_some()
                    || schema.constant.is_some()
                    || !schema.choices.is_empty()
                    || schema.in_place().next().is_some());
        // Most schemas have another type, and no part that could exclude it.
        if !may_be_null || schema.has_errors {
            return false;
        }
        let shallow = Self { defs: self.defs, has_value: vec![true; self.has_value.len()], ignores_nested: true };
        shallow.is_satisfiable(&[schema], 0) && !shallow.is_satisfiable(&[schema, &OTHERS], 0)
    }

    /// Returns whether some value satisfies all of these schemas.
    fn is_satisfiable(&self, parts: &[&Schema], depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        let mut cases = vec![Vec::new()];
        for part in parts {
            let Some(part_cases) = self.cases(part).and_then(|part_cases| product(&cases, &part_cases)) else {
                return true;
            };
            cases = part_cases;
        }
        cases.iter().any(|case| self.fits_case(case, depth))
    }

    /// Returns whether some nested value satisfies all of these schemas.
    fn is_nested_satisfiable(&self, parts: &[&Schema], depth: usize) -> bool {
        match parts {
            [] => true,
            [_] if self.ignores_nested => true,
            [one] => match one.alias() {
                Some(reference) => self.has_value[reference.to.0],
                None => self.is_satisfiable(parts, depth + 1),
            },
            _ => self.is_satisfiable(parts, depth + 1),
        }
    }

    /// Returns all combinations of alternatives, or `None` if there are too many.
    fn cases<'s>(&self, schema: &'s Schema) -> Option<Vec<Parts<'s>>>
    where
        'd: 's,
    {
        let mut cases: Vec<Parts<'s>> = vec![vec![schema]];
        for part in &schema.all_of {
            cases = product(&cases, &self.cases(part)?)?;
        }
        if let Some(reference) = &schema.reference {
            cases = product(&cases, &self.cases(&self.defs.get(reference.to).schema)?)?;
        }
        for alternatives in [&schema.any_of, &schema.one_of] {
            if !alternatives.is_empty() {
                let each: Option<Vec<_>> = alternatives.iter().map(|one| self.cases(one)).collect();
                cases = product(&cases, &each?.concat())?;
            }
        }
        Some(cases)
    }

    fn fits_case(&self, parts: &[&Schema], depth: usize) -> bool {
        let values = parts.iter().find_map(|part| match (&part.constant, part.choices.as_slice()) {
            (Some(constant), _) => Some(vec![&constant.value]),
            (None, []) => None,
            (None, choices) => Some(choices.iter().map(|choice| &choice.value.value).collect()),
        });
        if let Some(values) = values {
            return values.into_iter().any(|value| parts.iter().all(|part| accepts(part, value)));
        }
        let allows = |ty: Type| parts.iter().all(|part| part.types.is_empty() || is_among(ty, &part.types));
        Type::ALL.into_iter().filter(|ty| allows(*ty)).any(|ty| match ty {
            Type::Null | Type::Boolean => true,
            Type::Integer => !Range::new(parts.iter().copied(), true).is_empty(),
            Type::Number => !Range::new(parts.iter().copied(), false).is_empty(),
            Type::String => fits_between(parts, |part| (&part.bounds.min_length, &part.bounds.max_length)),
            Type::Array => self.fits_array(parts, depth),
            Type::Object => self.fits_object(parts, depth),
        })
    }

    fn fits_array(&self, parts: &[&Schema], depth: usize) -> bool {
        if !fits_between(parts, |part| (&part.bounds.min_items, &part.bounds.max_items)) {
            return false;
        }
        let min = parts.iter().filter_map(|part| part.bounds.min_items.as_ref()?.value.as_u64()).max().unwrap_or(0);
        let items: Vec<&Schema> = parts.iter().filter_map(|part| part.items.as_deref()).collect();
        let is_unique = |part: &&Schema| part.bounds.unique_items.as_ref().is_some_and(|at| at.value == true);
        let too_few = parts.iter().any(is_unique)
            && items
                .iter()
                .filter_map(|item| count_values(item))
                .any(|count| u64::try_from(count).is_ok_and(|c| c < min));
        min == 0 || !too_few && self.is_nested_satisfiable(&items, depth)
    }

    fn fits_object(&self, parts: &[&Schema], depth: usize) -> bool {
        if !fits_between(parts, |part| (&part.bounds.min_properties, &part.bounds.max_properties)) {
            return false;
        }
        let objects: Vec<&Schema> = parts.iter().copied().filter(|part| part.is_object()).collect();
        let all = objects.iter().flat_map(|part| &part.properties);
        let required: BTreeSet<&str> =
            all.filter(|property| property.required).map(|property| property.name.value.as_str()).collect();
        let max = parts.iter().filter_map(|part| part.bounds.max_properties.as_ref()?.value.as_u64()).min();
        if max.is_some_and(|max| u64::try_from(required.len()).is_ok_and(|count| count > max)) {
            return false;
        }
        required.into_iter().all(|name| {
            let mut schemas = Vec::new();
            for part in &objects {
                match (part.properties.iter().find(|property| property.name.value == name), &part.additional) {
                    (Some(property), _) => schemas.push(&property.schema),
                    (None, Additional::Deny) => return false,
                    (None, Additional::Allow | Additional::Unstated) => {}
                    (None, Additional::Schema(schema)) => schemas.push(schema),
                }
            }
            self.is_nested_satisfiable(&schemas, depth)
        })
    }
}

/// Returns the `$ref`s to schemas that every value of this schema contains.
fn required_refs(schema: &Schema) -> Vec<&Reference> {
    let required = schema.properties.iter().filter(|property| property.required).map(|property| &property.schema);
    let has_items = schema.bounds.min_items.as_ref().is_some_and(|min| min.value.as_u64() > Some(0));
    let items = schema.items.as_deref().filter(|_| has_items);
    let nested = schema.in_place().chain(required).chain(items).flat_map(required_refs);
    schema.reference.iter().chain(nested).collect()
}

/// Returns the cartesian product, or `None` if it is too large.
fn product<'s>(some: &[Parts<'s>], others: &[Parts<'s>]) -> Option<Vec<Parts<'s>>> {
    let combine = |some: &Parts<'s>, other: &Parts<'s>| some.iter().chain(other).copied().collect();
    (some.len() * others.len() <= MAX_CASES)
        .then(|| some.iter().flat_map(|some| others.iter().map(move |other| combine(some, other))).collect())
}

fn is_among(ty: Type, types: &[Type]) -> bool {
    types.contains(&ty) || (ty == Type::Integer && types.contains(&Type::Number))
}

/// Returns whether a value satisfies a schema, apart from nested values and combinators.
fn accepts(schema: &Schema, value: &Value) -> bool {
    let bounds = &schema.bounds;
    let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let ty = if is_whole { Type::Integer } else { type_of(value) };
    let has_type = schema.types.is_empty() || is_among(ty, &schema.types);
    let is_chosen =
        schema.choices.is_empty() || schema.choices.iter().any(|choice| is_same(&choice.value.value, value));
    let is_constant = schema.constant.as_ref().is_none_or(|constant| is_same(&constant.value, value));
    let between = |size: usize, min: &Option<At<Value>>, max: &Option<At<Value>>| {
        let size = Value::from(size);
        min.as_ref().is_none_or(|min| compare(&size, &min.value).is_ge())
            && max.as_ref().is_none_or(|max| compare(&size, &max.value).is_le())
    };
    let is_within = match value {
        Value::Null | Value::Bool(_) => true,
        Value::Number(_) => Range::new([schema], false).contains(value),
        Value::String(text) => between(text.chars().count(), &bounds.min_length, &bounds.max_length),
        Value::Array(items) => between(items.len(), &bounds.min_items, &bounds.max_items),
        Value::Object(entries) => between(entries.len(), &bounds.min_properties, &bounds.max_properties),
    };
    has_type && is_chosen && is_constant && is_within
}

/// Compares values; 1 equals 1.0.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && other.is_number() && compare(one, other).is_eq())
}

/// Returns the number of values of a schema, or `None` if it is unknown.
fn count_values(schema: &Schema) -> Option<usize> {
    if schema.constant.is_some() {
        return Some(1);
    }
    match (schema.choices.as_slice(), schema.types.as_slice()) {
        ([], [Type::Null]) => Some(1),
        ([], [Type::Boolean]) => Some(2),
        ([], _) => None,
        (choices, _) => Some(choices.len()),
    }
}

type Ends<'s> = (&'s Option<At<Value>>, &'s Option<At<Value>>);

/// Returns whether the bounds of all parts leave a possible size.
fn fits_between(parts: &[&Schema], ends: impl Fn(&Schema) -> Ends<'_>) -> bool {
    let min = parts.iter().filter_map(|part| ends(part).0.as_ref());
    let max: Vec<_> = parts.iter().filter_map(|part| ends(part).1.as_ref()).collect();
    min.into_iter().all(|min| max.iter().all(|max| compare(&min.value, &max.value).is_le()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diagnostic::Sink;
    use crate::manifest;
    use crate::source::Sources;

    /// Any three of these lines make a schema. Every value is validated against each.
    const WORDS: &[&str] = &[
        "type = 'integer'",
        "type = ['number', 'null']",
        "type = ['string', 'array', 'object']",
        "enum = [1, 'a', true, 2.0, []]",
        "const = 1",
        "minimum = 1",
        "maximum = 0.5",
        "exclusiveMinimum = 1",
        "exclusiveMaximum = 2",
        "multipleOf = 5",
        "minLength = 2",
        "maxLength = 1",
        "minItems = 2",
        "maxItems = 1",
        "uniqueItems = true",
        "minProperties = 1",
        "maxProperties = 0",
        "anyOf = [{ type = 'string' }, { const = 2 }, { type = 'array', items = { enum = ['a'] } }]",
        "oneOf = [{ minimum = 1 }, { maximum = 1 }]",
        "allOf = [{ type = 'integer', maximum = 3 }, { minimum = 3 }]",
        "allOf = [{ properties = { b = {} } }, { additionalProperties = { type = 'null' } }]",
        "'$ref' = '#/$defs/word'",
        "'$ref' = '#/$defs/tree'",
        "'$ref' = '#/$defs/endless'",
        "items = { type = 'boolean', enum = [true] }",
        "items = { allOf = [{ type = 'null' }, { type = 'string' }] }",
        "properties = { a = { required = true, type = 'integer' } }",
        "properties = { b = { type = 'string' } }",
        "additionalProperties = { type = 'string' }",
    ];

    const DEFS: &str = "word.type = 'string'\ntree = { type = 'object', properties = { a = { '$ref' = '#/$defs/tree' } } }\nendless = { type = 'object', properties = { a = { '$ref' = '#/$defs/endless', required = true } } }\n";

    fn values() -> Vec<Value> {
        let mut values = vec![json!(null), json!(true), json!(""), json!("a"), json!("ab"), json!("abc")];
        values.extend((-1..=7).map(Value::from));
        values.extend([0.25, 0.5, 1.0, 1.5, 2.0, 5.0].map(Value::from));
        values.extend([
            json!([]),
            json!([true]),
            json!(["a"]),
            json!(["a", "a"]),
            json!([null, 1]),
            json!([true, true]),
            json!({}),
            json!({ "a": 1 }),
            json!({ "a": {} }),
            json!({ "b": "x" }),
            json!({ "b": null }),
            json!({ "a": 1, "b": "x" }),
            json!({ "a": { "a": {} } }),
        ]);
        values
    }

    #[test]
    fn a_schema_reported_as_empty_accepts_no_value() {
        let values = values();
        let (mut empty, mut contradictory, mut taken) = (0, 0, 0);
        for (first, one) in WORDS.iter().enumerate() {
            for (second, two) in WORDS.iter().enumerate().skip(first) {
                for three in &WORDS[second..] {
                    let words: BTreeSet<&str> = BTreeSet::from([*one, *two, *three]);
                    let words: Vec<&str> = words.into_iter().collect();
                    let Some(tool) = tool(&words.join("\n")) else { continue };
                    let schema = &tool.params.properties[0].schema;
                    let whole = tool.defs.full_schema(schema);
                    let is_empty = SchemaValues::new(&tool.defs).is_empty(schema);
                    let are_contradictory = !contradictions(schema).is_empty();
                    empty += usize::from(is_empty);
                    contradictory += usize::from(are_contradictory);
                    let validator = jsonschema::draft202012::new(&whole).expect("the schema is valid");
                    let fitting: Vec<&Value> = values.iter().filter(|value| validator.is_valid(value)).collect();
                    taken += fitting.len();
                    assert!(fitting.is_empty() || !is_empty, "{fitting:?} in {whole}");
                    // Bounds have no effect on values of other types.
                    let kinds: BTreeSet<&str> = fitting.iter().map(|value| type_of(value).name()).collect();
                    let is_one = schema.effective_types().len() == 1;
                    assert!(kinds.is_empty() || !are_contradictory || !is_one, "{fitting:?} in {whole}");
                }
            }
        }
        assert!(empty > 200 && contradictory > 50 && taken > 2_000, "{empty} {contradictory} {taken}");
    }

    /// Returns a tool with a parameter of these keywords, or `None` if they cannot be combined, such as two types.
    fn tool(words: &str) -> Option<Box<manifest::LazyManifest>> {
        let text = format!("name = 'x'\n[schema.'$defs']\n{DEFS}[params.p]\n{words}\n");
        let sources = Sources::from_memory([("manifests/tools/x.toml".to_owned(), text)]);
        manifest::parse(&sources, &Sink::default()).tools.pop()
    }
}
