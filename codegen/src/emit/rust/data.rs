//! Data of generated code, packed as text: rustc compiles a string faster than the constants that it represents.

use toolc::__gen::pack::Pack;

use super::tokens::{Token, Tokens, literal, string};

/// Returns data as the literal of its packed text.
pub(super) fn packed(data: &impl Pack) -> Token {
    let mut text = String::new();
    data.pack(&mut text);
    raw(&text)
}

/// Returns a string literal. It is raw if the text has quotes: rustc reads that faster.
fn raw(text: &str) -> Token {
    let is_usual = |byte| matches!(byte, b' '..=b'~');
    let is_plain = |letter| matches!(letter, ' '..='~') || (letter > '~' && letter.escape_debug().len() == 1);
    let all_plain = text.bytes().all(is_usual) || text.chars().all(is_plain);
    if !text.bytes().any(|byte| matches!(byte, b'"' | b'\\')) || !all_plain {
        return string(text);
    }
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
        // rustc allows at most 255.
        if hashes.len() > 100 {
            return string(text);
        }
    }
    literal(["r", &hashes, "\"", text, "\"", &hashes].concat())
}

/// Returns the value of a static list. The generated code has `Packed` of the runtime in scope.
pub(super) fn list<T: Pack>(items: impl IntoIterator<Item = T>) -> Tokens {
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
            let Token::Word(written) = raw(&text) else { unreachable!("a literal is a word") };
            let literal: syn::LitStr = syn::parse_str(written.as_str()).unwrap();
            assert_eq!(literal.value(), text);
        }
        assert_eq!(raw("\"#"), literal("r##\"\"#\"##".to_owned()));
    }
}
