//! The normal form of schemas: a list of alternatives, each of which is a conjunction of bounds without combinators.

#![expect(clippy::float_cmp, reason = "bounds are equal or not")]

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::{Map, Value};

/// Schemas for the same value, all of which must hold.
pub(crate) type Schemas<'s> = Vec<&'s Value>;

/// The maximum number of alternatives of one value.
const MAX_FORMS: usize = 256;

/// The maximum number of nested combinators and references for one value.
const MAX_DEPTH: usize = 24;

/// The largest integer up to which every integer is exact as a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(crate) const NULL: u8 = 1;
pub(crate) const BOOLEAN: u8 = 2;
pub(crate) const INTEGER: u8 = 4;
/// Numbers with a fractional part.
pub(crate) const FRACTION: u8 = 8;
pub(crate) const STRING: u8 = 16;
pub(crate) const ARRAY: u8 = 32;
pub(crate) const OBJECT: u8 = 64;
const ALL: u8 = 127;

/// The end of a range of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct End {
    pub(crate) at: f64,
    /// Whether the number itself is not in the range.
    pub(crate) is_open: bool,
}

/// A conjunction of bounds.
#[derive(Debug, Clone)]
pub(crate) struct Form<'s> {
    /// The types, as bits.
    pub(crate) types: u8,
    pub(crate) values: Option<Vec<&'s Value>>,
    pub(crate) min: Option<End>,
    pub(crate) max: Option<End>,
    pub(crate) multiples: Vec<f64>,
    pub(crate) length: (u64, u64),
    pub(crate) patterns: BTreeSet<&'s str>,
    pub(crate) formats: BTreeSet<&'s str>,
    pub(crate) items: Schemas<'s>,
    pub(crate) count: (u64, u64),
    pub(crate) is_unique: bool,
    pub(crate) properties: BTreeMap<&'s str, Schemas<'s>>,
    /// Schemas for the properties that are not among the names.
    pub(crate) additional: Vec<(BTreeSet<&'s str>, &'s Value)>,
    pub(crate) required: BTreeSet<&'s str>,
    pub(crate) size: (u64, u64),
    /// Schemas for the names of properties.
    pub(crate) names: Schemas<'s>,
    /// Whether the schema means exactly this, and no keyword was left out.
    pub(crate) is_exact: bool,
}

const FULL: (u64, u64) = (0, u64::MAX);

impl Form<'_> {
    fn any() -> Self {
        Self {
            types: ALL,
            values: None,
            min: None,
            max: None,
            multiples: Vec::new(),
            length: FULL,
            patterns: BTreeSet::new(),
            formats: BTreeSet::new(),
            items: Vec::new(),
            count: FULL,
            is_unique: false,
            properties: BTreeMap::new(),
            additional: Vec::new(),
            required: BTreeSet::new(),
            size: FULL,
            names: Vec::new(),
            is_exact: true,
        }
    }
}

/// Returns the alternatives of a value to which all of these schemas apply, or `None` if there are too many.
pub(crate) fn forms<'s>(schemas: &[&'s Value], root: &'s Value) -> Option<Vec<Form<'s>>> {
    all_of(schemas.iter().copied(), root, 0)
}

fn all_of<'s>(schemas: impl Iterator<Item = &'s Value>, root: &'s Value, depth: usize) -> Option<Vec<Form<'s>>> {
    let mut all = vec![Form::any()];
    for schema in schemas {
        all = product(&all, &expand(schema, root, depth)?)?;
    }
    Some(all)
}

