//! Lower: one tool as each dialect shows it to a model. A dialect is a function here and a line in [`DIALECTS`].

use serde_json::Value;

use crate::catalog::Tool;
use crate::doc::Doc;

/// A shape that one family of providers wants.
#[derive(Debug)]
pub struct Dialect {
    /// Its name: in `toolc.toml`, and of its folder of schemas.
    pub name: &'static str,
    /// Its variant of the runtime's `Dialect`.
    pub variant: &'static str,
    /// The definition of a tool.
    pub lower: fn(&Tool) -> Doc,
}

/// Every dialect.
pub const DIALECTS: &[Dialect] = &[Dialect { name: "openai", variant: "OpenAi", lower: openai }];

/// OpenAI's Chat Completions. Non-strict: the schema as the author wrote it.
fn openai(tool: &Tool) -> Doc {
    Doc::object([
        ("type", Value::from("function").into()),
        (
            "function",
            Doc::object([
                ("name", Value::from(tool.name()).into()),
                ("description", Doc::Text(tool.manifest.description.value.clone())),
                ("parameters", tool.manifest.params.to_doc()),
            ]),
        ),
    ])
}
