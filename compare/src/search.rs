//! Searches for values that one schema accepts, near the bounds of another one.

use serde_json::{Map, Value};

use crate::automata::{Inclusion, inclusion};
use crate::forms::{ARRAY, BOOLEAN, End, FRACTION, Form, INTEGER, NULL, OBJECT, STRING, forms};
use crate::strings::{matching, of_format};

/// The maximum number of values for one schema within another one.
const MAX_VALUES: usize = 96;

/// The maximum number of schemas that one search visits.
const MAX_STEPS: usize = 20_000;

/// The maximum depth of a value.
const MAX_DEPTH: usize = 8;

/// The maximum number of characters, items or properties that a value gets because of a bound.
const MAX_SIZE: u64 = 5_000;

/// The number of values of the whole schema in which everything varies at the same time.
const RANDOM: usize = 48;

/// A search.
pub(crate) struct Search<'s> {
    /// The document of the values, and that of the other schema, which says near which bounds values differ.
    roots: [&'s Value; 2],
    steps: usize,
    random: u64,
}

impl<'s> Search<'s> {
    /// Starts a search among the values of `root`. `seed` determines the values that are drawn at random.
    pub(crate) fn new(root: &'s Value, other: &'s Value, seed: u64) -> Self {
        Self { roots: [root, other], steps: 0, random: seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15) }
    }

    /// Returns values of the whole schema. Most of them differ from the simplest one in one place.
    pub(crate) fn values(&mut self) -> Vec<Value> {
        let [root, other] = self.roots;
        self.of_schemas(&[root], &[other], 0)
    }

    /// Returns values that all `schemas` accept. Each of the `hints` is a schema for the same value in the other document.
    fn of_schemas(&mut self, schemas: &[&'s Value], hints: &[&'s Value], depth: usize) -> Vec<Value> {
        self.steps += 1;
        let Some(all) = forms(schemas, self.roots[0]) else { return Vec::new() };
        let hints: Vec<Form<'s>> =
            hints.iter().filter_map(|hint| forms(&[*hint], self.roots[1])).flatten().take(16).collect();
        let mut values: Vec<Value> = Vec::new();
        for form in all.iter().take(16) {
            let found = self.of_form(form, &hints, depth);
            // The whole schema is usually one object.
            let limit = if depth == 0 { usize::MAX } else { MAX_VALUES };
            values.extend(found.into_iter().filter(|value| form.admits(value, self.roots[0], 0)).take(limit));
        }
        values
    }

    fn of_form(&mut self, form: &Form<'s>, hints: &[Form<'s>], depth: usize) -> Vec<Value> {
        if let Some(values) = &form.values {
            return values.iter().map(|value| (*value).clone()).collect();
        }
        let has = |bits: u8| form.types & bits != 0;
        let mut found = Vec::new();
        if has(STRING) {
            found.extend(texts(form, hints).into_iter().map(Value::from));
        }
        if has(INTEGER | FRACTION) {
            found.extend(numbers(form, hints));
        }
        if has(BOOLEAN) {
            found.extend([true.into(), false.into()]);
        }
        if has(ARRAY) && depth < MAX_DEPTH {
            found.extend(self.arrays(form, hints, depth));
        }
        if has(OBJECT) && depth < MAX_DEPTH {
            found.extend(self.objects(form, hints, depth));
        }
        if has(NULL) {
            found.push(Value::Null);
        }
        let known = hints.iter().flat_map(|hint| hint.values.iter().flatten());
        found.extend(known.map(|value| (*value).clone()));
        found
    }

    fn arrays(&mut self, form: &Form<'s>, hints: &[Form<'s>], depth: usize) -> Vec<Value> {
        let item_hints: Vec<&'s Value> = hints.iter().flat_map(|hint| hint.items.iter().copied()).collect();
        let items = match form.items.is_empty() {
            _ if self.steps > MAX_STEPS => Vec::new(),
            true => vec!["a".into(), 1.into(), Value::Bool(true), Value::Null],
            false => self.of_schemas(&form.items, &item_hints, depth + 1),
        };
        let distinct = if form.is_unique { distinct_items(&items) } else { items.clone() };
        let of_length = |count: u64, first: Option<&Value>| -> Option<Value> {
            let count = usize::try_from(count.min(MAX_SIZE)).ok()?;
            let mut all: Vec<Value> = first.cloned().into_iter().collect();
            let rest = distinct.iter().filter(|item| Some(*item) != first || !form.is_unique);
            if form.is_unique {
                all.extend(rest.cloned());
                all.truncate(count);
            } else {
                all.extend(std::iter::repeat_n(items.first()?, count.saturating_sub(all.len())).cloned());
            }
            (all.len() == count).then(|| all.into())
        };
        let mut lengths = ends(form.count, hints.iter().map(|hint| hint.count));
        lengths.retain(|count| *count <= MAX_SIZE);
        let mut found: Vec<Value> = lengths.iter().filter_map(|count| of_length(*count, None)).collect();
        if form.count.0 == 0 {
            found.insert(0, Value::Array(Vec::new()));
        }
        if form.count.1 > 0 {
            found.extend(items.iter().filter_map(|item| of_length(form.count.0.max(1), Some(item))));
            if !form.is_unique {
                found.extend(items.first().map(|item| Value::Array(vec![item.clone(); 2])));
            }
        }
        found
    }

    fn objects(&mut self, form: &Form<'s>, hints: &[Form<'s>], depth: usize) -> Vec<Value> {
        let mut names: Vec<&'s str> = form.required.iter().copied().collect();
        names.extend(form.properties.keys().filter(|name| !form.required.contains(*name)));
        let own = names.len();
        names.extend(hints.iter().flat_map(|hint| hint.properties.keys().copied()));
        names.push("an_unknown_key");
        let mut parts: Vec<(&'s str, Vec<Value>)> = Vec::new();
        for (position, name) in names.into_iter().enumerate() {
            if parts.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let values = self.of_property(form, hints, name, depth);
            if values.is_empty() && form.required.contains(name) {
                return Vec::new();
            }
            if !values.is_empty() && (position < own || self.steps <= MAX_STEPS) {
                parts.push((name, values));
            }
        }
        let simplest = simplest(form, &parts);
        let mut found = vec![Value::Object(simplest.clone())];
        let whole: Map<String, Value> = parts
            .iter()
            .filter(|(name, _)| form.properties.contains_key(name))
            .map(|(name, values)| ((*name).to_owned(), values[0].clone()))
            .collect();
        found.push(whole.clone().into());
        let unnamed = self.of_property(form, hints, "key", depth);
        for size in ends(form.size, hints.iter().map(|hint| hint.size)).into_iter().filter(|size| *size <= MAX_SIZE) {
            let mut object = simplest.clone();
            let further =
                (1..=size).zip(unnamed.iter().cycle()).map(|(number, value)| (format!("key{number}"), value.clone()));
            object.extend(further.take(usize::try_from(size).unwrap_or(0).saturating_sub(simplest.len())));
            found.push(object.into());
        }
        // One place varies in each round, so that no property uses up the number of values.
        let longest = parts.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
        for round in 0..longest {
            for (name, values) in &parts {
                let Some(value) = values.get(round) else { continue };
                let mut object = simplest.clone();
                object.insert((*name).to_owned(), value.clone());
                found.push(object.into());
            }
        }
        for (name, _) in parts.iter().filter(|(name, _)| !form.required.contains(name)) {
            let mut object = whole.clone();
            object.remove(*name);
            found.push(object.into());
        }
        if depth == 0 {
            for _ in 0..RANDOM {
                found.push(self.random_object(form, &parts));
            }
        }
        found
    }

    fn of_property(&mut self, form: &Form<'s>, hints: &[Form<'s>], name: &'s str, depth: usize) -> Vec<Value> {
        let schemas = form.property(name);
        let hints: Vec<&'s Value> = hints.iter().flat_map(|hint| hint.property(name)).collect();
        let is_declared = form.properties.contains_key(name);
        if self.steps > MAX_STEPS {
            return Vec::new();
        }
        if schemas.is_empty() && !is_declared {
            return vec!["a".into(), 1.into(), Value::Array(Vec::new())];
        }
        self.of_schemas(&schemas, &hints, depth + 1)
    }

    fn random_object(&mut self, form: &Form<'s>, parts: &[(&'s str, Vec<Value>)]) -> Value {
        let mut object = Map::new();
        for (name, values) in parts {
            if form.required.contains(name) || (form.properties.contains_key(name) && self.below(2) == 0) {
                let value = values[self.below(values.len())].clone();
                object.insert((*name).to_owned(), value);
            }
        }
        object.into()
    }

    /// Returns a number below `end`, by xorshift.
    fn below(&mut self, end: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % end.max(1) as u64).unwrap_or(0)
    }
}

