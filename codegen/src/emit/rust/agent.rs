//! An enum of the tools that the agent's own loop runs, for the loop to match on.

use proc_macro2::TokenStream;
use quote::quote;
use toolc::behaviour::Execution;

use crate::catalog::Tool;
use crate::lower::Lowered;
use crate::names::{Scope, module, pascal};

/// Returns the enum, or nothing if the catalog has no such tools.
pub(super) fn emit(catalog: &Lowered<'_>) -> TokenStream {
    let tools: Vec<&Tool> = (catalog.tools().map(|(_, tool)| tool))
        .filter(|tool| tool.manifest.execution.value == Execution::Agent)
        .collect();
    if tools.is_empty() {
        return TokenStream::new();
    }
    let mut scope = Scope::with(&["Self"]);
    let variants: Vec<_> = tools.iter().map(|tool| scope.claim(pascal(&[tool.name()]))).collect();
    let abouts = tools.iter().map(|tool| format!(" `{}`", tool.name()));
    let args: Vec<_> = (tools.iter())
        .map(|tool| {
            let (home, tool) = (module(catalog[tool.home].name()), module(tool.name()));
            quote!(self::#home::#tool::Args)
        })
        .collect();
    let names = tools.iter().map(|tool| tool.name());
    quote! {
        /// A call of a tool that the agent's own loop runs.
        #[derive(Debug, Clone, PartialEq)]
        pub enum AgentCall {
            #(#[doc = #abouts] #variants(#args)),*
        }

        impl ::toolc::agent::AgentTools for AgentCall {
            fn read(tool: &str, args: Slots<'_, '_>) -> Option<Self> {
                match tool {
                    #(#names => Some(Self::#variants(#args::read(args))),)*
                    _ => None,
                }
            }
        }
    }
}
