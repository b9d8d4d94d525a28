//! A toolset's module: the trait that its handlers implement, the provider that serves them, its tools' modules.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{doc, text, tool};
use crate::catalog::{Tool, Toolset, ToolsetId};
use crate::check::Checked;
use crate::manifest::Execution;
use crate::names::{handlers, module, snake};

/// The module of a toolset that has home tools.
pub(super) fn of(catalog: &Checked, id: ToolsetId) -> TokenStream {
    let toolset = &catalog[id];
    let tools: Vec<&Tool> = toolset.home_tools.iter().map(|&id| &catalog[id]).collect();
    let handlers = handlers(toolset.name());
    let about = doc(&format!("Handlers of the toolset `{}`: {}", toolset.name(), toolset.manifest.description));
    let message = format!("`{{Self}}` does not handle the tools of `{}`", toolset.name());
    let label = format!("`{handlers}` is missing");
    let note = format!("write `impl {handlers} for {{Self}}`: a method for each tool, which the compiler then names");
    let methods = tools.iter().map(|tool| method(catalog, tool));
    let names: Vec<_> = tools.iter().map(|tool| module(tool.name())).collect();
    let arms = tools.iter().zip(&names).enumerate().map(|(index, (tool, name))| {
        let method = snake(tool.name());
        let index = Literal::usize_unsuffixed(index);
        let run = quote!(#handlers::#method(handlers, #name::Args::from(args), call));
        match tool.manifest.execution {
            Execution::Sync => quote!(#index => Reply::Ready(#run)),
            Execution::Async => quote!(#index => Reply::Later(Box::pin(#run))),
        }
    });
    let modules = tools.iter().map(|tool| tool::of(catalog, tool));
    let title = format!(" The toolset `{}`.", toolset.name());
    quote! {
        #![doc = #title]

        use ::toolc::{Call, Fact, Output, Provider, Reply, Slots, Tool, ToolError, Toolset};

        #about
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait #handlers: Send + Sync {
            #(#methods)*
        }

        /// The tools of this toolset alone, run by these handlers.
        pub fn provider<H: #handlers + 'static>(handlers: H) -> Box<dyn Provider> {
            Box::new(Home(handlers))
        }

        struct Home<H>(H);

        impl<H: #handlers> Provider for Home<H> {
            fn tools(&self) -> &[Tool] {
                static TOOLS: &[Tool] = &[#(#names::TOOL),*];
                TOOLS
            }

            fn toolsets(&self) -> &[Toolset] {
                super::TOOLSETS
            }

            fn facts(&self) -> &[Fact] {
                super::FACTS
            }

            fn call<'a>(&'a self, index: usize, args: Slots<'_>, context: &'a Call<'a>) -> Reply<'a> {
                call(&self.0, index, args, context)
            }
        }

        pub(super) fn call<'a, H: #handlers>(
            handlers: &'a H,
            index: usize,
            args: Slots<'_>,
            call: &'a Call<'a>,
        ) -> Reply<'a> {
            match index {
                #(#arms,)*
                _ => Reply::no_such_tool(index),
            }
        }

        #(#modules)*
    }
}

fn method(catalog: &Checked, tool: &Tool) -> TokenStream {
    let (name, module) = (snake(tool.name()), module(tool.name()));
    let word = tool.manifest.execution.word();
    let from = format!("`execution = \"{word}\"` in `manifests/tools/{}.toml`.", tool.name());
    let text = catalog.full_setting(tool).text(&tool.manifest.description.value);
    let about = doc(&format!("{text}\n\n{from}"));
    let result = quote!(Result<Output, ToolError>);
    let result = match tool.manifest.execution {
        Execution::Sync => result,
        Execution::Async => quote!(impl ::core::future::Future<Output = #result> + Send),
    };
    quote! {
        #about
        fn #name(&self, args: #module::Args, call: &Call<'_>) -> #result;
    }
}

/// A toolset as data, where `Borrowed` is in scope.
pub(super) fn data(catalog: &Checked, toolset: &Toolset) -> TokenStream {
    let name = text(toolset.name());
    let description = text(&toolset.manifest.description);
    let tools = toolset.tools.iter().map(|&id| text(catalog[id].name()));
    let includes = toolset.includes.iter().map(|&(id, _)| text(catalog[id].name()));
    let base = toolset.base.map(|(id, _)| text(catalog[id].name()));
    let base = base.map_or(quote!(None), |name| quote!(Some(#name)));
    quote! {
        Toolset {
            name: #name,
            description: #description,
            tools: Borrowed(&[#(#tools),*]),
            includes: Borrowed(&[#(#includes),*]),
            base: #base,
            excludes: Borrowed(&[]),
            aliases: Borrowed(&[]),
            tags: Borrowed(&[]),
            closed: false,
            requires: Borrowed(&[]),
        }
    }
}
