//! `rust/`: the catalog as Rust. `lib.rs` ties together a module per toolset; each holds the trait of its handlers,
//! its provider, and a module per tool with the tool's arguments and data.
//!
//! The files work as a crate and as a module of somebody's crate: paths lead to `::toolc` or are relative.

mod facts;
mod segments;
mod table;
mod tool;
mod toolset;
mod types;

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{MARK, Output};
use crate::catalog::{Toolset, ToolsetId};
use crate::check::Checked;
use crate::names::{handlers, module, plain};

pub(super) fn emit(catalog: &Checked) -> Vec<Output> {
    let homes: Vec<(ToolsetId, &Toolset)> =
        catalog.toolsets().filter(|(_, toolset)| !toolset.home_tools.is_empty()).collect();
    let mut outputs = vec![file("lib", "from the manifests", root(catalog, &homes))];
    outputs.extend(in_parallel(&homes, |(id, home)| {
        let from = format!("from `manifests/toolsets/{}.toml` and its tools", home.name());
        file(&plain(&module(home.name())), &from, toolset::of(catalog, *id))
    }));
    outputs
}

/// What `make` makes of each, in order. Printing Rust is most of gen's work, and a module knows nothing of another.
fn in_parallel<T: Sync, O: Send>(all: &[T], make: impl Fn(&T) -> O + Sync) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let work = || {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        indices.map_while(|index| Some((index, make(all.get(index)?)))).collect::<Vec<_>>()
    };
    let mut outputs = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(all.len());
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let others = others.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        own.into_iter().chain(others).collect::<Vec<_>>()
    });
    outputs.sort_by_key(|(index, _)| *index);
    outputs.into_iter().map(|(_, output)| output).collect()
}

fn file(stem: &str, from: &str, tokens: TokenStream) -> Output {
    let mut file: syn::File =
        syn::parse2(tokens).unwrap_or_else(|error| unreachable!("the emitter writes Rust: {error}"));
    let mut text = format!("// {MARK} {from}. Edit those, never this file.\n");
    let parts = std::mem::take(&mut file.items).into_iter().map(|item| vec![item]);
    // Item by item, for an empty line between them.
    let blank = syn::File { attrs: Vec::new(), ..file.clone() };
    let parts = parts.map(|items| syn::File { items, ..blank.clone() });
    for part in std::iter::once(file).chain(parts) {
        text.push('\n');
        text += &prettyplease::unparse(&part);
    }
    Output::new(format!("rust/{stem}.rs"), text)
}

fn root(catalog: &Checked, homes: &[(ToolsetId, &Toolset)]) -> TokenStream {
    let stamp = Literal::u32_unsuffixed(toolc::STAMP);
    let modules: Vec<_> = homes.iter().map(|(_, home)| module(home.name())).collect();
    let traits: Vec<_> = homes.iter().map(|(_, home)| handlers(home.name())).collect();
    let toolsets = catalog.toolsets().map(|(_, toolset)| toolset::data(catalog, toolset));

    let mut first = 0;
    let (mut tools, mut arms) = (Vec::new(), Vec::new());
    for ((_, home), home_module) in homes.iter().zip(&modules) {
        tools.extend(home.home_tools.iter().map(|&id| {
            let tool = module(catalog[id].name());
            quote!(self::#home_module::#tool::TOOL)
        }));
        let [from, to] = [first, tools.len()].map(Literal::usize_unsuffixed);
        arms.push(quote!(#from..#to => self::#home_module::call(&self.0, index - #from, args, call)));
        first = tools.len();
    }
    let facts = facts::of(catalog);
    let provider = (!homes.is_empty()).then(|| {
        quote! {
            /// Every tool of the catalog, run by one set of handlers.
            pub fn provider<H>(handlers: H) -> Box<dyn Provider>
            where
                H: #(#traits)+* + 'static,
            {
                Box::new(Everything(handlers))
            }

            struct Everything<H>(H);

            impl<H: #(#traits)+*> Provider for Everything<H> {
                fn tools(&self) -> &[Tool] {
                    static TOOLS: &[Tool] = &[#(#tools),*];
                    TOOLS
                }

                fn toolsets(&self) -> &[Toolset] {
                    TOOLSETS
                }

                fn facts(&self) -> &[Fact] {
                    FACTS
                }

                fn call<'a>(&'a self, index: usize, args: Slots<'_>, call: &'a Call<'a>) -> Reply<'a> {
                    match index {
                        #(#arms,)*
                        _ => Reply::no_such_tool(index),
                    }
                }
            }
        }
    });
    quote! {
        //! The catalog: traits to be implemented by handlers, and providers that serve them.
        #![allow(clippy::all, clippy::pedantic, dead_code, missing_docs, nonstandard_style, rustdoc::all,
            unreachable_pub, unused_imports)]
        #![cfg_attr(rustfmt, rustfmt_skip)]

        use ::std::borrow::Cow::Borrowed;

        use ::toolc::{Call, Fact, FactValue, Provider, Reply, Slots, Text, Tool, Toolset};

        const _: () = ::toolc::assert_stamp(#stamp);

        #(
            #[rustfmt::skip]
            pub mod #modules;
        )*

        #(pub use self::#modules::#traits;)*

        #provider

        /// Every toolset of the catalog.
        pub static TOOLSETS: &[Toolset] = &[#(#toolsets),*];

        #facts
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

/// A static text, where `Borrowed` is in scope.
fn text(text: &str) -> TokenStream {
    quote!(Borrowed(#text))
}
