//! The canonical form of a definition: two that mean the same are equal in it, however they are written. Texts that models read are kept.

#[cfg(test)]
mod tests;
mod unused;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

pub(super) use unused::forget_unused;

/// The maximum number of schemas of a definition, with those that replace references.
const MAX_SCHEMAS: usize = 20_000;
/// The hints, with the values that they have by default.
const HINTS: [(&str, bool); 4] =
    [("readOnlyHint", false), ("destructiveHint", true), ("idempotentHint", false), ("openWorldHint", true)];
/// Keywords whose value is a schema.
const SCHEMA: [&str; 12] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];
/// Keywords whose value is a list of schemas.
const SCHEMAS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is schemas by name.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Keywords that allow everything if their schema does.
const OPEN: [&str; 5] =
    ["additionalProperties", "items", "unevaluatedItems", "unevaluatedProperties", "additionalItems"];
/// Keywords that say nothing if they are 0.
const BOUNDS: [&str; 3] = ["minLength", "minItems", "minProperties"];
/// Keywords that say nothing if they are false.
const FLAGS: [&str; 7] =
    ["uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable", "exclusiveMinimum", "exclusiveMaximum"];
/// Bounds of draft 4, and the flags that exclude the bound itself.
const EXCLUSIVE: [(&str, &str); 2] = [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")];
/// Keywords that say something about values of one type only, and allow null.
const OF_ONE_TYPE: [&str; 23] = [
    "additionalProperties",
    "contains",
    "dependentRequired",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "uniqueItems",
];
/// Keywords that say nothing if they are empty.
const EMPTY: [&str; 7] =
    ["required", "properties", "patternProperties", "dependentRequired", "dependentSchemas", "examples", "$defs"];
/// Keywords next to a reference that describe it, and leave its meaning.
const DESCRIBING: [&str; 5] = ["$ref", "title", "description", "default", "examples"];
/// The keys of definitions to which references lead.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// The part that the addresses of all drafts have. They are read alike.
const DRAFTS: &str = "//json-schema.org/";

/// Returns whether this is the address of an official draft.
fn is_official(draft: &str) -> bool {
    let rest = draft.strip_prefix("https:").or_else(|| draft.strip_prefix("http:"));
    rest.is_some_and(|rest| rest.starts_with(DRAFTS) && !rest.contains(char::is_whitespace))
}

/// Returns a definition in its canonical form.
pub(super) fn canonical(definition: &Value) -> Value {
    let Value::Object(members) = definition else { return definition.clone() };
    let mut canonical = members.clone();
    for key in ["inputSchema", "outputSchema"] {
        if let Some(schema) = members.get(key).filter(|schema| !schema.is_null()) {
            canonical.insert(key.to_owned(), root(schema, key == "inputSchema"));
        }
    }
    if let Some(Value::Object(annotations)) = canonical.get_mut("annotations") {
        annotations.retain(|key, value| {
            let default = HINTS.iter().find(|(hint, _)| hint == key).map(|(_, default)| Value::Bool(*default));
            !value.is_null() && Some(&*value) != default.as_ref()
        });
    }
    if canonical.get("execution").is_some_and(|execution| execution["taskSupport"] == "forbidden") {
        canonical.remove("execution");
    }
    canonical.retain(|_, value| !says_nothing(value));
    canonical.into()
}

/// Returns whether a member of a definition is as good as absent.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// Returns a whole schema in its canonical form, or as it is if that would be too large.
fn root(schema: &Value, is_input: bool) -> Value {
    let mut writer = Writer {
        root: schema,
        is_input,
        has_names: refers_by_name(schema),
        open: Vec::new(),
        recursive: Vec::new(),
        used: Vec::new(),
        left: MAX_SCHEMAS,
    };
    let Some(mut canonical) = writer.schema(schema) else { return schema.clone() };
    if let Value::Object(members) = &mut canonical {
        if is_input {
            // Arguments are always an object.
            members.entry("type").or_insert_with(|| "object".into());
        }
        let reachable = if is_input { Some(reachable(members)) } else { None };
        for key in DEFINITIONS {
            if let Some(Value::Object(schemas)) = members.get_mut(key) {
                if let Some(reachable) = &reachable {
                    // Models read no other: schemas are shown without those to which nothing refers.
                    schemas.retain(|name, _| reachable.contains(&place_of(key, name)));
                    if schemas.is_empty() {
                        members.remove(key);
                    }
                    continue;
                }
                let place = |name: &str| format!("#/{key}/{name}");
                // Those that are used replace their references. Clients of `toolc mcp serve` also get the others.
                schemas.retain(|name, _| {
                    let place = place(name);
                    writer.recursive.contains(&place) || !writer.used.contains(&place)
                });
                if schemas.is_empty() {
                    members.remove(key);
                }
            }
        }
    }
    canonical
}

struct Writer<'s> {
    root: &'s Value,
    /// Whether this is the schema of arguments, which models see without comments and identifiers.
    is_input: bool,
    /// Whether a reference leads to a name or an address, and not to a place.
    has_names: bool,
    /// The references that are being replaced.
    open: Vec<&'s str>,
    /// The references that lead to themselves, and stay.
    recursive: Vec<String>,
    /// The references that were replaced.
    used: Vec<String>,
    /// The number of further schemas.
    left: usize,
}

