//! The definitions of a server's tools: what is read from them, and which cannot be used.

use std::io;

use serde_json::{Map, Value};
use toolc::behaviour::Annotations;
use toolc::schema::FunctionDefinition;

use crate::lowered;

/// The maximum number of bytes of a definition.
const MAX_BYTES: usize = 128 << 10;
/// The maximum length of a name.
const MAX_NAME: usize = 256;

/// The definition of a tool that can be used.
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    /// The name that the server gave the tool.
    pub(crate) own_name: String,
    /// The title for people; may be empty.
    pub(crate) title: String,
    /// The hints about its effects.
    pub(crate) hints: Annotations,
    /// The name for models, the description and the schema.
    pub(crate) function: FunctionDefinition,
    /// What was wrong with the schema, and has been mended.
    pub(crate) mends: Vec<String>,
    /// The whole definition, as the server sent it.
    pub(crate) whole: Value,
}

/// A tool that cannot be used: its name and the reason.
pub(crate) type Unusable = (String, String);

impl Definition {
    /// Reads a definition. `name` returns the name for models.
    pub(crate) fn read(whole: Value, name: impl FnOnce(&str) -> String) -> Result<Self, Unusable> {
        let Some(own_name) = whole["name"].as_str().map(str::to_owned) else {
            return Err(("?".to_owned(), "it has no name".to_owned()));
        };
        if own_name.len() > MAX_NAME {
            let beginning = own_name.chars().take(MAX_NAME / 4).collect();
            return Err((beginning, format!("its name is longer than {MAX_NAME} bytes")));
        }
        let (function, mends) = function(&whole, name(&own_name)).map_err(|reason| (own_name.clone(), reason))?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let title = text(&whole["title"]).or_else(|| text(&whole["annotations"]["title"]));
        Ok(Self {
            title: title.unwrap_or_default(),
            hints: hints(&whole["annotations"]),
            own_name,
            function,
            mends,
            whole,
        })
    }
}

/// Returns the part of a definition that models see, and what has been mended in it, or why it cannot be used.
fn function(whole: &Value, name: String) -> Result<(FunctionDefinition, Vec<String>), String> {
    let size = size(whole);
    if size > MAX_BYTES {
        return Err(format!("its definition has {size} bytes, more than {MAX_BYTES}"));
    }
    let mut schema = match &whole["inputSchema"] {
        Value::Object(schema) => schema.clone(),
        Value::Null => return Err("it has no `inputSchema`".to_owned()),
        // PHP writes an empty object so.
        Value::Array(none) if none.is_empty() => Map::new(),
        _ => return Err("its `inputSchema` is not an object".to_owned()),
    };
    // A server may leave out the type, because arguments are always an object.
    let ty = schema.entry("type").or_insert_with(|| "object".into());
    if ty.as_array().is_some_and(|types| types.iter().any(|name| name == "object")) {
        *ty = "object".into();
    }
    let mut schema = schema.into();
    let mends = lowered::mend(&mut schema)?;
    let description = whole["description"].as_str().unwrap_or_default().to_owned();
    let function = FunctionDefinition::new(name, description, schema).map_err(|problems| problems.to_string())?;
    Ok((function, mends))
}

/// Returns the number of bytes of a value as JSON.
pub(crate) fn size(value: &Value) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // Neither values nor the counter have errors.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

