//! The text of new manifests.

use toml_edit::Value;
use toolc::FactValue;

use crate::source::Kind;

/// The description of a tool until its author writes one. The rule `placeholder-description` reports it.
const TO_DO: &str = "TODO";

/// Returns the manifest of a tool without parameters.
pub(crate) fn tool(name: &str, toolset: &str, execution: Option<&str>, description: Option<&str>) -> String {
    let mut text = header(Kind::Tool);
    text += &key("name", name);
    text += &key("toolset", toolset);
    text += &key("description", description.unwrap_or(TO_DO));
    if let Some(execution) = execution {
        text += &key("execution", execution);
    }
    text += "\n# [params.path]\n# type = \"string\"\n# description = \"What it means, and in which unit or form.\"\n# required = true\n";
    text
}

/// Returns the manifest of a toolset.
pub(crate) fn toolset(name: &str, description: &str, includes: &[String]) -> String {
    let mut text = header(Kind::Toolset);
    text += &key("name", name);
    text += &key("description", description);
    if !includes.is_empty() {
        let includes: Vec<String> = includes.iter().map(|name| Value::from(name).to_string()).collect();
        text += &format!("includes = [{}]\n", includes.join(", "));
    }
    text
}

/// Returns the manifest of a distribution that draws each of these toolsets half of the time.
pub(crate) fn distribution(name: &str, description: &str, toolsets: &[String]) -> String {
    let mut text = header(Kind::Distribution);
    text += &key("name", name);
    text += &key("description", description);
    text += "\n[toolsets]\n";
    for toolset in toolsets {
        text += &format!("{} = 50\n", toml_edit::Key::new(toolset));
    }
    text
}

/// Returns `facts.toml` with one more fact. `before` is its current text, which must be valid.
pub(crate) fn with_fact(before: Option<&str>, name: &str, default: &FactValue, description: &str) -> String {
    let mut text = before.map_or_else(|| header(Kind::Facts), str::to_owned);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let default = match default {
        FactValue::Text(text) => Value::from(&**text),
        FactValue::Boolean(flag) => Value::from(*flag),
        FactValue::Integer(integer) => Value::from(*integer),
    };
    let blank = if text.ends_with("\n\n") { "" } else { "\n" };
    text += &format!("{blank}[facts.{}]\ndefault = {default}\n", toml_edit::Key::new(name));
    text += &key("description", description);
    text
}

fn key(key: &str, text: &str) -> String {
    format!("{key} = {}\n", Value::from(text))
}

/// Returns the line by which editors find the schema of a manifest.
fn header(kind: Kind) -> String {
    let depth = kind.place().matches('/').count();
    format!("#:schema {}generated/manifest/{}.schema.json\n", "../".repeat(depth), kind.noun())
}