impl<'s> Writer<'s> {
    /// Returns a schema in its canonical form. Returns `None` if there are too many.
    fn schema(&mut self, schema: &'s Value) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        let Value::Object(members) = schema else {
            return Some(if *schema == Value::Bool(true) { Map::new().into() } else { schema.clone() });
        };
        if let Some(target) = self.target(members) {
            return self.replaced(members, target);
        }
        let mut written = BTreeMap::new();
        for (key, value) in members {
            let (key, value) = match (key.as_str(), value) {
                ("const", value) if !members.contains_key("enum") => ("enum", Value::Array(vec![number(value)])),
                ("enum", Value::Array(values)) => ("enum", set(values.iter().map(number).collect())),
                ("type", value) => ("type", types(value)),
                ("required", Value::Array(names)) => ("required", set(names.clone())),
                ("$schema", Value::String(draft)) if self.is_input || is_official(draft) => continue,
                ("$comment" | "$vocabulary", _) if self.is_input => continue,
                ("$id" | "id" | "$anchor" | "$dynamicAnchor", Value::String(_)) if self.is_input && !self.has_names => {
                    continue;
                }
                ("dependentRequired", Value::Object(lists)) => ("dependentRequired", sets(lists)),
                (key, Value::Array(schemas)) if SCHEMAS.contains(&key) => {
                    let schemas: Option<Vec<Value>> = schemas.iter().map(|schema| self.schema(schema)).collect();
                    let mut schemas = schemas?;
                    let schemas = match key {
                        // Only the parts of a list have an order.
                        "prefixItems" => schemas.into(),
                        // The same alternative twice allows nothing.
                        "oneOf" => {
                            schemas.sort_by_cached_key(Value::to_string);
                            schemas.into()
                        }
                        _ => set(schemas),
                    };
                    (key, schemas)
                }
                (key, Value::Object(schemas)) if NAMED.contains(&key) => {
                    let mut read = Map::new();
                    for (name, schema) in schemas {
                        read.insert(name.clone(), self.schema(schema)?);
                    }
                    (key, read.into())
                }
                (key, value) if SCHEMA.contains(&key) && !value.is_array() => (key, self.schema(value)?),
                (key, value) => (key, number(value)),
            };
            if !is_default(key, &value) {
                written.insert(key.to_owned(), value);
            }
        }
        Some(plain(written.into_iter().collect()).into())
    }

    /// Returns the place to which a reference leads that a schema consists of, if it can be replaced.
    fn target(&mut self, members: &'s Map<String, Value>) -> Option<&'s str> {
        let target = members.get("$ref")?.as_str()?;
        if self.open.contains(&target) {
            self.recursive.push(target.to_owned());
            return None;
        }
        let is_alone = members.keys().all(|key| DESCRIBING.contains(&key.as_str()));
        is_alone.then_some(target).filter(|target| target.starts_with("#/"))
    }

    /// Returns the schema to which a reference leads, with the other keywords of the reference. If it leads to itself, the reference
    /// stays.
    fn replaced(&mut self, members: &'s Map<String, Value>, target: &'s str) -> Option<Value> {
        let Some(found) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
            return Some(members.clone().into());
        };
        self.open.push(target);
        let replaced = self.schema(found);
        self.open.pop();
        let mut replaced = replaced?;
        if self.recursive.iter().any(|recursive| recursive == target) {
            return Some(members.clone().into());
        }
        self.used.push(target.to_owned());
        if let Value::Object(schema) = &mut replaced {
            let others = members.iter().filter(|(key, _)| *key != "$ref");
            describe(schema, others.map(|(key, value)| (key.clone(), number(value))).collect());
        }
        Some(replaced)
    }
}

