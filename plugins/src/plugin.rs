//! The data of a compiled plugin.

use std::collections::BTreeMap;

use toolc::approval::CodeParameter;
use toolc::catalog::{Definition, Fact, Variable};
use toolc::{Dialect, Tool, Toolset};
use toolc_program::parts::Program;

use crate::hook_rules::HookRules;
use crate::schema_values::ToolSchemas;

/// A compiled plugin without errors.
#[derive(Debug)]
pub(crate) struct Plugin {
    pub(crate) name: String,
    /// The program, whose root is the folder of the plugin.
    pub(crate) program: Program,
    pub(crate) tools: Vec<Tool>,
    /// The definitions of the tools for each dialect, in the order of `tools`.
    pub(crate) definitions: BTreeMap<Dialect, Vec<Option<Definition>>>,
    /// The schemas of the tools, in the order of `tools`.
    pub(crate) schemas: Vec<ToolSchemas>,
    /// The parameters of the tools that seem to hold code, in the order of `tools`.
    pub(crate) code_parameters: Vec<Vec<CodeParameter>>,
    pub(crate) toolsets: Vec<Toolset>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) variables: Vec<Variable>,
    /// Whether the program can keep notes.
    pub(crate) memory: bool,
    pub(crate) hooks: HookRules,
}

impl Plugin {
    /// Returns how messages refer to the plugin.
    pub(crate) fn title(&self) -> &str {
        &self.program.title
    }
}
