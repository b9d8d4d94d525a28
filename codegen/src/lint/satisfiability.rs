//! Whether a schema has any value at all. What is told here is certain: where that would be hard to say, there is one.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;
use toolc::__gen::table::Type;

use crate::diagnostic::{At, Place};
use crate::schema::{Additional, DefId, Defs, Reference, Schema, type_of};

/// Two words of one schema that no value fits together.
pub(super) struct Contradiction {
    /// The one that is written later.
    pub place: Place,
    /// The other one.
    pub other: Place,
    /// What is wrong.
    pub message: String,
}

/// The words of a schema that contradict one another.
pub(super) fn contradictions(schema: &Schema) -> Vec<Contradiction> {
    let bounds = &schema.bounds;
    let types = schema.effective_types();
    let has = |wanted: &[Type]| types.is_empty() || types.iter().any(|of| wanted.contains(of));
    let mut found = Vec::new();
    let mut push = |one: Place, other: Place, message: String| {
        let (place, other) = if one.span().start < other.span().start { (other, one) } else { (one, other) };
        found.push(Contradiction { place, other, message });
    };
    if has(&[Type::Integer, Type::Number]) {
        let is_whole = types.iter().all(|of| *of != Type::Number) && types.contains(&Type::Integer);
        let range = Range::of([schema], is_whole);
        if let Some((low, high)) = range.crossed() {
            push(low.place, high.place, format!("no number is {} and {}", low.words(), high.words()));
        } else if range.is_empty()
            && let (Some(low), Some(high)) = (range.low, range.high)
        {
            let message = match &range.step {
                Some(step) => {
                    format!("no multiple of {} is {} and {}", step.value, low.words(), high.words())
                }
                None => format!("no integer is {} and {}", low.words(), high.words()),
            };
            push(low.place, high.place, message);
        }
    }
    let sizes = [
        (Type::String, "string", "characters", &bounds.min_length, &bounds.max_length),
        (Type::Array, "array", "items", &bounds.min_items, &bounds.max_items),
        (Type::Object, "object", "properties", &bounds.min_properties, &bounds.max_properties),
    ];
    for (of, noun, what, least, most) in sizes {
        if let (true, Some(least), Some(most)) = (has(&[of]), least, most)
            && order(&least.value, &most.value).is_gt()
        {
            let message =
                format!("no {noun} has at least {} {what} and at most {}", show(&least.value), show(&most.value));
            push(least.place, most.place, message);
        }
    }
    if has(&[Type::Object]) && schema.is_object() {
        let required: Vec<Place> =
            schema.properties.iter().filter(|property| property.required).map(|p| p.name.place).collect();
        if let (Some(most), Some(last)) = (&bounds.max_properties, required.last())
            && order(&most.value, &Value::from(required.len())).is_lt()
        {
            let count = required.len();
            found.push(Contradiction {
                place: most.place,
                other: *last,
                message: format!("{count} properties must be sent, and at most {} may be", show(&most.value)),
            });
        }
        if let (Some(least), Additional::Deny) = (&bounds.min_properties, &schema.additional)
            && order(&least.value, &Value::from(schema.properties.len())).is_gt()
        {
            let count = schema.properties.len();
            found.push(Contradiction {
                place: least.place,
                other: schema.place,
                message: format!("at least {} properties must be sent, and there are {count}", show(&least.value)),
            });
        }
    }
    found
}

/// What is known of the values of a tool's schemas.
pub(super) struct Values<'d> {
    defs: &'d Defs,
    /// Whether a definition has a value.
    has: Vec<bool>,
    /// Schemas that stand by themselves below another one are told by themselves.
    is_told_below: bool,
}

/// Several schemas for one value.
type Parts<'s> = Vec<&'s Schema>;

/// More alternatives than this are not looked through, nor are values that are nested deeper.
const MOST_CASES: usize = 64;
const DEEPEST: usize = 8;

