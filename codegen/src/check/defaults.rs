//! Checks the values in a schema (defaults, examples, enum values) against the schema itself, and finds infinite defaults.

use jsonschema::error::ValidationErrorKind;
use serde_json::{Value, json};
use toolc::__gen::table::{SlotKind, Type};
use toolc::Problem;
use toolc::args::{self, Limits, SlotBuffer};
use toolc::schema::Table;
use toolc_lower::schema::{Choice, Defs, Schema, equal, type_of};

use super::plain::is_plainly_valid;
use crate::catalog::{Catalog, Tool};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Code, Diagnostic, Edit, Place, Sink, ticked};

pub(super) fn check_tool(_: &Catalog, tool: &Tool, sink: &Sink) {
    let defs = &tool.manifest.defs;
    for schema in tool.manifest.schemas() {
        check_schema(schema, defs, sink);
    }
    check_calls(&tool.manifest.params, defs, sink);
}

fn check_schema(schema: &Schema, defs: &Defs, sink: &Sink) {
    if !schema.choices.is_empty() {
        check_duplicates(schema, sink);
    }
    // A default that is one of the values would be reported again.
    if check_listed(schema, defs, sink) {
        return;
    }
    if let Some(default) = &schema.default {
        validate([default], schema, defs, codes::DEFAULT_VIOLATES_SCHEMA, sink);
        if count_values(&default.value, schema, defs, &mut { MAX_VALUES }).is_none() {
            let message = "this default is infinite: it omits a property whose default omits the same property";
            sink.push(
                Diagnostic::new(codes::ENDLESS_DEFAULT, default.place, message)
                    .label(format!("expands to more than {MAX_VALUES} values"))
                    .help("remove one of these defaults, or include the omitted property in it"),
            );
        }
    }
    if !schema.examples.is_empty() {
        validate(&schema.examples, schema, defs, codes::EXAMPLE_VIOLATES_SCHEMA, sink);
    }
}

/// Reports examples of whole calls that satisfy the schema, but that the runtime refuses: an integer in an argument may not fit 64 bits,
/// and a call may be too large or too deep.
fn check_calls(params: &Schema, defs: &Defs, sink: &Sink) {
    if params.examples.is_empty() {
        return;
    }
    let document = defs.full_schema(params);
    // An invalid schema, and one that is too large for a table, have been reported.
    let Ok(validator) = jsonschema::draft202012::new(&document) else { return };
    let Ok(table) = Table::from_schema(&document) else { return };
    for At { value, place } in params.examples.iter().filter(|example| validator.is_valid(&example.value)) {
        let text = value.to_string();
        if let Err(error) = args::read(&text, &table, Limits::default(), &mut SlotBuffer::default()) {
            sink.push(
                Diagnostic::new(codes::EXAMPLE_VIOLATES_SCHEMA, *place, "this example would be refused as a call")
                    .label(error.message())
                    .help("change the example, or the schema around it"),
            );
        }
    }
}

/// Checks the values of `enum` and `const` against the other keywords. Returns whether one of them violates these, which is reported
/// once for all of them.
fn check_listed(schema: &Schema, defs: &Defs, sink: &Sink) -> bool {
    let choices = not_plainly_valid(schema.choices.iter().map(|choice| &choice.value), schema);
    let constant = not_plainly_valid(&schema.constant, schema);
    if choices.is_empty() && constant.is_empty() {
        return false;
    }
    let without_enum = Schema { choices: Vec::new(), ..schema.clone() };
    let without_const = Schema { constant: None, ..schema.clone() };
    let mut wrong = violations(choices, &without_enum, defs);
    // A constant that is not in the enum is another mistake than one of another type.
    let constants = violations(constant, if wrong.is_empty() { &without_const } else { &without_enum }, defs);
    wrong.extend(constants);
    let mut wrong = wrong.into_iter();
    let Some((first, why)) = wrong.next() else { return false };
    let others: Vec<_> = wrong.collect();
    let message = match others.len() {
        0 => "this value violates its own schema".to_owned(),
        count => format!("this value and {count} more violate their own schema"),
    };
    let found = Diagnostic::new(codes::ENUM_TYPE_MISMATCH, first.place, message).label(why);
    let found = others.into_iter().fold(found, |found, (value, why)| found.related(value.place, why));
    let is_of_type =
        |only| type_of(&first.value) == only || (only, type_of(&first.value)) == (Type::Number, Type::Integer);
    sink.push(found.help(match schema.types.as_slice() {
        [only] if !is_of_type(*only) => format!("write values of the type `{}`, or change `type`", only.name()),
        _ => "change the values, or the schema around them".to_owned(),
    }));
    true
}

