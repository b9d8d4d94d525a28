//! Two alternatives of a `oneOf` that both match an ordinary value, such as `integer` and `number`, which both match 1.
//!
//! ## Why is this bad
//! Exactly one alternative of a `oneOf` must match, so the value is refused. Vendors that read `oneOf` as `anyOf` accept
//! it, and the same call works with one model and fails with another.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lines]
//! description = "How much to read: a number of lines, or a share of them."
//! oneOf = [{ type = "integer" }, { type = "number" }]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.lines]
//! description = "How much to read: a number of lines, or a share of them."
//! anyOf = [{ type = "integer" }, { type = "number" }]
//! ```

use toolc_lower::schema::{Defs, Schema};
use serde_json::{Map, Value};
use toolc::__gen::table::Type;

use crate::lint::codes;
use super::duplicate_alternative::without_annotations;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("S070", "overlapping-alternatives", Some(Level::Warning), Check::Tool(check));

/// Longer lists and deeper values are not compared.
const MAX_ALTERNATIVES: usize = 32;
const MAX_DEPTH: usize = 6;

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let defs = &tool.manifest.defs;
    for schema in tool.manifest.schemas() {
        let alternatives = &schema.one_of;
        if !(2..=MAX_ALTERNATIVES).contains(&alternatives.len()) || alternatives.iter().any(|one| one.has_errors) {
            continue;
        }
        let documents: Vec<Value> = alternatives.iter().map(|one| without_annotations(one, defs)).collect();
        let validators: Vec<_> = documents.iter().map(jsonschema::draft202012::new).collect();
        let accepts = |index: usize, value: &Value| validators[index].as_ref().is_ok_and(|one| one.is_valid(value));
        let common = (0..alternatives.len()).find_map(|index| {
            let value = sample(&alternatives[index], defs, 0).filter(|value| accepts(index, value))?;
            // Equal alternatives are reported by `duplicate-alternative`.
            let is_other = |other: &usize| documents[*other] != documents[index] && accepts(*other, &value);
            let other = (0..alternatives.len()).filter(|other| *other != index).find(is_other)?;
            Some((index.min(other), index.max(other), value))
        });
        let Some((first, second, value)) = common else { continue };
        let message = format!("two alternatives of `oneOf` match {value}, so it is refused");
        sink.push(
            Diagnostic::new(codes::OVERLAPPING_ALTERNATIVES, alternatives[second].place, message)
                .related(alternatives[first].place, "the other alternative")
                .help("use `anyOf`, or restrict one of them so that no value matches both"),
        );
    }
}

/// Returns an ordinary value of a schema: objects and arrays are not empty. Returns `None` if it is hard to find one.
fn sample(schema: &Schema, defs: &Defs, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(constant) = &schema.constant {
        return Some(constant.value.clone());
    }
    if let Some(choice) = schema.choices.first() {
        return Some(choice.value.value.clone());
    }
    if schema.types.is_empty() {
        let part = schema.any_of.first().or(schema.one_of.first());
        return match (&schema.reference, part) {
            (Some(reference), _) => sample(&defs.get(reference.to).schema, defs, depth + 1),
            (None, Some(part)) => sample(part, defs, depth + 1),
            (None, None) => None,
        };
    }
    let bounds = &schema.bounds;
    match schema.types.first()? {
        Type::Null => Some(Value::Null),
        Type::Boolean => Some(Value::Bool(true)),
        Type::Integer | Type::Number => {
            let above = |bound: &Value| bound.as_i64().map(|bound| Value::from(bound.saturating_add(1)));
            let least = bounds.minimum.as_ref().map(|bound| bound.value.clone());
            let least = least.or_else(|| above(&bounds.exclusive_minimum.as_ref()?.value));
            least.or_else(|| bounds.maximum.as_ref().map(|bound| bound.value.clone())).or(Some(Value::from(1)))
        }
        Type::String => {
            let length = bounds.min_length.as_ref().and_then(|bound| bound.value.as_u64()).unwrap_or(1).clamp(1, 1_000);
            schema.pattern.is_none().then(|| Value::from("a".repeat(usize::try_from(length).unwrap_or(1))))
        }
        Type::Array => {
            let item = sample(schema.items.as_deref()?, defs, depth + 1)?;
            let count = bounds.min_items.as_ref().and_then(|bound| bound.value.as_u64()).unwrap_or(1).clamp(1, 20);
            Some(Value::Array(vec![item; usize::try_from(count).unwrap_or(1)]))
        }
        Type::Object => {
            let is_any_required = schema.properties.iter().any(|property| property.required);
            let chosen = schema.properties.iter().filter(|property| property.required || !is_any_required);
            let entry = |property: &toolc_lower::schema::Property| {
                Some((property.name.value.clone(), sample(&property.schema, defs, depth + 1)?))
            };
            let entries = chosen.map(entry).collect::<Option<Map<String, Value>>>()?;
            (!entries.is_empty()).then_some(Value::Object(entries))
        }
    }
}
