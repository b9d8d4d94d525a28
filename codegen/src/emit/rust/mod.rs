//! `rust/`: the catalog as Rust. `lib.rs` (or `mod.rs`, if the settings name a folder in another crate) has a module for each
//! toolset. Such a module has the trait of the handlers, a tool provider, and a module for each tool with its argument types. Packed
//! data is in the folder `data/`. The module `commands` has the command rules, if there are any.
//!
//! The files work as a crate and as a module of another crate: paths begin with `::toolc` or are relative.

mod agent;
mod commands;
mod data;
mod facts;
mod packed;
mod print;
mod program;
mod statics;
mod tool;
mod toolset;
mod types;

use std::borrow::Cow;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use toolc::text::changes_direction;

use super::{Draft, Inputs, Part};
use crate::catalog::{Toolset, ToolsetId};
use crate::lower::Lowered;
use crate::names::{Scope, module, pascal, plain};
use crate::project::{GENERATED, MARK};
pub(crate) use commands::usual_programs;
use print::print;
use toolset::HomeToolset;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    let homes = || catalog.toolsets().filter(|(_, toolset)| !toolset.home_tools.is_empty());
    let settings = catalog.settings().rust.as_deref();
    let folder = settings.map_or_else(|| format!("{GENERATED}/rust"), str::to_owned);
    let draft =
        |path: String, is_packed, part| Draft { path: format!("{folder}/{path}"), parts: vec![part], is_packed };
    let root = root_stem(catalog);
    let mut drafts = vec![
        draft(
            format!("{root}.rs"),
            false,
            Part::new(Inputs::Common, move || {
                with_header("from the manifests", &print(root_module(catalog, &homes().collect::<Vec<_>>()), 0))
            }),
        ),
        draft(
            format!("{}/{root}.rs", packed::FOLDER),
            true,
            Part::new(Inputs::Common, || with_header("from the manifests", &packed::catalog(catalog))),
        ),
    ];
    if commands::exist(catalog) {
        let text = || with_header("from `manifests/commands/`", &print(commands::emit(catalog), 0));
        drafts.push(draft("commands.rs".to_owned(), false, Part::new(Inputs::Common, text)));
    }
    for (id, home) in homes() {
        let from = format!("from `manifests/toolsets/{}.toml` and its tools", home.name());
        let stem = plain(&module(home.name()));
        let part = |text: fn(&Lowered<'_>, ToolsetId) -> String| {
            let from = from.clone();
            Part::new(Inputs::Tools(home.home_tools.clone()), move || with_header(&from, &text(catalog, id)))
        };
        drafts.push(draft(format!("{stem}.rs"), false, part(toolset::emit)));
        drafts.push(draft(format!("{}/{stem}.rs", packed::FOLDER), true, part(packed::toolset)));
    }
    drafts
}