/// Returns the object with the fewest properties.
fn simplest(form: &Form<'_>, parts: &[(&str, Vec<Value>)]) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, values) in parts {
        if form.required.contains(name) || (object.len() as u64) < form.size.0.min(MAX_SIZE) {
            object.insert((*name).to_owned(), values[0].clone());
        }
    }
    object
}

fn distinct_items(items: &[Value]) -> Vec<Value> {
    let mut distinct: Vec<Value> = Vec::new();
    for item in items {
        if !distinct.contains(item) {
            distinct.push(item.clone());
        }
    }
    distinct
}

/// Returns the sizes near the ends of a range and of others, within the range.
fn ends(range: (u64, u64), others: impl Iterator<Item = (u64, u64)>) -> Vec<u64> {
    let mut all = vec![range.0, range.0 + 1, range.1.min(range.0.saturating_add(30))];
    all.push(range.1);
    for (low, high) in others {
        all.extend([low, low.saturating_sub(1), high, high.saturating_add(1)]);
    }
    all.retain(|size| (range.0..=range.1).contains(size));
    let mut unique = Vec::new();
    for size in all {
        if !unique.contains(&size) {
            unique.push(size);
        }
    }
    unique
}

fn texts(form: &Form<'_>, hints: &[Form<'_>]) -> Vec<String> {
    let all = || std::iter::once(form).chain(hints);
    let mut found: Vec<String> = Vec::new();
    if form.patterns.is_empty() && form.formats.is_empty() {
        found.extend(["a", "Some text", "12", "É😀", ""].map(str::to_owned));
    }
    for wide in hints.iter().flat_map(|hint| &hint.patterns) {
        for narrow in form.patterns.iter().copied().chain([""]) {
            if let Inclusion::Text(text) = inclusion(narrow, wide) {
                found.push(text);
            }
        }
    }
    for form in all() {
        found.extend(form.patterns.iter().flat_map(|pattern| matching(pattern)));
        found.extend(form.formats.iter().flat_map(|format| of_format(format)).map(|text| (*text).to_owned()));
    }
    for length in
        ends(form.length, hints.iter().map(|hint| hint.length)).into_iter().filter(|length| *length <= MAX_SIZE)
    {
        found.push("a".repeat(usize::try_from(length).unwrap_or(0)));
    }
    found
}

fn numbers(form: &Form<'_>, hints: &[Form<'_>]) -> Vec<Value> {
    let all = || std::iter::once(form).chain(hints);
    let ends: Vec<End> = all().flat_map(|form| [form.min, form.max]).flatten().collect();
    let mut found = vec![1.0, 0.0];
    found.extend(ends.iter().flat_map(|end| [end.at, end.at - 1.0, end.at + 1.0, end.at - 0.5, end.at + 0.5]));
    found.extend([-1.0, 2.0, 3.0, 0.5, 1000.0, -1000.5, 1e9]);
    for multiple in all().flat_map(|form| form.multiples.clone()) {
        let near: Vec<f64> = found.iter().map(|number| (number / multiple).round() * multiple).collect();
        found.extend(near);
        found.extend([multiple, 2.0 * multiple, 3.0 * multiple, 5.0 * multiple]);
    }
    found.into_iter().filter_map(json_number).collect()
}

/// Returns a number as JSON: an integer if it is one.
fn json_number(number: f64) -> Option<Value> {
    if number.fract() != 0.0 || number.abs() >= 1e15 {
        return serde_json::Number::from_f64(number).map(Value::Number);
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is small")]
    Some(Value::from(number as i64))
}