impl<'d> Values<'d> {
    pub(super) fn new(defs: &'d Defs) -> Self {
        // A value ends somewhere: from definitions that need no other to those that need only those.
        let mut values = Self { defs, has: vec![false; defs.len()], is_told_below: false };
        loop {
            let more: Vec<DefId> = (defs.iter().filter(|(id, _)| !values.has[id.0]))
                .filter(|(_, def)| values.fits(&[&def.schema], 0))
                .map(|(id, _)| id)
                .collect();
            if more.is_empty() {
                return values;
            }
            for id in more {
                values.has[id.0] = true;
            }
        }
    }

    /// Rings of definitions that need one another: a value would have no end.
    pub(super) fn endless(&self) -> Vec<Vec<&'d Reference>> {
        let otherwise = Self { defs: self.defs, has: vec![true; self.has.len()], is_told_below: false };
        let is_endless = |id: DefId| !self.has[id.0] && otherwise.fits(&[&self.defs.get(id).schema], 0);
        let next = |id: DefId| {
            let needed = needed(&self.defs.get(id).schema);
            needed.into_iter().find(|reference| is_endless(reference.to))
        };
        let mut seen = BTreeSet::new();
        let mut rings = Vec::new();
        for (start, _) in self.defs.iter().filter(|(id, _)| is_endless(*id)) {
            let mut way: Vec<(DefId, &Reference)> = Vec::new();
            let mut at = start;
            while seen.insert(at) {
                let Some(reference) = next(at) else { break };
                way.push((at, reference));
                at = reference.to;
            }
            if let Some(from) = way.iter().position(|(id, _)| *id == at) {
                rings.push(way[from..].iter().map(|(_, reference)| *reference).collect());
            }
        }
        rings
    }

    /// Whether a schema has no value although all below it have, and nothing else tells of that.
    pub(super) fn is_empty(&self, schema: &Schema) -> bool {
        let apart = Self { defs: self.defs, has: vec![true; self.has.len()], is_told_below: true };
        // The values of an enum are held against the rest of their schema, one by one.
        let matches = |schema: &Schema| {
            !schema.choices.is_empty() || schema.constant.is_some() || !contradictions(schema).is_empty()
        };
        let is_empty = |schema: &Schema| !apart.fits(&[schema], 0);
        let around = schema.in_place().chain(schema.reference.iter().map(|to| &self.defs.get(to.to).schema));
        is_empty(schema) && !matches(schema) && !around.into_iter().any(is_empty)
    }

    /// Whether there is a value that all of these take.
    fn fits(&self, parts: &[&Schema], depth: usize) -> bool {
        if depth > DEEPEST {
            return true;
        }
        let mut cases = vec![Vec::new()];
        for part in parts {
            let Some(of_part) = self.cases(part).and_then(|of_part| product(&cases, &of_part)) else { return true };
            cases = of_part;
        }
        cases.iter().any(|case| self.fits_case(case, depth))
    }

    /// Whether there is a value for what stands below another one.
    fn fits_below(&self, parts: &[&Schema], depth: usize) -> bool {
        match parts {
            [] => true,
            [_] if self.is_told_below => true,
            [one] => match one.alias() {
                Some(reference) => self.has[reference.to.0],
                None => self.fits(parts, depth + 1),
            },
            _ => self.fits(parts, depth + 1),
        }
    }

    /// Every way in which a value may take the alternatives. None: too many.
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
            return values.into_iter().any(|value| parts.iter().all(|part| takes(part, value)));
        }
        let allows = |of: Type| parts.iter().all(|part| part.types.is_empty() || is_among(of, &part.types));
        Type::ALL.into_iter().filter(|of| allows(*of)).any(|of| match of {
            Type::Null | Type::Boolean => true,
            Type::Integer => !Range::of(parts.iter().copied(), true).is_empty(),
            Type::Number => !Range::of(parts.iter().copied(), false).is_empty(),
            Type::String => fits_between(parts, |part| (&part.bounds.min_length, &part.bounds.max_length)),
            Type::Array => self.fits_array(parts, depth),
            Type::Object => self.fits_object(parts, depth),
        })
    }

    fn fits_array(&self, parts: &[&Schema], depth: usize) -> bool {
        if !fits_between(parts, |part| (&part.bounds.min_items, &part.bounds.max_items)) {
            return false;
        }
        let least = parts.iter().filter_map(|part| part.bounds.min_items.as_ref()?.value.as_u64()).max().unwrap_or(0);
        let items: Vec<&Schema> = parts.iter().filter_map(|part| part.items.as_deref()).collect();
        let is_unique = |part: &&Schema| part.bounds.unique_items.as_ref().is_some_and(|at| at.value == true);
        let too_few = parts.iter().any(is_unique)
            && items.iter().filter_map(|item| count(item)).any(|count| u64::try_from(count).is_ok_and(|c| c < least));
        least == 0 || !too_few && self.fits_below(&items, depth)
    }

    fn fits_object(&self, parts: &[&Schema], depth: usize) -> bool {
        if !fits_between(parts, |part| (&part.bounds.min_properties, &part.bounds.max_properties)) {
            return false;
        }
        let objects: Vec<&Schema> = parts.iter().copied().filter(|part| part.is_object()).collect();
        let all = objects.iter().flat_map(|part| &part.properties);
        let required: BTreeSet<&str> =
            all.filter(|property| property.required).map(|property| property.name.value.as_str()).collect();
        let most = parts.iter().filter_map(|part| part.bounds.max_properties.as_ref()?.value.as_u64()).min();
        if most.is_some_and(|most| u64::try_from(required.len()).is_ok_and(|count| count > most)) {
            return false;
        }
        required.into_iter().all(|name| {
            let mut of_name = Vec::new();
            for part in &objects {
                match (part.properties.iter().find(|property| property.name.value == name), &part.additional) {
                    (Some(property), _) => of_name.push(&property.schema),
                    (None, Additional::Deny) => return false,
                    (None, Additional::Allow) => {}
                    (None, Additional::Schema(schema)) => of_name.push(schema),
                }
            }
            self.fits_below(&of_name, depth)
        })
    }
}

