//! Data, which generated code holds packed.

use proc_macro2::TokenStream;
use quote::quote;
use toolc::pack::Pack;

/// As the literal of a text.
pub(super) fn packed(data: &impl Pack) -> TokenStream {
    let mut text = String::new();
    data.pack(&mut text);
    literal(&text)
}

/// Raw where there are quotes in it, as in a definition: rustc and people read that faster.
fn literal(text: &str) -> TokenStream {
    let is_plain = |letter| matches!(letter, ' '..='~') || (letter > '~' && letter.escape_debug().len() == 1);
    if !text.contains(['"', '\\']) || !text.chars().all(is_plain) {
        return quote!(#text);
    }
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}").parse().expect("neither of its ends is within the text")
}

/// The value of a static list, where the runtime's `Packed` is in scope.
pub(super) fn list<T: Pack>(all: impl IntoIterator<Item = T>) -> TokenStream {
    let all = all.into_iter().map(|one| packed(&one));
    quote!(Packed::new(&[#(#all),*]))
}
