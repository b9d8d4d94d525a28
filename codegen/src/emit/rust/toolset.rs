//! The module of a toolset: the trait of its handlers, a tool provider, and the modules of its tools.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use toolc::behaviour::Execution;

use super::print::print;
use super::{doc, packed, tool};
use crate::catalog::{Tool, Toolset, ToolsetId};
use crate::lower::Lowered;
use crate::names::{Scope, handlers, module, pascal, program, snake};

/// A toolset with home tools.
pub(super) struct HomeToolset<'c> {
    pub(super) toolset: &'c Toolset,
    pub(super) tools: Vec<&'c Tool>,
}

impl<'c> HomeToolset<'c> {
    pub(super) fn new(catalog: &'c Lowered<'_>, id: ToolsetId) -> Self {
        let toolset = &catalog[id];
        Self { toolset, tools: toolset.home_tools.iter().map(|&id| &catalog[id]).collect() }
    }

    /// Returns the name of the trait of the handlers.
    pub(super) fn handlers(&self) -> Ident {
        handlers(self.toolset.name())
    }

    /// Returns the name of the type with the program that runs the tools, if there is one.
    pub(super) fn program(&self) -> impl Iterator<Item = Ident> {
        let is_run_by_program = self.toolset.manifest.program_language().is_some() && self.has_trait();
        is_run_by_program.then(|| program(self.toolset.name())).into_iter()
    }

    /// Returns whether handlers have anything to implement: tools that the agent's own loop runs have no handler.
    pub(super) fn has_trait(&self) -> bool {
        self.has_checks() || self.tools.iter().any(|tool| tool.manifest.execution.value != Execution::Agent)
    }

    /// Returns whether a handler runs on a thread of the pool.
    pub(super) fn has_blocking(&self) -> bool {
        self.tools.iter().any(|tool| tool.manifest.execution.value == Execution::Blocking)
    }

    /// Returns whether the handlers check the availability of tools: a manifest says `check = true`.
    pub(super) fn has_checks(&self) -> bool {
        self.toolset.manifest.requires.checked().is_some()
            || self.tools.iter().any(|tool| tool.manifest.requires.checked().is_some())
    }

    /// Returns whether handlers find the directory in which a command starts: a manifest says `start_directory = true`.
    pub(super) fn has_directories(&self) -> bool {
        self.tools.iter().any(|tool| tool.manifest.approval.finds_directory())
    }

    /// Returns the tools whose handlers find the directory in which a command starts: the index, the tool, and the name of the method.
    fn directories(&self) -> impl Iterator<Item = (usize, &'c Tool, Ident)> {
        let mut scope = Scope::with(&["available"]);
        // Only the names of these methods depend on those of all others.
        let named = if self.has_directories() { &self.tools[..] } else { &[] };
        for tool in named {
            scope.claim(snake(tool.name()));
        }
        let with_method = move |(index, tool): (usize, &&'c Tool)| {
            let method = format_ident!("{}_directory", snake(tool.name()));
            (index, *tool, scope.claim(method))
        };
        self.tools.iter().enumerate().filter(|(_, tool)| tool.manifest.approval.finds_directory()).map(with_method)
    }