/// Returns the place of a definition, as a reference names it.
fn place_of(key: &str, name: &str) -> String {
    format!("#/{key}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns the places of the definitions to which the references of a schema lead, also through other definitions.
fn reachable(members: &Map<String, Value>) -> BTreeSet<String> {
    let mut open = Vec::new();
    for (_, value) in members.iter().filter(|(key, _)| !DEFINITIONS.contains(&key.as_str())) {
        references(value, &mut open);
    }
    open.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
    let mut found = BTreeSet::new();
    while let Some(target) = open.pop() {
        let Some((key, rest)) = target.strip_prefix("#/").and_then(|target| target.split_once('/')) else { continue };
        let name = rest.split('/').next().unwrap_or_default();
        if DEFINITIONS.contains(&key) && found.insert(format!("#/{key}/{name}")) {
            let name = name.replace("~1", "/").replace("~0", "~");
            references(members.get(key).and_then(|all| all.get(&name)).unwrap_or(&Value::Null), &mut open);
        }
    }
    found
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// Returns whether a reference leads to something else than a place in the schema, such as a name.
fn refers_by_name(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(key, value)| match (key.as_str(), value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(target)) => {
                target != "#" && !target.starts_with("#/")
            }
            (_, value) => refers_by_name(value),
        }),
        Value::Array(items) => items.iter().any(refers_by_name),
        _ => false,
    }
}

/// Returns whether a keyword describes a schema, and leaves its meaning.
fn is_description(key: &str) -> bool {
    key != "$ref" && DESCRIBING.contains(&key)
}

/// Adds to a schema what describes the place where it is used. Models read both texts.
fn describe(schema: &mut Map<String, Value>, describing: Map<String, Value>) {
    for (key, value) in describing {
        let value = match (schema.get(&key), &value) {
            (Some(Value::String(inner)), Value::String(outer)) if inner != outer && key != "default" => {
                format!("{outer}\n{inner}").into()
            }
            (Some(Value::Array(inner)), Value::Array(outer)) if inner != outer && key == "examples" => {
                outer.iter().chain(inner).cloned().collect()
            }
            _ => value,
        };
        schema.insert(key, value);
    }
    schema.sort_keys();
}

/// Returns a schema without forms that only wrap it: bounds of draft 4, a list with one part, `nullable`, and null as an alternative.
fn plain(mut schema: Map<String, Value>) -> Map<String, Value> {
    for (bound, flag) in EXCLUSIVE {
        if schema.get(flag) == Some(&Value::Bool(true))
            && let Some(value) = schema.remove(bound)
        {
            schema.insert(flag.to_owned(), value);
        }
    }
    schema = merged(schema);
    for key in ["allOf", "anyOf", "oneOf"] {
        schema = unwrapped(schema, key);
    }
    if schema.get("nullable") == Some(&Value::Bool(true)) {
        let inner = schema.iter().filter(|(key, _)| *key != "nullable");
        if let Some(nullable) = with_null(inner.map(|(key, value)| (key.clone(), value.clone())).collect()) {
            schema = nullable;
        }
    }
    for key in ["anyOf", "oneOf"] {
        merge_values(&mut schema, key);
    }
    if let (Some(allowed), Some(Value::Array(values))) = (schema.get("type"), schema.get("enum"))
        && values.iter().all(|value| is_of_type(value, allowed))
    {
        schema.remove("type");
    }
    schema.sort_keys();
    schema
}

/// Keywords that depend on each other: what one of them means depends on the others next to it.
const GROUPS: [&[&str]; 5] = [
    &["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"],
    &["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains"],
    &["if", "then", "else"],
    &["nullable", "type", "enum"],
    &["$ref", "$defs", "definitions", "$dynamicRef", "$recursiveRef", "allOf"],
];

