//! The handlers of a toolset that a program in another language runs: a type that implements the trait of the handlers by sending each
//! call to the program.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::tool::signature;
use super::{data, doc};
use crate::catalog::{Requires, Tool, Toolset};
use crate::lower::{Lowered, lower_returns};
use crate::names::snake;

/// Returns the schemas of the results, which are read from what a program prints, for the packed data of a toolset.
pub(super) fn returns(catalog: &Lowered<'_>, toolset: &Toolset) -> Option<TokenStream> {
    toolset.manifest.program_language()?;
    let tables: Vec<TokenStream> = toolset
        .home_tools
        .iter()
        .filter_map(|id| {
            let manifest = &catalog[*id].manifest;
            Some(data::packed(&lower_returns(manifest.returns.as_ref()?, &manifest.defs)))
        })
        .collect();
    (!tables.is_empty()).then(|| {
        quote! {
            /// The schemas of the results, each as the only property of an object.
            pub(super) static RETURNS: ::toolc::__gen::pack::Packed<::toolc::schema::Table> = ::toolc::__gen::pack::Packed::new(&[#(#tables),*]);
        }
    })
}

/// Returns the type with the program of a toolset, and its implementation of the trait of the handlers.
pub(super) fn emit(
    catalog: &Lowered<'_>,
    toolset: &Toolset,
    tools: &[&Tool],
    handlers: &Ident,
    name: &Ident,
) -> TokenStream {
    let about = doc(&format!(
        "Handlers of the toolset `{}` that a program runs: `{}`. The first call starts the program, and it stays running.",
        toolset.name(),
        toolset.manifest.command().join(" ")
    ));
    let declared = declared(catalog, toolset, tools);
    let mut typed = 0..;
    let methods = tools.iter().map(|tool| {
        let (method, signature) = (snake(tool.name()), signature(tool));
        let typed = tool.manifest.returns.as_ref().and_then(|_| typed.next()).map(|index| {
            let index = Literal::usize_unsuffixed(index);
            quote!(self.handlers.call_typed(call, &args, &self::__data::RETURNS[#index]))
        });
        let call = typed.unwrap_or_else(|| quote!(self.handlers.call(call, &args)));
        quote!(fn #method #signature { #call })
    });
    quote! {
        #about
        #[derive(Debug)]
        pub struct #name {
            /// The program.
            pub handlers: ::toolc_program::ProgramHandlers
        }

        impl #name {
            /// What the manifest says about the program.
            pub const DECLARED: ::toolc_program::ToolsetProgram = #declared;

            /// Returns handlers whose program is in the project in `folder`. Nothing is started yet.
            pub fn new(folder: impl AsRef<::std::path::Path>) -> Self {
                Self { handlers: ::toolc_program::ProgramHandlers::new(&Self::DECLARED, folder) }
            }
        }

        impl #handlers for #name {
            #(#methods)*
        }
    }
}

/// Returns the constant with what the manifest says about the program.
fn declared(catalog: &Lowered<'_>, toolset: &Toolset, tools: &[&Tool]) -> TokenStream {
    let (name, command, program) = (toolset.name(), toolset.manifest.command(), toolset.manifest.program.as_ref());
    let required =
        |requires: &Requires| requires.variables().map(|id| catalog[id].name.value.clone()).collect::<Vec<_>>();
    let mut names: Vec<String> =
        program.iter().flat_map(|program| &program.env).map(|name| name.value.clone()).collect();
    names.extend(required(&toolset.requires));
    names.extend(tools.iter().flat_map(|tool| required(&tool.requires)));
    names.sort();
    names.dedup();
    let variables = names.iter().map(|name| {
        // A variable without a description is treated as a secret.
        let declared = catalog.variables().iter().find(|variable| variable.name.value == *name);
        let is_secret = declared.is_none_or(|variable| variable.secret);
        quote!((#name, #is_secret))
    });
    let max =
        program.and_then(|program| program.max_output_bytes.as_ref()).map(|max| Literal::u32_unsuffixed(max.value));
    let max = max.map_or(quote!(None), |max| quote!(Some(#max)));
    let idle = program.and_then(|program| program.idle_timeout.as_ref()).map(|idle| {
        let millis = Literal::u64_unsuffixed(u64::try_from(idle.value.as_millis()).unwrap_or(u64::MAX));
        quote!(::core::time::Duration::from_millis(#millis))
    });
    let idle = idle.map_or(quote!(None), |idle| quote!(Some(#idle)));
    quote! {
        ::toolc_program::ToolsetProgram {
            toolset: #name,
            command: &[#(#command),*],
            env: &[#(#variables),*],
            max_output_bytes: #max,
            idle_timeout: #idle,
        }
    }
}
