//! Schemas that others wrote, as the typed model: the schema of a tool of a server becomes that of a tool of a manifest.

use std::collections::HashMap;

use serde_json::Value;
use toolc::__gen::table::Type;
use toolc_tables::SourceId;
use toolc_tables::diagnostic::{At, Place};

use super::mend::{Object, for_each_subschema, target_of};
use super::{Additional, Bounds, Choice, Def, DefId, Defs, Other, Property, REF_PREFIX, Reference, Schema};
use crate::text::template::Piece;

/// The keywords that manifests do not have, and that restrict values.
const OTHERS: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The maximum depth at which schemas without values are recognized.
const MAX_NEVER: usize = 8;

/// The maximum number of definitions that are read.
const MAX_DEFS: usize = 10_000;

/// Reads a [mended](super::mend()) schema. With `is_subset`, for dialects that accept a subset of JSON Schema, a tuple becomes a list of any
/// of its items, and what no value fits is left out.
pub fn from_json(root: &Value, is_subset: bool) -> (Schema, Defs) {
    let mut reader =
        ForeignReader { root, is_subset, ids: HashMap::new(), names: Vec::new(), places: 0, pending: Vec::new() };
    let schema = reader.schema(root);
    let mut defs: Vec<Option<Schema>> = Vec::new();
    while let Some((id, target)) = reader.pending.pop() {
        let schema = reader.schema(target);
        defs.resize_with(reader.names.len(), || None);
        defs[id.0] = Some(schema);
    }
    let defs = defs.into_iter().zip(&reader.names).map(|(schema, name)| Def {
        name: At::new(name.clone(), nowhere()),
        schema: schema.unwrap_or_else(|| Schema::new(nowhere())),
    });
    let mut defs = Defs::new(defs.collect());
    // Schemas that consist only of each other describe no value.
    while let Some(place) = defs.cycle().and_then(|cycle| Some(cycle.last()?.place)) {
        defs.remove_reference(place);
    }
    (schema, defs)
}

/// Returns the place of what has none.
fn nowhere() -> Place {
    Place::new(SourceId(0), 0..0)
}

fn at<T>(value: T) -> At<T> {
    At::new(value, nowhere())
}

struct ForeignReader<'v> {
    root: &'v Value,
    is_subset: bool,
    /// The definitions, by the `$ref` that leads to them.
    ids: HashMap<String, DefId>,
    names: Vec<String>,
    /// The number of places of `$ref`s: each has its own.
    places: usize,
    pending: Vec<(DefId, &'v Value)>,
}

