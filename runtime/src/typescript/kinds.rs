//! Sets of the types of JSON values.

use super::json::Json;

/// A set of the types of JSON values. Integers are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const STRING: Self = Self(1);
    pub(super) const NUMBER: Self = Self(2);
    pub(super) const BOOLEAN: Self = Self(4);
    pub(super) const ARRAY: Self = Self(8);
    pub(super) const OBJECT: Self = Self(16);
    pub(super) const NULL: Self = Self(32);
    pub(super) const ALL: Self = Self(63);

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the types in `type`, all if there are none.
    pub(super) fn of_schema(schema: &Json) -> Self {
        let one = |name: &Json| match name.as_str() {
            Some("string") => Self::STRING,
            Some("number" | "integer") => Self::NUMBER,
            Some("boolean") => Self::BOOLEAN,
            Some("array") => Self::ARRAY,
            Some("object") => Self::OBJECT,
            Some("null") => Self::NULL,
            _ => Self::ALL,
        };
        match schema.get("type") {
            None => Self::ALL,
            Some(Json::Array(names)) => names.iter().map(one).fold(Self::NONE, Self::or),
            Some(name) => one(name),
        }
    }

    pub(super) fn of_value(value: &Json) -> Self {
        match value {
            Json::Null => Self::NULL,
            Json::Boolean(_) => Self::BOOLEAN,
            Json::Number(_) => Self::NUMBER,
            Json::String(_) => Self::STRING,
            Json::Array(_) => Self::ARRAY,
            Json::Object(_) => Self::OBJECT,
        }
    }
}

/// Returns whether a schema also allows null, whatever its other keywords say. The reader of arguments treats `nullable` so, too.
pub(super) fn is_nullable(schema: &Json) -> bool {
    schema.get("nullable") == Some(&Json::Boolean(true))
}

/// Returns whether a schema allows only integers as numbers.
pub(super) fn only_integers(schema: &Json) -> bool {
    let names = match schema.get("type") {
        Some(Json::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
        None => &[],
    };
    let has = |name: &str| names.iter().any(|one| one.as_str() == Some(name));
    has("integer") && !has("number")
}

/// Returns the values of `const` or `enum` that are of these types, or `None` if the schema has neither.
pub(super) fn literals(schema: &Json, kinds: Kinds) -> Option<Vec<&Json>> {
    let all = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => std::slice::from_ref(value),
        (None, Some(Json::Array(values))) => values.as_slice(),
        _ => return None,
    };
    let is_fraction = |value: &Json| match value {
        Json::Number(number) => number.as_f64().is_some_and(|number| number.fract() != 0.0),
        _ => false,
    };
    let integers = only_integers(schema);
    let allowed = |value: &&Json| kinds.contains(Kinds::of_value(value)) && !(integers && is_fraction(value));
    Some(all.iter().filter(allowed).collect())
}
