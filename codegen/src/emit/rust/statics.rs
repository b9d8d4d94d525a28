//! What belongs to the catalog as a whole: constants for its names, its environment variables and distributions.

use heck::ToShoutySnakeCase as _;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::text;
use crate::check::Checked;
use crate::names::{Scope, plain, snake};

/// Where the runtime's names and `Borrowed` are in scope.
pub(super) fn of(catalog: &Checked) -> TokenStream {
    let variables = catalog.variables().iter().map(|one| {
        let (name, description, secret) = (text(&one.name.value), text(&one.description), one.secret);
        let (prompt, url) = (text(&one.prompt), text(&one.url));
        quote!(Variable { name: #name, description: #description, prompt: #prompt, url: #url, secret: #secret })
    });
    let distributions = catalog.distributions().iter().map(|one| {
        let (name, description) = (text(&one.manifest.name.value), text(&one.manifest.description));
        let toolsets = one.toolsets.iter().map(|(id, percent)| {
            let (name, percent) = (text(catalog[*id].name()), Literal::f64_unsuffixed(*percent));
            quote!((#name, #percent))
        });
        quote! {
            Distribution { name: #name, description: #description, toolsets: Borrowed(&[#(#toolsets),*]) }
        }
    });
    let tools = constants(catalog.tools().map(|(_, tool)| tool.name()));
    let toolsets = constants(catalog.toolsets().map(|(_, toolset)| toolset.name()));
    quote! {
        /// Environment variables that tools require.
        pub static VARIABLES: &[Variable] = &[#(#variables),*];

        /// Toolsets to be drawn.
        pub static DISTRIBUTIONS: &[Distribution] = &[#(#distributions),*];

        /// Names, for hosts that would rather not spell them.
        pub mod names {
            /// Of tools.
            pub mod tools {
                #tools
            }

            /// Of toolsets.
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