/// Returns a schema with the keywords of each part of its `allOf`, as far as these mean the same there.
fn merged(mut schema: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(parts)) = schema.remove("allOf") else { return schema };
    let mut kept = Vec::new();
    for part in parts {
        match part {
            Value::Object(part) if can_merge(&schema, &part) => merge_part(&mut schema, part),
            part => kept.push(part),
        }
    }
    if !kept.is_empty() {
        schema.insert("allOf".to_owned(), kept.into());
    }
    schema
}

/// Returns whether the keywords of a part mean the same in the schema itself.
fn can_merge(schema: &Map<String, Value>, part: &Map<String, Value>) -> bool {
    let has = |schema: &Map<String, Value>, group: &[&str]| group.iter().any(|key| schema.contains_key(*key));
    let only_properties =
        |schema: &Map<String, Value>| GROUPS[0].iter().all(|key| *key == "properties" || !schema.contains_key(*key));
    let is_apart = |key: &str, value: &Value| match (key, schema.get(key)) {
        (_, None) => true,
        ("required", Some(Value::Array(_))) => value.is_array(),
        ("properties", Some(Value::Object(known))) => value
            .as_object()
            .is_some_and(|all| all.iter().all(|(name, value)| known.get(name).is_none_or(|other| other == value))),
        (key, Some(other)) => is_description(key) || other == value,
    };
    let is_free = |group: &&[&str]| {
        !has(schema, group)
            || !has(part, group)
            || (group.contains(&"properties") && only_properties(schema) && only_properties(part))
            || group.iter().all(|key| schema.get(*key) == part.get(*key) && *key != "$ref")
            || (group.contains(&"type") && !schema.contains_key("nullable") && !part.contains_key("nullable"))
    };
    GROUPS.iter().all(is_free) && part.iter().all(|(key, value)| is_apart(key, value))
}

