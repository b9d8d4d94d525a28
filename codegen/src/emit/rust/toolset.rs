//! A toolset's module: the trait that its handlers implement, the provider that serves them, its tools' modules.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use toolc::__gen::{Index, document};
use toolc::behaviour::Execution;

use super::print::print;
use super::{data, doc, tool};
use crate::catalog::{Tool, ToolId, Toolset, ToolsetId};
use crate::conditional_json::words;
use crate::lower::Lowered;
use crate::names::{Scope, handlers, module, pascal, snake};

/// A toolset that has home tools, and what its handlers have to do.
pub(super) struct Handled<'c> {
    pub(super) toolset: &'c Toolset,
    pub(super) tools: Vec<&'c Tool>,
}

impl<'c> Handled<'c> {
    pub(super) fn new(catalog: &'c Lowered<'_>, id: ToolsetId) -> Self {
        let toolset = &catalog[id];
        Self { toolset, tools: toolset.home_tools.iter().map(|&id| &catalog[id]).collect() }
    }

    /// The trait's name.
    pub(super) fn handlers(&self) -> Ident {
        handlers(self.toolset.name())
    }

    /// Whether there is anything to implement: tools that the agent runs have no handler.
    pub(super) fn has_trait(&self) -> bool {
        self.has_checks() || self.tools.iter().any(|tool| tool.manifest.execution.value != Execution::Agent)
    }

    /// Whether the handlers are asked what is available.
    pub(super) fn has_checks(&self) -> bool {
        self.toolset.manifest.requires.checked().is_some()
            || self.tools.iter().any(|tool| tool.manifest.requires.checked().is_some())
    }

