//! Definitions of tools that are made at run time, such as those of MCP servers: the schema is JSON Schema that others wrote.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolc::schema::Table;

use crate::conditional_json::CondJson;
use crate::dialects::{Dialect, SchemaDocument};
use crate::narrow::{Fallback, Loss, narrow, refuses_json};
use crate::prose::append_sentence;
use crate::schema::{Schema, from_json, is_in_place, subschemas, target_of};
use crate::text::atoms::Template;
use crate::text::template::Piece;

/// The maximum depth at which a `$ref` for the arguments is replaced to rename what it leads to.
const MAX_INLINED: usize = 8;

/// What a dialect shows of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The description of the tool.
    pub description: String,
    /// The schema of the arguments, or `None` if the definition has none.
    pub parameters: Option<Value>,
    /// The parameters that the dialect shows under another name: the path, and the other name.
    pub renamed: Vec<(String, String)>,
    /// What the definition does not express as the server wrote it. The places are not those of a file.
    pub losses: Vec<Loss>,
}

/// Lowers a tool to a dialect. `schema` has been [mended](crate::schema::mend()). A strict dialect shows it in the form of the dialect
/// without strict mode.
pub fn show(dialect: &'static Dialect, description: &str, schema: &Value) -> Shown {
    let form = dialect.lenient.unwrap_or(dialect);
    let mut renaming = Renamer { form, root: schema, aliases: BTreeMap::new(), renamed: Vec::new() };
    let with_other_names = renaming.renamed_schema();
    let schema = with_other_names.as_ref().unwrap_or(schema);
    let renamed = renaming.renamed;
    if is_accepted(form, schema) {
        let parameters = Some(schema.clone()).filter(|schema| is_shown(form, schema));
        return Shown { description: description.to_owned(), parameters, renamed, losses: Vec::new() };
    }
    let (typed, defs) = from_json(schema, !form.accepts_any_schema());
    let mut narrowed = narrow(&typed, &defs, form);
    if let Some(ignored) = form.tool.ignored_keywords() {
        narrowed.state_in_words(ignored.value);
    }
    let mut text = if description.is_empty() { Template::new() } else { vec![Piece::Text(description.to_owned())] };
    append_sentence(&mut text, std::mem::take(&mut narrowed.about));
    append_sentence(&mut text, added_to_root(&typed, &narrowed.schema));
    let losses = std::mem::take(&mut narrowed.losses);
    let document = SchemaDocument { schema: narrowed.schema, defs: narrowed.defs, spelling: form.spelling };
    let mut parameters = document.json().full_value();
    if let Some(map) = parameters.as_object_mut() {
        // Models do not see it there.
        map.remove("description");
    }
    let parameters = Some(parameters).filter(|schema| is_shown(form, schema));
    let Value::String(description) = CondJson::Text(text).full_value() else { unreachable!("a text is a string") };
    Shown { description, parameters, renamed, losses }
}

/// Returns what narrowing has added to the description of the root, which vendors do not show models.
fn added_to_root(before: &Schema, after: &Schema) -> Template {
    let Some(after) = &after.description else { return Template::new() };
    match &before.description {
        Some(before) if before.value == after.value => Template::new(),
        _ => after.value.clone(),
    }
}

/// Returns whether a form accepts a schema as it is.
fn is_accepted(form: &Dialect, schema: &Value) -> bool {
    let is_refused = |keyword: &str| {
        // What the reference leads to is not the root.
        form.tool
            .root_keywords()
            .is_some_and(|refused| refused.value.contains(&keyword) || CONDITIONS.contains(&keyword))
    };
    form.accepts_any_schema()
        && !refuses_json(form, schema)
        && schema.as_object().is_some_and(|root| !root.keys().any(|keyword| is_refused(keyword)))
}

/// The keywords at the root that are conditions of combinators, or stand for other schemas.
const CONDITIONS: &[&str] = &["$ref", "if", "then", "else", "dependentSchemas", "not", "enum", "const"];

/// Returns whether a definition contains the schema: some APIs refuse an object without properties.
fn is_shown(form: &Dialect, schema: &Value) -> bool {
    let is_empty = schema["properties"].as_object().is_none_or(Map::is_empty)
        && !["anyOf", "oneOf", "allOf", "$ref", "patternProperties"]
            .iter()
            .any(|keyword| schema.get(*keyword).is_some());
    !(is_empty && form.omits_empty_parameters)
}

