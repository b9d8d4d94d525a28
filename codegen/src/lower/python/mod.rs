//! The Python function with which scripts call a tool: its parameters with their types, and a doc string. Annotations are not
//! evaluated, so that the source runs on every Python from 3.8.

mod types;

use std::fmt::Write as _;

use serde_json::Value;
use toolc_lower::schema::Property;

pub(crate) use types::annotation;

use super::shape::{Class, Key, Shape, Shapes};
use super::words::{self, Scope, identifier, is_identifier, pascal};
use crate::catalog::{Catalog, Tool, TurnValues};

/// The length at which lines of text are wrapped.
const WIDTH: usize = 100;

/// The form in which `_call` returns a result that is not a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Results {
    /// A value.
    Values,
    /// A value or its JSON text, which the function `_value` of the module reads.
    ValuesOrText,
}

/// Returns the source of a tool's function, with the classes of its types.
pub(crate) fn function(catalog: &Catalog, tool: &Tool, results: Results) -> String {
    let manifest = &tool.manifest;
    let prefix = pascal(&[tool.name()]);
    let mut names = Scope::with(&["Any", "Literal", "NotRequired", "ToolError", "TypedDict"]);
    let mut shapes = Shapes::new(&manifest.defs, &mut names);
    let typed: Vec<(&Property, Shape)> = (manifest.params.properties.iter())
        .map(|property| (property, shapes.of(&property.schema, &[&prefix, &property.name.value])))
        .collect();
    let returns = manifest.returns.as_ref().map(|schema| shapes.of(schema, &[&prefix, "result"]));
    let classes = shapes.classes;
    let parameters = parameters(typed, &classes);
    let is_read = results == Results::ValuesOrText && returns.as_ref().is_some_and(|shape| !shape.has_text());
    let returns = Returns { annotation: returns.map(|shape| annotation(&shape, &classes)), is_read };
    let mut out = String::new();
    for class in &classes {
        write_class(class, &classes, &mut out);
    }
    // The text must be true in every turn, so it mentions no other tool that the turn may lack.
    let values = catalog.turn_values(tool, &vec![false; catalog.graph().tools]);
    write_function(catalog, tool, &parameters, &returns, &values, &mut out);
    out
}

/// The result of a function.
struct Returns {
    annotation: Option<String>,
    /// Whether a text is the JSON of the result.
    is_read: bool,
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
fn parameters<'s>(typed: Vec<(&'s Property, Shape)>, classes: &[Class<'_>]) -> Vec<Parameter<'s>> {
    let mut scope = Scope::with(&["_call", "_value"]);
    let mut parameters: Vec<Parameter<'s>> = typed
        .into_iter()
        .map(|(property, shape)| {
            let name = scope.claim(identifier(&property.name.value));
            let annotation = annotation(&shape, classes);
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

fn write_class(class: &Class<'_>, classes: &[Class<'_>], out: &mut String) {
    let ty = |key: &Key<'_>| {
        let ty = annotation(&key.shape, classes);
        if key.property.required { ty } else { format!("NotRequired[{ty}]") }
    };
    let name = |key: &Key<'_>| key.property.name.value.clone();
    if has_class_body(class, classes) {
        let _ = writeln!(out, "class {}(TypedDict):", class.name);
        for key in &class.keys {
            let _ = writeln!(out, "    {}: {}", name(key), ty(key));
        }
    } else {
        // The types are strings, because they are values here.
        let keys: Vec<String> =
            class.keys.iter().map(|key| format!("{}: {}", Value::from(name(key)), Value::from(ty(key)))).collect();
        let _ = writeln!(out, "{0} = TypedDict(\"{0}\", {{{1}}})", class.name, keys.join(", "));
    }
    out.push_str("\n\n");
}

/// Returns whether a `TypedDict` can be written with a body. If not, the form of a call is needed, which allows every key.
pub(crate) fn has_class_body(class: &Class<'_>, classes: &[Class<'_>]) -> bool {
    // A key of this name would hide the type from the keys after it.
    const TYPES: &[&str] = &["Any", "Literal", "NotRequired", "bool", "dict", "float", "int", "list", "str"];
    class.keys.iter().all(|key| {
        let name = key.property.name.value.as_str();
        is_identifier(name) && !TYPES.contains(&name) && classes.iter().all(|class| class.name != name)
    })
}

/// Returns the doc string of a text, with the line break after it.
pub(crate) fn doc_string(text: &str, indent: usize) -> String {
    let mut out = format!("{}\"\"\"", " ".repeat(indent));
    write_text(text, indent, indent + 3, &mut out);
    out.pop();
    out.push_str("\"\"\"\n");
    out
}

fn write_function(
    catalog: &Catalog,
    tool: &Tool,
    parameters: &[Parameter<'_>],
    returns: &Returns,
    values: &TurnValues,
    out: &mut String,
) {
    let signature: Vec<String> = (parameters.iter())
        .map(|Parameter { name, annotation, default, .. }| match default {
            None => format!("{name}: {annotation}"),
            Some(default) => format!("{name}: {annotation} = {default}"),
        })
        .collect();
    let returns_type = returns.annotation.as_deref().unwrap_or("Any");
    let function = words::of_tool(catalog, tool);
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
    let call = format!("_call({name}, {}, {})", dict(true), dict(false));
    let call = if returns.is_read { format!("_value({name}, {call})") } else { call };
    let _ = writeln!(out, "    _result: {returns_type} = {call}");
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