fn product<'s>(left: &[Form<'s>], right: &[Form<'s>]) -> Option<Vec<Form<'s>>> {
    if left.len() * right.len() > MAX_FORMS {
        return None;
    }
    Some(left.iter().flat_map(|one| right.iter().filter_map(|other| one.and(other))).collect())
}

fn expand<'s>(schema: &'s Value, root: &'s Value, depth: usize) -> Option<Vec<Form<'s>>> {
    let map = match schema {
        Value::Bool(true) => return Some(vec![Form::any()]),
        Value::Bool(false) => return Some(Vec::new()),
        Value::Object(map) => map,
        _ => return Some(vec![Form { is_exact: false, ..Form::any() }]),
    };
    if depth == MAX_DEPTH {
        return Some(vec![Form { is_exact: false, ..Form::any() }]);
    }
    let mut all: Vec<Form<'s>> = Form::of_keywords(map).into_iter().collect();
    if let Some(reference) = map.get("$ref") {
        let target = reference.as_str().and_then(|text| root.pointer(text.strip_prefix('#')?));
        all = match target {
            Some(target) => product(&all, &expand(target, root, depth + 1)?)?,
            None => all.into_iter().map(|form| Form { is_exact: false, ..form }).collect(),
        };
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(alternatives) = map.get(keyword).and_then(Value::as_array) else { continue };
        let each: Option<Vec<Vec<Form<'s>>>> =
            alternatives.iter().map(|alternative| expand(alternative, root, depth + 1)).collect();
        let each = each?;
        // If a value can match two alternatives, `oneOf` refuses it.
        let is_exact = keyword == "anyOf" || are_disjoint(&each, root);
        let joined: Vec<Form<'s>> =
            each.into_iter().flatten().map(|form| Form { is_exact: form.is_exact && is_exact, ..form }).collect();
        all = product(&all, &joined)?;
    }
    if let Some(parts) = map.get("allOf").and_then(Value::as_array) {
        all = product(&all, &all_of(parts.iter(), root, depth + 1)?)?;
    }
    Some(all)
}

/// Returns whether no value matches forms of two alternatives, as far as their types and values show.
fn are_disjoint(alternatives: &[Vec<Form<'_>>], root: &Value) -> bool {
    (alternatives.iter().enumerate()).all(|(position, one)| {
        let others = alternatives[position + 1..].iter().flatten();
        others.into_iter().all(|other| one.iter().all(|form| form.excludes(other, root)))
    })
}

/// The keywords that do not restrict values.
const ANNOTATIONS: &[&str] = &[
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$ref",
    "anyOf",
    "oneOf",
    "allOf",
    "contentEncoding",
    "contentMediaType",
];

impl<'s> Form<'s> {
    /// Returns the form of the keywords that are not combinators, or `None` if no value satisfies them.
    fn of_keywords(map: &'s Map<String, Value>) -> Option<Self> {
        let mut form = Self::any();
        for (keyword, value) in map {
            form.add(keyword, value, map);
        }
        if map.get("nullable") == Some(&Value::Bool(true)) {
            form.types |= NULL;
        }
        form.normalized()
    }

    fn add(&mut self, keyword: &str, value: &'s Value, map: &'s Map<String, Value>) {
        let whole = || value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(to_whole));
        match (keyword, value) {
            ("type", Value::String(name)) => self.types = type_bits(name),
            ("type", Value::Array(names)) => {
                self.types = names.iter().filter_map(Value::as_str).map(type_bits).fold(0, |all, one| all | one);
            }
            ("enum", Value::Array(values)) => self.values = Some(values.iter().collect()),
            ("const", value) => self.values = Some(vec![value]),
            ("minimum" | "exclusiveMinimum", Value::Number(_)) => {
                self.min = self.end(self.min, value, keyword != "minimum", |new, old| new > old);
            }
            ("maximum" | "exclusiveMaximum", Value::Number(_)) => {
                self.max = self.end(self.max, value, keyword != "maximum", |new, old| new < old);
            }
            ("multipleOf", Value::Number(_)) => self.multiples.extend(value.as_f64().filter(|number| *number > 0.0)),
            ("minLength", _) if whole().is_some() => self.length.0 = whole().unwrap_or(0),
            ("maxLength", _) if whole().is_some() => self.length.1 = whole().unwrap_or(u64::MAX),
            ("minItems", _) if whole().is_some() => self.count.0 = whole().unwrap_or(0),
            ("maxItems", _) if whole().is_some() => self.count.1 = whole().unwrap_or(u64::MAX),
            ("minProperties", _) if whole().is_some() => self.size.0 = whole().unwrap_or(0),
            ("maxProperties", _) if whole().is_some() => self.size.1 = whole().unwrap_or(u64::MAX),
            ("pattern", Value::String(pattern)) => {
                self.patterns.insert(pattern);
            }
            ("format", Value::String(format)) => {
                self.formats.insert(format);
            }
            ("items", Value::Object(_) | Value::Bool(_)) => self.items.push(value),
            ("uniqueItems", Value::Bool(is_unique)) => self.is_unique = *is_unique,
            ("required", Value::Array(names)) => self.required.extend(names.iter().filter_map(Value::as_str)),
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    self.properties.entry(name).or_default().push(schema);
                }
            }
            ("additionalProperties", Value::Object(_) | Value::Bool(_)) => {
                let declared = map.get("properties").and_then(Value::as_object);
                let declared = declared.into_iter().flat_map(Map::keys).map(String::as_str).collect();
                self.additional.push((declared, value));
            }
            // Generators of schemas write `{"type": "string"}`, which every name satisfies.
            ("propertyNames", Value::Object(names)) if accepts_every_text(names) => {}
            ("propertyNames", Value::Object(_) | Value::Bool(_)) => self.names.push(value),
            ("nullable", Value::Bool(_)) => {}
            (known, _) if ANNOTATIONS.contains(&known) || known.starts_with("x-") => {}
            _ => self.is_exact = false,
        }
    }

    fn end(&mut self, old: Option<End>, value: &Value, is_open: bool, is_tighter: fn(f64, f64) -> bool) -> Option<End> {
        let at = value.as_f64()?;
        self.is_exact &= at.abs() <= EXACT;
        match old {
            Some(old) if !(is_tighter(at, old.at) || at == old.at && is_open) => Some(old),
            _ => Some(End { at, is_open }),
        }
    }

    /// Removes what cannot be, and returns `None` if nothing remains.
    fn normalized(mut self) -> Option<Self> {
        if let Some(values) = &mut self.values {
            values.retain(|value| self.types & bits_of(value) != 0);
            let types = values.iter().fold(0, |all, value| all | bits_of(value));
            self.types &= types;
        }
        if self.types & (INTEGER | FRACTION) == INTEGER {
            self.min = self
                .min
                .map(|end| End { at: if end.is_open { end.at.floor() + 1.0 } else { end.at.ceil() }, is_open: false });
            self.max = self
                .max
                .map(|end| End { at: if end.is_open { end.at.ceil() - 1.0 } else { end.at.floor() }, is_open: false });
        }
        if let (Some(min), Some(max)) = (self.min, self.max)
            && (min.at > max.at || (min.at == max.at && (min.is_open || max.is_open)))
        {
            self.types &= !(INTEGER | FRACTION);
        }
        for (range, of) in [(self.length, STRING), (self.count, ARRAY), (self.size, OBJECT)] {
            if range.0 > range.1 {
                self.types &= !of;
            }
        }
        (self.types != 0).then_some(self)
    }

    fn and(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        both.types &= other.types;
        both.is_exact &= other.is_exact;
        both.values = match (&self.values, &other.values) {
            (Some(one), Some(two)) => {
                Some(one.iter().filter(|value| two.iter().any(|other| equal(value, other))).copied().collect())
            }
            (one, two) => one.clone().or_else(|| two.clone()),
        };
        for (end, new, is_max) in [(&mut both.min, other.min, false), (&mut both.max, other.max, true)] {
            let is_tighter = |new: End, old: End| {
                if new.at == old.at { new.is_open } else { (new.at < old.at) == is_max }
            };
            if let Some(new) = new
                && end.is_none_or(|old| is_tighter(new, old))
            {
                *end = Some(new);
            }
        }
        both.multiples.extend(&other.multiples);
        both.length = meet(self.length, other.length);
        both.count = meet(self.count, other.count);
        both.size = meet(self.size, other.size);
        both.patterns.extend(&other.patterns);
        both.formats.extend(&other.formats);
        both.items.extend(&other.items);
        both.is_unique |= other.is_unique;
        both.required.extend(&other.required);
        for (name, schemas) in &other.properties {
            both.properties.entry(name).or_default().extend(schemas);
        }
        both.additional.extend(other.additional.iter().cloned());
        both.names.extend(&other.names);
        both.normalized()
    }

    /// Returns the schemas of a property.
    pub(crate) fn property(&self, name: &str) -> Schemas<'s> {
        let declared = self.properties.get(name).into_iter().flatten().copied();
        let additional = self.additional.iter().filter(|(known, _)| !known.contains(name)).map(|(_, schema)| *schema);
        declared.chain(additional).collect()
    }

    /// Returns the schemas of a property that no schema names.
    pub(crate) fn unnamed(&self) -> Schemas<'s> {
        self.additional.iter().map(|(_, schema)| *schema).collect()
    }

    /// Returns whether no value satisfies both forms, as far as their types, values and required properties show.
    fn excludes(&self, other: &Self, root: &Value) -> bool {
        let types = self.types & other.types;
        let none_in = |one: &Option<Vec<&Value>>, form: &Self| {
            one.as_ref().is_some_and(|values| !values.iter().any(|value| form.admits(value, root, 0)))
        };
        if types == 0 || none_in(&self.values, other) || none_in(&other.values, self) {
            return true;
        }
        types == OBJECT
            && self.required.intersection(&other.required).any(|name| {
                let constant = |form: &Self| {
                    let schema = form.properties.get(name)?.iter().find_map(|schema| schema.get("const"))?;
                    Some(schema.clone())
                };
                matches!((constant(self), constant(other)), (Some(one), Some(two)) if !equal(&one, &two))
            })
    }

    /// Returns whether the form accepts a value.
    pub(crate) fn admits(&self, value: &Value, root: &'s Value, depth: usize) -> bool {
        let nested = |schemas: &[&'s Value], value: &Value| {
            depth < 2 * MAX_DEPTH
                && forms(schemas, root).is_none_or(|all| all.iter().any(|form| form.admits(value, root, depth + 1)))
        };
        if self.types & bits_of(value) == 0 {
            return false;
        }
        if self.values.as_ref().is_some_and(|values| !values.iter().any(|known| equal(known, value))) {
            return false;
        }
        match value {
            Value::Number(number) => number.as_f64().is_none_or(|number| self.has_number(number)),
            Value::String(text) => {
                in_range(text.chars().count(), self.length)
                    && self.patterns.iter().all(|pattern| Regex::new(pattern).is_ok_and(|regex| regex.is_match(text)))
            }
            Value::Array(items) => {
                in_range(items.len(), self.count)
                    && (!self.is_unique || are_unique(items))
                    && (self.items.is_empty() || items.iter().all(|item| nested(&self.items, item)))
            }
            Value::Object(map) => {
                in_range(map.len(), self.size)
                    && self.required.iter().all(|name| map.contains_key(*name))
                    && (self.names.is_empty() || map.keys().all(|name| nested(&self.names, &name.as_str().into())))
                    && map.iter().all(|(name, value)| {
                        let schemas = self.property(name);
                        schemas.is_empty() || nested(&schemas, value)
                    })
            }
            Value::Null | Value::Bool(_) => true,
        }
    }

    fn has_number(&self, number: f64) -> bool {
        let is_multiple = |of: &f64| {
            let quotient = number / of;
            (quotient - quotient.round()).abs() < 1e-9
        };
        self.min.is_none_or(|end| number > end.at || (number == end.at && !end.is_open))
            && self.max.is_none_or(|end| number < end.at || (number == end.at && !end.is_open))
            && self.multiples.iter().all(is_multiple)
    }
}

