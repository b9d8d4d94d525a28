//! Rust identifiers for the names of manifests, and suffixes for names that would be equal.

mod variants;

use std::collections::BTreeSet;

use heck::{ToPascalCase as _, ToSnakeCase as _};
use proc_macro2::{Ident, Span};
use unicode_normalization::UnicodeNormalization as _;

pub(crate) use variants::{Meaning, path_word, variants};

/// Returns the identifier of a module, method or field: `snake_case`, and raw if it is a keyword.
pub(crate) fn snake(name: &str) -> Ident {
    ident(&name.to_snake_case())
}

/// Returns whether `snake` keeps a name, except that keywords become identifiers. Such names remain distinct.
pub(crate) fn is_snake(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.split('_').all(is_word)
}

/// Returns the identifier of a module. Some names get a suffix: as a file, attribute or crate they have another meaning.
pub(crate) fn module(name: &str) -> Ident {
    let ident = snake(name);
    match plain(&ident).as_str() {
        taken @ ("clippy" | "commands" | "diagnostic" | "lib" | "main" | "mod" | "names" | "rustfmt" | "toolc") => {
            Ident::new(&format!("{taken}_"), Span::call_site())
        }
        _ => ident,
    }
}

/// Returns the name of the trait of a toolset's handlers: `FileTools` for `file`.
pub(crate) fn handlers(toolset: &str) -> Ident {
    Ident::new(&format!("{}Tools", plain(&pascal(&[toolset]))), Span::call_site())
}

/// Returns the name of the type with the program of a toolset: `FileProgram` for `file`.
pub(crate) fn program(toolset: &str) -> Ident {
    Ident::new(&format!("{}Program", plain(&pascal(&[toolset]))), Span::call_site())
}

/// Returns the identifier of a type or variant with these words: `PascalCase`.
pub(crate) fn pascal(words: &[&str]) -> Ident {
    let words: String = words.iter().map(|word| word.to_pascal_case()).collect();
    if words.is_empty() { Ident::new("Empty", Span::call_site()) } else { ident(&words) }
}

/// Returns the text of an identifier without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_owned()
}

/// Returns whether a word is a keyword, which cannot be the name of a crate.
pub(crate) fn is_keyword(word: &str) -> bool {
    // A keyword since edition 2024, which `syn` may not know.
    word == "gen" || syn::parse_str::<Ident>(word).is_err()
}

fn ident(text: &str) -> Ident {
    let text = match text.chars().next() {
        None => "empty".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{text}"),
        Some(_) if text.is_ascii() => text.to_owned(),
        // rustc compares identifiers in NFC: an ohm sign equals an omega.
        Some(_) => text.nfc().collect(),
    };
    if text == "gen" {
        // See `is_keyword`.
        return Ident::new_raw(&text, Span::call_site());
    }
    // A fast path for most names: except `_` and `Self`, no keyword has an underscore or a capital.
    let is_plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let is_not_keyword = text.contains(|letter: char| letter == '_' || letter.is_ascii_uppercase());
    if is_plain && is_not_keyword && text != "_" && text != "Self" {
        return Ident::new(&text, Span::call_site());
    }
    // `self` and some other keywords cannot be raw. A name that cannot be an identifier becomes the code points of its characters.
    syn::parse_str::<Ident>(&text)
        .or_else(|_| syn::parse_str(&format!("r#{text}")))
        .or_else(|_| syn::parse_str(&format!("{text}_")))
        .unwrap_or_else(|_| {
            let numbers: Vec<String> = text.chars().map(|letter| format!("{:x}", u32::from(letter))).collect();
            Ident::new(&format!("x{}", numbers.join("_")), Span::call_site())
        })
}

/// The names of a scope. The second and later claims to a name get a number as suffix.
#[derive(Debug, Default)]
pub(crate) struct Scope(BTreeSet<String>);

impl Scope {
    /// Creates a scope in which these names are taken.
    pub(crate) fn with(taken: &[&str]) -> Self {
        Self(taken.iter().map(|&name| name.to_owned()).collect())
    }

    /// Claims `wanted`, or the first of `wanted2`, `wanted3`, ... that is free, and returns it.
    pub(crate) fn claim(&mut self, wanted: Ident) -> Ident {
        if self.0.insert(plain(&wanted)) {
            return wanted;
        }
        let mut number = 2;
        loop {
            let next = format!("{}{number}", plain(&wanted));
            if self.0.insert(next.clone()) {
                return Ident::new(&next, Span::call_site());
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_equal_to_rustc_are_equal() {
        assert_eq!(pascal(&["\u{2126}"]), pascal(&["\u{3a9}"]));
        let mut scope = Scope::default();
        let claimed = ["\u{2126}", "\u{3a9}"].map(|name| scope.claim(pascal(&[name])));
        assert_ne!(claimed[0], claimed[1]);
    }

    #[test]
    fn odd_names_become_identifiers() {
        let snakes = ["read_file", "type", "self", "crate", "$vectorSearch", "2fa", "", "a.b", "größe", "::", "_"];
        let found: Vec<String> = snakes.iter().map(|name| snake(name).to_string()).collect();
        assert_eq!(
            found,
            [
                "read_file",
                "r#type",
                "self_",
                "crate_",
                "vector_search",
                "_2fa",
                "empty",
                "a_b",
                "größe",
                "empty",
                "empty"
            ]
        );
        assert_eq!(snake("gen").to_string(), "r#gen");
        assert_eq!(pascal(&["todos", "item"]).to_string(), "TodosItem");
        assert_eq!(pascal(&["self"]).to_string(), "Self_");
        assert_eq!(pascal(&["😀"]).to_string(), "Empty");
        assert_eq!(module("mod").to_string(), "mod_");
        assert_eq!(module("type").to_string(), "r#type");
    }

    #[test]
    fn snake_case_stays_as_it_is() {
        for name in ["a", "read_file", "a1_b2", "x_1", "available"] {
            assert!(is_snake(name) && plain(&snake(name)) == name, "{name}");
        }
        for name in ["", "_", "_a", "a_", "a__b", "1a", "A", "aB", "a-b", "größe", "a.b", "a b"] {
            assert!(!is_snake(name), "{name}");
        }
        assert_eq!([snake("type"), snake("self")].map(|name| name.to_string()), ["r#type", "self_"]);
    }

    #[test]
    fn a_second_claim_gets_a_number() {
        let mut scope = Scope::with(&["Args"]);
        let claims: Vec<String> = ["Args", "Asc", "Asc", "Asc2"]
            .into_iter()
            .map(|name| scope.claim(Ident::new(name, Span::call_site())).to_string())
            .collect();
        assert_eq!(claims, ["Args2", "Asc", "Asc2", "Asc22"]);
    }
}
