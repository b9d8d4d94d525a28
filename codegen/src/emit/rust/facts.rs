//! The facts, as data for the runtime and as a struct for hosts.

use proc_macro2::TokenStream;
use quote::quote;
use toolc::FactValue;

use super::{data, doc};
use crate::catalog::FactId;
use crate::lower::Lowered;
use crate::names::snake;

/// Returns the data for the runtime.
pub(super) fn data(catalog: &Lowered<'_>) -> TokenStream {
    let packed = data::list((0..catalog.facts().len()).map(|id| catalog.fact(FactId(id))));
    quote! {
        /// The facts that the conditions and texts of tools use.
        pub static FACTS: Packed<Fact> = #packed;
    }
}

/// Returns the struct for hosts, or nothing if the catalog has no facts.
pub(super) fn emit(catalog: &Lowered<'_>) -> TokenStream {
    let facts = catalog.facts();
    if facts.is_empty() {
        return TokenStream::new();
    }
    let names = facts.iter().map(|fact| &fact.name.value);
    let fields: Vec<_> = facts.iter().map(|fact| snake(&fact.name.value)).collect();
    let docs = facts.iter().map(|fact| doc(&fact.description));
    let types = facts.iter().map(|fact| match &fact.default {
        FactValue::Text(_) => quote!(String),
        FactValue::Boolean(_) => quote!(bool),
        FactValue::Integer(_) => quote!(i64),
    });
    let values = facts.iter().map(|fact| match &fact.default {
        FactValue::Text(words) => quote!(String::from(#words)),
        FactValue::Boolean(flag) => quote!(#flag),
        FactValue::Integer(integer) => {
            let integer = proc_macro2::Literal::i64_unsuffixed(*integer);
            quote!(#integer)
        }
    });
    let converted = facts.iter().zip(&fields).map(|(fact, field)| match &fact.default {
        FactValue::Text(_) => quote!(FactValue::Text(self.#field.into())),
        FactValue::Boolean(_) => quote!(FactValue::Boolean(self.#field)),
        FactValue::Integer(_) => quote!(FactValue::Integer(self.#field)),
    });
    let count = facts.len();
    quote! {
        /// The facts that a host supplies. `Facts::default()` has the defaults of the manifest.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Facts {
            #(#docs pub #fields: #types),*
        }

        impl Default for Facts {
            fn default() -> Self {
                Self { #(#fields: #values),* }
            }
        }

        impl IntoIterator for Facts {
            type Item = (::std::borrow::Cow<'static, str>, FactValue);
            type IntoIter = ::std::array::IntoIter<Self::Item, #count>;

            fn into_iter(self) -> Self::IntoIter {
                [#((::std::borrow::Cow::Borrowed(#names), #converted)),*].into_iter()
            }
        }
    }
}