    /// Returns the availability checks: the variant of `Check`, its documentation, and the pattern of the runtime's check.
    fn checks(&self) -> Vec<(Ident, String, TokenStream)> {
        let mut scope = Scope::with(&["Self"]);
        let name = self.toolset.name();
        let mut checks = Vec::new();
        if self.toolset.manifest.requires.checked().is_some() {
            let variant = scope.claim(pascal(&["toolset"]));
            let doc = format!(" Every tool whose home is `{name}`.");
            checks.push((variant, doc, quote!(::toolc::availability::AvailabilityCheck::Toolset(#name))));
        }
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

/// Returns the module of a toolset with home tools.
// This function is long because half of it is the code that it emits.
pub(super) fn emit(catalog: &Lowered<'_>, id: ToolsetId) -> String {
    let handled = HomeToolset::new(catalog, id);
    let HomeToolset { toolset, tools } = &handled;
    let title = format!(" The toolset `{}`.", toolset.name());
    let names: Vec<_> = tools.iter().map(|tool| module(tool.name())).collect();
    let arms = tools.iter().zip(&names).enumerate().map(|(index, (tool, name))| call_arm(index, tool, name));
    let data = packed::declare(&module(toolset.name()));
    let trait_and_checks = handled.has_trait().then(|| handler_trait(catalog, &handled));
    let program =
        handled.program().map(|name| super::program::emit(catalog, toolset, tools, &handled.handlers(), &name));
    let (bound, provider, handlers) = if handled.has_trait() {
        let handlers = handled.handlers();
        let provider = quote! {
            /// Returns a provider of the tools of this toolset alone.
            pub fn provider<H: #handlers + 'static>(handlers: H) -> Box<dyn ToolProvider>
        };
        (quote!(#handlers), provider, quote!(handlers))
    } else {
        let provider = quote! {
            /// Returns a provider of the tools of this toolset alone. The agent's own loop runs them, so there are no handlers.
            pub fn provider() -> Box<dyn ToolProvider>
        };
        (quote!(Send + Sync), provider, quote!(()))
    };
    let available_fn = if handled.has_checks() { quote!(Some(available)) } else { quote!(None) };
    let directory_fn = if handled.has_directories() {
        quote!(Some(|handlers, index, args, with| start_directory(handlers, |all| all, index, args, with)))
    } else {
        quote!(None)
    };
    let start_directory = handled.has_directories().then(|| start_directory(&handled));
    // A blocking handler runs on another thread, which shares the handlers of all toolsets. Other toolsets do without, because
    // rustc takes long to check the types of all handlers.
    let (call_doc, generics, parameters, select, arguments) = if handled.has_blocking() {
        (
            " Calls the tool at an index. `select` returns the handlers of this toolset from those of all toolsets.",
            quote!(All: Send + Sync + 'static, H: #bound + 'static),
            quote!(shared: &'a Arc<All>, select: impl Fn(&All) -> &H + Copy + Send + 'static),
            Some(quote!(let handlers = select(shared);)),
            quote!(handlers, |all| all),
        )
    } else {
        let parameters = quote!(handlers: &'a H);
        (" Calls the tool at an index.", quote!(H: #bound), parameters, None, quote!(&**handlers))
    };
    let rust = quote! {
        #![doc = #title]

        use ::std::sync::Arc;

        use ::toolc::__gen::compiled::CompiledCatalog;
        use ::toolc::__gen::Slots;
        use ::toolc::availability::Availability;
        use ::toolc::{Call, Env, HandlerReply, ToolError, ToolOutput, ToolProvider, ToolResult};

        #trait_and_checks

        #(#program)*

        #provider {
            static COMPILED: CompiledCatalog = CompiledCatalog::new(&[&PART], &super::COMMON);
            COMPILED.provider(#handlers, |handlers, index, args, with| call(#arguments, index, args, with), #available_fn, #directory_fn)
        }

        #[doc = #call_doc]
        pub(super) fn call<'a, #generics>(
            #parameters,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> HandlerReply<'a> {
            #select
            match index {
                #(#arms,)*
                _ => HandlerReply::no_such_tool(index),
            }
        }

        #start_directory

        #data
        pub(super) use self::__data::PART;
    };
    let modules = tools.iter().map(|tool| tool::emit(catalog, tool));
    std::iter::once(print(rust, 0)).chain(modules).collect::<Vec<_>>().join("\n")
}

/// Returns the trait of the handlers, with methods for tools and availability.
fn handler_trait(catalog: &Lowered<'_>, handled: &HomeToolset<'_>) -> TokenStream {
    let (handlers, toolset) = (handled.handlers(), handled.toolset);
    let about = doc(&format!("Handlers of the toolset `{}`: {}", toolset.name(), toolset.manifest.description));
    let message = format!("`{{Self}}` does not handle the tools of `{}`", toolset.name());
    let label = format!("`{handlers}` is missing");
    let note = format!("write `impl {handlers} for {{Self}}`: a method for each tool, which the compiler then names");
    let methods = handled.tools.iter().filter_map(|tool| handler_method(catalog, tool));
    let directory_methods = handled.directories().map(|(_, tool, method)| directory_method(tool, &method));
    let checks = handled.checks();
    let (check_enum, check_method) = if checks.is_empty() {
        (None, None)
    } else {
        let (variants, docs): (Vec<_>, Vec<_>) = checks.iter().map(|(variant, doc, _)| (variant, doc)).unzip();
        let patterns = checks.iter().map(|(.., pattern)| pattern);
        let check_method = quote! {
            /// Returns whether the tools that `check` names are available now. The runtime calls this again from time to time; a
            /// panic counts as unavailable.
            fn available(&self, check: Check, env: &Env) -> Availability;
        };
        let check_enum = quote! {
            /// The tools whose availability the handlers check: their manifests say `check = true`.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum Check { #(#[doc = #docs] #variants),* }

            pub(super) fn available<H: #handlers>(handlers: &H, check: ::toolc::availability::AvailabilityCheck<'_>, env: &Env) -> Availability {
                match check {
                    #(#patterns => handlers.available(Check::#variants, env),)*
                    _ => Availability::Available,
                }
            }
        };
        (Some(check_enum), Some(check_method))
    };
    quote! {
        #about
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        pub trait #handlers: Send + Sync {
            #(#methods)*

            #(#directory_methods)*

            #check_method
        }

        #check_enum
    }
}

/// Returns the method that finds the directory in which the command of a tool starts.
fn directory_method(tool: &Tool, method: &Ident) -> TokenStream {
    let (name, module) = (snake(tool.name()), module(tool.name()));
    let about = doc(&format!(
        "Returns the directory in which a call of `{0}` starts its command: an absolute path without symbolic links. The command is judged \
         in this directory, and then [`{name}`](Self::{name}) gets it from [`Call::start_directory`]. This is called on a thread of the \
         pool, before the call is approved, if the session judges commands. It must change nothing.\n\n\
         `start_directory = true` in `manifests/tools/{0}.toml`.",
        tool.name()
    ));
    quote! {
        #about
        fn #method(&self, args: &#module::Args, call: &Call<'_>) -> Result<::toolc::directory::FoundDirectory, ToolError>;
    }
}

/// Returns the function that finds the directory in which the command of a tool starts.
fn start_directory(handled: &HomeToolset<'_>) -> TokenStream {
    let handlers = handled.handlers();
    let arms = handled.directories().map(|(index, tool, method)| {
        let (index, name) = (Literal::usize_unsuffixed(index), module(tool.name()));
        quote! {
            #index => {
                let (shared, args) = (Arc::clone(shared), #name::Args::read(args));
                Some(::toolc::__gen::start_directory(call, move |call| H::#method(select(&shared), &args, call)))
            }
        }
    });
    quote! {
        /// Finds the directory in which the command of the tool at an index starts.
        pub(super) fn start_directory<'a, All: Send + Sync + 'static, H: #handlers + 'static>(
            shared: &'a Arc<All>,
            select: impl Fn(&All) -> &H + Copy + Send + 'static,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> Option<::toolc::__gen::StartDirectory<'a>> {
            match index {
                #(#arms,)*
                _ => None,
            }
        }
    }
}

/// Returns the match arm that calls a tool.
fn call_arm(index: usize, tool: &Tool, name: &Ident) -> TokenStream {
    let method = snake(tool.name());
    let index = Literal::usize_unsuffixed(index);
    let run = quote!(H::#method(handlers, #name::Args::read(args), call));
    // A typed result is converted to the common type of results.
    let returns = tool.manifest.returns.is_some();
    let convert = returns.then(|| quote!(.map(|returns| ToolOutput::typed(&returns))));
    match tool.manifest.execution.value {
        Execution::Sync => quote!(#index => HandlerReply::Ready(#run #convert)),
        Execution::Async if returns => quote! {
            #index => {
                let returns = #run;
                HandlerReply::Async(Box::pin(async move { returns.await #convert }))
            }
        },
        Execution::Async => quote!(#index => HandlerReply::Async(Box::pin(#run))),
        Execution::Blocking => quote! {
            #index => {
                let (shared, args) = (Arc::clone(shared), #name::Args::read(args));
                HandlerReply::blocking(call, move |call| H::#method(select(&shared), args, call) #convert)
            }
        },
        Execution::Agent => quote!(#index => HandlerReply::agent()),
    }
}

/// Returns the method that handles a tool, or `None` if the agent's own loop runs it.
fn handler_method(catalog: &Lowered<'_>, tool: &Tool) -> Option<TokenStream> {
    let name = snake(tool.name());
    let word = tool.manifest.execution.value.word();
    let from = format!("`execution = \"{word}\"` in `manifests/tools/{}.toml`.", tool.name());
    let text = catalog.full_turn_values(tool).text(&tool.manifest.description.value);
    let about = doc(&format!("{text}\n\n{from}"));
    if tool.manifest.execution.value == Execution::Agent {
        return None;
    }
    let signature = tool::signature(tool);
    Some(quote! {
        #about
        fn #name #signature;
    })
}
