//! Comparisons of numbers with the bounds of a schema, which do not round integers.

use std::cmp::Ordering;

use serde_json::Number;

use super::table::{Bound, Bounds};
use crate::number::{exact, exact_float};

/// Returns the same as [`within`] for an integer, but faster for integer minimum and maximum, the most common bounds.
#[inline]
pub(crate) fn is_within(integer: i64, bounds: &Bounds) -> bool {
    match bounds {
        Bounds {
            minimum: None | Some(Bound::Integer(_)),
            maximum: None | Some(Bound::Integer(_)),
            exclusive_minimum: None,
            exclusive_maximum: None,
            multiple_of: None,
            ..
        } => {
            let min = if let Some(Bound::Integer(min)) = bounds.minimum { min } else { i64::MIN };
            let max = if let Some(Bound::Integer(max)) = bounds.maximum { max } else { i64::MAX };
            (min..=max).contains(&integer)
        }
        _ => within(&integer.into(), bounds),
    }
}

/// Returns whether `number` is within the bounds.
pub(crate) fn within(number: &Number, bounds: &Bounds) -> bool {
    let holds = |bound: Option<Bound>, allowed: fn(Ordering) -> bool| {
        bound.is_none_or(|bound| compare(number, bound).is_some_and(allowed))
    };
    holds(bounds.minimum, Ordering::is_ge)
        && holds(bounds.maximum, Ordering::is_le)
        && holds(bounds.exclusive_minimum, Ordering::is_gt)
        && holds(bounds.exclusive_maximum, Ordering::is_lt)
        && bounds.multiple_of.is_none_or(|step| is_multiple(number, step))
}

/// A side of the range that bounds allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The side of `minimum` and `exclusiveMinimum`.
    Lower,
    /// The side of `maximum` and `exclusiveMaximum`.
    Upper,
}

/// Returns the allowed number that is nearest to `number`, if `number` is beyond the bounds of one side.
pub(crate) fn nearest(number: &Number, bounds: &Bounds, is_integer: bool) -> Option<Number> {
    let is_beyond = |bound: Option<Bound>, is_allowed: fn(Ordering) -> bool| {
        bound.and_then(|bound| compare(number, bound)).is_some_and(|ordering| !is_allowed(ordering))
    };
    let is_below = is_beyond(bounds.minimum, Ordering::is_ge) || is_beyond(bounds.exclusive_minimum, Ordering::is_gt);
    let is_above = is_beyond(bounds.maximum, Ordering::is_le) || is_beyond(bounds.exclusive_maximum, Ordering::is_lt);
    match (is_below, is_above) {
        (true, false) => outermost(bounds, Side::Lower, is_integer),
        (false, true) => outermost(bounds, Side::Upper, is_integer),
        _ => None,
    }
}

/// Returns the outermost number on a side that the bounds allow. There is none if the side has no bound, or if numbers come ever closer
/// to an exclusive bound.
pub fn outermost(bounds: &Bounds, side: Side, is_integer: bool) -> Option<Number> {
    let (inclusive, exclusive) = match side {
        Side::Lower => (bounds.minimum, bounds.exclusive_minimum),
        Side::Upper => (bounds.maximum, bounds.exclusive_maximum),
    };
    let is_allowed = |number: &Number| within(number, bounds);
    inclusive.into_iter().chain(exclusive).find_map(|bound| {
        if is_integer {
            integers_from(bound, side, bounds.multiple_of).find(is_allowed)
        } else {
            numbers_from(bound, side, bounds.multiple_of).find(is_allowed)
        }
    })
}

/// The number of integers that are tried at a bound. It limits the search for an integer that is a multiple of a fraction.
const MAX_TRIED: i128 = 1000;

