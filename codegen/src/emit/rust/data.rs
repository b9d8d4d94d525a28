//! Data, which generated code holds packed.

use proc_macro2::TokenStream;
use quote::quote;
use toolc::pack::Pack;

/// As the literal of a text.
pub(super) fn packed(data: &impl Pack) -> TokenStream {
    let mut text = String::new();
    data.pack(&mut text);
    quote!(#text)
}

/// The value of a static list, where the runtime's `Packed` is in scope.
pub(super) fn list<T: Pack>(all: impl IntoIterator<Item = T>) -> TokenStream {
    let all = all.into_iter().map(|one| packed(&one));
    quote!(Packed::new(&[#(#all),*]))
}