/// Returns whether a schema restricts no text.
fn accepts_every_text(schema: &Map<String, Value>) -> bool {
    schema.iter().all(|(keyword, value)| match keyword.as_str() {
        "type" => value == "string",
        "$ref" | "anyOf" | "oneOf" | "allOf" => false,
        keyword => ANNOTATIONS.contains(&keyword),
    })
}

fn meet(one: (u64, u64), two: (u64, u64)) -> (u64, u64) {
    (one.0.max(two.0), one.1.min(two.1))
}

fn in_range(count: usize, range: (u64, u64)) -> bool {
    (range.0..=range.1).contains(&(count as u64))
}

fn are_unique(items: &[Value]) -> bool {
    items.iter().enumerate().all(|(position, item)| !items[..position].iter().any(|other| equal(item, other)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "out of range, the nearest number is meant"
)]
fn to_whole(number: f64) -> u64 {
    number as u64
}

fn type_bits(name: &str) -> u8 {
    match name {
        "null" => NULL,
        "boolean" => BOOLEAN,
        "integer" => INTEGER,
        "number" => INTEGER | FRACTION,
        "string" => STRING,
        "array" => ARRAY,
        "object" => OBJECT,
        _ => ALL,
    }
}

fn bits_of(value: &Value) -> u8 {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() != 0.0) => FRACTION,
        Value::Number(_) => INTEGER,
        Value::String(_) => STRING,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
    }
}

/// Returns whether JSON Schema considers two values to be equal: 1 equals 1.0.
pub(crate) fn equal(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one == two || one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| equal(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len()
                && one.iter().all(|(name, value)| two.get(name).is_some_and(|other| equal(value, other)))
        }
        _ => one == two,
    }
}