fn merge_part(schema: &mut Map<String, Value>, part: Map<String, Value>) {
    let mut describing = Map::new();
    for (key, value) in part {
        match (key.as_str(), schema.get_mut(&key), value) {
            ("required", Some(Value::Array(known)), Value::Array(more)) => {
                known.extend(more);
                *known = match set(std::mem::take(known)) {
                    Value::Array(names) => names,
                    _ => Vec::new(),
                };
            }
            ("properties", Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
            (key, Some(_), value) if is_description(key) => drop(describing.insert(key.to_owned(), value)),
            (_, _, value) => drop(schema.insert(key, value)),
        }
    }
    // The texts of the schema itself come first, as they do around a reference.
    let own = describing.keys().filter_map(|key| Some((key.clone(), schema.remove(key)?))).collect();
    schema.extend(describing);
    describe(schema, own);
}

/// Replaces alternatives that are single values by one list of values.
fn merge_values(schema: &mut Map<String, Value>, key: &str) {
    let Some(Value::Array(parts)) = schema.get(key).filter(|_| !schema.contains_key("enum")) else { return };
    let values_of = |part: &Value| match part.as_object().filter(|part| part.len() == 1)?.get("enum")? {
        Value::Array(values) => Some(values.clone()),
        _ => None,
    };
    let Some(values) = parts.iter().map(values_of).collect::<Option<Vec<_>>>() else { return };
    let values = values.concat();
    // With `oneOf`, a value that two alternatives have is not allowed.
    let is_distinct = || values.iter().enumerate().all(|(at, value)| !values[..at].contains(value));
    if !values.is_empty() && (key == "anyOf" || is_distinct()) {
        schema.insert("enum".to_owned(), set(values));
        schema.remove(key);
    }
}

/// Returns whether the value of the keyword `type` allows a value.
fn is_of_type(value: &Value, allowed: &Value) -> bool {
    let is_named = |name: &Value| match (name.as_str(), value) {
        (Some("null"), Value::Null)
        | (Some("boolean"), Value::Bool(_))
        | (Some("number"), Value::Number(_))
        | (Some("string"), Value::String(_))
        | (Some("array"), Value::Array(_))
        | (Some("object"), Value::Object(_)) => true,
        (Some("integer"), Value::Number(number)) => number.is_i64() || number.is_u64(),
        _ => false,
    };
    match allowed {
        Value::Array(names) => names.iter().any(is_named),
        name => is_named(name),
    }
}

/// Returns a schema with the one schema of its list `key` in place of the list, or with its types in place of alternatives that are types.
/// A schema with further keywords that are not texts stays as it is.
fn unwrapped(mut schema: Map<String, Value>, key: &str) -> Map<String, Value> {
    let is_describing = |name: &String| name == key || name == "nullable" || is_description(name);
    if !schema.keys().all(is_describing) {
        return schema;
    }
    let Some(Value::Array(parts)) = schema.get(key) else { return schema };
    let is_null = |part: &&Value| {
        part.as_object().is_some_and(|part| part.len() == 1 && part.get("type") == Some(&"null".into()))
    };
    let others: Vec<&Value> = parts.iter().filter(|part| !is_null(part)).collect();
    let inner = match (others.as_slice(), parts.len()) {
        ([Value::Object(only)], 1) => Some(only.clone()),
        // With `oneOf`, null must not be allowed twice.
        ([Value::Object(only)], 2) if key != "allOf" => {
            with_null(only.clone()).filter(|schema| key == "anyOf" || schema != only)
        }
        _ if key == "anyOf" => only_types(parts),
        _ => None,
    };
    let Some(mut inner) = inner else { return schema };
    schema.remove(key);
    describe(&mut inner, schema);
    inner
}

/// Returns a schema that also allows null, if only its type forbids that.
fn with_null(mut schema: Map<String, Value>) -> Option<Map<String, Value>> {
    let is_plain = |key: &String| OF_ONE_TYPE.contains(&key.as_str()) || is_description(key);
    if !schema.keys().all(|key| is_plain(key) || key == "type" || key == "enum") {
        return None;
    }
    match schema.get("type") {
        Some(allowed) => {
            let allowed = allowed.as_array().cloned().unwrap_or_else(|| vec![allowed.clone()]);
            schema.insert("type".to_owned(), types(&allowed.into_iter().chain(["null".into()]).collect()));
        }
        None if schema.contains_key("enum") => {}
        None => return None,
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let values = values.iter().cloned().chain([Value::Null]).collect();
        schema.insert("enum".to_owned(), set(values));
    }
    Some(schema)
}

/// Returns the types of alternatives that have nothing else.
fn only_types(parts: &[Value]) -> Option<Map<String, Value>> {
    let mut names = Vec::new();
    for part in parts {
        match part.as_object().filter(|part| part.len() == 1)?.get("type")? {
            Value::Array(several) => names.extend(several.iter().cloned()),
            name => names.push(name.clone()),
        }
    }
    Some(Map::from_iter([("type".to_owned(), types(&names.into()))]))
}

/// Returns whether a keyword with this value says nothing.
fn is_default(key: &str, value: &Value) -> bool {
    let is_empty = || value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
    (OPEN.contains(&key) || EMPTY.contains(&key)) && is_empty()
        || BOUNDS.contains(&key) && *value == 0
        || FLAGS.contains(&key) && *value == false
}

/// Returns the types of a schema: one as a word, several sorted. Every integer is a number.
fn types(value: &Value) -> Value {
    let Value::Array(names) = value else { return value.clone() };
    let has_number = names.iter().any(|name| name == "number");
    let names = names.iter().filter(|name| !has_number || *name != "integer").cloned().collect();
    match set(names) {
        Value::Array(names) if names.len() == 1 => names.into_iter().next().unwrap_or_default(),
        names => names,
    }
}

/// Returns values whose order and repetitions mean nothing.
fn set(mut values: Vec<Value>) -> Value {
    values.sort_by_cached_key(Value::to_string);
    values.dedup();
    values.into()
}

fn sets(lists: &Map<String, Value>) -> Value {
    let list = |value: &Value| value.as_array().map_or_else(|| value.clone(), |values| set(values.clone()));
    lists.iter().map(|(name, value)| (name.clone(), list(value))).collect()
}

/// Returns a number with a fraction of zero as an integer, and other values as they are.
fn number(value: &Value) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "only integers that a float represents exactly are converted")]
    match value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0 && number.abs() < 9e15) {
        Some(number) => (number as i64).into(),
        None => value.clone(),
    }
}
