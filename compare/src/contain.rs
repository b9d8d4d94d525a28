//! Containment of schemas: whether one accepts everything that another one accepts, with a witness if not.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::prove::Prover;
use crate::search::Search;

/// Whether one schema accepts every value that another one accepts.
#[derive(Debug, Clone, PartialEq)]
pub enum Containment {
    /// It does. This is a proof.
    Contained,
    /// It refuses this value, which the other one accepts. Both validators have been run.
    Witness(Value),
    /// No proof and no witness was found. The text says what was tried.
    Unknown(String),
}

/// Decides whether the JSON Schema `wide` accepts everything that `narrow` accepts.
///
/// The decision is a proof for types, `enum`, `const`, bounds of numbers and sizes, `multipleOf`, arrays, objects, `anyOf`, `allOf`,
/// `oneOf` of alternatives that exclude each other, and recursive `$ref`s and `pattern` (by automata). A `format` is proved only if both schemas have
/// the same. Elsewhere, values that are generated near the bounds of both schemas are tried.
///
/// # Errors
/// If one of them is not a valid schema.
pub fn contain(narrow: &Value, wide: &Value) -> Result<Containment, String> {
    let options = jsonschema::options().should_validate_formats(true);
    let validator = |schema: &Value| options.clone().build(schema).map_err(|error| error.to_string());
    let (one, other) = (validator(narrow)?, validator(wide)?);
    let found = witnesses(narrow, wide, |value| (one.is_valid(value) && !other.is_valid(value)).then_some(()));
    Ok(match found {
        Found { is_proved: true, .. } => Containment::Contained,
        Found { witnesses, tried, .. } => match witnesses.into_values().next() {
            Some(witness) => Containment::Witness(witness),
            None => Containment::Unknown(format!("no proof, and no difference in {tried} values")),
        },
    })
}

/// What a search found.
#[derive(Debug)]
pub(crate) struct Found<K> {
    /// Whether the wide schema was proved to accept everything. Nothing was searched then.
    pub(crate) is_proved: bool,
    /// The smallest witness of each kind.
    pub(crate) witnesses: BTreeMap<K, Value>,
    /// The number of values that were tried.
    pub(crate) tried: usize,
}

/// Searches for values that `narrow` accepts and `wide` refuses, unless there is a proof that none exists. `judge` runs the validators, and
/// returns the kind of a witness, or `None` for a value that is not one.
pub(crate) fn witnesses<K: Ord>(narrow: &Value, wide: &Value, judge: impl Fn(&Value) -> Option<K>) -> Found<K> {
    if Prover::new(narrow, wide).is_contained(&[narrow], &[wide]) {
        return Found { is_proved: true, witnesses: BTreeMap::new(), tried: 0 };
    }
    let values = Search::new(narrow, wide, 1).values();
    let mut witnesses: BTreeMap<K, Value> = BTreeMap::new();
    for value in &values {
        let Some(kind) = judge(value) else { continue };
        let length = |value: &Value| value.to_string().len();
        if witnesses.get(&kind).is_none_or(|known| length(value) < length(known)) {
            witnesses.insert(kind, value.clone());
        }
    }
    Found { is_proved: false, witnesses, tried: values.len() }
}