/// Returns the stem of the root's file: a crate, or a module in another crate.
fn root_stem(catalog: &Lowered<'_>) -> &'static str {
    if catalog.settings().rust.is_some() { "mod" } else { "lib" }
}

/// Puts the mark of generated files before a text. `from` names the manifests that it was made from.
fn with_header(from: &str, rust: &str) -> String {
    format!("// {MARK} {from}. Edit those, never this file.\n\n{rust}")
}

fn root_module(catalog: &Lowered<'_>, homes: &[(ToolsetId, &Toolset)]) -> TokenStream {
    let stamp = Literal::u32_unsuffixed(toolc::__gen::STAMP);
    let modules: Vec<_> = homes.iter().map(|(_, home)| module(home.name())).collect();
    let data = packed::declare(&format_ident!("{}", root_stem(catalog)));
    let home_toolsets: Vec<HomeToolset<'_>> = homes.iter().map(|(id, _)| HomeToolset::new(catalog, *id)).collect();
    let with_trait: Vec<_> = home_toolsets.iter().zip(&modules).filter(|(home, _)| home.has_trait()).collect();
    let exports = with_trait.iter().map(|(home, module)| {
        let (handlers, program) = (home.handlers(), home.program());
        quote!(pub use self::#module::#handlers; #(pub use self::#module::#program;)*)
    });
    let (facts, names, agent) = (facts::emit(catalog), statics::names(catalog), agent::emit(catalog));
    let commands = commands::exist(catalog).then(|| {
        quote! {
            #[rustfmt::skip]
            pub mod commands;
        }
    });
    let provider = if homes.is_empty() { None } else { Some(catalog_provider(&home_toolsets, &modules)) };
    quote! {
        //! The catalog: traits for the handlers of tools, and tool providers that call the handlers.
        #![allow(clippy::all, clippy::cargo, clippy::nursery, clippy::pedantic, clippy::restriction, dead_code, missing_debug_implementations, missing_docs, nonstandard_style, rustdoc::all,
            unreachable_pub, unused_imports, unused_mut, unused_qualifications, unused_variables,
            variant_size_differences)]
        #![cfg_attr(rustfmt, rustfmt_skip)]

        use ::std::sync::Arc;

        use ::toolc::__gen::compiled::{CatalogData, CompiledCatalog};
        use ::toolc::__gen::Slots;
        use ::toolc::availability::{Availability, AvailabilityCheck};
        use ::toolc::{Call, Env, FactValue, HandlerReply, ToolProvider};

        const _: () = ::toolc::__gen::assert_stamp(#stamp);

        #(
            #[rustfmt::skip]
            pub mod #modules;
        )*

        #commands

        #(#exports)*

        #provider

        #agent

        #facts

        #names

        #data
        pub use self::__data::{DISTRIBUTIONS, FACTS, TOOLSETS, VARIABLES};

        static COMMON: CatalogData = CatalogData { toolsets: &TOOLSETS, facts: &FACTS, variables: &VARIABLES };
    }
}