    /// What they are asked about: the variant, its documentation, and the runtime's question.
    fn checks(&self) -> Vec<(Ident, String, TokenStream)> {
        let mut scope = Scope::with(&["Self"]);
        let name = self.toolset.name();
        let whole = self.toolset.manifest.requires.checked().map(|_| {
            let about = format!(" Every tool whose home is `{name}`.");
            (scope.claim(pascal(&["toolset"])), about, quote!(::toolc::availability::AvailabilityCheck::Toolset(#name)))
        });
        let mut checks: Vec<_> = whole.into_iter().collect();
        for (index, tool) in
            self.tools.iter().enumerate().filter(|(_, tool)| tool.manifest.requires.checked().is_some())
        {
            let index = Literal::usize_unsuffixed(index);
            let variant = scope.claim(pascal(&[tool.name()]));
            checks.push((
                variant,
                format!(" `{}`", tool.name()),
                quote!(::toolc::availability::AvailabilityCheck::Tool(#index)),
            ));
        }
        checks
    }
}

/// The module of a toolset that has home tools.
pub(super) fn emit(catalog: &Lowered<'_>, id: ToolsetId) -> String {
    let handled = Handled::new(catalog, id);
    let Handled { toolset, tools } = &handled;
    let title = format!(" The toolset `{}`.", toolset.name());
    let names: Vec<_> = tools.iter().map(|tool| module(tool.name())).collect();
    let arms = tools.iter().zip(&names).enumerate().map(|(index, (tool, name))| arm(index, tool, name));
    let packed = toolset.home_tools.iter().map(|&id| data::packed(catalog.tool(id)));
    let definitions = definitions(catalog, &toolset.home_tools);
    let index = data::packed(&Index::from_tools(tools.iter().map(|tool| {
        let manifest = &tool.manifest;
        (tool.name(), document(&words(&manifest.description.value), &manifest.parameters().whole()))
    })));
    let trait_and_checks = handled.has_trait().then(|| handlers_of(catalog, &handled));
    let (bound, provider, by) = if handled.has_trait() {
        let handlers = handled.handlers();
        let provider = quote! {
            /// The tools of this toolset alone, run by these handlers.
            pub fn provider<H: #handlers + 'static>(handlers: H) -> Box<dyn ToolProvider>
        };
        (quote!(#handlers), provider, quote!(handlers))
    } else {
        let provider = quote! {
            /// The tools of this toolset alone. The agent runs them: there are no handlers.
            pub fn provider() -> Box<dyn ToolProvider>
        };
        (quote!(Send + Sync), provider, quote!(()))
    };
    let ask = if handled.has_checks() { quote!(Some(available)) } else { quote!(None) };
    let rust = quote! {
        #![doc = #title]

        use ::std::sync::Arc;

        use ::toolc::__gen::compiled::{CompiledTools, CompiledToolset};
        use ::toolc::__gen::args::Slots;
        use ::toolc::availability::Availability;
        use ::toolc::{Call, Dialect, Env, HandlerReply, ToolError, ToolOutput, ToolProvider, ToolResult};

        #trait_and_checks

        #provider {
            static COMPILED: CompiledTools = CompiledTools::new(&[&PART], &super::COMMON);
            COMPILED.provider(#by, |handlers, index, args, with| call(handlers, |all| all, index, args, with), #ask)
        }

        /// Calls the tool of a number. `select` gets this toolset's handlers from those of all toolsets.
        pub(super) fn call<'a, All: Send + Sync + 'static, H: #bound + 'static>(
            shared: &'a Arc<All>,
            select: impl Fn(&All) -> &H + Copy + Send + 'static,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> HandlerReply<'a> {
            let handlers = select(shared);
            match index {
                #(#arms,)*
                _ => HandlerReply::no_such_tool(index),
            }
        }

        pub(super) static PART: CompiledToolset = CompiledToolset {
            tools: &[#(#packed),*],
            definitions,
            index: ::toolc::__gen::search_index![#index],
        };

        #definitions
    };
    let modules = tools.iter().map(|tool| tool::emit(catalog, tool));
    std::iter::once(print(rust, 0)).chain(modules).collect::<Vec<_>>().join("\n")
}

/// The function that has the definitions of these tools. What it says in a dialect is there with the dialect's feature.
fn definitions(catalog: &Lowered<'_>, tools: &[ToolId]) -> TokenStream {
    let dialects = catalog.settings().dialects.iter().enumerate().map(|(at, dialect)| {
        let with = format_ident!("with_{}", dialect.name.replace('-', "_"));
        let variant = format_ident!("{}", dialect.variant);
        let packed = tools.iter().map(|&id| data::packed(&catalog.definitions(id)[at]));
        quote! {
            ::toolc::#with! {
                if dialect == Dialect::#variant {
                    defined = &[#(#packed),*];
                }
            }
        }
    });
    quote! {
        /// How a dialect defines the tools, in the order of their numbers.
        fn definitions(dialect: Dialect) -> &'static [&'static str] {
            let mut defined: &[&str] = &[];
            #(#dialects)*
            defined
        }
    }
}

/// The trait of the handlers, with methods for tools and availability.
fn handlers_of(catalog: &Lowered<'_>, handled: &Handled<'_>) -> TokenStream {
    let (handlers, toolset) = (handled.handlers(), handled.toolset);
    let about = doc(&format!("Handlers of the toolset `{}`: {}", toolset.name(), toolset.manifest.description));
    let message = format!("`{{Self}}` does not handle the tools of `{}`", toolset.name());
    let label = format!("`{handlers}` is missing");
    let note = format!("write `impl {handlers} for {{Self}}`: a method for each tool, which the compiler then names");
    let methods = handled.tools.iter().filter_map(|tool| method(catalog, tool));
    let checks = handled.checks();
    let (asked, question) = if checks.is_empty() {
        (None, None)
    } else {
        let (variants, abouts): (Vec<_>, Vec<_>) = checks.iter().map(|(variant, about, _)| (variant, about)).unzip();
        let questions = checks.iter().map(|(.., question)| question);
        let question = quote! {
            /// Whether the model may see what `check` names now. Asked again from time to time; a panic means no.
            fn available(&self, check: Check, env: &Env) -> Availability;
        };
        let asked = quote! {
            /// What the handlers are asked about: a manifest says `check = true`.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum Check { #(#[doc = #abouts] #variants),* }

            pub(super) fn available<H: #handlers>(handlers: &H, check: ::toolc::availability::AvailabilityCheck<'_>, env: &Env) -> Availability {
                match check {
                    #(#questions => handlers.available(Check::#variants, env),)*
                    _ => Availability::Available,
                }
            }
        };
        (Some(asked), Some(question))
    };
    quote! {
        #about
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait #handlers: Send + Sync {
            #(#methods)*

            #question
        }

        #asked
    }
}

/// The match arm that calls a tool.
fn arm(index: usize, tool: &Tool, name: &Ident) -> TokenStream {
    let method = snake(tool.name());
    let index = Literal::usize_unsuffixed(index);
    let run = quote!(H::#method(handlers, #name::Args::read(args), call));
    // A typed result becomes the output that all have in common.
    let returns = tool.manifest.returns.is_some();
    let out = returns.then(|| quote!(.map(|returns| ToolOutput::of(&returns))));
    match tool.manifest.execution.value {
        Execution::Sync => quote!(#index => HandlerReply::Ready(#run #out)),
        Execution::Async if returns => quote! {
            #index => {
                let returns = #run;
                HandlerReply::Async(Box::pin(async move { returns.await #out }))
            }
        },
        Execution::Async => quote!(#index => HandlerReply::Async(Box::pin(#run))),
        Execution::Blocking => quote! {
            #index => {
                let (shared, args) = (Arc::clone(shared), #name::Args::read(args));
                HandlerReply::blocking(call, move |call| H::#method(select(&shared), args, call) #out)
            }
        },
        Execution::Agent => quote!(#index => HandlerReply::agent()),
    }
}

/// The method that handles a tool; none where the agent runs it.
fn method(catalog: &Lowered<'_>, tool: &Tool) -> Option<TokenStream> {
    let (name, module) = (snake(tool.name()), module(tool.name()));
    let word = tool.manifest.execution.value.word();
    let from = format!("`execution = \"{word}\"` in `manifests/tools/{}.toml`.", tool.name());
    let text = catalog.full_setting(tool).text(&tool.manifest.description.value);
    let about = doc(&format!("{text}\n\n{from}"));
    let result =
        if tool.manifest.returns.is_some() { quote!(Result<#module::Returns, ToolError>) } else { quote!(ToolResult) };
    let result = match tool.manifest.execution.value {
        Execution::Sync | Execution::Blocking => result,
        Execution::Async => quote!(impl ::core::future::Future<Output = #result> + Send),
        Execution::Agent => return None,
    };
    Some(quote! {
        #about
        fn #name(&self, args: #module::Args, call: &Call<'_>) -> #result;
    })
}
