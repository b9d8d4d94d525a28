//! The module in Python: a folder that is a package.

use std::fmt::Write as _;

use serde_json::Value;
use toolc::catalog::python_module;

use super::{ToolTypes, ToolsetTypes, about, catalog_literals, draft, is_always_present, types, values};
use crate::catalog::TurnValues;
use crate::emit::Draft;
use crate::lower::Lowered;
use crate::lower::python::{Results, annotation, doc_string, function, has_class_body};
use crate::lower::shape::{Class, Key};
use crate::lower::words::{Scope, identifier, of_tool};
use crate::manifest::HandlerLanguage;
use crate::project::MARK;

/// The names that the module has besides those of the project.
const TAKEN: &[&str] = &["Any", "Awaitable", "Catalog", "Handlers", "Literal", "NotRequired", "Protocol", "TypedDict"];

/// The function of the client that reads results which arrive as JSON text: MCP has a place for objects only.
const VALUE: &str = r#"

def _value(tool: str, result: Any) -> Any:
    import json

    if not isinstance(result, str):
        return result
    try:
        return json.loads(result)
    except (ValueError, RecursionError):
        raise ToolError(f"the result of `{tool}` must be JSON, but is the text {result[:100]!r}") from None
"#;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>, folder: &str) -> Vec<Draft<'c>> {
    vec![
        draft(folder, "__init__.py", || module(catalog)),
        draft(folder, "_catalog.py", || {
            let mut out = header() + "\n\"\"\"The compiled catalog, as JSON text.\"\"\"\n\nTEXT = (\n";
            for line in catalog_literals(catalog) {
                let _ = writeln!(out, "    {line}");
            }
            out + ")\n"
        }),
        draft(folder, "client.py", || client(catalog)),
        draft(folder, "py.typed", || format!("# {MARK}.\n")),
    ]
}

/// Returns the module with a function for each tool, which calls it elsewhere. It needs no other module.
fn client(catalog: &Lowered<'_>) -> String {
    let tools: Vec<toolc::Tool> = (catalog.tools())
        .map(|(_, tool)| {
            toolc::Tool::new(tool.name().to_owned(), "").with_python(function(catalog, tool, Results::ValuesOrText))
        })
        .collect();
    let about = "The tools as functions that call them elsewhere: in a running `toolc mcp serve`, for example.";
    let module = python_module(&tools);
    let reader = if module.contains(" = _value(") { VALUE } else { "" };
    format!("{}\n\"\"\"{about}\"\"\"\n\n{module}{reader}", header())
}

fn header() -> String {
    format!("# {MARK} from the manifests. Edit those, never this file.\n")
}

fn module(catalog: &Lowered<'_>) -> String {
    let (toolsets, _) = types(catalog, TAKEN);
    let mut body = String::new();
    for toolset in &toolsets {
        for tool in &toolset.tools {
            let values = values(catalog, tool.tool);
            for (index, class) in tool.classes.iter().enumerate() {
                let doc = (index == tool.arguments).then(|| values.text(&tool.tool.manifest.description.value));
                write_class(class, doc.as_deref(), &tool.classes, &values, &mut body);
            }
        }
        write_protocol(catalog, toolset, &mut body);
    }
    write_handlers(catalog, &toolsets, &mut body);
    imports(&body) + &body
}

/// Returns the beginning of the module, which imports the names that the rest uses.
fn imports(body: &str) -> String {
    let needs_not_required = body.contains("NotRequired[");
    let names = [("Any", "Any"), ("Literal", "Literal["), ("Protocol", "(Protocol)"), ("TypedDict", "TypedDict")];
    let used = names.into_iter().filter(|(_, use_of)| body.contains(use_of)).map(|(name, _)| name);
    let type_checking = needs_not_required.then_some("TYPE_CHECKING");
    let typing: Vec<&str> = type_checking.into_iter().chain(used).collect();
    let mut out = header();
    out.push_str(
        "\n\"\"\"The tools of this project: the types of their arguments and results, and a protocol for the handlers of each toolset.\"\"\"\n\n\
         from __future__ import annotations\n\n",
    );
    if needs_not_required {
        out.push_str("import sys\n");
    }
    if body.contains("Awaitable[") {
        out.push_str("from collections.abc import Awaitable\n");
    }
    if !typing.is_empty() {
        let _ = writeln!(out, "from typing import {}", typing.join(", "));
    }
    out.push_str("\nfrom toolc import Catalog, Handlers\n\nfrom ._catalog import TEXT\n");
    if needs_not_required {
        out.push_str(
            "\nif sys.version_info >= (3, 11):\n    from typing import NotRequired\n\
             elif TYPE_CHECKING:\n    from typing_extensions import NotRequired\n",
        );
    }
    out + "\ncatalog = Catalog.parse(TEXT)\n"
}

