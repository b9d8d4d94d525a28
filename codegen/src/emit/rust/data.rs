//! Data of generated code, packed as text: rustc compiles a string faster than the constants that it represents.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens as _, quote};
use toolc::__gen::pack::Pack;

/// Returns data as the literal of its packed text.
pub(super) fn packed(data: &impl Pack) -> TokenStream {
    let mut text = String::new();
    data.pack(&mut text);
    literal(&text)
}

/// Returns a string literal. It is raw if the text has quotes: rustc reads that faster.
fn literal(text: &str) -> TokenStream {
    let is_plain = |letter| matches!(letter, ' '..='~') || (letter > '~' && letter.escape_debug().len() == 1);
    if !text.contains(['"', '\\']) || !text.chars().all(is_plain) {
        return string(text).into_token_stream();
    }
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
        // rustc allows at most 255.
        if hashes.len() > 100 {
            return quote!(#text);
        }
    }
    format!("r{hashes}\"{text}\"{hashes}").parse().expect("neither of its ends is within the text")
}

/// Returns a string literal, as `quote!` makes it. Reading the usual literal takes a fraction of the time of escaping each letter.
pub(super) fn string(text: &str) -> Literal {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    let plain = text.bytes().all(is_plain).then(|| format!("\"{text}\"").parse().ok()).flatten();
    plain.unwrap_or_else(|| Literal::string(text))
}

/// Returns the value of a static list. The generated code has `Packed` of the runtime in scope.
pub(super) fn list<T: Pack>(items: impl IntoIterator<Item = T>) -> TokenStream {
    let items = items.into_iter().map(|item| packed(&item));
    quote!(Packed::new(&[#(#items),*]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_of_any_text_has_its_value() {
        let hashes = |count| format!("\"{}", "#".repeat(count));
        let texts = ["", "plain", "a \"b\" \\n", "\"\n", "\"\r", "\"é", "\"\u{202e}", "\"\u{7f}", "'", "\\"];
        for text in texts.map(str::to_owned).into_iter().chain([hashes(1), hashes(3), hashes(99), hashes(300)]) {
            let literal: syn::LitStr = syn::parse2(literal(&text)).unwrap();
            assert_eq!(literal.value(), text);
        }
        assert_eq!(literal("\"#").to_string(), "r##\"\"#\"##");
    }
}