/// Reports duplicate values: each value becomes a variant of a Rust enum.
fn check_duplicates(schema: &Schema, sink: &Sink) {
    for (index, choice) in schema.choices.iter().enumerate() {
        let value = &choice.value;
        if let Some(first) = schema.choices[..index].iter().find(|first| equal(&first.value.value, &value.value)) {
            let message = format!("this enum contains {} twice", value.value);
            let found = Diagnostic::new(codes::DUPLICATE_ENUM_VALUE, value.place, message)
                .related(first.value.place, "first listed here");
            let is_plain = choice.when.is_none() && first.when.is_none();
            sink.push(if is_plain {
                found.help("remove one of them").fix(Edit::Remove(value.place))
            } else {
                found.help("remove one of them; to combine their conditions, use `or`")
            });
        }
    }
}

/// Returns the values that need a full validator.
fn not_plainly_valid<'v>(values: impl IntoIterator<Item = &'v At<Value>>, schema: &Schema) -> Vec<&'v At<Value>> {
    values.into_iter().filter(|value| !is_plainly_valid(&value.value, schema)).collect()
}

/// Returns the values that violate a schema, each with the reasons.
fn violations<'v>(
    values: impl IntoIterator<Item = &'v At<Value>>,
    schema: &Schema,
    defs: &Defs,
) -> Vec<(&'v At<Value>, String)> {
    let values = not_plainly_valid(values, schema);
    if values.is_empty() {
        return Vec::new();
    }
    // The reason lists the values of the enum, each once. A repeated one is reported by itself.
    let mut choices: Vec<Choice> = Vec::new();
    for choice in &schema.choices {
        if !choices.iter().any(|known| equal(&known.value.value, &choice.value.value)) {
            choices.push(choice.clone());
        }
    }
    let distinct = (choices.len() < schema.choices.len()).then(|| Schema { choices, ..schema.clone() });
    let schema = distinct.as_ref().unwrap_or(schema);
    // An invalid schema has been reported.
    let document = defs.full_schema(schema);
    let Ok(validator) = jsonschema::draft202012::new(&document) else { return Vec::new() };
    let why = |at: &'v At<Value>| {
        let found: Vec<_> = validator.iter_errors(&at.value).collect();
        let of_union = found.iter().any(|error| {
            matches!(error.kind(), ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. })
        });
        let mut errors = if of_union { as_read(&at.value, &document) } else { Vec::new() };
        if errors.is_empty() {
            errors = found.iter().map(ToString::to_string).collect();
        }
        if errors.is_empty() && defs.slot_kind(schema) == SlotKind::Integer && is_beyond_integers(&at.value) {
            errors.push(format!("{} is not an integer that fits 64 bits exactly", at.value));
        }
        (!errors.is_empty()).then(|| (at, errors.join("; ")))
    };
    values.into_iter().filter_map(why).collect()
}

/// Returns the problems of a value as the reader of arguments describes them: about a union, it names every alternative.
fn as_read(value: &Value, document: &Value) -> Vec<String> {
    /// The key of the value in the arguments.
    const VALUE: &str = "value";
    let mut whole = document.clone();
    let defs = whole.as_object_mut().and_then(|document| document.remove("$defs")).unwrap_or_else(|| json!({}));
    let arguments = json!({ "type": "object", "properties": { VALUE: whole }, "$defs": defs });
    let Ok(table) = Table::from_schema(&arguments) else { return Vec::new() };
    let problems = args::validate(&json!({ VALUE: value }), &table);
    let text = |problem: Problem| {
        let place = problem.path.strip_prefix("/value").unwrap_or(&problem.path);
        let colon = if place.is_empty() { "" } else { ": " };
        format!("{place}{colon}expected {}, got {}", problem.expected, problem.got)
    };
    problems.into_iter().map(text).collect()
}