/// Renames the parameters whose names a form refuses.
struct Renamer<'v> {
    form: &'static Dialect,
    root: &'v Value,
    /// The other names of the tool's parameters. Each belongs to one name, wherever it occurs.
    aliases: BTreeMap<String, String>,
    renamed: Vec<(String, String)>,
}

/// The other names of parameters that a form refuses in one object.
type Others = BTreeMap<String, String>;

/// The maximum number of schemas for one value, and the maximum depth of values whose keys are renamed.
const MAX_PARTS: usize = 64;
const MAX_VALUE_DEPTH: usize = 16;

impl Renamer<'_> {
    /// Returns the schema with other names, or `None` if the form accepts all names.
    fn renamed_schema(&mut self) -> Option<Value> {
        self.form.tool.parameter_name().or(self.form.tool.nested_name())?;
        // The reader of arguments uses the names of the same table.
        let table = Table::from_schema(self.root).ok()?;
        self.aliases = table.parameter_aliases().into_iter().map(|(name, alias)| (name.to_owned(), alias)).collect();
        if self.aliases.is_empty() {
            return None;
        }
        let mut renamed = self.root.clone();
        self.schema(&mut renamed, "", Some(0));
        (!self.renamed.is_empty()).then_some(renamed)
    }

    /// Renames the properties of a schema. `depth` is the number of enclosing schemas for the arguments, or `None` for another value.
    fn schema(&mut self, schema: &mut Value, path: &str, depth: Option<usize>) {
        if depth.is_some_and(|depth| depth < MAX_INLINED)
            && let Some(map) = schema.as_object_mut()
        {
            self.inline(map);
        }
        let others = self.others(&self.parts(&[schema]), depth.is_some());
        let values = ["default", "examples", "const", "enum"].map(|keyword| {
            let value = schema.get(keyword).filter(|value| value.is_array() || value.is_object()).cloned();
            (keyword, value.map(|value| self.value_of_keyword(keyword, value, schema, depth.is_some())))
        });
        let Some(map) = schema.as_object_mut() else { return };
        for (keyword, value) in values {
            map.extend(value.map(|value| (keyword.to_owned(), value)));
        }
        if !others.is_empty() {
            let own = declared(map)
                .into_iter()
                .filter_map(|name| Some((format!("{path}.{name}"), others.get(name)?.clone())));
            self.renamed.extend(own.collect::<Vec<_>>());
            rename(map, &others);
        }
        subschemas(map, &mut |keyword, name, schema| {
            let is_same_value = is_in_place(keyword);
            let inner = match keyword {
                "properties" => format!("{path}.{name}"),
                "items" | "prefixItems" => format!("{path}[]"),
                "$defs" => format!("$defs.{name}"),
                _ => path.to_owned(),
            };
            self.schema(schema, &inner, depth.filter(|_| is_same_value).map(|depth| depth + 1));
        });
    }

    /// Returns the other names of the parameters that these schemas for one value declare.
    fn others(&self, parts: &[&Value], are_arguments: bool) -> Others {
        let limits = &self.form.tool;
        let Some(names) = (if are_arguments { limits.parameter_name() } else { limits.nested_name() }) else {
            return Others::new();
        };
        let declared = parts.iter().filter_map(|part| part.as_object()).flat_map(declared);
        let refused = declared.filter(|name| !names.value.accepts(name));
        refused.filter_map(|name| Some((name.to_owned(), self.aliases.get(name)?.clone()))).collect()
    }

    /// Returns the schemas for the same value as these: themselves, and those of combinators and `$ref`s.
    fn parts<'p>(&'p self, schemas: &[&'p Value]) -> Vec<&'p Value> {
        let mut parts: Vec<&Value> = schemas.to_vec();
        let mut next = 0;
        while let Some(part) = parts.get(next).copied().filter(|_| parts.len() < MAX_PARTS) {
            next += 1;
            for keyword in ["anyOf", "oneOf", "allOf"] {
                parts.extend(part.get(keyword).and_then(Value::as_array).into_iter().flatten());
            }
            let target = part.get("$ref").and_then(Value::as_str);
            parts.extend(target.and_then(|target| target_of(self.root, target)));
        }
        parts
    }

    /// Returns the value of a keyword with other names for its keys. `enum` and `examples` are lists of values.
    fn value_of_keyword(&self, keyword: &str, value: Value, schema: &Value, are_arguments: bool) -> Value {
        let rename = |value| self.value(value, &[schema], are_arguments, 0);
        match value {
            Value::Array(values) if matches!(keyword, "enum" | "examples") => values.into_iter().map(rename).collect(),
            value => rename(value),
        }
    }

    /// Returns a value of these schemas with other names for its keys.
    fn value(&self, value: Value, schemas: &[&Value], are_arguments: bool, depth: usize) -> Value {
        if depth > MAX_VALUE_DEPTH {
            return value;
        }
        let parts = self.parts(schemas);
        match value {
            Value::Object(map) => {
                let others = self.others(&parts, are_arguments);
                let renamed = map.into_iter().map(|(key, value)| {
                    let inner: Vec<&Value> =
                        parts.iter().filter_map(|part| part.get("properties")?.get(&key)).collect();
                    let value = self.value(value, &inner, false, depth + 1);
                    (others.get(&key).cloned().unwrap_or(key), value)
                });
                Value::Object(renamed.collect())
            }
            Value::Array(items) => {
                let inner: Vec<&Value> = parts.iter().filter_map(|part| part.get("items")).collect();
                items.into_iter().map(|item| self.value(item, &inner, false, depth + 1)).collect()
            }
            other => other,
        }
    }

    /// Replaces the `$ref` of a schema for the arguments: what it leads to declares parameters, whose names have rules of their own.
    fn inline(&self, map: &mut Map<String, Value>) {
        let target = map.get("$ref").and_then(Value::as_str).and_then(|target| target_of(self.root, target));
        let Some(target) = target.and_then(Value::as_object) else { return };
        // Keywords next to it would have to be merged.
        let is_alone =
            map.keys().all(|keyword| ["$ref", "$defs", "type", "title", "description"].contains(&keyword.as_str()));
        if is_alone {
            map.remove("$ref");
            for (keyword, value) in target {
                map.entry(keyword.clone()).or_insert_with(|| value.clone());
            }
        }
    }
}

