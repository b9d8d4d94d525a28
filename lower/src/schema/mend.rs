//! Mends JSON Schemas that others wrote, such as those of MCP servers: older drafts become draft 2020-12, and what no vendor accepts is
//! replaced by what the author probably meant, or left out. What cannot be mended in one place does not affect the others.

mod keywords;
mod prohibitions;
mod references;

use serde_json::{Map, Value};

pub use prohibitions::without_false_prohibitions;
pub use references::target_of;

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The keywords whose value is a schema.
const SINGLE: &[&str] = &[
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// The keywords whose value is a list of schemas.
const LISTS: &[&str] = &["anyOf", "oneOf", "allOf", "prefixItems"];
/// The keywords whose value is an object with schemas.
const MAPS: &[&str] = &["properties", "patternProperties", "$defs", "dependentSchemas"];
/// The keywords whose schemas are for the same value.
const IN_PLACE: &[&str] = &["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas"];

/// A part of a schema that has been mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mend {
    /// The place in the schema, as a JSON pointer.
    pub pointer: String,
    /// What was wrong, and what has been done.
    pub what: String,
}

/// Mends a schema of arguments. A boolean, or another value that is not an object, stays as it is.
pub fn mend(schema: &mut Value) -> Vec<Mend> {
    let mut mender = Mender { mends: Vec::new(), left_out: Vec::new(), pointer: String::new() };
    if schema.is_object() {
        references::modernise(schema);
        mender.schema(schema, Position::Value);
        references::check(schema, &mut mender);
        let prohibitions = without_false_prohibitions(schema, &mender.left_out);
        mender.mends.extend(prohibitions);
        references::drop_unused(schema);
        declare_no_parameters(schema);
    }
    mender.mends
}

/// Adds empty `properties` to the schema of a tool without parameters: some vendors refuse an object that does not say what it contains.
fn declare_no_parameters(schema: &mut Value) {
    let is_elsewhere = |keyword: &&str| schema.get(*keyword).is_some();
    if ["properties", "$ref", "anyOf", "oneOf", "allOf"].iter().any(is_elsewhere) {
        return;
    }
    if let Some(map) = schema.as_object_mut() {
        map.insert("properties".to_owned(), Value::Object(Object::new()));
    }
}

/// Calls `each` for each direct subschema, with the keyword that contains it.
pub fn for_each_subschema<'s>(schema: &'s mut Object, each: &mut dyn FnMut(&str, &str, &'s mut Value)) {
    for (keyword, value) in schema {
        if SINGLE.contains(&keyword.as_str()) {
            each(keyword, "", value);
        } else if LISTS.contains(&keyword.as_str()) {
            let schemas = value.as_array_mut().into_iter().flatten();
            schemas.enumerate().for_each(|(index, schema)| each(keyword, &index.to_string(), schema));
        } else if MAPS.contains(&keyword.as_str()) {
            let schemas = value.as_object_mut().into_iter().flatten();
            schemas.for_each(|(name, schema)| each(keyword, name, schema));
        }
    }
}

/// Returns whether the schemas of a keyword are for the same value as the schema that contains it.
pub fn is_in_place(keyword: &str) -> bool {
    IN_PLACE.contains(&keyword)
}

/// What a schema is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// A value of its own.
    Value,
    /// The same value as an enclosing schema, which may declare the properties that this one requires.
    InPlace,
}

/// The state of mending a schema.
struct Mender {
    mends: Vec<Mend>,
    /// The places at which something has been left out, so that more is allowed than before.
    left_out: Vec<String>,
    /// The place of the current schema.
    pointer: String,
}

impl Mender {
    /// Records a mend at the current place; `step` is appended to it.
    fn mended(&mut self, step: &str, what: impl Into<String>) {
        let mut pointer = self.pointer.clone();
        push_step(&mut pointer, step);
        self.mends.push(Mend { pointer, what: what.into() });
    }

    /// Records that something has been left out at the current place; `step` is appended to it.
    fn leaves_out(&mut self, step: &str) {
        let mut pointer = self.pointer.clone();
        push_step(&mut pointer, step);
        self.left_out.push(pointer);
    }

    fn schema(&mut self, schema: &mut Value, position: Position) {
        match schema {
            Value::Bool(true) => *schema = Value::Object(Object::new()),
            Value::Object(map) => {
                self.keywords(map);
                self.subschemas(map, position);
                self.required(map, position);
            }
            Value::Bool(false) => {}
            other => {
                let named = other.as_str().and_then(keywords::type_name);
                self.mended("", "is not a schema");
                self.leaves_out("");
                *other = Value::Object(named.map(|name| ("type".to_owned(), name.into())).into_iter().collect());
            }
        }
    }

