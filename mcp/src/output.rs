//! Output schemas: whether a value matches a schema of another program, in bounded time. The structured content of a result
//! is checked against what the server has declared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::error::{ErrorKind, McpError};

/// The maximum number of bytes of structured content that is checked.
const MAX_CHECKED: usize = 512 << 10;
/// The maximum number of schemas that apply to one value, so that a check takes a bounded time.
const MAX_APPLIED: usize = 500;
/// The maximum depth of an output schema that models and clients see.
const MAX_DEPTH: usize = 50;
/// Where an output schema is in the schema of the results.
const STRUCTURED: &str = "#/$defs/structured";
/// The maximum number of characters of a problem.
const MAX_PROBLEM: usize = 300;

/// The keywords whose schemas apply to the same value as the schema that has them.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/// The output schema of a tool, if it has one.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    schema: Option<Value>,
    checked: OnceLock<Result<CheckedSchema, McpError>>,
}

/// A JSON Schema of another program. A check against it takes a bounded time.
#[derive(Debug)]
pub struct CheckedSchema(Validator);

impl CheckedSchema {
    /// Returns a schema that values can be checked against.
    ///
    /// # Errors
    /// Returns an error if the schema is invalid, refers to something outside of it, or could not be checked in bounded time.
    pub fn new(schema: &Value) -> Result<Self, McpError> {
        check_bounded(schema).map_err(|problem| McpError::new(ErrorKind::Schema, problem))?;
        let invalid = |problem: String| {
            let problem: String = problem.chars().take(MAX_PROBLEM).collect();
            McpError::new(ErrorKind::Schema, format!("the output schema is not valid: {problem}"))
        };
        jsonschema::draft202012::meta::validate(schema).map_err(|error| invalid(error.to_string()))?;
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
        // An engine whose time is linear in the length of the text.
        let options = options.with_pattern_options(jsonschema::PatternOptions::regex());
        options.build(schema).map(Self).map_err(|error| invalid(error.to_string()))
    }

    /// Returns the first problem of a value, with its place.
    pub fn problem(&self, value: &Value) -> Option<String> {
        let error = self.0.validate(value).err()?;
        let problem: String = error.to_string().chars().take(MAX_PROBLEM).collect();
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { String::new() } else { format!(", at `{place}`") };
        Some(format!("{problem}{place}"))
    }
}

impl OutputSchema {
    /// Returns the output schema of a definition.
    pub(crate) fn of(definition: &Value) -> Self {
        let schema = definition.get("outputSchema").filter(|schema| !schema.is_null()).cloned();
        Self { schema, checked: OnceLock::new() }
    }

    /// Returns whether the structured content may be null.
    pub(crate) fn allows_null(&self) -> bool {
        self.schema.is_some() && self.problem(Some(&Value::Null)).is_none()
    }

    /// Returns the JSON Schema of the results that [`output`](crate::content::output) makes: the structured content, usually alone. `None`
    /// if the tool has no output schema, or not one that can be used.
    pub(crate) fn result_schema(&self) -> Option<Value> {
        let declared = self.schema.as_ref().filter(|schema| depth(schema) <= MAX_DEPTH)?;
        check_bounded(declared).ok()?;
        jsonschema::draft202012::meta::validate(declared).ok()?;
        let mut moved = declared.clone();
        rebase_refs(&mut moved, false);
        if let Value::Object(map) = &mut moved {
            map.remove("$schema");
        }
        let (structured, text) = (json!({ "$ref": STRUCTURED }), json!({ "type": "string" }));
        let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        let forms = [
            structured.clone(),
            object(json!({ "text": text, "structured": structured }), json!(["text", "structured"])),
            // The structured content does not match what the server has declared.
            object(json!({ "text": text, "structured": true, "note": text }), json!(["note"])),
        ];
        let mut schema = json!({ "$defs": { "structured": moved }, "anyOf": forms });
        if declared["type"] == "object" {
            // Earlier versions of the protocol require it.
            schema["type"] = "object".into();
        }
        Some(schema)
    }

    /// Returns what is wrong about the structured content of a result that is not an error.
    pub(crate) fn problem(&self, structured: Option<&Value>) -> Option<String> {
        let schema = self.schema.as_ref()?;
        let Some(structured) = structured else {
            return Some("the tool declares an output schema, and the result has no structured content".to_owned());
        };
        if structured.to_string().len() > MAX_CHECKED {
            return None;
        }
        match self.checked.get_or_init(|| CheckedSchema::new(schema)) {
            Ok(checked) => checked.problem(structured).map(|problem| {
                format!("the structured content does not match the output schema of the tool: {problem}")
            }),
            Err(problem) => Some(format!("the structured content is not checked: {problem}")),
        }
    }
}

/// Returns how deep a value is nested.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(map) => map.values().map(depth).max(),
        _ => None,
    };
    1 + inner.unwrap_or_default()
}

/// Changes the references of a schema that becomes a part of another one. `is_map` says that the keys are names.
fn rebase_refs(value: &mut Value, is_map: bool) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rebase_refs(item, false)),
        Value::Object(map) => {
            for (key, inner) in map {
                match (&**key, inner) {
                    ("$ref", Value::String(target)) if !is_map => {
                        if let Some(pointer) = target.strip_prefix('#') {
                            *target = format!("{STRUCTURED}{pointer}");
                        }
                    }
                    ("const" | "enum" | "default" | "examples", _) if !is_map => {}
                    ("properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas", inner)
                        if !is_map =>
                    {
                        rebase_refs(inner, true);
                    }
                    (_, inner) => rebase_refs(inner, false),
                }
            }
        }
        _ => {}
    }
}

