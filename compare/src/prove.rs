//! Proves that one schema accepts everything that another one accepts.

#![expect(clippy::float_cmp, reason = "bounds are equal or not")]

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::automata::{Inclusion, inclusion};
use crate::forms::{ARRAY, BOOLEAN, End, FRACTION, Form, INTEGER, NULL, OBJECT, STRING, Schemas, forms};

/// The maximum number of pairs of schemas that one proof visits.
const MAX_PAIRS: usize = 20_000;

/// A proof in progress.
pub(crate) struct Prover<'s> {
    /// The document of the narrower schema, and that of the wider one.
    roots: [&'s Value; 2],
    /// The pairs that are being proved, or have been. A pair may be used in its own proof: a value is finite, and every step back to the
    /// pair leads to a smaller part of it.
    assumed: Vec<[Vec<*const Value>; 2]>,
}

impl<'s> Prover<'s> {
    pub(crate) fn new(narrow: &'s Value, wide: &'s Value) -> Self {
        Self { roots: [narrow, wide], assumed: Vec::new() }
    }

    /// Returns whether every value of the narrower schemas is accepted by the wider ones. `false` means that no proof was found.
    pub(crate) fn is_contained(&mut self, narrow: &[&'s Value], wide: &[&'s Value]) -> bool {
        if wide.is_empty() {
            return true;
        }
        let key =
            [narrow, wide].map(|schemas| schemas.iter().map(|schema| std::ptr::from_ref(*schema)).collect::<Vec<_>>());
        if self.assumed.contains(&key) {
            return true;
        }
        if self.assumed.len() == MAX_PAIRS {
            return false;
        }
        self.assumed.push(key);
        let known = self.assumed.len();
        let holds = self.holds(narrow, wide);
        if !holds {
            // What was assumed meanwhile may rest on this pair.
            self.assumed.truncate(known - 1);
        }
        holds
    }

    fn holds(&mut self, narrow: &[&'s Value], wide: &[&'s Value]) -> bool {
        let (Some(narrow), Some(wide)) = (forms(narrow, self.roots[0]), forms(wide, self.roots[1])) else {
            return false;
        };
        let wide: Vec<Form<'s>> = wide.into_iter().filter(|form| form.is_exact).collect();
        narrow.iter().all(|form| self.is_covered(form, &wide))
    }

    /// Returns whether every value of a form is accepted by one of several forms.
    fn is_covered(&mut self, form: &Form<'s>, wide: &[Form<'s>]) -> bool {
        if let Some(values) = &form.values {
            let root = self.roots[1];
            let values = values.iter().filter(|value| form.admits(value, self.roots[0], 0));
            return values.into_iter().all(|value| wide.iter().any(|other| other.admits(value, root, 0)));
        }
        if wide.iter().any(|other| self.covers(form, other)) {
            return true;
        }
        // One alternative may accept the strings, and another one the numbers.
        let types = [NULL, BOOLEAN, INTEGER, FRACTION, STRING, ARRAY, OBJECT].map(|bit| form.types & bit);
        let parts: Vec<u8> = types.into_iter().filter(|bit| *bit != 0).collect();
        if parts.len() > 1 {
            return parts.into_iter().all(|types| self.is_covered(&Form { types, ..form.clone() }, wide));
        }
        form.types == BOOLEAN
            && [true, false]
                .iter()
                .all(|flag| wide.iter().any(|other| other.admits(&Value::Bool(*flag), self.roots[1], 0)))
    }

    /// Returns whether one form accepts every value of another one.
    fn covers(&mut self, narrow: &Form<'s>, wide: &Form<'s>) -> bool {
        let has = |bits: u8| narrow.types & bits != 0;
        narrow.types & !wide.types == 0
            && wide.values.is_none()
            && (!has(INTEGER | FRACTION) || numbers_are_covered(narrow, wide))
            && (!has(STRING) || texts_are_covered(narrow, wide))
            && (!has(ARRAY) || self.arrays_are_covered(narrow, wide))
            && (!has(OBJECT) || self.objects_are_covered(narrow, wide))
    }

    fn arrays_are_covered(&mut self, narrow: &Form<'s>, wide: &Form<'s>) -> bool {
        contains(wide.count, narrow.count)
            && (!wide.is_unique || narrow.is_unique || narrow.count.1 <= 1)
            && (narrow.count.1 == 0 || self.is_contained(&narrow.items, &wide.items))
    }

    fn objects_are_covered(&mut self, narrow: &Form<'s>, wide: &Form<'s>) -> bool {
        let is_closed = narrow.unnamed().iter().any(|schema| **schema == Value::Bool(false));
        let most = if is_closed { narrow.properties.len() as u64 } else { u64::MAX };
        let size = (narrow.size.0.max(narrow.required.len() as u64), narrow.size.1.min(most));
        if !wide.required.is_subset(&narrow.required) || !contains(wide.size, size) {
            return false;
        }
        if !self.names_are_covered(narrow, wide) {
            return false;
        }
        let names = narrow.properties.keys().chain(wide.properties.keys());
        names.into_iter().all(|name| self.part_is_covered(&narrow.property(name), &wide.property(name)))
            && self.part_is_covered(&narrow.unnamed(), &wide.unnamed())
    }

    fn names_are_covered(&mut self, narrow: &Form<'s>, wide: &Form<'s>) -> bool {
        // Every name is a text.
        static TEXT: LazyLock<Value> = LazyLock::new(|| json!({ "type": "string" }));
        let text: &'s Value = &TEXT;
        let narrow: Schemas<'s> = narrow.names.iter().copied().chain([text]).collect();
        self.is_contained(&narrow, &wide.names)
    }

    /// Returns whether a property of the narrower form, if it can exist, is accepted by the wider one.
    fn part_is_covered(&mut self, narrow: &Schemas<'s>, wide: &Schemas<'s>) -> bool {
        narrow.iter().any(|schema| **schema == Value::Bool(false)) || self.is_contained(narrow, wide)
    }
}

fn numbers_are_covered(narrow: &Form<'_>, wide: &Form<'_>) -> bool {
    let within = |wide: Option<End>, narrow: Option<End>, sign: f64| {
        wide.is_none_or(|wide| {
            narrow.is_some_and(|narrow| {
                sign * narrow.at > sign * wide.at || (narrow.at == wide.at && (narrow.is_open || !wide.is_open))
            })
        })
    };
    let is_multiple = |wanted: &f64| {
        let divides = |known: &f64| (known / wanted).fract() == 0.0;
        narrow.multiples.iter().any(divides) || (narrow.types & FRACTION == 0 && divides(&1.0))
    };
    within(wide.min, narrow.min, 1.0) && within(wide.max, narrow.max, -1.0) && wide.multiples.iter().all(is_multiple)
}

/// Formats are compared by their names.
fn texts_are_covered(narrow: &Form<'_>, wide: &Form<'_>) -> bool {
    let is_implied = |wide: &str| {
        let implies = |narrow: &str| inclusion(narrow, wide) == Inclusion::Included;
        narrow.patterns.iter().any(|pattern| implies(pattern)) || implies("")
    };
    contains(wide.length, narrow.length)
        && wide.formats.is_subset(&narrow.formats)
        && wide.patterns.iter().all(|pattern| is_implied(pattern))
}

fn contains(wide: (u64, u64), narrow: (u64, u64)) -> bool {
    wide.0 <= narrow.0 && narrow.1 <= wide.1
}