fn hints(annotations: &Value) -> Annotations {
    let (hint, default) = (|key: &str| annotations[key].as_bool(), Annotations::DEFAULT);
    Annotations::DEFAULT
        .with_destructive(hint("destructiveHint").unwrap_or(default.destructive))
        .with_idempotent(hint("idempotentHint").unwrap_or(default.idempotent))
        .with_open_world(hint("openWorldHint").unwrap_or(default.open_world))
        .with_read_only(hint("readOnlyHint").unwrap_or(default.read_only))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(whole: Value) -> Result<Definition, Unusable> {
        Definition::read(whole, |own| format!("mcp__s__{own}"))
    }

    fn reason(schema: &Value) -> String {
        read(json!({ "name": "t", "inputSchema": schema })).err().map(|(_, reason)| reason).unwrap_or_default()
    }

    #[test]
    fn a_definition_is_read_with_its_hints() {
        let whole = json!({
            "name": "t", "description": "Does.", "inputSchema": { "$schema": "x", "properties": { "a": {} } },
            "annotations": { "title": "T", "readOnlyHint": true, "openWorldHint": false },
        });
        let read = read(whole.clone()).expect("it can be used");
        assert_eq!((read.own_name.as_str(), read.title.as_str(), &read.whole), ("t", "T", &whole));
        assert_eq!((&*read.function.name, &*read.function.description), ("mcp__s__t", "Does."));
        assert_eq!(read.function.parameters, json!({ "type": "object", "properties": { "a": {} } }));
        assert!(read.hints.read_only && !read.hints.destructive && !read.hints.open_world);
        assert_eq!(super::hints(&Value::Null), Annotations::DEFAULT);
    }

    #[test]
    fn a_schema_that_vendors_refuse_is_reported_with_the_reason() {
        let deep = (0..100).fold(json!({ "type": "string" }), |inner, _| json!({ "type": "array", "items": inner }));
        for (schema, part) in [
            (json!(null), "has no `inputSchema`"),
            (json!([1]), "not an object"),
            (json!({ "type": "string" }), "must have"),
            (json!({ "properties": { "a": deep } }), "nested deeper"),
            (json!({ "properties": { "a": { "description": "x".repeat(200_000) } } }), "bytes, more than"),
        ] {
            let reason = reason(&schema);
            assert!(reason.contains(part), "{part}: {reason}");
        }
        let recursive = json!({
            "type": "object",
            "properties": { "tree": { "$ref": "#/$defs/node" } },
            "$defs": { "node": { "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/node" } } } } },
        });
        assert_eq!(reason(&recursive), "", "recursion is not a mistake");
    }

    #[test]
    fn a_mistake_in_one_parameter_is_mended() {
        for (schema, pointer, part) in [
            (
                json!({ "properties": { "a": { "$ref": "#/$defs/missing" } } }),
                "/properties/a",
                "refers to `#/$defs/missing`",
            ),
            (
                json!({ "properties": { "a": { "$ref": "https://example.com/s" } } }),
                "/properties/a",
                "refers to `https",
            ),
            (json!({ "properties": { "a": { "type": "blob" } } }), "/properties/a/type", "`blob` is not a type"),
            (json!({ "properties": { "a": 7 } }), "/properties/a", "is not a schema"),
            (
                json!({ "properties": { "a": { "contentMediaType": 7 } } }),
                "/properties/a/contentMediaType",
                "is not valid",
            ),
            (json!({ "properties": { "a": { "type": "array" } } }), "/properties/a", "without `items`"),
        ] {
            let read = read(json!({ "name": "t", "inputSchema": schema })).expect("it can be used");
            let [mend] = &read.mends[..] else { panic!("{:?}", read.mends) };
            assert!(mend.contains(&format!("`{pointer}`")) && mend.contains(part), "{mend}");
            assert!(read.function.parameters["properties"]["a"].is_object(), "{:?}", read.function.parameters);
        }
        for schema in [json!({ "properties": { "a b": {} } }), json!({ "properties": [] }), json!([])] {
            let read = read(json!({ "name": "t", "inputSchema": schema })).expect("it can be used");
            assert_eq!(read.mends, Vec::<String>::new());
        }
    }

    #[test]
    fn a_tool_without_a_usable_name_is_reported() {
        assert_eq!(read(json!({})).err().map(|(name, _)| name), Some("?".to_owned()));
        assert_eq!(read(json!(7)).err().map(|(name, _)| name), Some("?".to_owned()));
        let (name, reason) = read(json!({ "name": "x".repeat(1000), "inputSchema": {} })).expect_err("it is too long");
        assert!(name.len() <= 64 && reason.contains("longer than"), "{name} {reason}");
    }
}
