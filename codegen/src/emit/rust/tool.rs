//! The module of a tool: its arguments and its result as Rust types.

use proc_macro2::TokenStream;
use quote::quote;
use toolc::behaviour::Execution;

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

/// Returns the parameters and the type of the method that handles a tool.
pub(super) fn signature(tool: &Tool) -> TokenStream {
    let module = module(tool.name());
    let result =
        if tool.manifest.returns.is_some() { quote!(Result<#module::Returns, ToolError>) } else { quote!(ToolResult) };
    let result = match tool.manifest.execution.value {
        Execution::Async => quote!(impl ::core::future::Future<Output = #result> + Send),
        Execution::Sync | Execution::Blocking | Execution::Agent => result,
    };
    quote!((&self, args: #module::Args, call: &Call<'_>) -> #result)
}
