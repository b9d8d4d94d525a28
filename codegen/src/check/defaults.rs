//! Values within a schema that the schema itself refuses: a model that copies one is refused, too.

use serde_json::Value;

use crate::catalog::Catalog;
use crate::diagnostic::{At, Code, Diagnostic, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    for schema in catalog.tools().flat_map(|(_, tool)| tool.manifest.params.walk()) {
        if let Some(default) = &schema.default {
            hold(std::slice::from_ref(default), &schema.to_json(), Code::DEFAULT_VIOLATES_SCHEMA, "default", sink);
        }
        if !schema.choices.is_empty() {
            // Held against everything but the enum itself.
            let mut rest = schema.to_json();
            rest.as_object_mut().and_then(|words| words.remove("enum"));
            let values: Vec<At<Value>> = schema.choices.iter().map(|choice| choice.value.clone()).collect();
            hold(&values, &rest, Code::ENUM_TYPE_MISMATCH, "enum value", sink);
        }
    }
}

fn hold(values: &[At<Value>], schema: &Value, code: Code, what: &str, sink: &Sink) {
    // What is no schema has been reported as that.
    let Ok(validator) = jsonschema::draft202012::new(schema) else { return };
    for At { value, place } in values {
        let mut errors: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        if errors.is_empty() && is_beyond_integers(value, schema) {
            errors.push(format!("{value} is no integer that 64 bits hold exactly"));
        }
        if !errors.is_empty() {
            sink.push(
                Diagnostic::new(code, *place, format!("this {what} is refused by its own schema"))
                    .label(errors.join("; "))
                    .help(format!("change the {what}, or the schema around it")),
            );
        }
    }
}

/// The standard takes any whole number for an integer; a handler gets an `i64`, and a float of 2^53 on no longer tells
/// which integer it is.
fn is_beyond_integers(value: &Value, schema: &Value) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    schema["type"] == "integer" && value.is_f64() && value.as_f64().is_some_and(|float| float.abs() >= EXACT)
}