/// Returns the names of the properties that an object declares or requires.
fn declared(map: &Map<String, Value>) -> BTreeSet<&str> {
    let declared = map.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).map(String::as_str);
    let required = map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    declared.chain(required).collect()
}

/// Renames properties, which keep their positions, and what refers to them.
fn rename(map: &mut Map<String, Value>, others: &Others) {
    let new = |old: String| others.get(&old).cloned().unwrap_or(old);
    let rename_text = |name: &mut Value| {
        if let Some(other) = name.as_str().and_then(|name| others.get(name)) {
            *name = other.as_str().into();
        }
    };
    let rename_in = |names: &mut Value| names.as_array_mut().into_iter().flatten().for_each(rename_text);
    for keyword in ["properties", "dependentRequired", "dependentSchemas"] {
        if let Some(Value::Object(named)) = map.get_mut(keyword) {
            *named = std::mem::take(named).into_iter().map(|(old, value)| (new(old), value)).collect();
        }
    }
    if let Some(Value::Object(dependencies)) = map.get_mut("dependentRequired") {
        dependencies.values_mut().for_each(rename_in);
    }
    for keyword in ["required", "propertyOrdering"] {
        map.get_mut(keyword).into_iter().for_each(rename_in);
    }
    if let Some(Value::Object(names)) = map.get_mut("propertyNames") {
        names.get_mut("enum").into_iter().for_each(rename_in);
        names.get_mut("const").into_iter().for_each(rename_text);
    }
    if let Some(Value::Object(discriminator)) = map.get_mut("discriminator") {
        discriminator.get_mut("propertyName").into_iter().for_each(rename_text);
    }
}

impl Shown {
    /// Returns what the dialect changes, for people: a line for each kind of change.
    pub fn changes(&self) -> Vec<String> {
        let mut changes: Vec<String> = self
            .renamed
            .iter()
            .map(|(path, alias)| format!("`{}` is shown as `{alias}`", path.trim_start_matches('.')))
            .collect();
        for Loss { path, keyword, fallback, .. } in &self.losses {
            let place =
                if path.is_empty() { "the root".to_owned() } else { format!("`{}`", path.trim_start_matches('.')) };
            let what = match fallback {
                Fallback::Description => "in words",
                Fallback::JsonText => "as JSON text",
                Fallback::Dropped => "left out",
            };
            let change = format!("`{keyword}` of {place} is {what}");
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
        changes
    }
}
