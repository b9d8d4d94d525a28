//! `rust/`: the catalog as Rust. `lib.rs` (or `mod.rs`, if the settings name a folder in another crate) contains a module per
//! toolset. Each has the trait of its handlers, its tool provider, and a module per tool with the types of its arguments.
//!
//! The files work as a crate and as a module of another crate: paths begin with `::toolc` or are relative.

mod agent;
mod data;
mod facts;
mod print;
mod statics;
mod tool;
mod toolset;
mod types;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use toolc::__gen::changes_direction;

use super::{Draft, Inputs, Part};
use crate::catalog::{Toolset, ToolsetId};
use crate::lower::Lowered;
use crate::names::{Scope, module, pascal, plain};
use crate::project::{GENERATED, MARK};
use print::print;
use toolset::Handled;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let homes = || catalog.toolsets().filter(|(_, toolset)| !toolset.home_tools.is_empty());
    let folder = catalog.settings().rust.as_deref();
    let place =
        |stem: &str| folder.map_or(format!("{GENERATED}/rust/{stem}.rs"), |folder| format!("{folder}/{stem}.rs"));
    let draft = |stem: &str, part| Draft { path: place(stem), parts: vec![part] };
    let top = Part::new(Inputs::Common, move || {
        marked("from the manifests", &print(root(catalog, &homes().collect::<Vec<_>>()), 0))
    });
    let modules = homes().map(|(id, home)| {
        let part = Part::new(Inputs::Tools(home.home_tools.clone()), move || {
            let from = format!("from `manifests/toolsets/{}.toml` and its tools", home.name());
            marked(&from, &toolset::emit(catalog, id))
        });
        draft(&plain(&module(home.name())), part)
    });
    let top = draft(if folder.is_some() { "mod" } else { "lib" }, top);
    std::iter::once(top).chain(modules).collect()
}

fn marked(from: &str, rust: &str) -> String {
    format!("// {MARK} {from}. Edit those, never this file.\n\n{rust}")
}

fn root(catalog: &Lowered<'_>, homes: &[(ToolsetId, &Toolset)]) -> TokenStream {
    let stamp = Literal::u32_unsuffixed(toolc::__gen::STAMP);
    let modules: Vec<_> = homes.iter().map(|(_, home)| module(home.name())).collect();
    let toolsets = data::list(catalog.toolsets().map(|(id, _)| catalog.toolset(id)));
    let handled: Vec<Handled<'_>> = homes.iter().map(|(id, _)| Handled::new(catalog, *id)).collect();
    let with_trait: Vec<_> = handled.iter().zip(&modules).filter(|(handled, _)| handled.has_trait()).collect();
    let exports = with_trait.iter().map(|(handled, module)| {
        let handlers = handled.handlers();
        quote!(pub use self::#module::#handlers;)
    });
    let (facts, statics, agent) = (facts::emit(catalog), statics::emit(catalog), agent::emit(catalog));
    let provider = (!homes.is_empty()).then(|| everything(&handled, &modules));
    quote! {
        //! The catalog: traits to be implemented by handlers, and providers that serve them.
        #![allow(clippy::all, clippy::pedantic, dead_code, missing_docs, nonstandard_style, rustdoc::all,
            unreachable_pub, unused_imports, unused_mut, unused_qualifications, unused_variables,
            variant_size_differences)]
        #![cfg_attr(rustfmt, rustfmt_skip)]

        use ::std::sync::Arc;

        use ::toolc::__gen::compiled::{CatalogData, CompiledTools};
        use ::toolc::__gen::pack::Packed;
        use ::toolc::__gen::args::Slots;
        use ::toolc::availability::{Availability, AvailabilityCheck};
        use ::toolc::catalog::{Distribution, Fact, Variable};
        use ::toolc::{Call, Env, FactValue, HandlerReply, ToolProvider, Toolset};

        const _: () = ::toolc::__gen::assert_stamp(#stamp);

        #(
            #[rustfmt::skip]
            pub mod #modules;
        )*

        #(#exports)*

        #provider

        #agent

        /// Every toolset of the catalog.
        pub static TOOLSETS: Packed<Toolset> = #toolsets;

        #facts

        #statics

        static COMMON: CatalogData = CatalogData { toolsets: &TOOLSETS, facts: &FACTS, variables: &VARIABLES };
    }
}

