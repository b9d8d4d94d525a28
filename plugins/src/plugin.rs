//! The data of a compiled plugin.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use toolc::approval::CodeParameter;
use toolc::catalog::{Definition, Fact, Variable};
use toolc::{Dialect, Tool, Toolset};

use crate::environment::PassedVariables;
use crate::hook_rules::HookRules;
use crate::schema_values::ToolSchemas;

/// A compiled plugin without errors.
#[derive(Debug)]
pub(crate) struct Plugin {
    pub(crate) name: String,
    /// Different for each compiled version of a plugin.
    pub(crate) version: u64,
    /// The folder of the plugin.
    pub(crate) root: PathBuf,
    /// The path of the program.
    pub(crate) executable: PathBuf,
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
    pub(crate) passed: PassedVariables,
    /// The maximum number of bytes that the program may write to each of its output streams in one call.
    pub(crate) max_output: usize,
    /// The idle timeout of a program that stays running between calls, or `None` if each call starts it.
    pub(crate) resident: Option<Duration>,
    /// Whether the program can keep notes.
    pub(crate) memory: bool,
    pub(crate) hooks: HookRules,
}

impl Plugin {
    /// Returns how messages refer to the plugin.
    pub(crate) fn title(&self) -> String {
        format!("the plugin `{}`", self.name)
    }
}
