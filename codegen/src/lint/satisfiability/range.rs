//! Ranges of numbers.

use std::cmp::Ordering;

use serde_json::Value;
use toolc_lower::schema::Schema;

use crate::diagnostic::{At, Place};

/// A bound of a range of numbers.
#[derive(Clone, Copy)]
pub(super) struct End<'s> {
    pub(super) value: &'s Value,
    is_open: bool,
    is_low: bool,
    pub(super) place: Place,
}

impl End<'_> {
    pub(super) fn describe(&self) -> String {
        let value = self.value;
        match (self.is_low, self.is_open) {
            (true, false) => format!("at least {value}"),
            (true, true) => format!("greater than {value}"),
            (false, false) => format!("at most {value}"),
            (false, true) => format!("less than {value}"),
        }
    }
}

/// The numbers that several schemas accept together.
pub(super) struct Range<'s> {
    pub(super) low: Option<End<'s>>,
    pub(super) high: Option<End<'s>>,
    /// `multipleOf` of one of the schemas. Considered for integers only.
    pub(super) step: Option<&'s At<Value>>,
    is_whole: bool,
}

impl<'s> Range<'s> {
    pub(super) fn new(parts: impl IntoIterator<Item = &'s Schema>, is_whole: bool) -> Self {
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
                let is_closer = |known: &End<'_>| match compare(end.value, known.value) {
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

    /// Returns the bounds if no real number is between them.
    pub(super) fn crossed(&self) -> Option<(End<'s>, End<'s>)> {
        let (low, high) = (self.low?, self.high?);
        let is_crossed = match compare(low.value, high.value) {
            Ordering::Less => false,
            Ordering::Equal => low.is_open || high.is_open,
            Ordering::Greater => true,
        };
        is_crossed.then_some((low, high))
    }

    /// Returns whether the range contains no number, or no integer if `is_whole`.
    pub(super) fn is_empty(&self) -> bool {
        if self.crossed().is_some() {
            return true;
        }
        let (Some(low), Some(high), true) = (&self.low, &self.high, self.is_whole) else { return false };
        let (Some(first), Some(last)) = (first_integer(low), first_integer(high)) else { return false };
        let step = match &self.step {
            None => 1,
            Some(step) => match step.value.as_i64() {
                Some(step) if step > 0 => i128::from(step),
                _ => return false,
            },
        };
        last.div_euclid(step) * step < first
    }

    pub(super) fn contains(&self, number: &Value) -> bool {
        let is_inside = |end: &End<'_>| match compare(number, end.value) {
            Ordering::Equal => !end.is_open,
            Ordering::Greater => end.is_low,
            Ordering::Less => !end.is_low,
        };
        [&self.low, &self.high].into_iter().flatten().all(is_inside)
    }
}

/// Returns the first integer within a bound, or `None` if the bound is too large to matter.
fn first_integer(end: &End<'_>) -> Option<i128> {
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

/// Compares two numbers: exactly if both fit `i64`, otherwise as floats.
pub(super) fn compare(one: &Value, other: &Value) -> Ordering {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}
