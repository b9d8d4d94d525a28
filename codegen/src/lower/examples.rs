//! Whole-call examples, in the form in which a dialect sends arguments.

use serde_json::{Map, Value};
use toolc_lower::dialects::Dialect;
use toolc_lower::narrow::Narrowed;
use toolc_lower::schema::{Additional, Defs, Schema, equal};
use toolc_lower::text::atoms::When;
use toolc_lower::text::condition::Condition;

use super::rewrites::{Node, Rewrites, expand, rewrites};
use crate::catalog::Tool;

/// The maximum number of forms of an example that are tried, if a union has several alternatives.
const MAX_FORMS: usize = 32;

/// An example as a dialect sends it.
pub(super) struct Example {
    /// The turns in which the call is possible, or `None` for all.
    pub(super) when: Option<When>,
    /// The arguments.
    pub(super) arguments: Value,
}

/// Returns the examples of a tool that match the schema which a dialect sends, in order. `narrowed` has that schema.
pub(super) fn examples(dialect: &'static Dialect, tool: &Tool, narrowed: &Narrowed<'_>) -> Vec<Example> {
    let (root, defs) = (&tool.manifest.params, &tool.manifest.defs);
    if root.examples.is_empty() {
        return Vec::new();
    }
    let rewrites = rewrites(dialect, tool);
    let Ok(validator) = jsonschema::draft202012::new(&narrowed.defs.full_schema(&narrowed.schema)) else {
        return Vec::new();
    };
    let sent = |example: &Value| {
        let without_omitted = without(example, &rewrites.omitted);
        forms(&without_omitted, &rewrites, 0).into_iter().find(|form| validator.is_valid(form))
    };
    let example = |example: &Value| {
        let mut conditions = Vec::new();
        collect_conditions(example, root, defs, &mut conditions);
        let when = if conditions.len() > 1 { Some(Condition::And(conditions)) } else { conditions.pop() };
        let mut arguments = sent(example)?;
        remove_conditional_nulls(&mut arguments, example, root, defs);
        Some(Example { when, arguments })
    };
    root.examples.iter().filter_map(|at| example(&at.value)).collect()
}

/// Returns whether a call is possible in every turn.
pub(super) fn is_always_possible(tool: &Tool, call: &Value) -> bool {
    let mut conditions = Vec::new();
    collect_conditions(call, &tool.manifest.params, &tool.manifest.defs, &mut conditions);
    conditions.is_empty()
}

/// Returns an object without these keys.
fn without(value: &Value, keys: &[String]) -> Value {
    let mut value = value.clone();
    if let Value::Object(entries) = &mut value {
        entries.retain(|key, _| !keys.contains(key));
    }
    value
}

/// Returns the forms in which a value may be sent, at most [`MAX_FORMS`]: one for each alternative of its unions.
fn forms(value: &Value, rewrites: &Rewrites, node: usize) -> Vec<Value> {
    let node = &rewrites.nodes[node];
    if !node.any_of.is_empty() {
        let mut all: Vec<Value> = Vec::new();
        for form in node.any_of.iter().flat_map(|alternative| forms(value, rewrites, *alternative)) {
            if all.len() < MAX_FORMS && !all.contains(&form) {
                all.push(form);
            }
        }
        return all;
    }
    if node.json_text && !value.is_string() {
        return vec![Value::String(value.to_string())];
    }
    match value {
        Value::Object(entries) => object_forms(entries, rewrites, node),
        Value::Array(items) => match node.items {
            Some(of_items) => combine(items.iter().map(|item| forms(item, rewrites, of_items)).collect())
                .into_iter()
                .map(Value::Array)
                .collect(),
            None => vec![value.clone()],
        },
        _ => vec![value.clone()],
    }
}

fn object_forms(entries: &Map<String, Value>, rewrites: &Rewrites, node: &Node) -> Vec<Value> {
    let declared = |name: &str| node.properties.iter().find(|(declared, _)| declared == name).map(|(_, entry)| entry);
    let of_entry = |(name, value): (&String, &Value)| match declared(name).map(|entry| entry.node).or(node.additional) {
        Some(of_value) => forms(value, rewrites, of_value),
        None => vec![value.clone()],
    };
    let absent = node.properties.iter().filter(|(name, entry)| entry.null_is_absent && !entries.contains_key(name));
    let absent: Vec<&String> = absent.map(|(name, _)| name).collect();
    let names: Vec<&String> = entries.keys().chain(absent.iter().copied()).collect();
    let values = entries.iter().map(of_entry).chain(absent.iter().map(|_| vec![Value::Null]));
    let combined = combine(values.collect());
    let object = |values: Vec<Value>| names.iter().map(|name| (*name).clone()).zip(values).collect();
    combined.into_iter().map(|values| Value::Object(object(values))).collect()
}

/// Returns the ways of choosing one form of each value, at most [`MAX_FORMS`].
fn combine(values: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for forms in values {
        let longer = all.iter().flat_map(|begun| {
            forms.iter().map(move |form| begun.iter().cloned().chain([form.clone()]).collect::<Vec<Value>>())
        });
        all = longer.take(MAX_FORMS).collect();
    }
    all
}

/// Removes the nulls that represent absent properties, if only some turns have the property.
fn remove_conditional_nulls(sent: &mut Value, example: &Value, schema: &Schema, defs: &Defs) {
    for schema in expand(&[schema], defs, |schema| schema.in_place().collect()) {
        match (&mut *sent, example) {
            (Value::Object(sent), Value::Object(example)) => {
                for property in &schema.properties {
                    let name = &property.name.value;
                    match (sent.get_mut(name), example.get(name)) {
                        (Some(sent), Some(example)) => remove_conditional_nulls(sent, example, &property.schema, defs),
                        (Some(_), None) if property.when.is_some() => sent.retain(|key, _| key != name),
                        _ => {}
                    }
                }
            }
            (Value::Array(sent), Value::Array(example)) => {
                for (sent, example) in sent.iter_mut().zip(example) {
                    schema.items.iter().for_each(|items| remove_conditional_nulls(sent, example, items, defs));
                }
            }
            _ => {}
        }
    }
}

/// Collects the conditions of all properties and enum values that occur in a value. Those of every alternative of a union count, so the
/// result may hold in fewer turns than the value is valid in.
fn collect_conditions(value: &Value, schema: &Schema, defs: &Defs, conditions: &mut Vec<When>) {
    let mut add = |when: &When| {
        if !conditions.contains(when) {
            conditions.push(when.clone());
        }
    };
    let mut children: Vec<(&Value, &Schema)> = Vec::new();
    for schema in expand(&[schema], defs, |schema| schema.in_place().collect()) {
        let is_value = |choice: &&toolc_lower::schema::Choice| equal(&choice.value.value, value);
        for choice in schema.choices.iter().filter(is_value) {
            choice.when.iter().for_each(|when| add(&when.value));
        }
        match value {
            Value::Object(entries) => {
                for (name, value) in entries {
                    let property = schema.properties.iter().find(|property| property.name.value == *name);
                    match (property, &schema.additional) {
                        (Some(property), _) => {
                            property.when.iter().for_each(|when| add(&when.value));
                            children.push((value, &property.schema));
                        }
                        (None, Additional::Schema(values)) => children.push((value, values)),
                        _ => {}
                    }
                }
            }
            Value::Array(items) => {
                children.extend(schema.items.iter().flat_map(|of_items| items.iter().map(|item| (item, &**of_items))));
            }
            _ => {}
        }
    }
    for (value, schema) in children {
        collect_conditions(value, schema, defs, conditions);
    }
}
