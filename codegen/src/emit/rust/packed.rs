//! `rust/data/`: packed data, in files of its own, so that the other files change only where their meaning does. One file has the
//! data of the catalog, and one for each toolset has its tools, their definitions in each dialect, and the search index.

use std::borrow::Cow;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use toolc::__gen::compiled::openai_description;
use toolc::__gen::segment::Segment;
use toolc::__gen::{Index, document};
use toolc_lower::conditional_json::unconditional_text;

use super::data;
use super::print::print;
use super::{facts, statics};
use crate::catalog::{ToolId, ToolsetId};
use crate::lower::Lowered;
use crate::names::plain;

/// The folder of packed data, below that of the Rust files.
pub(super) const FOLDER: &str = "data";

/// Returns the declaration of the module with the packed data of `module`. No tool or toolset has a module of its name.
pub(super) fn declare(module: &Ident) -> TokenStream {
    let path = format!("{FOLDER}/{}.rs", plain(module));
    quote! {
        #[rustfmt::skip]
        #[path = #path]
        mod __data;
    }
}

/// Returns the data of the catalog as a whole.
pub(super) fn catalog(catalog: &Lowered<'_>) -> String {
    let toolsets = data::list(catalog.toolsets().map(|(id, _)| catalog.toolset(id)));
    let (facts, statics) = (facts::data(catalog), statics::data(catalog));
    let rust = quote! {
        //! Packed data of the catalog.

        use ::toolc::__gen::pack::Packed;
        use ::toolc::catalog::{Distribution, Fact, Variable};
        use ::toolc::Toolset;

        /// Every toolset of the catalog.
        pub static TOOLSETS: Packed<Toolset> = #toolsets;

        #facts

        #statics
    };
    print(rust, 0)
}

/// Returns the data of a toolset.
pub(super) fn toolset(catalog: &Lowered<'_>, id: ToolsetId) -> String {
    let toolset = &catalog[id];
    let title = format!(" Packed data of the toolset `{}`.", toolset.name());
    let packed = toolset.home_tools.iter().map(|&id| data::packed(&tool_to_pack(catalog, id)));
    let definitions = definitions(catalog, &toolset.home_tools);
    let index = data::packed(&Index::from_tools(toolset.home_tools.iter().map(|&id| {
        let (tool, manifest) = (&catalog[id], &catalog[id].manifest);
        (tool.name(), document(&unconditional_text(&manifest.description.value), &manifest.parameters().full_value()))
    })));
    let is_enforced = |id: &ToolId| catalog.tool(*id).arguments.bounds.iter().any(|bounds| bounds.text.is_some());
    let assertion = toolset.home_tools.iter().any(is_enforced).then(|| {
        quote! {
            const _: () = ::toolc::__gen::assert_patterns();
        }
    });
    let returns = super::program::returns(catalog, toolset);
    let rust = quote! {
        #![doc = #title]

        use ::toolc::__gen::compiled::CompiledToolset;
        use ::toolc::Dialect;

        #assertion

        #returns

        pub(in super::super) static PART: CompiledToolset = CompiledToolset {
            tools: &[#(#packed),*],
            definitions,
            index: ::toolc::__gen::search_index![#index],
        };

        #definitions
    };
    print(rust, 0)
}

/// Returns a tool without its description if the runtime can read that from the OpenAI definition, so that programs do not contain
/// both.
fn tool_to_pack(catalog: &Lowered<'_>, id: ToolId) -> toolc::Tool {
    let mut tool = catalog.tool(id).clone();
    let mut definitions = catalog.settings().dialects.iter().zip(catalog.definitions(id));
    let openai = definitions.find(|(dialect, _)| dialect.in_runtime() == Some(toolc::Dialect::OpenAi));
    if let Some((_, Some(definition))) = openai
        && let Some(Segment::Text(text)) = definition.segments.first()
        && openai_description(text).is_some_and(|description| description == tool.description)
    {
        tool.description = Cow::Borrowed("");
    }
    tool
}

/// Returns the function with the definitions of these tools. Each dialect is compiled only with its feature of the runtime.
fn definitions(catalog: &Lowered<'_>, tools: &[ToolId]) -> TokenStream {
    let dialects = catalog.settings().dialects.iter().enumerate().map(|(index, dialect)| {
        let with = format_ident!("with_{}", dialect.name.replace('-', "_"));
        let variant = format_ident!("{}", dialect.variant);
        let packed = tools.iter().map(|&id| data::packed(&catalog.definitions(id)[index]));
        quote! {
            ::toolc::#with! {
                if dialect == Dialect::#variant {
                    defined = &[#(#packed),*];
                }
            }
        }
    });
    quote! {
        /// Returns the definitions of the tools in a dialect, in the order of their indices.
        fn definitions(dialect: Dialect) -> &'static [&'static str] {
            let mut defined: &[&str] = &[];
            #(#dialects)*
            defined
        }
    }
}
