//! The client: the tools as functions that call them elsewhere, with the types of what their callers pass.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::{ToolTypes, ToolsetTypes, has_default};
use super::{Names, key, ty, write_interface};
use crate::catalog::TurnValues;
use crate::lower::shape::{Class, Shape};
use crate::lower::words::Scope;

/// The types of what the callers of a tool pass, by the index of the class. `None` if it is the type that the handler gets.
pub(super) struct Passed(Vec<Option<String>>);

impl Passed {
    /// Returns the types of what callers of a tool pass. Their names are unique in `names`.
    pub(super) fn new(tool: &ToolTypes<'_>, names: &mut Scope) -> Self {
        let classes = &tool.classes;
        let mut differs: Vec<bool> =
            classes.iter().map(|class| class.keys.iter().any(|key| has_default(key.property))).collect();
        let contains = |class: &Class<'_>, wanted: &[bool]| class.keys.iter().any(|key| mentions(&key.shape, wanted));
        while let Some(found) = (0..classes.len()).find(|&at| !differs[at] && contains(&classes[at], &differs)) {
            differs[found] = true;
        }
        let mut is_passed = vec![false; classes.len()];
        is_passed[tool.arguments] = true;
        let is_inside = |at: usize, passed: &[bool]| {
            let mut only = vec![false; classes.len()];
            only[at] = true;
            !passed[at] && classes.iter().zip(passed).any(|(class, &is_passed)| is_passed && contains(class, &only))
        };
        while let Some(found) = (0..classes.len()).find(|&at| is_inside(at, &is_passed)) {
            is_passed[found] = true;
        }
        let of_callers = (0..classes.len())
            .map(|at| (differs[at] && is_passed[at]).then(|| names.claim(format!("{}Input", classes[at].name))));
        Self(of_callers.collect())
    }

    fn names<'s>(&'s self, classes: &'s [Class<'_>]) -> Names<'s> {
        classes.iter().zip(&self.0).map(|(class, passed)| passed.as_deref().unwrap_or(&class.name)).collect()
    }

    /// Writes the types.
    pub(super) fn write(&self, tool: &ToolTypes<'_>, values: &TurnValues, out: &mut String) {
        let names = self.names(&tool.classes);
        for (class, name) in
            tool.classes.iter().zip(&self.0).filter_map(|(class, name)| Some((class, name.as_deref()?)))
        {
            let doc = format!("{} as callers pass it: keys with defaults are optional.", class.name);
            write_interface(
                class,
                name,
                &doc,
                &names,
                &|property| property.required && property.when.is_none(),
                values,
                out,
            );
        }
    }
}

/// Returns whether a type mentions one of these classes.
fn mentions(shape: &Shape, wanted: &[bool]) -> bool {
    match shape {
        Shape::Class(index) => wanted[*index],
        Shape::List(item) | Shape::Map(item) => mentions(item, wanted),
        Shape::Union(shapes) => shapes.iter().any(|shape| mentions(shape, wanted)),
        _ => false,
    }
}

/// Writes the interface of the tools as functions, and the function that returns them.
pub(super) fn write_client(toolsets: &[ToolsetTypes<'_>], passed: &[Passed], out: &mut String) {
    let tools = || toolsets.iter().flat_map(|toolset| &toolset.tools);
    let returns = |tool: &ToolTypes<'_>| {
        tool.returns.as_ref().map_or("unknown".to_owned(), |shape| ty(shape, &tool.class_names()))
    };
    out.push_str("\n/** The tools as functions. */\nexport interface Client {\n");
    for (tool, passed) in tools().zip(passed) {
        let arguments = passed.names(&tool.classes)[tool.arguments];
        let _ = writeln!(out, "  {}(args: {arguments}): Promise<{}>;", key(tool.tool.name()), returns(tool));
    }
    out.push_str(
        "}\n\n/** Returns the tools as functions that call them elsewhere: in a running `toolc mcp serve`, for example. */\n\
         export function client(call: (tool: string, args: unknown) => Promise<unknown>): Client {\n  return {\n",
    );
    for tool in tools() {
        let (name, returns) = (tool.tool.name(), returns(tool));
        let literal = Value::from(name);
        let is_text = tool.returns.as_ref().is_none_or(Shape::has_text);
        let call = if is_text {
            format!("call({literal}, args)")
        } else {
            format!("readResult({literal}, call({literal}, args))")
        };
        let cast = if returns == "unknown" { String::new() } else { format!(" as Promise<{returns}>") };
        let _ = writeln!(out, "    {}: (args) => {call}{cast},", key(name));
    }
    out.push_str("  };\n}\n");
}