/// The `$ref`s to what a value of this schema cannot be without.
fn needed(schema: &Schema) -> Vec<&Reference> {
    let required = schema.properties.iter().filter(|property| property.required).map(|property| &property.schema);
    let has_items = schema.bounds.min_items.as_ref().is_some_and(|least| least.value.as_u64() > Some(0));
    let items = schema.items.as_deref().filter(|_| has_items);
    let below = schema.in_place().chain(required).chain(items).flat_map(needed);
    schema.reference.iter().chain(below).collect()
}

/// Each of these with each of those. None: too many.
fn product<'s>(some: &[Parts<'s>], others: &[Parts<'s>]) -> Option<Vec<Parts<'s>>> {
    let both = |some: &Parts<'s>, other: &Parts<'s>| some.iter().chain(other).copied().collect();
    (some.len() * others.len() <= MOST_CASES)
        .then(|| some.iter().flat_map(|some| others.iter().map(move |other| both(some, other))).collect())
}

fn is_among(of: Type, types: &[Type]) -> bool {
    types.contains(&of) || (of == Type::Integer && types.contains(&Type::Number))
}

/// Whether the words of this schema alone take a value. What is below a value is not looked at.
fn takes(schema: &Schema, value: &Value) -> bool {
    let bounds = &schema.bounds;
    let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let of = if is_whole { Type::Integer } else { type_of(value) };
    let has_type = schema.types.is_empty() || is_among(of, &schema.types);
    let is_chosen =
        schema.choices.is_empty() || schema.choices.iter().any(|choice| is_same(&choice.value.value, value));
    let is_constant = schema.constant.as_ref().is_none_or(|constant| is_same(&constant.value, value));
    let between = |size: usize, least: &Option<At<Value>>, most: &Option<At<Value>>| {
        let size = Value::from(size);
        least.as_ref().is_none_or(|least| order(&size, &least.value).is_ge())
            && most.as_ref().is_none_or(|most| order(&size, &most.value).is_le())
    };
    let is_within = match value {
        Value::Null | Value::Bool(_) => true,
        Value::Number(_) => Range::of([schema], false).holds(value),
        Value::String(text) => between(text.chars().count(), &bounds.min_length, &bounds.max_length),
        Value::Array(items) => between(items.len(), &bounds.min_items, &bounds.max_items),
        Value::Object(entries) => between(entries.len(), &bounds.min_properties, &bounds.max_properties),
    };
    has_type && is_chosen && is_constant && is_within
}

/// 1 and 1.0 are one number.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && other.is_number() && order(one, other).is_eq())
}