/// Returns the integers at a bound, from the outside.
fn integers_from(bound: Bound, side: Side, step: Option<Bound>) -> impl Iterator<Item = Number> {
    let stride = step.and_then(exact_bound).map_or(1, |step| step.max(1));
    let first = match (bound, side) {
        (Bound::Integer(integer), Side::Lower) => -i128::from(integer),
        (Bound::Integer(integer), Side::Upper) => i128::from(integer),
        (Bound::Unsigned(integer), Side::Lower) => -i128::from(integer),
        (Bound::Unsigned(integer), Side::Upper) => i128::from(integer),
        (Bound::Number(float), Side::Lower) => floor(-float),
        (Bound::Number(float), Side::Upper) => floor(float),
    };
    let sign = if side == Side::Lower { -1 } else { 1 };
    let inward = (0..MAX_TRIED).map(move |index| sign * (first.div_euclid(stride) - index) * stride);
    let number = |integer: i128| {
        i64::try_from(integer).map(Number::from).or_else(|_| u64::try_from(integer).map(Number::from)).ok()
    };
    inward.map_while(number)
}

#[expect(clippy::cast_possible_truncation, reason = "it saturates: no integer of a tool is beyond 64 bits")]
fn floor(float: f64) -> i128 {
    (float.floor() as i64).into()
}

/// Returns an inclusive bound, and the multiples of `step` at a bound, from the outside.
fn numbers_from(bound: Bound, side: Side, step: Option<Bound>) -> impl Iterator<Item = Number> {
    let exact = match bound {
        Bound::Integer(integer) => Some(integer.into()),
        Bound::Unsigned(integer) => Some(integer.into()),
        Bound::Number(float) => Number::from_f64(float),
    };
    let multiples = step.map(float).filter(|step| *step > 0.0).map(|step| {
        // 3 / 10 is 0.3, and 3 * 0.1 is not.
        let parts = (1.0 / step).round();
        let is_part = parts >= 1.0 && (parts * step - 1.0).abs() <= f64::EPSILON;
        let quotient = float(bound) / step;
        let (first, inward) = match side {
            Side::Lower => (quotient.ceil(), 1.0),
            Side::Upper => (quotient.floor(), -1.0),
        };
        let multiple = move |count: f64| if is_part { count / parts } else { count * step };
        [first, first + inward].map(multiple)
    });
    exact.into_iter().chain(multiples.into_iter().flatten().filter_map(number_of))
}

/// Returns a float as a JSON number: without a fraction if it has none.
fn number_of(float: f64) -> Option<Number> {
    match crate::number::whole(float) {
        Some(integer) => Some(integer.into()),
        None => Number::from_f64(float),
    }
}

/// The smallest integer of more than 64 bits: 2^64.
const BEYOND: f64 = 18_446_744_073_709_551_616.0;

/// Compares two numbers by value: exactly if both are integers, in any spelling.
pub(crate) fn compare(number: &Number, bound: Bound) -> Option<Ordering> {
    match (exact(number), exact_bound(bound)) {
        (Some(integer), Some(bound)) => Some(integer.cmp(&bound)),
        // It is beyond all integers of 64 bits. As a float, the largest of them is 2^64.
        (None, Some(_)) if number.as_f64()?.abs() >= BEYOND => number.as_f64()?.partial_cmp(&0.0),
        _ => number.as_f64()?.partial_cmp(&float(bound)),
    }
}

fn exact_bound(bound: Bound) -> Option<i128> {
    match bound {
        Bound::Integer(integer) => Some(integer.into()),
        Bound::Unsigned(integer) => Some(integer.into()),
        Bound::Number(float) => exact_float(float),
    }
}

fn is_multiple(number: &Number, step: Bound) -> bool {
    match (exact(number), exact_bound(step)) {
        (_, Some(0)) => true,
        (Some(integer), Some(step)) => integer % step == 0,
        // The remainder of two floats is exact for any size.
        (None, Some(_)) => number.as_f64().is_some_and(|number| number % float(step) == 0.0),
        _ => {
            // 0.3 should count as a multiple of 0.1.
            let quotient = number.as_f64().unwrap_or(f64::NAN) / float(step);
            let whole = quotient.round();
            // The tolerance is the rounding error of the division.
            (quotient - whole).abs() <= 4.0 * f64::EPSILON * quotient.abs() && (whole != 0.0 || quotient == 0.0)
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "integers are compared as such before this is asked")]
fn float(bound: Bound) -> f64 {
    match bound {
        Bound::Integer(integer) => integer as f64,
        Bound::Unsigned(integer) => integer as f64,
        Bound::Number(float) => float,
    }
}
