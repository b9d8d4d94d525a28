//! The Python function with which scripts call a tool: its parameters with their types, and a doc string. Annotations are not
//! evaluated, so that the source runs on every Python from 3.8.

mod names;
mod types;

use std::fmt::Write as _;

use serde_json::Value;
use toolc_lower::schema::{Property, Schema};

use crate::catalog::{Catalog, Tool, TurnValues};
use names::{Scope, identifier, pascal};
use types::{Class, Types};

/// The length at which lines of text are wrapped.
const WIDTH: usize = 100;

/// Returns the source of a tool's function, or `None` if scripts cannot call the tool.
pub(super) fn function(catalog: &Catalog, tool: &Tool) -> Option<String> {
    if !tool.manifest.scripts {
        return None;
    }
    let manifest = &tool.manifest;
    let prefix = pascal(&[tool.name()]);
    let mut types = Types::new(&manifest.defs);
    let parameters = parameters(&manifest.params, &mut types, &prefix);
    let returns = manifest.returns.as_ref().map(|schema| types.of(schema, &[&prefix, "result"]));
    let mut out = String::new();
    types.classes.iter().for_each(|class| write_class(class, &mut out));
    // The text must be true in every turn, so it mentions no other tool that the turn may lack.
    let values = catalog.turn_values(tool, &vec![false; catalog.graph().tools]);
    write_function(catalog, tool, &parameters, returns.as_deref(), &values, &mut out);
    Some(out)
}

/// A parameter of a function.
struct Parameter<'s> {
    name: String,
    property: &'s Property,
    annotation: String,
    /// The default, or `None` if the parameter is required.
    default: Option<String>,
}

/// Returns the parameters, the required ones first.
fn parameters<'s>(schema: &'s Schema, types: &mut Types<'s>, prefix: &str) -> Vec<Parameter<'s>> {
    let mut scope = Scope::with(&["_call"]);
    let mut parameters: Vec<Parameter<'s>> = (schema.properties.iter())
        .map(|property| {
            let (name, json) = (scope.claim(identifier(&property.name.value)), &property.name.value);
            let annotation = types.of(&property.schema, &[prefix, json]);
            // A parameter that depends on the turn may be unknown in this one.
            if property.required && property.when.is_none() {
                return Parameter { name, property, annotation, default: None };
            }
            let default = property.schema.default.as_ref().and_then(|default| literal(&default.value, &annotation));
            let default = default.unwrap_or_else(|| "None".to_owned());
            let takes_none = default != "None" || annotation == "Any" || annotation.ends_with("| None");
            let annotation = if takes_none { annotation } else { format!("{annotation} | None") };
            Parameter { name, property, annotation, default: Some(default) }
        })
        .collect();
    parameters.sort_by_key(|parameter| parameter.default.is_some());
    parameters
}

/// Returns a value that cannot change as a Python literal of this type.
fn literal(value: &Value, ty: &str) -> Option<String> {
    match value {
        // JSON Schema has integers that are written as floats.
        Value::Number(number) if ty.starts_with("int") && number.is_f64() => {
            Some(format!("{:.0}", number.as_f64().unwrap_or_default()))
        }
        Value::Null => Some("None".to_owned()),
        Value::Bool(true) => Some("True".to_owned()),
        Value::Bool(false) => Some("False".to_owned()),
        // The escapes of JSON are escapes of Python.
        Value::Number(_) | Value::String(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn write_class(class: &Class<'_>, out: &mut String) {
    let _ = writeln!(out, "class {}(TypedDict):", class.name);
    for (property, ty) in &class.keys {
        let ty = if property.required { ty.clone() } else { format!("NotRequired[{ty}]") };
        let _ = writeln!(out, "    {}: {ty}", property.name.value);
    }
    out.push_str("\n\n");
}

fn write_function(
    catalog: &Catalog,
    tool: &Tool,
    parameters: &[Parameter<'_>],
    returns: Option<&str>,
    values: &TurnValues,
    out: &mut String,
) {
    let signature: Vec<String> = (parameters.iter())
        .map(|Parameter { name, annotation, default, .. }| match default {
            None => format!("{name}: {annotation}"),
            Some(default) => format!("{name}: {annotation} = {default}"),
        })
        .collect();
    let returns_type = returns.unwrap_or("Any");
    let function = names::of_tool(catalog, tool);
    let _ = writeln!(out, "def {function}({}) -> {returns_type}:", signature.join(", "));
    out.push_str("    \"\"\"");
    write_text(&values.text(&tool.manifest.description.value), 4, 7, out);
    for Parameter { name, property, .. } in parameters {
        out.push('\n');
        write_key(name, property, values, out);
    }
    let result = tool.manifest.returns.as_ref().map(|schema| tool.manifest.defs.resolve(schema).schema);
    let keys = result.map_or(&[][..], |schema| &schema.properties);
    if !keys.is_empty() {
        out.push_str("\n    Returns a dict:\n");
        for key in keys {
            write_key(&key.name.value, key, values, out);
        }
    }
    out.push_str("    \"\"\"\n");
    let dict = |is_required: bool| {
        let entries = parameters.iter().filter(|parameter| parameter.default.is_none() == is_required);
        let entry = |it: &Parameter<'_>| format!("{}: {}", Value::from(it.property.name.value.as_str()), it.name);
        format!("{{{}}}", entries.map(entry).collect::<Vec<_>>().join(", "))
    };
    let name = Value::from(tool.name());
    let _ = writeln!(out, "    _result: {returns_type} = _call({name}, {}, {})", dict(true), dict(false));
    out.push_str("    return _result\n");
}

/// Writes the line of a parameter, or of a key of the result.
fn write_key(name: &str, property: &Property, values: &TurnValues, out: &mut String) {
    let about = property.schema.description.as_ref().map_or_else(String::new, |text| values.text(&text.value));
    let start = out.len();
    let _ = write!(out, "    {name}: ");
    let used = out.len() - start;
    write_text(&about, 8, used, out);
}

/// Writes a text into a doc string, wrapped. The first line has `used` characters already.
fn write_text(text: &str, indent: usize, mut used: usize, out: &mut String) {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    for (number, line) in text.trim().lines().enumerate() {
        if number > 0 {
            out.push('\n');
            used = 0;
        }
        for (number, word) in line.split_whitespace().enumerate() {
            if used == 0 || used + 1 + word.chars().count() > WIDTH {
                if used > 0 {
                    out.push('\n');
                }
                out.push_str(&" ".repeat(indent));
                used = indent;
            } else if number > 0 {
                out.push(' ');
                used += 1;
            }
            out.push_str(word);
            used += word.chars().count();
        }
    }
    out.push('\n');
}