/// How many values a schema has, where they are few.
fn count(schema: &Schema) -> Option<usize> {
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

/// Whether a size is left between what each part says.
fn fits_between(parts: &[&Schema], ends: impl Fn(&Schema) -> Ends<'_>) -> bool {
    let least = parts.iter().filter_map(|part| ends(part).0.as_ref());
    let most: Vec<_> = parts.iter().filter_map(|part| ends(part).1.as_ref()).collect();
    least.into_iter().all(|least| most.iter().all(|most| order(&least.value, &most.value).is_le()))
}

/// A bound of numbers.
#[derive(Clone, Copy)]
struct End<'s> {
    value: &'s Value,
    is_open: bool,
    is_low: bool,
    place: Place,
}

impl End<'_> {
    fn words(&self) -> String {
        let of = show(self.value);
        match (self.is_low, self.is_open) {
            (true, false) => format!("at least {of}"),
            (true, true) => format!("greater than {of}"),
            (false, false) => format!("at most {of}"),
            (false, true) => format!("less than {of}"),
        }
    }
}

/// The numbers that some schemas take together.
struct Range<'s> {
    low: Option<End<'s>>,
    high: Option<End<'s>>,
    /// What they are multiples of, where one of the schemas says so and integers are asked for.
    step: Option<&'s At<Value>>,
    is_whole: bool,
}

impl<'s> Range<'s> {
    fn of(parts: impl IntoIterator<Item = &'s Schema>, is_whole: bool) -> Self {
        let mut range = Self { low: None, high: None, step: None, is_whole };
        for bounds in parts.into_iter().map(|part| &*part.bounds) {
            let ends = [
                (&bounds.minimum, true, false),
                (&bounds.exclusive_minimum, true, true),
                (&bounds.maximum, false, false),
                (&bounds.exclusive_maximum, false, true),
            ];
            for (end, is_low, is_open) in ends {
                let Some(At { value, place }) = end else { continue };
                let end = End { value, is_open, is_low, place: *place };
                let known = if is_low { &mut range.low } else { &mut range.high };
                let is_closer = |known: &End<'_>| match order(end.value, known.value) {
                    Ordering::Equal => is_open,
                    Ordering::Greater => is_low,
                    Ordering::Less => !is_low,
                };
                if known.as_ref().is_none_or(is_closer) {
                    *known = Some(end);
                }
            }
            range.step = range.step.or(bounds.multiple_of.as_ref());
        }
        range
    }

    /// The bounds, where not even a fraction lies between them.
    fn crossed(&self) -> Option<(End<'s>, End<'s>)> {
        let (low, high) = (self.low?, self.high?);
        let is_crossed = match order(low.value, high.value) {
            Ordering::Less => false,
            Ordering::Equal => low.is_open || high.is_open,
            Ordering::Greater => true,
        };
        is_crossed.then_some((low, high))
    }

    /// Whether no number lies between the bounds.
    fn is_empty(&self) -> bool {
        if self.crossed().is_some() {
            return true;
        }
        let (Some(low), Some(high), true) = (&self.low, &self.high, self.is_whole) else { return false };
        let (Some(first), Some(last)) = (whole(low), whole(high)) else { return false };
        let step = match &self.step {
            None => 1,
            Some(step) => match step.value.as_i64() {
                Some(step) if step > 0 => i128::from(step),
                _ => return false,
            },
        };
        last.div_euclid(step) * step < first
    }

    fn holds(&self, number: &Value) -> bool {
        let on_this_side = |end: &End<'_>| match order(number, end.value) {
            Ordering::Equal => !end.is_open,
            Ordering::Greater => end.is_low,
            Ordering::Less => !end.is_low,
        };
        [&self.low, &self.high].into_iter().flatten().all(on_this_side)
    }
}

