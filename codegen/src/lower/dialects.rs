//! One tool as each dialect shows it to a model. A dialect is a function here and a line in [`DIALECTS`].

use serde_json::Value;

use crate::catalog::{Atom, Catalog, Tool};
use crate::doc::Doc;
use crate::text::questions::{AtomId, Template};

/// A shape that one family of providers wants.
#[derive(Debug)]
pub struct Dialect {
    /// Its name: in `toolc.toml`, and of its folder of schemas.
    pub name: &'static str,
    /// Its variant of the runtime's `Dialect`.
    pub variant: toolc::Dialect,
    /// The definition of a tool.
    lower: fn(&Shown<'_>) -> Doc,
}

/// Every dialect.
pub const DIALECTS: &[Dialect] = &[Dialect { name: "openai", variant: toolc::Dialect::OpenAi, lower: openai }];

/// A tool, as it is called and described in one dialect.
struct Shown<'c> {
    name: &'c str,
    description: &'c Template,
    params: Doc,
}

impl Dialect {
    /// The definition of a tool.
    pub fn definition(&self, catalog: &Catalog, tool: &Tool) -> Doc {
        let description = tool.otherwise(self.name).and_then(|otherwise| otherwise.description.as_ref());
        let mut doc = (self.lower)(&Shown {
            name: tool.name_in(self.name),
            description: &description.unwrap_or(&tool.manifest.description).value,
            params: tool.manifest.parameters(),
        });
        // Texts that list other tools list them by their names there.
        doc.rename(&|AtomId(atom)| match tool.atoms.get(atom) {
            Some(Atom::Tool(id)) => Some(catalog[*id].name_in(self.name)),
            _ => None,
        });
        doc
    }
}

/// OpenAI's Chat Completions. Non-strict: the schema as the author wrote it.
fn openai(tool: &Shown<'_>) -> Doc {
    Doc::object([
        ("type", Value::from("function").into()),
        (
            "function",
            Doc::object([
                ("name", Value::from(tool.name).into()),
                ("description", Doc::Text(tool.description.clone())),
                ("parameters", tool.params.clone()),
            ]),
        ),
    ])
}
