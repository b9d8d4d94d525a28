//! The items for the catalog as a whole: environment variables, distributions, and constants for names.

use heck::ToShoutySnakeCase as _;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::borrow::Cow;
use toolc::catalog::Distribution;

use super::data;
use crate::catalog::VariableId;
use crate::lower::Lowered;
use crate::names::{Scope, plain, snake};

/// Returns the data. The generated code has the types of the runtime in scope.
pub(super) fn data(catalog: &Lowered<'_>) -> TokenStream {
    let text = |text: &str| Cow::from(text.to_owned());
    let variables = data::list((0..catalog.variables().len()).map(|id| catalog.variable(VariableId(id))));
    let distributions = data::list(catalog.distributions().iter().map(|distribution| {
        let manifest = &distribution.manifest;
        let toolsets = distribution.toolsets.iter().map(|&(id, percent)| (text(catalog[id].name()), percent));
        Distribution::new(text(&manifest.name.value), toolsets).with_description(text(&manifest.description))
    }));
    quote! {
        /// The environment variables that tools require.
        pub static VARIABLES: Packed<Variable> = #variables;

        /// The distributions: toolsets to draw at random, with their probabilities.
        pub static DISTRIBUTIONS: Packed<Distribution> = #distributions;
    }
}

/// Returns the constants for names.
pub(super) fn names(catalog: &Lowered<'_>) -> TokenStream {
    let tools = constants(catalog.tools().map(|(_, tool)| tool.name()));
    let toolsets = constants(catalog.toolsets().map(|(_, toolset)| toolset.name()));
    quote! {
        /// Constants for the names of tools and toolsets.
        pub mod names {
            /// Names of tools.
            pub mod tools {
                #tools
            }

            /// Names of toolsets.
            pub mod toolsets {
                #toolsets
            }
        }
    }
}

fn constants<'n>(names: impl Iterator<Item = &'n str>) -> TokenStream {
    let mut scope = Scope::default();
    let constants = names.map(|name| {
        let shouted = plain(&snake(name)).to_shouty_snake_case();
        let shouted =
            if shouted.starts_with(|letter: char| letter.is_ascii_digit()) { format!("_{shouted}") } else { shouted };
        let ident = scope.claim(Ident::new(&shouted, Span::call_site()));
        let about = format!(" `{name}`");
        quote!(#[doc = #about] pub const #ident: &str = #name;)
    });
    quote!(#(#constants)*)
}