impl ForeignReader<'_> {
    fn schema(&mut self, value: &Value) -> Schema {
        let mut schema = Schema::new(nowhere());
        let Some(map) = value.as_object() else {
            if *value == Value::Bool(false) {
                let nothing = Value::Object(Object::new());
                schema.others.push(Other { keyword: "not", value: nothing, references: Vec::new() });
            }
            return schema;
        };
        let text = |keyword: &str| map.get(keyword).and_then(Value::as_str).map(str::to_owned);
        schema.reference = text("$ref").and_then(|target| self.reference(&target));
        schema.types = types(map);
        schema.title = text("title").map(at);
        schema.description =
            text("description").filter(|text| !text.is_empty()).map(|text| at(vec![Piece::Text(text)]));
        schema.deprecated = map.get("deprecated") == Some(&Value::Bool(true));
        let choices = map.get("enum").and_then(Value::as_array).into_iter().flatten();
        schema.choices = choices.map(|value| Choice { value: at(value.clone()), when: None }).collect();
        schema.constant = map.get("const").cloned().map(at);
        schema.default = map.get("default").cloned().map(at);
        let examples = map.get("examples").and_then(Value::as_array).into_iter().flatten();
        schema.examples = examples.cloned().map(at).collect();
        schema.bounds = bounds(map).into();
        schema.pattern = text("pattern").map(at);
        schema.format = text("format").map(at);
        schema.any_of = self.alternatives(map.get("anyOf"));
        schema.one_of = self.alternatives(map.get("oneOf"));
        schema.all_of = self.schemas(map.get("allOf"));
        schema.items = map.get("items").map(|items| Box::new(self.schema(items)));
        if self.is_subset
            && !map.contains_key("prefixItems")
            && map.get("items").is_some_and(|items| self.is_never(items, 0))
        {
            schema.items = None;
            schema.bounds = schema.bounds.with(|bounds| bounds.max_items = Some(at(0.into())));
        }
        self.read_object(map, &mut schema);
        self.read_others(map, &mut schema);
        schema
    }

    fn schemas(&mut self, list: Option<&Value>) -> Vec<Schema> {
        list.and_then(Value::as_array).into_iter().flatten().map(|schema| self.schema(schema)).collect()
    }

    /// Returns the alternatives of `anyOf` or `oneOf`. For a subset, those without values are left out, unless all are.
    fn alternatives(&mut self, list: Option<&Value>) -> Vec<Schema> {
        let all = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_kept = |one: &Value| !self.is_subset || !self.is_never(one, 0);
        let kept: Vec<&Value> = all.iter().filter(|one| is_kept(one)).collect();
        let kept = if kept.is_empty() { all.iter().collect() } else { kept };
        kept.into_iter().map(|schema| self.schema(schema)).collect()
    }

    /// Returns whether a schema says that no value is allowed: `false`, and what is spelt otherwise and means the same.
    fn is_never(&self, schema: &Value, depth: usize) -> bool {
        if depth > MAX_NEVER {
            return false;
        }
        let Value::Object(map) = schema else { return *schema == Value::Bool(false) };
        let is_never = |one: &Value| self.is_never(one, depth + 1);
        let list = |keyword: &str| map.get(keyword).and_then(Value::as_array).filter(|list| !list.is_empty());
        let is_anything = |one: &Value| *one == Value::Bool(true) || one.as_object().is_some_and(Object::is_empty);
        map.get("not").is_some_and(is_anything)
            || map.get("$ref").and_then(Value::as_str).and_then(|to| target_of(self.root, to)).is_some_and(is_never)
            || list("allOf").is_some_and(|all| all.iter().any(is_never))
            || ["anyOf", "oneOf"].iter().filter_map(|keyword| list(keyword)).any(|all| all.iter().all(is_never))
    }

    fn read_object(&mut self, map: &Object, schema: &mut Schema) {
        let names: Vec<&str> =
            map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let declared = map.get("properties").and_then(Value::as_object);
        for (name, value) in declared.into_iter().flatten() {
            // A subset has no schema without values. A property that cannot be sent is left out; one that must be sent stays.
            if self.is_subset && !names.contains(&name.as_str()) && self.is_never(value, 0) {
                continue;
            }
            schema.properties.push(property(name, names.contains(&name.as_str()), self.schema(value)));
        }
        let is_undeclared = |name: &&&str| !declared.is_some_and(|declared| declared.contains_key(**name));
        for name in names.iter().filter(is_undeclared) {
            schema.properties.push(property(name, true, Schema::new(nowhere())));
        }
        let has_keyword = declared.is_some() || !names.is_empty() || schema.types.contains(&Type::Object);
        schema.additional = match map.get("additionalProperties") {
            Some(Value::Bool(false)) => Additional::Deny,
            Some(Value::Bool(true)) => Additional::Allow,
            Some(Value::Object(any)) if any.is_empty() => Additional::Allow,
            Some(values) => Additional::Schema(Box::new(self.schema(values))),
            None if has_keyword => Additional::Unstated,
            None => Additional::Deny,
        };
    }

    fn read_others(&mut self, map: &Object, schema: &mut Schema) {
        for keyword in OTHERS {
            let Some(value) = map.get(*keyword) else { continue };
            if *keyword == "prefixItems" && self.is_subset {
                self.read_tuple(map, value, schema);
                continue;
            }
            let (mut value, mut references) = (value.clone(), Vec::new());
            // In an object with the keyword, its subschemas are found.
            let mut holder = Object::new();
            holder.insert((*keyword).to_owned(), value.take());
            self.rewrite_references(&mut holder, &mut references);
            let value = holder.remove(*keyword).unwrap_or_default();
            schema.others.push(Other { keyword, value, references });
        }
    }

    /// Reads a tuple as a list whose items are any of its items.
    fn read_tuple(&mut self, map: &Object, tuple: &Value, schema: &mut Schema) {
        let mut items = self.schemas(Some(tuple));
        let count = items.len();
        let is_closed = map.get("items") == Some(&Value::Bool(false));
        let further = schema.items.take().filter(|further| !is_closed && further.has_constraints());
        items.extend(further.map(|further| *further));
        let titles: Vec<String> = items.iter().filter_map(|item| Some(item.title.as_ref()?.value.clone())).collect();
        let mut distinct: Vec<Schema> = Vec::new();
        let mut seen: Vec<&Value> = Vec::new();
        let values = tuple.as_array().map(Vec::as_slice).unwrap_or_default();
        for (index, item) in items.into_iter().enumerate() {
            if let Some(value) = values.get(index) {
                if seen.contains(&value) {
                    continue;
                }
                seen.push(value);
            }
            distinct.push(item);
        }
        if distinct.len() == 1 {
            schema.items = distinct.pop().map(Box::new);
        } else {
            let mut any = Schema::new(nowhere());
            any.any_of = distinct;
            schema.items = Some(Box::new(any));
        }
        if is_closed {
            schema.bounds = schema.bounds.with(|bounds| {
                bounds.max_items.get_or_insert_with(|| at(count.into()));
            });
        }
        let types: Vec<String> = values.iter().map(type_words).collect();
        let what = if titles.len() == count { titles } else { types };
        let sentence = format!("The items, in this order: {}.", what.join(", "));
        schema.add_description(vec![Piece::Text(sentence)]);
    }

    /// Replaces each `$ref` by that of a definition.
    fn rewrite_references(&mut self, map: &mut Object, references: &mut Vec<DefId>) {
        if let Some(target) = map.get("$ref").and_then(Value::as_str)
            && let Some(reference) = self.reference(target)
        {
            references.push(reference.to);
            map.insert("$ref".to_owned(), reference.uri().into());
        }
        for_each_subschema(map, &mut |_, _, schema| {
            if let Some(map) = schema.as_object_mut() {
                self.rewrite_references(map, references);
            }
        });
    }

    fn reference(&mut self, target: &str) -> Option<Reference> {
        let to = if let Some(id) = self.ids.get(target) {
            *id
        } else {
            let schema = target_of(self.root, target).filter(|_| self.names.len() < MAX_DEFS)?;
            let id = DefId(self.names.len());
            let name = self.name(target);
            self.names.push(name);
            self.ids.insert(target.to_owned(), id);
            self.pending.push((id, schema));
            id
        };
        self.places += 1;
        let place = Place::new(SourceId(0), self.places..self.places);
        Some(Reference { to, name: self.names[to.0].clone(), place })
    }

    /// Returns the name of the definition to which a `$ref` leads.
    fn name(&self, target: &str) -> String {
        let own = target.strip_prefix(REF_PREFIX).unwrap_or(target);
        let last = own.rsplit('/').next().unwrap_or_default().trim_start_matches('#');
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let name: String = last.chars().map(|letter| if is_letter(letter) { letter } else { '_' }).take(80).collect();
        let name = if name.is_empty() { "arguments".to_owned() } else { name };
        let is_taken = |name: &String| self.names.contains(name);
        let mut free = name.clone();
        let mut number = 2_usize;
        while is_taken(&free) {
            free = format!("{name}_{number}");
            number += 1;
        }
        free
    }
}

