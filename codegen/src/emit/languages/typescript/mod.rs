//! The module in TypeScript: one file, which needs no other file at run time.

mod client;

use std::fmt::Write as _;

use serde_json::Value;
use toolc_lower::schema::{Additional, Property};

use self::client::{Passed, write_client};
use super::{ToolTypes, ToolsetTypes, about, catalog_literals, draft, is_always_present, types, values};
use crate::catalog::TurnValues;
use crate::emit::Draft;
use crate::lower::Lowered;
use crate::lower::shape::{Class, Key, Shape};
use crate::lower::words::{Scope, pascal};
use crate::manifest::HandlerLanguage;
use crate::project::MARK;

/// The names that the module has besides those of the project.
const TAKEN: &[&str] = &["Catalog", "Client", "Handlers", "Promise", "Record"];

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>, folder: &str) -> Vec<Draft<'c>> {
    vec![draft(folder, "index.ts", || module(catalog))]
}

/// The names of the types of a tool, by the index of the class.
type Names<'c> = Vec<&'c str>;

fn module(catalog: &Lowered<'_>) -> String {
    let (toolsets, mut names) = types(catalog, TAKEN);
    let mut body = String::new();
    let mut passed: Vec<Passed> = Vec::new();
    for toolset in &toolsets {
        for tool in &toolset.tools {
            let values = values(catalog, tool.tool);
            let about = values.text(&tool.tool.manifest.description.value);
            let names_of_classes = tool.class_names();
            for (index, class) in tool.classes.iter().enumerate() {
                let doc = if index == tool.arguments { about.as_str() } else { "" };
                write_interface(class, &class.name, doc, &names_of_classes, &is_always_present, &values, &mut body);
            }
            let of_callers = Passed::new(tool, &mut names);
            of_callers.write(tool, &values, &mut body);
            passed.push(of_callers);
        }
        write_handler_interface(catalog, toolset, &mut body);
    }
    write_handlers(&toolsets, &mut body);
    write_client(&toolsets, &passed, &mut body);
    let reader = if body.contains("=> readResult(") { ", readResult" } else { "" };
    let mut out = format!(
        "// {MARK} from the manifests. Edit those, never this file.\n\n\
         import {{ Catalog, type Handlers{reader} }} from \"@toolc/runtime\";\n{body}"
    );
    out.push_str("\n/** The catalog: the definitions of a turn, and the reading of calls. */\n");
    out.push_str("export const catalog: Catalog = Catalog.parse([\n");
    for line in catalog_literals(catalog) {
        let _ = writeln!(out, "  {line},");
    }
    out + "].join(\"\"));\n"
}