fn write_class(class: &Class<'_>, doc: Option<&str>, classes: &[Class<'_>], values: &TurnValues, out: &mut String) {
    let ty = |key: &Key<'_>| {
        let ty = annotation(&key.shape, classes);
        if is_always_present(key.property) { ty } else { format!("NotRequired[{ty}]") }
    };
    let name = |key: &Key<'_>| key.property.name.value.clone();
    if !has_class_body(class, classes) {
        // The types are strings, because they are values here.
        let _ = writeln!(out, "\n\n{0} = TypedDict(\n    \"{0}\",\n    {{", class.name);
        for key in &class.keys {
            let _ = writeln!(out, "        {}: {},", Value::from(name(key)), Value::from(ty(key)));
        }
        out.push_str("    },\n)\n");
        if let Some(doc) = doc.filter(|doc| !doc.trim().is_empty()) {
            out.push_str(&doc_string(doc, 0));
        }
        return;
    }
    let _ = writeln!(out, "\n\nclass {}(TypedDict):", class.name);
    let doc = doc.filter(|doc| !doc.trim().is_empty());
    if let Some(doc) = doc {
        out.push_str(&doc_string(doc, 4));
    }
    if class.keys.is_empty() && doc.is_none() {
        out.push_str("    pass\n");
    }
    for (index, key) in class.keys.iter().enumerate() {
        if index == 0 && doc.is_some() {
            out.push('\n');
        }
        let _ = writeln!(out, "    {}: {}", name(key), ty(key));
        let about = about(key.property, values);
        if !about.trim().is_empty() {
            out.push_str(&doc_string(&about, 4));
        }
    }
}

fn write_protocol(catalog: &Lowered<'_>, toolset: &ToolsetTypes<'_>, out: &mut String) {
    let _ = writeln!(out, "\n\nclass {}(Protocol):", toolset.interface);
    out.push_str(&doc_string(&format!("The handlers of the toolset `{}`.", toolset.toolset.name()), 4));
    for tool in &toolset.tools {
        let arguments = &tool.classes[tool.arguments].name;
        let returns = tool.returns.as_ref().map(|shape| annotation(shape, &tool.classes));
        let returns = match returns.as_deref() {
            None | Some("Any") => "Any".to_owned(),
            Some(returns) => format!("{returns} | Awaitable[{returns}]"),
        };
        let _ =
            writeln!(out, "\n    def {}(self, arguments: {arguments}, /) -> {returns}:", of_tool(catalog, tool.tool));
        let about = values(catalog, tool.tool).text(&tool.tool.manifest.description.value);
        out.push_str(&doc_string(if about.trim().is_empty() { tool.tool.name() } else { &about }, 8));
        out.push_str("        ...\n");
    }
}

fn write_handlers(catalog: &Lowered<'_>, toolsets: &[ToolsetTypes<'_>], out: &mut String) {
    let mut names = Scope::with(&[]);
    let parameters: Vec<String> =
        toolsets.iter().map(|toolset| names.claim(identifier(toolset.toolset.name()))).collect();
    let signature: Vec<String> = (toolsets.iter().zip(&parameters))
        .map(|(toolset, parameter)| format!("{parameter}: {}", toolset.interface))
        .collect();
    let star = if signature.is_empty() { "" } else { "*, " };
    let _ = writeln!(out, "\n\ndef handlers({star}{}) -> Handlers:", signature.join(", "));
    out.push_str(&doc_string("Returns the handlers of all tools, for `Turn.call`.", 4));
    out.push_str("    return {\n");
    let entry = |parameter: &str, tool: &ToolTypes<'_>| {
        format!("        {}: {parameter}.{},\n", Value::from(tool.tool.name()), of_tool(catalog, tool.tool))
    };
    for (toolset, parameter) in toolsets.iter().zip(&parameters) {
        out.extend(toolset.tools.iter().map(|tool| entry(parameter, tool)));
    }
    out.push_str("    }\n");
    let mut functions = Scope::with(&["catalog", "handlers"]);
    for (toolset, parameter) in toolsets.iter().zip(&parameters) {
        if toolset.toolset.manifest.handler_language() != HandlerLanguage::Python {
            continue;
        }
        let function = functions.claim(format!("{}_handlers", identifier(toolset.toolset.name())));
        let _ = writeln!(out, "\n\ndef {function}({parameter}: {}, /) -> Handlers:", toolset.interface);
        let about =
            format!("Returns the handlers of the toolset `{}`, for `toolc.plugin.serve`.", toolset.toolset.name());
        out.push_str(&doc_string(&about, 4));
        out.push_str("    return {\n");
        out.extend(toolset.tools.iter().map(|tool| entry(parameter, tool)));
        out.push_str("    }\n");
    }
}