    fn subschemas(&mut self, map: &mut Object, position: Position) {
        let mut required = Vec::new();
        for_each_subschema(map, &mut |keyword, name, schema| {
            let length = self.pointer.len();
            push_step(&mut self.pointer, keyword);
            if LISTS.contains(&keyword) || MAPS.contains(&keyword) {
                push_step_even_empty(&mut self.pointer, name);
            }
            // Draft 3 says in the schema of a property whether it is required.
            if keyword == "properties"
                && let Some(is_required) = schema.as_object_mut().and_then(take_required_flag)
                && is_required
            {
                required.push(Value::from(name));
            }
            match schema {
                // Objects and arrays are closed by it.
                Value::Bool(_) if keyword == "additionalProperties" || keyword.starts_with("unevaluated") => {}
                Value::Bool(false) if keyword == "items" => {}
                schema => {
                    let inner = if is_in_place(keyword) { Position::InPlace } else { Position::Value };
                    let inner = if keyword == "not" { position } else { inner };
                    self.schema(schema, inner);
                }
            }
            self.pointer.truncate(length);
        });
        if !required.is_empty()
            && let Some(names) = map.entry("required").or_insert_with(|| Value::Array(Vec::new())).as_array_mut()
        {
            required.retain(|name| !names.contains(name));
            names.append(&mut required);
        }
    }

    /// Declares the required properties that a schema does not declare, as some vendors demand. If no schema for the same value declares
    /// one, it may be any value; but if the object is closed, it cannot be sent, and is not required.
    fn required(&mut self, map: &mut Object, position: Position) {
        let Some(Value::Array(required)) = map.get("required") else { return };
        let declared = map.get("properties").and_then(Value::as_object);
        let is_missing = |name: &&str| !declared.is_some_and(|declared| declared.contains_key(*name));
        let missing: Vec<String> =
            required.iter().filter_map(Value::as_str).filter(is_missing).map(str::to_owned).collect();
        let further = match map.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(schema @ Value::Object(_)) => Some(schema.clone()),
            _ => Some(Value::Object(Object::new())),
        };
        for name in missing {
            let may_be_elsewhere = position == Position::InPlace || map.contains_key("$ref") || declares(map, &name);
            let Some(schema) = &further else {
                if !may_be_elsewhere {
                    let what = format!("`{}` is required and not allowed: it is not required", shown(&name));
                    self.mended("required", what);
                    self.leaves_out("required");
                    if let Some(Value::Array(required)) = map.get_mut("required") {
                        required.retain(|required| *required != name);
                    }
                }
                continue;
            };
            if !may_be_elsewhere {
                let what = format!("`{}` is required and not declared: it may be any value", shown(&name));
                self.mended("required", what);
            }
            let properties = map.entry("properties").or_insert_with(|| Value::Object(Object::new()));
            if let Some(properties) = properties.as_object_mut() {
                properties.insert(name, schema.clone());
            }
        }
    }
}

/// Leaves out what is at a place. A schema in a list is replaced by one that allows everything, so that the others keep their places. Returns
/// whether there is something at the place.
pub fn leave_out(root: &mut Value, pointer: &str) -> bool {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return false };
    let is_list = parent.rsplit('/').next().is_some_and(|keyword| LISTS.contains(&keyword));
    match root.pointer_mut(parent) {
        Some(Value::Object(map)) => map.remove(&last.replace("~1", "/").replace("~0", "~")).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>().ok().filter(|index| *index < items.len()) {
            Some(index) if is_list && items[index].as_object().is_none_or(|schema| !schema.is_empty()) => {
                items[index] = Value::Object(Object::new());
                true
            }
            Some(index) => {
                items.remove(index);
                true
            }
            None => false,
        },
        _ => false,
    }
}

/// Takes a boolean `required` out of the schema of a property.
fn take_required_flag(schema: &mut Object) -> Option<bool> {
    let flag = schema.get("required")?.as_bool()?;
    schema.remove("required");
    Some(flag)
}

/// Returns whether a schema, or one for the same value in it, declares a property.
fn declares(schema: &Object, name: &str) -> bool {
    let nested = |value: &Value| value.as_object().is_some_and(|schema| declares(schema, name));
    schema.get("properties").and_then(Value::as_object).is_some_and(|properties| properties.contains_key(name))
        || schema.get("patternProperties").is_some()
        || IN_PLACE.iter().filter_map(|keyword| schema.get(*keyword)).any(|value| match value {
            Value::Array(schemas) => schemas.iter().any(nested),
            Value::Object(_) => nested(value),
            _ => false,
        })
        || schema
            .get("allOf")
            .and_then(Value::as_array)
            .is_some_and(|all| all.iter().any(|one| one.get("$ref").is_some()))
}

/// Appends a token to a JSON pointer, unless it is empty.
fn push_step(pointer: &mut String, step: &str) {
    if !step.is_empty() {
        push_step_even_empty(pointer, step);
    }
}

fn push_step_even_empty(pointer: &mut String, step: &str) {
    pointer.push('/');
    pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
}

/// Returns the beginning of a text, without characters that are not shown.
fn shown(text: &str) -> String {
    let beginning: String = text.chars().take(80).collect();
    beginning.escape_debug().to_string()
}