/// Checks that no reference leads out of the schema, and that only a bounded number of schemas apply to one value: a schema that refers to
/// itself without going into the value would never end.
fn check_bounded(schema: &Value) -> Result<(), String> {
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        if let Value::Object(map) = value {
            for key in ["$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor"] {
                if map.contains_key(key) && map.get("properties").is_none_or(|properties| properties.get(key).is_none())
                {
                    return Err(format!("the output schema uses `{key}`"));
                }
            }
        }
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(map) => pending.extend(map.values()),
            _ => {}
        }
    }
    let mut bounds = Bounds { root: schema, known: BTreeMap::new(), open: BTreeSet::new() };
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        bounds.applied(value)?;
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(map) => pending.extend(map.values()),
            _ => {}
        }
    }
    Ok(())
}

/// Counts the schemas that apply to one value.
struct Bounds<'s> {
    root: &'s Value,
    /// The numbers for schemas that are referred to.
    known: BTreeMap<&'s str, usize>,
    /// The references that are being followed.
    open: BTreeSet<&'s str>,
}

impl<'s> Bounds<'s> {
    fn applied(&mut self, schema: &'s Value) -> Result<usize, String> {
        let Value::Object(map) = schema else { return Ok(1) };
        let mut count = 1;
        for key in IN_PLACE {
            match map.get(key) {
                Some(Value::Array(schemas)) => {
                    for schema in schemas {
                        count += self.applied(schema)?;
                    }
                }
                Some(schema) => count += self.applied(schema)?,
                None => {}
            }
        }
        if let Some(Value::Object(schemas)) = map.get("dependentSchemas") {
            for schema in schemas.values() {
                count += self.applied(schema)?;
            }
        }
        if let Some(Value::String(target)) = map.get("$ref") {
            count += self.target(target)?;
        }
        if count > MAX_APPLIED {
            return Err(format!("more than {MAX_APPLIED} parts of the output schema apply to one value"));
        }
        Ok(count)
    }

    fn target(&mut self, target: &'s str) -> Result<usize, String> {
        if let Some(count) = self.known.get(target) {
            return Ok(*count);
        }
        let shown: String = target.chars().take(80).collect::<String>().escape_debug().to_string();
        let schema = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let schema = schema.ok_or_else(|| format!("the output schema refers to `{shown}`, which it does not have"))?;
        if !self.open.insert(target) {
            return Err(format!("the output schema has a cycle of references through `{shown}`"));
        }
        let count = self.applied(schema)?;
        self.open.remove(target);
        self.known.insert(target, count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(schema: &Value, structured: &Value) -> String {
        OutputSchema::of(&json!({ "outputSchema": schema })).problem(Some(structured)).unwrap_or_default()
    }

    #[test]
    fn content_that_does_not_match_is_reported_with_its_place() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
        assert_eq!(problem(&schema, &json!({ "n": 1 })), "");
        let found = problem(&schema, &json!({ "n": "1" }));
        assert!(found.contains("does not match") && found.ends_with("at `/n`"), "{found}");
        assert!(problem(&schema, &json!({})).contains("required"));
        assert_eq!(problem(&json!({ "type": "array" }), &json!([1])), "", "the root can be of any type");
        let schema = OutputSchema::of(&json!({ "outputSchema": schema }));
        assert!(schema.problem(None).is_some_and(|problem| problem.contains("no structured content")));
        assert_eq!(OutputSchema::of(&json!({})).problem(Some(&json!(7))), None);
    }

    #[test]
    fn a_schema_that_could_not_be_checked_in_bounded_time_is_not_used() {
        let node = json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } });
        assert_eq!(problem(&json!({ "$ref": "#/$defs/node", "$defs": { "node": node } }), &json!({ "next": {} })), "");
        let mut wide = json!({ "type": "string" });
        for _ in 0..12 {
            wide = json!({ "anyOf": [wide, wide] });
        }
        let doubling: serde_json::Map<String, Value> = (0..60)
            .map(|at| (at.to_string(), json!({ "allOf": [{ "$ref": format!("#/$defs/{}", at + 1) }, { "$ref": format!("#/$defs/{}", at + 1) }] })))
            .chain([("60".to_owned(), json!({}))])
            .collect();
        for (schema, reason) in [
            (json!({ "$ref": "#" }), "a cycle of references"),
            (
                json!({ "anyOf": [{ "$ref": "#/$defs/a" }], "$defs": { "a": { "not": { "$ref": "#/$defs/b" } }, "b": { "$ref": "#/$defs/a" } } }),
                "a cycle of references",
            ),
            (json!({ "$ref": "https://example.com/schema" }), "does not have"),
            (json!({ "$ref": "#/$defs/0", "$defs": doubling }), "apply to one value"),
            (wide, "apply to one value"),
            (json!({ "type": "text" }), "not valid"),
            (json!({ "$dynamicRef": "#x" }), "uses `$dynamicRef`"),
        ] {
            let found = problem(&schema, &json!({}));
            assert!(found.contains("is not checked") && found.contains(reason), "{reason}: {found}");
        }
    }

    #[test]
    fn a_pattern_takes_linear_time() {
        let schema = json!({ "type": "string", "pattern": "^(a+)+$" });
        let started = std::time::Instant::now();
        assert!(problem(&schema, &json!("a".repeat(50_000) + "b")).contains("does not match"));
        assert!(started.elapsed() < std::time::Duration::from_secs(5));
    }
}
