//! Writes the tools of the bench project as Rust, so that every library gets the same tools: `tools.rs` with the types of the
//! arguments and a macro that passes all tools except `trivial` to another macro, and `tools.json` with their list as static text.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

const DEFINITIONS: &str = "../projects/bench/generated/schemas/openai/tools";
/// This tool's handler does something, so each side writes it by hand.
const BY_HAND: &str = "trivial";
const DERIVE: &str = "#[derive(serde::Deserialize, schemars::JsonSchema)]\n";

fn main() {
    println!("cargo::rerun-if-changed={DEFINITIONS}");
    let mut paths: Vec<_> =
        fs::read_dir(DEFINITIONS).expect(DEFINITIONS).map(|entry| entry.expect(DEFINITIONS).path()).collect();
    paths.sort();
    let definitions: Vec<Value> = paths
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        })
        .collect();
    let (mut types, mut tools) = (String::new(), String::new());
    for definition in &definitions {
        let function = &definition["function"];
        let name = text(function, "name");
        if name != BY_HAND {
            let fields = fields(&pascal(name), &function["parameters"], &mut types);
            let fields: String =
                fields.into_iter().map(|(doc, name, ty)| format!("        {doc:?} {name}: [{ty}],\n")).collect();
            let doc = text(function, "description");
            writeln!(tools, "    {doc:?} {name} {} {{\n{fields}    }}", pascal(name)).expect("a String takes all");
        }
    }
    let tools = format!("macro_rules! tools {{ ($then:ident) => {{ $then! {{\n{tools}}} }} }}\n");
    let folder = env::var("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&folder).join("tools.rs"), tools + &types).expect("failed to write tools.rs");
    fs::write(Path::new(&folder).join("tools.json"), Value::Array(definitions).to_string())
        .expect("failed to write tools.json");
}

/// Returns description, name and type of each property. Appends the types that these need to `types`.
fn fields<'s>(owner: &str, schema: &'s Value, types: &mut String) -> Vec<(&'s str, String, String)> {
    let required = |name| schema["required"].as_array().is_some_and(|names| names.iter().any(|other| *other == name));
    let field = |(name, property): (&'s String, &'s Value)| {
        let ty = type_of(&format!("{owner}{}", pascal(name)), property, types);
        let ty = if required(name.as_str()) { ty } else { format!("Option<{ty}>") };
        let name = if name == "as" { "r#as" } else { name };
        (text(property, "description"), name.to_owned(), ty)
    };
    schema["properties"].as_object().into_iter().flatten().map(field).collect()
}

fn type_of(name: &str, schema: &Value, types: &mut String) -> String {
    match (text(schema, "type"), schema.get("enum")) {
        ("string", Some(words)) => {
            let words = words.as_array().into_iter().flatten().filter_map(Value::as_str);
            let variants: String = words.map(|word| format!(" {},", pascal(word))).collect();
            *types +=
                &format!("{DERIVE}#[serde(rename_all = \"lowercase\")]\npub(crate) enum {name} {{{variants} }}\n");
            format!("crate::tools::{name}")
        }
        ("string", None) => "String".into(),
        ("integer", _) => "i64".into(),
        ("boolean", _) => "bool".into(),
        ("array", _) => format!("Vec<{}>", type_of(&format!("{name}Item"), &schema["items"], types)),
        ("object", _) => {
            let fields = fields(name, schema, types).into_iter();
            let fields: String =
                fields.map(|(doc, name, ty)| format!("    #[doc = {doc:?}]\n    pub(crate) {name}: {ty},\n")).collect();
            *types += &format!("{DERIVE}#[serde(deny_unknown_fields)]\npub(crate) struct {name} {{\n{fields}}}\n");
            format!("crate::tools::{name}")
        }
        (other, _) => panic!("no tool of the bench project had a {other}: say here what it is in Rust"),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Returns `one_two` as `OneTwo`.
fn pascal(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(word).collect()
}
