//! TypeScript declarations, for models that call tools from code. One writer serves the tools of a generated catalog and those
//! of run time: it reads the definition that the dialect `typescript` has as JSON, with any JSON Schema in it.
//!
//! The result is bounded by the size of the definition, and always compiles under `tsc --strict`.

mod json;
mod kinds;
mod print;
mod refs;
mod types;
mod words;

#[cfg(test)]
mod tests;

use json::Json;
use print::write_comment;
use types::Types;

use crate::text::identifier::{KEYWORDS, identifier};

/// The spaces before the members of the namespace.
const INDENT: usize = 2;

/// How many times the length of a definition the types can have that are written in several places of its declaration.
const MAX_COPIES: usize = 4;

/// Returns the declaration of a tool, or `None` if `definition` is not JSON with a name that a function can have. `definition` is an
/// object with `name`, and perhaps `description`, `parameters` and `returns`.
pub(crate) fn declaration(definition: &str) -> Option<String> {
    let max_copies = definition.len().saturating_mul(MAX_COPIES);
    let definition = Json::parse(definition)?;
    let name = identifier(definition.get("name")?.as_str()?);
    if KEYWORDS.contains(&&*name) {
        return None;
    }
    let (parameters, returns) = (definition.get("parameters"), definition.get("returns"));
    let mut types = Types::new(&name, parameters, returns, max_copies);
    let mut out = String::from("declare namespace tools {\n");
    let description = definition.get("description").and_then(Json::as_str).unwrap_or_default();
    begin(description, &mut out);
    out.push_str(&format!("function {name}(args: "));
    types.document(0).write(INDENT, &mut out);
    out.push_str("): Promise<");
    types.document(1).write(INDENT, &mut out);
    out.push_str(">;\n");
    while let Some((name, ty, comment)) = types.next_named() {
        begin(&comment, &mut out);
        out.push_str(&format!("type {name} = "));
        ty.write(INDENT, &mut out);
        out.push_str(";\n");
    }
    out.push_str("}\n");
    Some(out)
}

/// Begins a member of the namespace, with its comment if it is not empty.
fn begin(comment: &str, out: &mut String) {
    let spaces = " ".repeat(INDENT);
    if !comment.trim().is_empty() {
        out.push_str(&spaces);
        write_comment(comment, INDENT, out);
        out.push('\n');
    }
    out.push_str(&spaces);
}
