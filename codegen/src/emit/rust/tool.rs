//! A tool's module: its arguments as Rust types, and the tool itself as data.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{segments, table, text, types};
use crate::catalog::Tool;
use crate::check::Checked;
use crate::lower::DIALECTS;
use crate::names::module;

pub(super) fn of(catalog: &Checked, tool: &Tool) -> TokenStream {
    let module = module(tool.name());
    let about = format!(" The tool `{}`.", tool.name());
    let types = types::of(tool, &catalog.full_setting(tool));
    let tables = table::of(&tool.manifest.params);
    let definitions = DIALECTS.iter().map(|dialect| {
        let variant = format_ident!("{}", dialect.variant);
        let segments = (dialect.lower)(tool).segments();
        let segments = segments.iter().map(segments::segment);
        quote!(Definition { dialect: Dialect::#variant, name: None, segments: Borrowed(&[#(#segments),*]) })
    });
    let atoms = tool.atoms.iter().map(|atom| segments::atom(catalog, atom));
    let facts = tool.facts.iter().map(|id| text(&catalog[*id].name.value));
    let name = text(tool.name());
    let toolset = text(&tool.manifest.toolset.as_ref().map(|home| home.value.clone()).unwrap_or_default());
    let emoji = text(&tool.manifest.emoji);
    quote! {
        #[doc = #about]
        pub mod #module {
            pub use data::TOOL;

            #types

            mod data {
                use ::std::borrow::Cow::Borrowed;

                use ::toolc::behaviour::*;
                use ::toolc::segment::*;
                use ::toolc::table::*;
                use ::toolc::{Definition, Dialect, Tool};

                /// The tool as data.
                pub const TOOL: Tool = Tool {
                    name: #name,
                    toolset: #toolset,
                    emoji: #emoji,
                    arguments: Table::new(NODES, PROPERTIES, LITERALS, BRANCHES, BOUNDS, CONDITIONS),
                    atoms: Borrowed(&[#(#atoms),*]),
                    facts: Borrowed(&[#(#facts),*]),
                    definitions: Borrowed(DEFINITIONS),
                    requires: Borrowed(&[]),
                    behaviour: Borrowed(Behaviour::DEFAULT),
                };

                const DEFINITIONS: &[Definition] = &[#(#definitions),*];

                #tables
            }
        }
    }
}
