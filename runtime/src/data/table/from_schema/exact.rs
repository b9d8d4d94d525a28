//! Schemas for which the table has the same verdict about every value. What forbids such a schema, such as `not`, can be enforced.

use serde_json::Value;

use super::{Builder, Schema, keywords};
use crate::data::table::Type;
use crate::data::text_rule::Format;

/// The maximum depth. A schema that contains itself is not exact.
const MAX_DEPTH: usize = 32;

/// The keywords that say nothing about values.
const ANNOTATIONS: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    // Without `if` and `contains`, these say nothing; with them, they are part of those.
    "minContains",
    "maxContains",
    "contentMediaType",
    "contentEncoding",
];

impl Builder<'_> {
    /// Returns whether the table is exact for a schema.
    pub(super) fn is_exact(&self, schema: &Value) -> bool {
        self.is_exact_at(schema, 0)
    }

    /// Returns whether the table is exact for each schema of a list.
    pub(super) fn are_exact(&self, schemas: Option<&Value>) -> bool {
        schemas.and_then(Value::as_array).into_iter().flatten().all(|schema| self.is_exact(schema))
    }

    fn is_exact_at(&self, schema: &Value, depth: usize) -> bool {
        let Some(left) = self.exact_steps.get().checked_sub(1) else { return false };
        self.exact_steps.set(left);
        match schema {
            Value::Bool(_) => true,
            Value::Object(map) if depth < MAX_DEPTH => {
                map.iter().all(|(keyword, value)| self.is_exact_keyword(map, keyword, value, depth + 1))
            }
            _ => false,
        }
    }

    fn is_exact_keyword(&self, map: &Schema, keyword: &str, value: &Value, depth: usize) -> bool {
        let one = |schema: &Value| self.is_exact_at(schema, depth);
        let is_known_type = |name: &Value| name.as_str().and_then(Type::from_name).is_some();
        match keyword {
            "type" => match value {
                Value::Array(names) => !names.is_empty() && names.iter().all(is_known_type),
                name => is_known_type(name),
            },
            "enum" => value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_exact_literal)),
            "const" => is_exact_literal(value),
            "$ref" => value.as_str().and_then(|pointer| self.target(pointer)).is_some_and(one),
            "properties" | "dependentSchemas" => value.as_object().is_some_and(|all| all.values().all(one)),
            "patternProperties" => value.as_object().is_some_and(|all| {
                all.iter().all(|(pattern, schema)| keywords::pattern_rule(pattern).is_some() && one(schema))
            }),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(one))
            }
            "items" => value.as_array().map_or_else(|| one(value), |all| all.iter().all(one)),
            "additionalProperties" | "propertyNames" | "not" | "if" | "then" | "else" | "contains" => one(value),
            "dependentRequired" | "nullable" | "uniqueItems" | "required" | "minItems" | "maxItems" | "minLength"
            | "maxLength" | "minProperties" | "maxProperties" | "minimum" | "maximum" | "exclusiveMinimum"
            | "exclusiveMaximum" | "multipleOf" => is_well_formed(keyword, value),
            "pattern" => value.as_str().is_some_and(|pattern| keywords::pattern_rule(pattern).is_some()),
            "format" => {
                let is_number = map.get("type").is_some_and(|name| name == "integer" || name == "number");
                let is_enforced = |name| cfg!(feature = "patterns") && Format::from_name(name).is_some();
                is_number || value.as_str().is_some_and(is_enforced)
            }
            _ => ANNOTATIONS.contains(&keyword),
        }
    }
}

/// Returns whether the table reads the value of this keyword.
fn is_well_formed(keyword: &str, value: &Value) -> bool {
    match keyword {
        "nullable" | "uniqueItems" => value.is_boolean(),
        "required" => value.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
        "dependentRequired" => value.is_object(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => super::bound(value).is_some(),
        _ => super::bound(value).and_then(super::count).is_some(),
    }
}

/// Returns whether the table compares values with this one exactly.
fn is_exact_literal(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_i64().is_some() || number.as_f64().is_some_and(|float| float.abs() < 9e15),
        Value::Array(items) => items.iter().all(is_exact_literal),
        Value::Object(map) => map.values().all(is_exact_literal),
        _ => true,
    }
}
