//! The module of a tool: its arguments and its result as Rust types.

use super::print::print;
use super::types;
use crate::catalog::Tool;
use crate::lower::Lowered;
use crate::names::module;

pub(super) fn emit(catalog: &Lowered<'_>, tool: &Tool) -> String {
    let (name, module) = (tool.name(), module(tool.name()));
    let is_sent = catalog[tool.home].manifest.program_language().is_some();
    let types = print(types::emit(tool, &catalog.full_turn_values(tool), is_sent), 1);
    format!("/// The tool `{name}`.\npub mod {module} {{\n{types}}}\n")
}
