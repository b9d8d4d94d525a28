//! Data, which generated code holds packed.

use proc_macro2::TokenStream;
use quote::quote;
use toolc::__gen::pack::Pack;

/// As the literal of a text.
pub(super) fn packed(data: &impl Pack) -> TokenStream {
    let mut text = String::new();
    data.pack(&mut text);
    literal(&text)
}

/// A string literal, raw if the text has quotes, which is faster to read.
fn literal(text: &str) -> TokenStream {
    let is_plain = |letter| matches!(letter, ' '..='~') || (letter > '~' && letter.escape_debug().len() == 1);
    if !text.contains(['"', '\\']) || !text.chars().all(is_plain) {
        return quote!(#text);
    }
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
        // rustc takes no more than 255.
        if hashes.len() > 100 {
            return quote!(#text);
        }
    }
    format!("r{hashes}\"{text}\"{hashes}").parse().expect("neither of its ends is within the text")
}

/// The value of a static list, where the runtime's `Packed` is in scope.
pub(super) fn list<T: Pack>(all: impl IntoIterator<Item = T>) -> TokenStream {
    let all = all.into_iter().map(|one| packed(&one));
    quote!(Packed::new(&[#(#all),*]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_has_a_literal_that_means_it() {
        let hashes = |count| format!("\"{}", "#".repeat(count));
        let texts = ["", "plain", "a \"b\" \\n", "\"\n", "\"\r", "\"é", "\"\u{202e}", "\"\u{7f}", "'", "\\"];
        for text in texts.map(str::to_owned).into_iter().chain([hashes(1), hashes(3), hashes(99), hashes(300)]) {
            let literal: syn::LitStr = syn::parse2(literal(&text)).unwrap();
            assert_eq!(literal.value(), text);
        }
        assert_eq!(literal("\"#").to_string(), "r##\"\"#\"##");
    }
}
