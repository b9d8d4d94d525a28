//! What a source says about a tool, in one form for all sources.

use serde_json::{Map, Value};

/// A tool that exists elsewhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForeignTool {
    /// Its name in the source.
    pub name: String,
    /// The display name.
    pub title: Option<String>,
    /// The description for the model.
    pub description: Option<String>,
    /// The JSON Schema of the arguments.
    pub arguments: Value,
    /// The place of that schema in the definition, as a JSON pointer.
    pub arguments_at: &'static str,
    /// The JSON Schema of the result.
    pub returns: Option<Value>,
    /// The hints about its effects, with the names of MCP.
    pub annotations: Map<String, Value>,
    /// The addresses of its pictures.
    pub icons: Vec<String>,
    /// Further information for MCP clients.
    pub meta: Option<Value>,
    /// Further keys of its manifest, if the source is a catalog of this project's kind.
    pub keys: Map<String, Value>,
    /// The environment variables that it requires.
    pub env: Vec<String>,
    /// Whether a person is asked before each call.
    pub asks: bool,
    /// The parts of the definition that were left out when it was read: the place, what the source has, and what was done.
    pub left_out: Vec<(String, String, String)>,
}

/// The tools of a source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    /// The source, as the person named it.
    pub label: String,
    /// The name for a toolset, if the source suggests one.
    pub name: Option<String>,
    /// The tools, in the order of the source.
    pub tools: Vec<ForeignTool>,
    /// The environment variables that its tools require, with their descriptions.
    pub env: Vec<(String, String)>,
    /// What else a person should know.
    pub notes: Vec<String>,
    /// The items that are not tools: the place in the source, and the reason.
    pub broken: Vec<(String, String)>,
}