fn property(name: &str, required: bool, schema: Schema) -> Property {
    Property {
        name: at(name.to_owned()),
        required,
        secret: false,
        aliases: Vec::new(),
        clamp: false,
        when: None,
        mcp_header: None,
        schema,
    }
}

fn types(map: &Object) -> Vec<Type> {
    match map.get("type") {
        Some(Value::String(name)) => Type::from_name(name).into_iter().collect(),
        Some(Value::Array(names)) => names.iter().filter_map(|name| Type::from_name(name.as_str()?)).collect(),
        _ => Vec::new(),
    }
}

fn bounds(map: &Object) -> Bounds {
    let bound = |keyword: &str| map.get(keyword).cloned().map(at);
    Bounds {
        minimum: bound("minimum"),
        maximum: bound("maximum"),
        exclusive_minimum: bound("exclusiveMinimum"),
        exclusive_maximum: bound("exclusiveMaximum"),
        multiple_of: bound("multipleOf"),
        min_length: bound("minLength"),
        max_length: bound("maxLength"),
        min_items: bound("minItems"),
        max_items: bound("maxItems"),
        unique_items: bound("uniqueItems").filter(|unique| unique.value == Value::Bool(true)),
        min_properties: bound("minProperties"),
        max_properties: bound("maxProperties"),
    }
}

/// Returns what the values of a schema are, in words.
fn type_words(schema: &Value) -> String {
    match schema.get("type").or_else(|| schema.get("const")) {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any value".to_owned(),
    }
}
