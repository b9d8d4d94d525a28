//! The hand-written program: a struct with a serde derive for each tool, and a `match` over their names.

use serde_json::Value;

use super::{first, pascal, text};

/// Returns the text of the program, which includes the definitions from `definitions.json`.
pub(super) fn program(definitions: &[Value]) -> String {
    let (mut types, mut arms) = (String::new(), String::new());
    for definition in definitions {
        let tool = &definition["function"];
        let (name, first) = (text(tool, "name"), first(tool));
        let ty = structure(&pascal(name), &tool["parameters"], &mut types);
        arms += &format!("        {name:?} => Ok(serde_json::from_str::<{ty}>(arguments)?.{first}),\n");
    }
    format!(
        "#![allow(dead_code)]\nuse serde::Deserialize;\n{types}\
         fn call(name: &str, arguments: &str) -> serde_json::Result<String> {{\n    match name {{\n{arms}        \
         _ => Err(serde::de::Error::custom(\"unknown tool\")),\n    }}\n}}\n\
         fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    \
         let [name, arguments] = [1, 2].map(|at| std::env::args().nth(at).unwrap_or_default());\n    \
         if name.is_empty() {{ println!(\"{{}}\", include_str!(\"definitions.json\")); return Ok(()); }}\n    \
         println!(\"{{}}\", call(&name, &arguments)?);\n    Ok(())\n}}\n"
    )
}

/// Appends a struct for an object's schema, and returns its name.
fn structure(name: &str, schema: &Value, types: &mut String) -> String {
    let mut fields = String::new();
    for (property, about) in schema["properties"].as_object().into_iter().flatten() {
        let ty = type_of(&format!("{name}{}", pascal(property)), about, types);
        let is_required =
            schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == property));
        let ty = if is_required { ty } else { format!("Option<{ty}>") };
        fields += &format!("    {property}: {ty},\n");
    }
    *types += &format!("#[derive(Deserialize)]\n#[serde(deny_unknown_fields)]\nstruct {name} {{\n{fields}}}\n");
    name.to_owned()
}

fn type_of(name: &str, schema: &Value, types: &mut String) -> String {
    match (text(schema, "type"), schema["enum"].as_array()) {
        ("string", Some(words)) => {
            let variants = words.iter().filter_map(Value::as_str);
            let mut list = String::new();
            for word in variants {
                list += &format!("    #[serde(rename = {word:?})]\n    {},\n", pascal(word));
            }
            *types += &format!("#[derive(Deserialize)]\nenum {name} {{\n{list}}}\n");
            name.to_owned()
        }
        ("string", None) => "String".to_owned(),
        ("integer", _) => "i64".to_owned(),
        ("boolean", _) => "bool".to_owned(),
        ("array", _) => format!("Vec<{}>", type_of(&format!("{name}Item"), &schema["items"], types)),
        ("object", _) => structure(name, schema, types),
        (other, _) => panic!("unknown type `{other}`: add its Rust type here"),
    }
}
