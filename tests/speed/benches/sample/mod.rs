//! Right arguments for each of the 40 tools, made from their schemas: in the declared order, as models write them, and each
//! third optional parameter is left out.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

#[derive(Deserialize)]
struct Definition {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    parameters: Schema,
}

#[derive(Deserialize)]
struct Schema {
    r#type: Option<String>,
    #[serde(default)]
    properties: Properties,
    #[serde(default)]
    required: Vec<String>,
    items: Option<Box<Schema>>,
    r#enum: Option<Vec<String>>,
    minimum: Option<i64>,
    #[serde(rename = "$ref")]
    reference: Option<String>,
    #[serde(default, rename = "$defs")]
    definitions: BTreeMap<String, Schema>,
}

/// The properties of an object, in their order.
#[derive(Default)]
struct Properties(Vec<(String, Schema)>);

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Properties;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("properties")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                let mut properties = Vec::new();
                while let Some(property) = map.next_entry()? {
                    properties.push(property);
                }
                Ok(Properties(properties))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// Returns a call of each tool of a list of definitions: its name and its arguments.
pub(crate) fn calls(definitions: &str) -> Vec<(String, String)> {
    let definitions: Vec<Definition> = serde_json::from_str(definitions).expect("definitions are JSON");
    let call = |Definition { function: Function { name, parameters } }: Definition| {
        let arguments = object(&parameters, &parameters);
        (name, arguments)
    };
    definitions.into_iter().map(call).collect()
}

fn object(root: &Schema, schema: &Schema) -> String {
    let mut optional = 0;
    let given = schema.properties.0.iter().filter(|(name, _)| {
        optional += usize::from(!schema.required.contains(name));
        schema.required.contains(name) || optional % 3 != 0
    });
    let members: Vec<String> =
        given.map(|(name, schema)| format!("\"{name}\":{}", value(root, name, schema))).collect();
    format!("{{{}}}", members.join(","))
}

fn value(root: &Schema, name: &str, schema: &Schema) -> String {
    if let Some(path) = &schema.reference {
        let definition = path.strip_prefix("#/$defs/").and_then(|name| root.definitions.get(name));
        return value(root, name, definition.expect("a reference has a target"));
    }
    if let Some(words) = &schema.r#enum {
        return format!("{:?}", words[words.len() / 2]);
    }
    match schema.r#type.as_deref() {
        Some("string") => format!("\"the {name} of the week\""),
        Some("integer") => schema.minimum.map_or(25, |least| least + 1).to_string(),
        Some("boolean") => "true".into(),
        Some("array") => {
            let items = schema.items.as_ref().expect("an array declares its items");
            format!("[{},{}]", value(root, "first", items), value(root, "second", items))
        }
        Some("object") => object(root, schema),
        other => unreachable!("the bench project declares no `{other:?}`"),
    }
}
