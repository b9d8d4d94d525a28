//! A fast check for values that are obviously valid: most defaults, examples and enums. Building a validator for each of
//! them would take most of the time of all checks.

use serde_json::Value;
use toolc::__gen::table::Type;
use toolc_lower::schema::{Schema, type_of};

use crate::diagnostic::At;

/// Returns whether a value is obviously valid. If not, a validator must decide.
pub(super) fn is_plainly_valid(value: &Value, schema: &Schema) -> bool {
    let ty = type_of(value);
    let is_named = |named: &Type| *named == ty || (*named, ty) == (Type::Number, Type::Integer);
    let has_type = schema.types.is_empty() || schema.types.iter().any(is_named);
    let is_chosen = schema.choices.is_empty() || schema.choices.iter().any(|choice| choice.value.value == *value);
    let is_constant = schema.constant.as_ref().is_none_or(|constant| constant.value == *value);
    let is_alone = schema.reference.is_none() && schema.in_place().next().is_none();
    has_type && is_chosen && is_constant && is_alone && is_within_bounds(value, schema)
}

fn is_within_bounds(value: &Value, schema: &Schema) -> bool {
    let bounds = &schema.bounds;
    match value {
        Value::Null | Value::Bool(_) => true,
        Value::Number(number) => {
            let further = [&bounds.exclusive_minimum, &bounds.exclusive_maximum, &bounds.multiple_of];
            further.iter().all(|bound| bound.is_none())
                && number.as_i64().is_some_and(|number| is_between(number, [&bounds.minimum, &bounds.maximum]))
        }
        Value::String(text) => {
            let length = i64::try_from(text.chars().count());
            schema.pattern.is_none()
                && length.is_ok_and(|length| is_between(length, [&bounds.min_length, &bounds.max_length]))
        }
        Value::Array(_) | Value::Object(_) => false,
    }
}

fn is_between(number: i64, [min, max]: [&Option<At<Value>>; 2]) -> bool {
    let is_met = |bound: &Option<At<Value>>, compare: fn(&i64, &i64) -> bool| {
        bound.as_ref().is_none_or(|bound| bound.value.as_i64().is_some_and(|bound| compare(&number, &bound)))
    };
    is_met(min, i64::ge) && is_met(max, i64::le)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diagnostic::Sink;
    use crate::manifest;
    use crate::source::Sources;

    /// Every pair of these lines is a schema, and every value is checked against each schema.
    const WORDS: &[&str] = &[
        "type = 'integer'",
        "type = 'number'",
        "type = 'string'",
        "type = ['null', 'boolean']",
        "type = ['string', 'integer', 'array', 'object']",
        "enum = [1, 'a', true, 2.0]",
        "enum = [{ json = 'null' }, 'été', 9007199254740993]",
        "const = 1",
        "const = 'a'",
        "minimum = 1",
        "minimum = 0.5",
        "maximum = 1",
        "maximum = 9007199254740992",
        "exclusiveMinimum = 1",
        "exclusiveMaximum = 1",
        "multipleOf = 2",
        "minLength = 2",
        "maxLength = 3",
        "minItems = 1",
        "maxProperties = 0",
        "pattern = '^a'",
        "format = 'date'",
        "anyOf = [{ type = 'string' }, { type = 'null' }]",
        "oneOf = [{ minimum = 1 }, { maximum = 1 }]",
        "allOf = [{ type = 'integer' }]",
        "'$ref' = '#/$defs/word'",
        "items = { type = 'string' }",
        "properties = { a = { required = true } }",
    ];

    #[test]
    fn plainly_valid_values_are_valid() {
        let values = [
            json!(null),
            json!(true),
            json!(false),
            json!(0),
            json!(1),
            json!(2),
            json!(-1),
            json!(1.0),
            json!(0.75),
            json!(9_007_199_254_740_993_i64),
            json!(u64::MAX),
            json!(""),
            json!("a"),
            json!("abc"),
            json!("été"),
            json!("abcd"),
            json!([]),
            json!([1]),
            json!({}),
            json!({ "a": 1 }),
        ];
        let mut plain = 0;
        for (index, one) in WORDS.iter().enumerate() {
            for other in &WORDS[index..] {
                let words = if one == other { (*one).to_owned() } else { format!("{one}\n{other}") };
                let Some(tool) = tool(&words) else { continue };
                let schema = &tool.params.properties[0].schema;
                let whole = tool.defs.full_schema(schema);
                let validator = jsonschema::draft202012::new(&whole).unwrap();
                for value in values.iter().filter(|value| is_plainly_valid(value, schema)) {
                    assert!(validator.is_valid(value), "{value} in {whole}");
                    plain += 1;
                }
            }
        }
        assert!(plain > 500, "{plain}");
    }

    /// Returns a tool with a parameter of these lines, or `None` if they cannot be combined, such as two types.
    fn tool(words: &str) -> Option<Box<manifest::LazyManifest>> {
        let text = format!("name = 'x'\n[schema.'$defs'.word]\ntype = 'string'\n[params.p]\n{words}\n");
        let sources = Sources::from_memory([("manifests/tools/x.toml".to_owned(), text)]);
        manifest::parse(&sources, &Sink::default()).tools.pop()
    }
}
