//! Typed modules in other languages: the types of arguments and results, an interface for the handlers of each toolset, and the
//! [compiled catalog](super::compiled), on the runtimes in `python/` and `typescript/`.

mod python;
mod typescript;

use toolc_lower::schema::Property;

use super::compiled::compiled;
use super::{Draft, Inputs, git_attributes};
use crate::catalog::{Tool, Toolset, TurnValues};
use crate::lower::Lowered;
use crate::lower::shape::{Class, Shape, Shapes};
use crate::lower::words::{Scope, pascal};

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let settings = catalog.settings();
    let languages =
        [(&settings.python, python::emit as fn(&'c Lowered<'c>, &str) -> _), (&settings.typescript, typescript::emit)];
    let folders = languages.into_iter().filter_map(|(folder, emit)| Some((folder.as_deref()?, emit)));
    folders
        .flat_map(|(folder, emit)| {
            let mut drafts: Vec<Draft<'c>> = emit(catalog, folder);
            drafts.push(git_attributes::plain(folder));
            drafts
        })
        .collect()
}

/// Returns a file in a folder that gen owns.
fn draft<'c>(folder: &str, name: &str, text: impl Fn() -> String + Send + Sync + 'c) -> Draft<'c> {
    Draft { path: format!("{folder}/{name}"), ..Draft::new("", Inputs::All, text) }
}

/// Returns the compiled catalog as string literals of Python and JavaScript, which are to be joined: each tool has a line of its own, so
/// that people can review what has changed.
fn catalog_literals(catalog: &Lowered<'_>) -> Vec<String> {
    let mut document = compiled(catalog, &catalog.settings().dialects);
    let tools = document["tools"].take();
    let tools = tools.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut head = document.to_string();
    // `tools` is the last key, and null now.
    head.truncate(head.len() - "null}".len());
    let mut lines = vec![literal(&(head + "["))];
    lines.extend(tools.iter().enumerate().map(|(index, tool)| {
        let comma = if index + 1 < tools.len() { "," } else { "" };
        literal(&format!("{tool}{comma}"))
    }));
    lines.push(literal("]}"));
    lines
}

/// Returns a text without line breaks as a string literal of Python and JavaScript.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The types of one tool.
struct ToolTypes<'c> {
    tool: &'c Tool,
    classes: Vec<Class<'c>>,
    /// The index of the class of the arguments.
    arguments: usize,
    returns: Option<Shape>,
}

impl ToolTypes<'_> {
    /// Returns the names of the classes.
    fn class_names(&self) -> Vec<&str> {
        self.classes.iter().map(|class| class.name.as_str()).collect()
    }
}

/// The types of the tools of a toolset.
struct ToolsetTypes<'c> {
    toolset: &'c Toolset,
    /// The name of the interface of its handlers.
    interface: String,
    tools: Vec<ToolTypes<'c>>,
}

/// Returns the types of all tools, by home toolset, and their names, which are unique and none of `taken`.
fn types<'c>(catalog: &'c Lowered<'c>, taken: &[&str]) -> (Vec<ToolsetTypes<'c>>, Scope) {
    let mut names = Scope::with(taken);
    let tools_of = |id| catalog.tools().map(|(_, tool)| tool).filter(move |tool| tool.home == id).collect::<Vec<_>>();
    let homes = catalog.toolsets().map(|(id, toolset)| (toolset, tools_of(id))).filter(|(_, tools)| !tools.is_empty());
    let homes: Vec<_> =
        homes.map(|(toolset, tools)| (toolset, names.claim(pascal(&[toolset.name(), "tools"])), tools)).collect();
    let typed = homes.into_iter().map(|(toolset, interface, tools)| {
        let tools = tools.into_iter().map(|tool| tool_types(tool, &mut names)).collect();
        ToolsetTypes { toolset, interface, tools }
    });
    let typed = typed.collect();
    (typed, names)
}

fn tool_types<'c>(tool: &'c Tool, names: &mut Scope) -> ToolTypes<'c> {
    let manifest = &tool.manifest;
    let mut shapes = Shapes::new(&manifest.defs, names);
    let arguments = shapes.class(&manifest.params, &[tool.name(), "arguments"]);
    let returns = manifest.returns.as_ref().map(|schema| shapes.of(schema, &[tool.name(), "result"]));
    ToolTypes { tool, classes: shapes.classes, arguments, returns }
}

/// Returns the values for texts that are true in every turn: they mention no other tool.
fn values(catalog: &Lowered<'_>, tool: &Tool) -> TurnValues {
    catalog.turn_values(tool, &vec![false; catalog.graph().tools])
}

/// Returns whether valid arguments have a property in every turn: it is required or has a default, and no condition hides it.
fn is_always_present(property: &Property) -> bool {
    (property.required || property.schema.default.is_some()) && property.when.is_none()
}

/// Returns whether callers can leave a property out that valid arguments have in every turn.
fn has_default(property: &Property) -> bool {
    !property.required && is_always_present(property)
}

/// Returns the description of a property.
fn about(property: &Property, values: &TurnValues) -> String {
    property.schema.description.as_ref().map_or_else(String::new, |text| values.text(&text.value))
}
