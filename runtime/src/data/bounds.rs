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

/// Returns the minimum or maximum that `number` is beyond, if it is within the other bounds.
pub(crate) fn nearest(number: &Number, bounds: &Bounds) -> Option<Number> {
    let is_beyond =
        |bound: Option<Bound>, beyond: Ordering| bound.filter(|bound| compare(number, *bound) == Some(beyond));
    let bound = is_beyond(bounds.minimum, Ordering::Less).or_else(|| is_beyond(bounds.maximum, Ordering::Greater))?;
    let nearest = match bound {
        Bound::Integer(integer) => integer.into(),
        Bound::Number(float) => Number::from_f64(float)?,
    };
    Some(nearest).filter(|nearest| within(nearest, bounds))
}

/// Compares two numbers by value: exactly if both are integers, in any spelling.
pub(crate) fn compare(number: &Number, bound: Bound) -> Option<Ordering> {
    match (exact(number), exact_bound(bound)) {
        (Some(integer), Some(bound)) => Some(integer.cmp(&bound)),
        _ => number.as_f64()?.partial_cmp(&float(bound)),
    }
}

fn exact_bound(bound: Bound) -> Option<i128> {
    match bound {
        Bound::Integer(integer) => Some(integer.into()),
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
        Bound::Number(float) => float,
    }
}