/// The providers of every tool. The number of a tool says which toolset is its home.
fn everything(handled: &[Handled<'_>], modules: &[Ident]) -> TokenStream {
    let compiled = quote! {
        static COMPILED: CompiledTools = CompiledTools::new(&[#(&self::#modules::PART),*], &COMMON);
    };
    let with_trait: Vec<_> = handled.iter().zip(modules).filter(|(handled, _)| handled.has_trait()).collect();
    if with_trait.is_empty() {
        let calls = calls(handled, modules, |_| quote!(|all| all));
        return quote! {
            #compiled

            /// Every tool of the catalog. The agent runs them: there are no handlers.
            pub fn provider() -> Box<dyn ToolProvider> {
                COMPILED.provider((), call, None)
            }

            fn call<'a>(handlers: &'a Arc<()>, index: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
                #calls
            }
        };
    }
    let fields: Vec<_> = with_trait.iter().map(|(_, module)| *module).collect();
    let traits: Vec<_> = with_trait.iter().map(|(handled, _)| handled.handlers()).collect();
    let types = type_parameters(&with_trait, &traits);
    let abouts = with_trait.iter().zip(&traits).map(|((handled, _), handlers)| {
        doc(&format!("Handles the tools of `{}`: implements [`{handlers}`].", handled.toolset.name()))
    });
    let selected = |module: &Ident, handled: &Handled<'_>| {
        if handled.has_trait() { quote!(|all| &all.#module) } else { quote!(|all| all) }
    };
    let by_field = calls(handled, modules, |at| selected(&modules[at], &handled[at]));
    let by_one = calls(handled, modules, |_| quote!(|all| all));
    let has_checks = handled.iter().any(Handled::has_checks);
    let [ask, ask_shared] = if has_checks {
        [quote!(Some(available)), quote!(Some(available_shared))]
    } else {
        [quote!(None), quote!(None)]
    };
    let available = has_checks.then(|| {
        let by_field = checks(handled, modules, |module| quote!(&handlers.#module));
        let by_one = checks(handled, modules, |_| quote!(handlers));
        quote! {
            fn available<#(#types: #traits),*>(
                handlers: &Handlers<#(#types),*>,
                check: AvailabilityCheck<'_>,
                env: &Env,
            ) -> Availability {
                #by_field
            }

            fn available_shared<H: #(#traits)+*>(handlers: &H, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
                #by_one
            }
        }
    });
    quote! {
        /// The handlers of every tool, for [`provider`]: a field for each toolset that has some.
        #[derive(Debug, Clone)]
        pub struct Handlers<#(#types),*> {
            #(#abouts pub #fields: #types),*
        }

        #compiled

        /// Every tool of the catalog, run by a handler for each toolset.
        pub fn provider<#(#types),*>(handlers: Handlers<#(#types),*>) -> Box<dyn ToolProvider>
        where
            #(#types: #traits + 'static,)*
        {
            COMPILED.provider(handlers, call, #ask)
        }

        /// Every tool of the catalog, run by one value that handles all toolsets.
        pub fn shared_provider<H>(handlers: H) -> Box<dyn ToolProvider>
        where
            H: #(#traits)+* + 'static,
        {
            COMPILED.provider(handlers, call_shared, #ask_shared)
        }

        fn call<'a, #(#types: #traits + 'static),*>(
            handlers: &'a Arc<Handlers<#(#types),*>>,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> HandlerReply<'a> {
            #by_field
        }

        fn call_shared<'a, H: #(#traits)+* + 'static>(
            handlers: &'a Arc<H>,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> HandlerReply<'a> {
            #by_one
        }

        #available
    }
}

/// A type parameter for each toolset with handlers, named after it, and unlike any type that the functions with these
/// parameters name.
fn type_parameters(with_trait: &[(&Handled<'_>, &Ident)], traits: &[Ident]) -> Vec<Ident> {
    let named = [
        "Arc",
        "Availability",
        "AvailabilityCheck",
        "Box",
        "Call",
        "Env",
        "HandlerReply",
        "Handlers",
        "Self",
        "Slots",
        "ToolProvider",
    ];
    let mut scope = Scope::with(&named);
    for name in traits {
        scope.claim(name.clone());
    }
    with_trait.iter().map(|(handled, _)| scope.claim(pascal(&[handled.toolset.name()]))).collect()
}

/// The `match` that leads a call to the toolset of its tool. `selected` is the function that gets the handlers of the
/// toolset at an index.
fn calls(handled: &[Handled<'_>], modules: &[Ident], selected: impl Fn(usize) -> TokenStream) -> TokenStream {
    let mut count = 0;
    let arms = handled.iter().zip(modules).enumerate().map(|(at, (handled, module))| {
        let first = count;
        count += handled.tools.len();
        let [from, to] = [first, count].map(Literal::usize_unsuffixed);
        let selected = selected(at);
        quote!(#from..#to => self::#module::call(handlers, #selected, index - #from, args, call))
    });
    quote! {
        match index {
            #(#arms,)*
            _ => HandlerReply::no_such_tool(index),
        }
    }
}

/// The `match` that leads the question whether something is available to the handlers of its toolset.
fn checks(handled: &[Handled<'_>], modules: &[Ident], selected: impl Fn(&Ident) -> TokenStream) -> TokenStream {
    let (mut count, mut arms) = (0, Vec::new());
    for (handled, module) in handled.iter().zip(modules) {
        let first = count;
        count += handled.tools.len();
        if handled.has_checks() {
            let [from, to] = [first, count].map(Literal::usize_unsuffixed);
            let (toolset, selected) = (handled.toolset.name(), selected(module));
            arms.push(quote! {
                AvailabilityCheck::Tool(index @ #from..#to) => self::#module::available(#selected, AvailabilityCheck::Tool(index - #from), env),
                AvailabilityCheck::Toolset(#toolset) => self::#module::available(#selected, check, env)
            });
        }
    }
    quote! {
        match check {
            #(#arms,)*
            _ => Availability::Available,
        }
    }
}

/// Returns prose as a doc comment. It was written for a model, so its code blocks must not become Rust's.
fn doc(text: &str) -> TokenStream {
    // Control characters, and those that change the direction of writing, are not allowed in Rust source.
    let is_allowed = |letter: &char| !letter.is_control() && !changes_direction(*letter);
    let plain = |line: &str| line.chars().filter(is_allowed).collect::<String>();
    let lines = text.trim().lines().map(|line| format!(" {}", plain(line).trim().replace("```", "'''")));
    quote!(#(#[doc = #lines])*)
}