/// Returns the type for a shape.
fn ty(shape: &Shape, names: &[&str]) -> String {
    let of = |shape: &Shape| ty(shape, names);
    match shape {
        Shape::Any => "unknown".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        // An integer beyond 2^53 is a bigint.
        Shape::Integer => "number | bigint".to_owned(),
        Shape::SmallInteger | Shape::Number => "number".to_owned(),
        Shape::String => "string".to_owned(),
        Shape::Literals(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | "),
        Shape::List(item) => match of(item) {
            item if item.contains(' ') => format!("({item})[]"),
            item => format!("{item}[]"),
        },
        Shape::Map(value) => format!("Record<string, {}>", of(value)),
        Shape::Class(index) => names[*index].to_owned(),
        Shape::Union(shapes) => {
            let mut parts: Vec<String> = Vec::new();
            for shape in shapes {
                let part = of(shape);
                // Numbers of several kinds have one type.
                for part in if *shape == Shape::Integer { part.split(" | ").collect() } else { vec![&*part] } {
                    if !parts.iter().any(|other| other == part) {
                        parts.push(part.to_owned());
                    }
                }
            }
            parts.join(" | ")
        }
    }
}

/// Writes the type of an object. `names` are those of the types in it.
fn write_interface(
    class: &Class<'_>,
    name: &str,
    doc: &str,
    names: &[&str],
    is_present: &dyn Fn(&Property) -> bool,
    values: &TurnValues,
    out: &mut String,
) {
    out.push('\n');
    write_doc(doc, "", out);
    let allows_others = matches!(class.schema.additional, Additional::Allow | Additional::Schema(_));
    if class.keys.is_empty() {
        let value = if allows_others { "unknown" } else { "never" };
        let _ = writeln!(out, "export type {name} = Record<string, {value}>;");
        return;
    }
    let _ = writeln!(out, "export interface {name} {{");
    for Key { property, shape } in &class.keys {
        write_doc(&about(property, values), "  ", out);
        let mark = if is_present(property) { "" } else { "?" };
        let _ = writeln!(out, "  {}{mark}: {};", key(&property.name.value), ty(shape, names));
    }
    if allows_others {
        out.push_str("  [key: string]: unknown;\n");
    }
    out.push_str("}\n");
}

/// Returns a name as the key of an object.
fn key(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { Value::from(name).to_string() }
}

fn write_handler_interface(catalog: &Lowered<'_>, toolset: &ToolsetTypes<'_>, out: &mut String) {
    let _ = writeln!(out, "\n/** The handlers of the toolset `{}`. */", toolset.toolset.name());
    let _ = writeln!(out, "export interface {} {{", toolset.interface);
    for tool in &toolset.tools {
        write_doc(&values(catalog, tool.tool).text(&tool.tool.manifest.description.value), "  ", out);
        let returns = match tool.returns.as_ref().map(|shape| ty(shape, &tool.class_names())) {
            Some(returns) if returns != "unknown" => format!("{returns} | Promise<{returns}>"),
            _ => "unknown".to_owned(),
        };
        let arguments = &tool.classes[tool.arguments].name;
        let _ = writeln!(out, "  {}(args: {arguments}): {returns};", key(tool.tool.name()));
    }
    out.push_str("}\n");
}

fn write_handlers(toolsets: &[ToolsetTypes<'_>], out: &mut String) {
    let fields: Vec<String> =
        toolsets.iter().map(|toolset| format!("{}: {}", key(toolset.toolset.name()), toolset.interface)).collect();
    let _ = writeln!(
        out,
        "\n/** Returns the handlers of all tools, for `Turn.call`. */\nexport function handlers(toolsets: {{ {} }}): Handlers {{\n  return {{",
        fields.join("; ")
    );
    let entry = |toolset: &ToolsetTypes<'_>, tool: &ToolTypes<'_>| {
        let (name, arguments) = (tool.tool.name(), &tool.classes[tool.arguments].name);
        let handler = format!("toolsets{}{}", member(toolset.toolset.name()), member(name));
        format!("    {}: (args) => {handler}(args as unknown as {arguments}),\n", key(name))
    };
    for toolset in toolsets {
        out.extend(toolset.tools.iter().map(|tool| entry(toolset, tool)));
    }
    out.push_str("  };\n}\n");
    let in_typescript =
        |toolset: &&ToolsetTypes<'_>| toolset.toolset.manifest.handler_language() == HandlerLanguage::TypeScript;
    let mut functions = Scope::with(&["catalog", "client", "handlers"]);
    for toolset in toolsets.iter().filter(in_typescript) {
        let (name, interface) = (toolset.toolset.name(), &toolset.interface);
        let function = functions.claim(camel(&[name, "handlers"]));
        let _ = writeln!(
            out,
            "\n/** Returns the handlers of the toolset `{name}`, for `serve`. */\nexport function {function}(toolset: {interface}): Handlers {{\n  return {{"
        );
        for tool in &toolset.tools {
            let (name, arguments) = (tool.tool.name(), &tool.classes[tool.arguments].name);
            let _ =
                writeln!(out, "    {}: (args) => toolset{}(args as unknown as {arguments}),", key(name), member(name));
        }
        out.push_str("  };\n}\n");
    }
}

/// Returns the name of a function with these words.
fn camel(words: &[&str]) -> String {
    let pascal = pascal(words);
    let (first, rest) = pascal.split_at(1);
    first.to_ascii_lowercase() + rest
}

/// Returns the access to a member of an object.
fn member(name: &str) -> String {
    if is_identifier(name) { format!(".{name}") } else { format!("[{}]", Value::from(name)) }
}

/// Returns whether a name of ASCII is an identifier, which may be a keyword.
fn is_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$'))
}

/// Writes a text as a comment of documentation.
fn write_doc(text: &str, indent: &str, out: &mut String) {
    let text = text.replace("*/", "*\\/").replace(['\u{2028}', '\u{2029}', '\r'], "\n");
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    match lines.as_slice() {
        [] => {}
        [line] => drop(writeln!(out, "{indent}/** {line} */")),
        lines => {
            let _ = writeln!(out, "{indent}/**");
            for line in lines {
                let _ = writeln!(out, "{indent} *{}{line}", if line.is_empty() { "" } else { " " });
            }
            let _ = writeln!(out, "{indent} */");
        }
    }
}
