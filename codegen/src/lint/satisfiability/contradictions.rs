//! Pairs of bounds that contradict each other.

use serde_json::Value;
use toolc::__gen::table::Type;
use toolc_lower::schema::{Additional, Schema};

use super::range::{Range, compare};
use crate::diagnostic::Place;

/// Two keywords of one schema that no value satisfies together.
pub(in crate::lint) struct Contradiction {
    /// The later keyword.
    pub place: Place,
    /// The earlier keyword.
    pub other: Place,
    /// The message of the finding.
    pub message: String,
}

/// Returns the pairs of keywords of a schema that contradict each other.
pub(in crate::lint) fn contradictions(schema: &Schema) -> Vec<Contradiction> {
    [numbers(schema), sizes(schema), properties(schema)].into_iter().flatten().collect()
}

/// Returns whether a schema allows one of these types.
fn allows(schema: &Schema, wanted: &[Type]) -> bool {
    let types = schema.effective_types();
    types.is_empty() || types.iter().any(|ty| wanted.contains(ty))
}

/// Returns the contradiction between two keywords, of which the author may have written either first.
fn between(one: Place, other: Place, message: String) -> Contradiction {
    let (place, other) = if one.span().start < other.span().start { (other, one) } else { (one, other) };
    Contradiction { place, other, message }
}

/// Finds bounds that no number satisfies.
fn numbers(schema: &Schema) -> Vec<Contradiction> {
    if !allows(schema, &[Type::Integer, Type::Number]) {
        return Vec::new();
    }
    let types = schema.effective_types();
    let is_whole = types.iter().all(|ty| *ty != Type::Number) && types.contains(&Type::Integer);
    let range = Range::new([schema], is_whole);
    if let Some((low, high)) = range.crossed() {
        let message = format!("no number is {} and {}", low.describe(), high.describe());
        return vec![between(low.place, high.place, message)];
    }
    let (true, Some(low), Some(high)) = (range.is_empty(), &range.low, &range.high) else { return Vec::new() };
    let message = match &range.step {
        Some(step) => format!("no multiple of {} is {} and {}", step.value, low.describe(), high.describe()),
        None => format!("no integer is {} and {}", low.describe(), high.describe()),
    };
    vec![between(low.place, high.place, message)]
}

/// Finds a minimum of a length or a count that is more than the maximum.
fn sizes(schema: &Schema) -> Vec<Contradiction> {
    let bounds = &schema.bounds;
    let sizes = [
        (Type::String, "string", "characters", &bounds.min_length, &bounds.max_length),
        (Type::Array, "array", "items", &bounds.min_items, &bounds.max_items),
        (Type::Object, "object", "properties", &bounds.min_properties, &bounds.max_properties),
    ];
    let mut found = Vec::new();
    for (ty, noun, what, min, max) in sizes {
        if allows(schema, &[ty])
            && let (Some(min), Some(max)) = (min, max)
            && compare(&min.value, &max.value).is_gt()
        {
            let message = format!("no {noun} has at least {} {what} and at most {}", min.value, max.value);
            found.push(between(min.place, max.place, message));
        }
    }
    found
}

/// Finds bounds on the number of properties that the declared properties cannot meet.
fn properties(schema: &Schema) -> Vec<Contradiction> {
    let (bounds, mut found) = (&schema.bounds, Vec::new());
    if !allows(schema, &[Type::Object]) || !schema.is_object() {
        return found;
    }
    let required: Vec<Place> =
        schema.properties.iter().filter(|property| property.required).map(|p| p.name.place).collect();
    if let (Some(max), Some(last)) = (&bounds.max_properties, required.last())
        && compare(&max.value, &Value::from(required.len())).is_lt()
    {
        let count = required.len();
        found.push(Contradiction {
            place: max.place,
            other: *last,
            message: match count {
                1 => format!("1 property is required, but at most {} are allowed", max.value),
                _ => format!("{count} properties are required, but at most {} are allowed", max.value),
            },
        });
    }
    if let (Some(min), Additional::Deny) = (&bounds.min_properties, &schema.additional)
        && compare(&min.value, &Value::from(schema.properties.len())).is_gt()
    {
        let count = schema.properties.len();
        found.push(Contradiction {
            place: min.place,
            other: schema.place,
            message: match (min.value.as_u64(), count) {
                (Some(1), _) => "at least 1 property is required, but none is declared".to_owned(),
                (_, 1) => format!("at least {} properties are required, but only 1 is declared", min.value),
                _ => format!("at least {} properties are required, but only {count} are declared", min.value),
            },
        });
    }
    found
}
