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
    let (mut schema, mut mends) = input_schema(&whole["inputSchema"])?;
    // A server may leave out the type, because arguments are always an object.
    let ty = schema.entry("type").or_insert_with(|| "object".into());
    if ty.as_array().is_some_and(|types| types.iter().any(|name| name == "object")) {
        *ty = "object".into();
    }
    let mut schema = schema.into();
    mends.extend(lowered::mend(&mut schema)?);
    if let Some(schema) = schema.as_object_mut() {
        // A type that is not one of JSON has been left out.
        schema.entry("type").or_insert_with(|| "object".into());
    }
    let description = whole["description"].as_str().unwrap_or_default().to_owned();
    let function = FunctionDefinition::new(name, description, schema).map_err(|problems| problems.to_string())?;
    Ok((function, mends))
}

/// Returns the schema of arguments that a server means, and what is wrong with it, or why it cannot be used.
fn input_schema(sent: &Value) -> Result<(Map<String, Value>, Vec<String>), String> {
    let found = |what: &str| vec![format!("it {what}: its arguments may be any values")];
    match sent {
        Value::Object(schema) => Ok((schema.clone(), Vec::new())),
        Value::Null => Ok((Map::new(), found("has no `inputSchema`"))),
        // This is a schema, too.
        Value::Bool(true) => Ok((Map::new(), found("has `true` as its `inputSchema`"))),
        Value::Bool(false) => Err("its `inputSchema` is `false`, which allows no arguments".to_owned()),
        // PHP writes an empty object so.
        Value::Array(none) if none.is_empty() => Ok((Map::new(), Vec::new())),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(schema)) => {
                Ok((schema, vec!["its `inputSchema` is a text with JSON: it is read".to_owned()]))
            }
            _ => Err("its `inputSchema` is a text, and not an object".to_owned()),
        },
        Value::Array(_) => Err("its `inputSchema` is an array, and not an object".to_owned()),
        Value::Number(_) => Err("its `inputSchema` is a number, and not an object".to_owned()),
    }
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
            (json!([1]), "is an array, and not an object"),
            (json!([{ "type": "object" }]), "is an array, and not an object"),
            (json!("object"), "is a text, and not an object"),
            (json!("[]"), "is a text, and not an object"),
            (json!(""), "is a text, and not an object"),
            (json!(7), "is a number, and not an object"),
            (json!(false), "allows no arguments"),
            (json!({ "type": "string" }), "must have"),
            (json!({ "type": "array", "items": {} }), "must have"),
            (json!({ "type": ["string", "null"] }), "must have"),
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
    fn a_schema_in_another_form_is_read_if_it_says_what_the_arguments_are() {
        let open = json!({ "type": "object", "properties": {} });
        let with = |more: Value| {
            let mut schema = open.clone();
            schema.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            schema
        };
        let a = json!({ "properties": { "a": { "type": "integer" } } });
        for (sent, expected, found) in [
            (json!(null), open.clone(), "has no `inputSchema`"),
            (json!(true), open.clone(), "has `true`"),
            (json!([]), open.clone(), ""),
            (json!({}), open.clone(), ""),
            (json!(with(a.clone()).to_string()), with(a.clone()), "is a text with JSON"),
            (json!("{}"), open.clone(), "is a text with JSON"),
            (json!({ "type": ["object", "null"] }), open.clone(), ""),
            (json!({ "type": ["null", "array", "object"] }), open.clone(), ""),
            (json!({ "type": null }), open.clone(), "is not a type of JSON"),
            (json!({ "type": [] }), open.clone(), ""),
            (json!({ "type": { "type": "object" } }), open.clone(), "is not a type of JSON"),
            (json!({ "type": "blob" }), open.clone(), "`blob` is not a type of JSON"),
            (json!({ "type": "Object" }), open.clone(), ""),
            (json!({ "type": "dict" }), open.clone(), ""),
            (json!({ "type": "object", "properties": null, "required": null }), open.clone(), ""),
            (
                json!({ "properties": null, "additionalProperties": false }),
                with(json!({ "additionalProperties": false })),
                "",
            ),
            (json!({ "type": "object", "required": true }), open.clone(), ""),
            (json!({ "type": "object", "required": [] }), open.clone(), ""),
            (json!({ "type": "object", "properties": [1] }), open.clone(), "is not an object"),
        ] {
            let read =
                read(json!({ "name": "t", "inputSchema": sent })).unwrap_or_else(|why| panic!("{sent}: {why:?}"));
            assert_eq!(read.function.parameters, expected, "{sent}");
            assert_eq!(read.mends.is_empty(), found.is_empty(), "{sent}: {:?}", read.mends);
            assert!(read.mends.iter().all(|mend| mend.contains(found)), "{sent}: {:?}", read.mends);
        }
        let read = read(json!({ "name": "t" })).expect("it can be used");
        assert_eq!(read.function.parameters, open);
    }

    #[test]
    fn a_pattern_with_a_mistake_is_stated_in_words_and_changes_nothing_else() {
        let text = |pattern: &str| json!({ "type": "string", "pattern": pattern });
        for pattern in ["[a-z", "(a", "a)", "*", "a{2,1}", "(?<n>a", "[z-a]", "\\", "+", "a**"] {
            let schema = json!({
                "type": "object",
                "properties": {
                    "a": text(pattern),
                    "b": text("^[a-z]+$"),
                    "c": { "type": "object", "patternProperties": { pattern: { "type": "integer" } }, "additionalProperties": false },
                    "d": { "type": "string", "not": { "pattern": pattern } },
                },
            });
            let read = read(json!({ "name": "t", "inputSchema": schema })).expect("it can be used");
            let properties = &read.function.parameters["properties"];
            let words = format!("Matches the regular expression {pattern}");
            assert_eq!(properties["a"], json!({ "type": "string", "description": words }), "{pattern}");
            assert_eq!(properties["b"], text("^[a-z]+$"), "{pattern}");
            assert_eq!(properties["c"], json!({ "type": "object", "patternProperties": {} }), "{pattern}");
            assert_eq!(properties["d"], json!({ "type": "string" }), "{pattern}");
            let place = |mend: &&String| mend.contains("`/properties/a/pattern` is not a regular expression");
            assert_eq!(read.mends.iter().filter(place).count(), 1, "{:?}", read.mends);
        }
        // What only another engine reads stays: the server enforces it.
        for pattern in ["^(?!a)", "(?i)^a", "(?P<n>a)", r"\Aa\z", "a++", "(?<=a)b", "(a)\\1", "\\p{L}+", "(?i:a)"] {
            let schema = json!({ "properties": { "a": text(pattern) } });
            let read = read(json!({ "name": "t", "inputSchema": schema })).expect("it can be used");
            assert_eq!(read.function.parameters["properties"]["a"], text(pattern), "{pattern}");
        }
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
