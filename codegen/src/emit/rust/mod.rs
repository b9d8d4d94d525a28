//! `rust/`: the catalog as Rust. `lib.rs` (`mod.rs`, where the settings name a folder in somebody's crate) ties together
//! a module per toolset; each holds the trait of its handlers, its provider, and a module per tool with the types of its
//! arguments.
//!
//! The files work as a crate and as a module of somebody's crate: paths lead to `::toolc` or are relative.

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

use super::{Draft, Inputs, Part};
use crate::catalog::{Toolset, ToolsetId};
use crate::lower::Lowered;
use crate::names::{module, plain};
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
            marked(&from, &toolset::of(catalog, id))
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
    let stamp = Literal::u32_unsuffixed(toolc::STAMP);
    let modules: Vec<_> = homes.iter().map(|(_, home)| module(home.name())).collect();
    let toolsets = data::list(catalog.toolsets().map(|(id, _)| catalog.toolset(id)));
    let handled: Vec<Handled<'_>> = homes.iter().map(|(id, _)| Handled::of(catalog, *id)).collect();
    let with_trait: Vec<_> = handled.iter().zip(&modules).filter(|(handled, _)| handled.has_trait()).collect();
    let exports = with_trait.iter().map(|(handled, module)| {
        let handlers = handled.handlers();
        quote!(pub use self::#module::#handlers;)
    });
    let (facts, statics, agent) = (facts::of(catalog), statics::of(catalog), agent::of(catalog));
    let provider = (!homes.is_empty()).then(|| everything(&handled, &modules));
    quote! {
        //! The catalog: traits to be implemented by handlers, and providers that serve them.
        #![allow(clippy::all, clippy::pedantic, dead_code, missing_docs, nonstandard_style, rustdoc::all,
            unreachable_pub, unused_imports, unused_mut, unused_qualifications, unused_variables,
            variant_size_differences)]
        #![cfg_attr(rustfmt, rustfmt_skip)]

        use ::std::sync::Arc;

        use ::toolc::compiled::{Common, Compiled};
        use ::toolc::pack::Packed;
        use ::toolc::{Availability, AvailabilityCheck, Call, Distribution, Env, Fact, FactValue, HandlerReply, Slots, Text,
            ToolProvider, Toolset, Variable};

        const _: () = ::toolc::assert_stamp(#stamp);

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

        static COMMON: Common = Common { toolsets: &TOOLSETS, facts: &FACTS, variables: &VARIABLES };
    }
}

/// The provider of every tool: a tool's index tells its home.
fn everything(handled: &[Handled<'_>], modules: &[Ident]) -> TokenStream {
    let (mut count, mut calls, mut checks) = (0, Vec::new(), Vec::new());
    for (handled, module) in handled.iter().zip(modules) {
        let first = count;
        count += handled.tools.len();
        let [from, to] = [first, count].map(Literal::usize_unsuffixed);
        calls.push(quote!(#from..#to => self::#module::call(handlers, index - #from, args, call)));
        if handled.has_checks() {
            let toolset = handled.toolset.name();
            checks.push(quote! {
                AvailabilityCheck::Tool(index @ #from..#to) => self::#module::available(handlers, AvailabilityCheck::Tool(index - #from), env),
                AvailabilityCheck::Toolset(#toolset) => self::#module::available(handlers, check, env)
            });
        }
    }
    let traits: Vec<_> = handled.iter().filter(|handled| handled.has_trait()).map(Handled::handlers).collect();
    let bounds = if traits.is_empty() { quote!(Send + Sync) } else { quote!(#(#traits)+*) };
    let (ask, available) = if checks.is_empty() {
        (quote!(None), None)
    } else {
        let available = quote! {
            fn available<H: #bounds>(handlers: &H, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
                match check {
                    #(#checks,)*
                    _ => Availability::Available,
                }
            }
        };
        (quote!(Some(available)), Some(available))
    };
    quote! {
        /// Every tool of the catalog, run by one set of handlers.
        pub fn provider<H>(handlers: H) -> Box<dyn ToolProvider>
        where
            H: #bounds + 'static,
        {
            static COMPILED: Compiled = Compiled::new(&[#(&self::#modules::PART),*], &COMMON);
            COMPILED.provider(handlers, call, #ask)
        }

        fn call<'a, H: #bounds + 'static>(
            handlers: &'a Arc<H>,
            index: usize,
            args: Slots<'_, '_>,
            call: &'a Call<'a>,
        ) -> HandlerReply<'a> {
            match index {
                #(#calls,)*
                _ => HandlerReply::no_such_tool(index),
            }
        }

        #available
    }
}

/// Prose as documentation. Neither its line breaks nor its code may become Rust's: it was written for a model.
fn doc(text: &str) -> TokenStream {
    // Nor may its control characters, and those that turn the direction of writing: rustc allows none.
    let is_odd = |letter: char| {
        let turns =
            matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || letter.is_control()
    };
    let plain = |line: &str| line.chars().filter(|letter| !is_odd(*letter)).collect::<String>();
    let lines = text.trim().lines().map(|line| format!(" {}", plain(line).trim().replace("```", "'''")));
    quote!(#(#[doc = #lines])*)
}