/// Reports the defaults or examples that violate a schema.
fn validate<'v>(
    values: impl IntoIterator<Item = &'v At<Value>>,
    schema: &Schema,
    defs: &Defs,
    code: Code,
    sink: &Sink,
) {
    let noun = if code == codes::DEFAULT_VIOLATES_SCHEMA { "default" } else { "example" };
    for (At { value, place }, why) in violations(values, schema, defs) {
        sink.push(if value.is_null() && code == codes::DEFAULT_VIOLATES_SCHEMA {
            null_default(*place, &defs.types(schema))
        } else {
            let found = Diagnostic::new(code, *place, format!("this {noun} violates its own schema")).label(why);
            let union =
                [("oneOf", &schema.one_of), ("anyOf", &schema.any_of)].into_iter().find(|(_, all)| !all.is_empty());
            let found = match union {
                Some((keyword, _)) => found.related(schema.keyword_place(keyword), "the first alternative"),
                None => found,
            };
            found.help(format!("change the {noun}, or the schema around it"))
        });
    }
}

/// Creates the finding for a default of null where null is not allowed. Generators write one for each optional parameter.
fn null_default(place: Place, types: &[Type]) -> Diagnostic {
    let names: Vec<&str> = types.iter().map(|ty| ty.name()).collect();
    let found = Diagnostic::new(
        codes::DEFAULT_VIOLATES_SCHEMA,
        place,
        "the default is `null`, which the schema does not allow",
    )
    .fix(Edit::Remove(place));
    let found = if names.is_empty() { found } else { found.label(format!("expected type {}", ticked(&names, " or "))) };
    let found = found.help("remove `default`: an optional parameter without a default is absent if it is not sent");
    let quoted: Vec<String> = names.into_iter().chain(["null"]).map(|name| format!("\"{name}\"")).collect();
    if types.is_empty() { found } else { found.help(format!("or allow null: `type = [{}]`", quoted.join(", "))) }
}

/// Returns whether a number is too large to be an exact integer. JSON Schema accepts any whole number as an integer, but handlers
/// get an `i64`, and a float above 2^53 does not identify one integer.
fn is_beyond_integers(value: &Value) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value.is_f64() && value.as_f64().is_some_and(|float| float.abs() >= EXACT)
}

/// The maximum number of values in an expanded default. Each becomes Rust code.
const MAX_VALUES: usize = 1_000;

/// Subtracts the number of values in an expanded default from `left`. Returns `None` if there are more than `left`.
fn count_values(value: &Value, schema: &Schema, defs: &Defs, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    let schema = defs.resolve(schema).schema;
    match (defs.slot_kind(schema), value) {
        (SlotKind::Object, Value::Object(entries)) => {
            for property in &schema.properties {
                let default = property.schema.default.as_ref().filter(|_| !property.required).map(|at| &at.value);
                if let Some(value) = entries.get(&property.name.value).or(default) {
                    count_values(value, &property.schema, defs, left)?;
                }
            }
        }
        (SlotKind::Array, Value::Array(items)) => {
            let each = schema.items.iter().flat_map(|schema| items.iter().map(move |item| (item, schema)));
            each.into_iter().try_for_each(|(item, schema)| count_values(item, schema, defs, left))?;
        }
        (SlotKind::Union, value) => {
            let union = defs.union(schema).unwrap_or_default();
            if let Some(alternative) = union.iter().find(|alternative| alternative.matches(value)) {
                count_values(value, alternative.schema, defs, left)?;
            }
        }
        _ => {}
    }
    Some(())
}