/// Returns the functions that create a tool provider of the whole catalog. The provider numbers the tools of all toolsets
/// consecutively.
// This function is long because half of it is the code that it emits.
fn catalog_provider(home_toolsets: &[HomeToolset<'_>], modules: &[Ident]) -> TokenStream {
    let compiled = quote! {
        static COMPILED: CompiledCatalog = CompiledCatalog::new(&[#(&self::#modules::PART),*], &COMMON);
    };
    let with_trait: Vec<_> = home_toolsets.iter().zip(modules).filter(|(home, _)| home.has_trait()).collect();
    if with_trait.is_empty() {
        let provider = provider_without_handlers(&call_match(home_toolsets, modules, |_| None));
        return quote!(#compiled #provider);
    }
    let fields: Vec<_> = with_trait.iter().map(|(_, module)| *module).collect();
    let traits: Vec<_> = with_trait.iter().map(|(home, _)| home.handlers()).collect();
    let types = type_parameters(&with_trait, &traits);
    let abouts = with_trait.iter().zip(&traits).map(|((home, _), handlers)| {
        doc(&format!("Handles the tools of `{}`: implements [`{handlers}`].", home.toolset.name()))
    });
    let by_field =
        call_match(home_toolsets, modules, |index| home_toolsets[index].has_trait().then(|| &modules[index]));
    // Taken apart once: rustc checks the types of all handlers at each use of the struct.
    let taken_apart = with_trait.iter().map(|(home, module)| {
        let local = local(module);
        if home.has_blocking() { quote!(#module: _) } else { quote!(#module: #local) }
    });
    let shared = call_match(home_toolsets, modules, |_| None);
    let available = availability(home_toolsets, modules, &types, &traits);
    let [available_fn, available_shared_fn] = match &available {
        Some(_) => [quote!(Some(available)), quote!(Some(available_shared))],
        None => [quote!(None), quote!(None)],
    };
    let start_directory = start_directory(home_toolsets, modules, &types, &traits);
    let [directory_fn, directory_shared_fn] = match &start_directory {
        Some(_) => [quote!(Some(start_directory)), quote!(Some(start_directory_shared))],
        None => [quote!(None), quote!(None)],
    };
    quote! {
        /// The handlers of all tools, for [`provider`]: a field for each toolset with handlers.
        pub struct Handlers<#(#types),*> {
            #(#abouts pub #fields: #types),*
        }

        #compiled

        /// Returns a provider of all tools, with a handler for each toolset.
        pub fn provider<#(#types),*>(handlers: Handlers<#(#types),*>) -> Box<dyn ToolProvider>
        where
            #(#types: #traits + 'static,)*
        {
            COMPILED.provider(handlers, call, #available_fn, #directory_fn)
        }

        /// Returns a provider of all tools, with one value that implements the traits of all toolsets.
        pub fn shared_provider<H>(handlers: H) -> Box<dyn ToolProvider>
        where
            H: #(#traits)+* + 'static,
        {
            COMPILED.provider(handlers, call_shared, #available_shared_fn, #directory_shared_fn)
        }

        fn call<'a, #(#types: #traits + 'static),*>(
            handlers: &'a Arc<Handlers<#(#types),*>>,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> HandlerReply<'a> {
            let Handlers { #(#taken_apart),* } = &**handlers;
            #by_field
        }

        fn call_shared<'a, H: #(#traits)+* + 'static>(
            handlers: &'a Arc<H>,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> HandlerReply<'a> {
            #shared
        }

        #available

        #start_directory
    }
}

/// Returns the functions of a catalog without handlers.
fn provider_without_handlers(calls: &TokenStream) -> TokenStream {
    quote! {
        /// Returns a provider of all tools. The agent's own loop runs them, so there are no handlers.
        pub fn provider() -> Box<dyn ToolProvider> {
            COMPILED.provider((), call, None, None)
        }

        fn call<'a>(handlers: &'a Arc<()>, index: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
            #calls
        }
    }
}

/// Returns the functions that check whether tools can be used, if a handler checks any.
fn availability(
    home_toolsets: &[HomeToolset<'_>],
    modules: &[Ident],
    types: &[Ident],
    traits: &[Ident],
) -> Option<TokenStream> {
    home_toolsets.iter().any(HomeToolset::has_checks).then(|| {
        let by_field = check_match(home_toolsets, modules, |module| quote!(&handlers.#module));
        let shared = check_match(home_toolsets, modules, |_| quote!(handlers));
        quote! {
            fn available<#(#types: #traits),*>(
                handlers: &Handlers<#(#types),*>,
                check: AvailabilityCheck<'_>,
                env: &Env,
            ) -> Availability {
                #by_field
            }

            fn available_shared<H: #(#traits)+*>(handlers: &H, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
                #shared
            }
        }
    })
}

/// Returns a type parameter for each toolset with handlers, named after the toolset. No type parameter has the name of a type or
/// trait that the generated functions use, because it would hide that type.
fn type_parameters(with_trait: &[(&HomeToolset<'_>, &Ident)], traits: &[Ident]) -> Vec<Ident> {
    let used = [
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
    let mut scope = Scope::with(&used);
    for name in traits {
        scope.claim(name.clone());
    }
    with_trait.iter().map(|(home, _)| scope.claim(pascal(&[home.toolset.name()]))).collect()
}

/// Returns the name of the variable with the handlers of a toolset.
fn local(module: &Ident) -> Ident {
    format_ident!("handlers_{}", module.to_string().trim_start_matches("r#"))
}

/// Returns the `match` that passes a call to the toolset of its tool. `field` returns the field with the handlers of the toolset at
/// an index, or `None` if it gets all handlers.
fn call_match<'m>(
    home_toolsets: &[HomeToolset<'_>],
    modules: &[Ident],
    field: impl Fn(usize) -> Option<&'m Ident>,
) -> TokenStream {
    let mut count = 0;
    let arms = home_toolsets.iter().zip(modules).enumerate().map(|(position, (home, module))| {
        let first = count;
        count += home.tools.len();
        let [from, to] = [first, count].map(Literal::usize_unsuffixed);
        let handlers = match (home.has_blocking(), field(position)) {
            (true, Some(field)) => quote!(handlers, |all| &all.#field),
            (true, None) => quote!(handlers, |all| all),
            (false, Some(field)) => local(field).into_token_stream(),
            (false, None) => quote!(&**handlers),
        };
        quote!(#from..#to => self::#module::call(#handlers, index - #from, args, call))
    });
    quote! {
        match index {
            #(#arms,)*
            _ => HandlerReply::no_such_tool(index),
        }
    }
}

/// Returns the functions that find the directory in which a command starts, or `None` if no handler does.
fn start_directory(
    home_toolsets: &[HomeToolset<'_>],
    modules: &[Ident],
    types: &[Ident],
    traits: &[Ident],
) -> Option<TokenStream> {
    if !home_toolsets.iter().any(HomeToolset::has_directories) {
        return None;
    }
    let by_field = directory_match(home_toolsets, modules, |module| quote!(&all.#module));
    let shared = directory_match(home_toolsets, modules, |_| quote!(all));
    Some(quote! {
        fn start_directory<'a, #(#types: #traits + 'static),*>(
            handlers: &'a Arc<Handlers<#(#types),*>>,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> Option<::toolc::__gen::StartDirectory<'a>> {
            #by_field
        }

        fn start_directory_shared<'a, H: #(#traits)+* + 'static>(
            handlers: &'a Arc<H>,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> Option<::toolc::__gen::StartDirectory<'a>> {
            #shared
        }
    })
}

/// Returns the `match` that passes a call to the toolset whose handlers find the directory of its command.
fn directory_match(
    home_toolsets: &[HomeToolset<'_>],
    modules: &[Ident],
    selected: impl Fn(&Ident) -> TokenStream,
) -> TokenStream {
    let mut count = 0;
    let arms = home_toolsets.iter().zip(modules).filter_map(|(home, module)| {
        let first = count;
        count += home.tools.len();
        let ([from, to], selected) = ([first, count].map(Literal::usize_unsuffixed), selected(module));
        home.has_directories().then(|| {
            quote!(#from..#to => self::#module::start_directory(handlers, |all| #selected, index - #from, args, call))
        })
    });
    quote! {
        match index {
            #(#arms,)*
            _ => None,
        }
    }
}

/// Returns the `match` that passes an availability check to the handlers of its toolset.
fn check_match(
    home_toolsets: &[HomeToolset<'_>],
    modules: &[Ident],
    selected: impl Fn(&Ident) -> TokenStream,
) -> TokenStream {
    let mut count = 0;
    let mut arms = Vec::new();
    for (home, module) in home_toolsets.iter().zip(modules) {
        let first = count;
        count += home.tools.len();
        if home.has_checks() {
            let [from, to] = [first, count].map(Literal::usize_unsuffixed);
            let (toolset, selected) = (home.toolset.name(), selected(module));
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

/// Returns prose as a doc comment. Code fences become `'''`, because rustdoc would compile the code between them as Rust.
fn doc(text: &str) -> TokenStream {
    // rustc rejects control characters, and characters that change the direction of text.
    let is_allowed = |letter: char| !letter.is_control() && !changes_direction(letter);
    let sanitized = |line: &str| {
        let is_clean = line.chars().all(is_allowed);
        let line =
            if is_clean { Cow::Borrowed(line) } else { line.chars().filter(|letter| is_allowed(*letter)).collect() };
        line.trim().replace("```", "'''")
    };
    let lines = text.trim().lines().map(|line| data::string(&format!(" {}", sanitized(line))));
    quote!(#(#[doc = #lines])*)
}