/// The first integer on the inner side of a bound. None: too far out to matter.
fn whole(end: &End<'_>) -> Option<i128> {
    let exact = end.value.as_i64().map(i128::from);
    let is_exact = exact.is_some() || end.value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let nearest = if let Some(exact) = exact {
        exact
    } else {
        let number = end.value.as_f64().filter(|number| number.abs() < 9e15)?;
        let towards = if end.is_low { number.ceil() } else { number.floor() };
        format!("{towards:.0}").parse().ok()?
    };
    let beyond = i128::from(end.is_open && is_exact);
    Some(if end.is_low { nearest + beyond } else { nearest - beyond })
}

fn order(one: &Value, other: &Value) -> Ordering {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}

fn show(number: &Value) -> String {
    number.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diagnostic::Sink;
    use crate::manifest;
    use crate::source::Sources;

    /// Any three of these lines are a schema, and every value is held against each.
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
    fn what_is_told_to_have_no_value_takes_none() {
        let values = values();
        let (mut empty, mut contradictory, mut taken) = (0, 0, 0);
        for (first, one) in WORDS.iter().enumerate() {
            for (second, two) in WORDS.iter().enumerate().skip(first) {
                for three in &WORDS[second..] {
                    let words: BTreeSet<&str> = BTreeSet::from([*one, *two, *three]);
                    let words: Vec<&str> = words.into_iter().collect();
                    let Some(tool) = tool(&words.join("\n")) else { continue };
                    let schema = &tool.params.properties[0].schema;
                    let whole = tool.defs.whole(schema);
                    let is_empty = Values::new(&tool.defs).is_empty(schema);
                    let are_contradictory = !contradictions(schema).is_empty();
                    empty += usize::from(is_empty);
                    contradictory += usize::from(are_contradictory);
                    let validator = jsonschema::draft202012::new(&whole).expect("the schema is one");
                    let fitting: Vec<&Value> = values.iter().filter(|value| validator.is_valid(value)).collect();
                    taken += fitting.len();
                    assert!(fitting.is_empty() || !is_empty, "{fitting:?} in {whole}");
                    // Two bounds say nothing of values of another type.
                    let kinds: BTreeSet<&str> = fitting.iter().map(|value| type_of(value).name()).collect();
                    let is_one = schema.effective_types().len() == 1;
                    assert!(kinds.is_empty() || !are_contradictory || !is_one, "{fitting:?} in {whole}");
                }
            }
        }
        assert!(empty > 200 && contradictory > 50 && taken > 2_000, "{empty} {contradictory} {taken}");
    }

    /// A tool with a parameter of these words. None where they cannot stand together, such as two types.
    fn tool(words: &str) -> Option<manifest::ToolManifest> {
        let text = format!("name = 'x'\n[schema.'$defs']\n{DEFS}[params.p]\n{words}\n");
        let sources = Sources::from_memory([("manifests/tools/x.toml".to_owned(), text)]);
        manifest::parse(&sources, &Sink::default()).tools.pop()
    }
}
