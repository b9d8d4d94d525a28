//! The names of the variants of an enum. They depend on the values, never on their order: if a name depended on the position, sorting
//! the values would give it another value, and every handler would still compile.

use std::collections::HashMap;
use std::fmt::Write as _;

use heck::ToPascalCase as _;
use proc_macro2::{Ident, Span};
use sha2::{Digest as _, Sha256};

use super::{pascal, plain};

/// The value of a variant.
#[derive(Debug, Clone)]
pub(crate) struct Meaning {
    /// The text that the variant is named after.
    pub word: String,
    /// A text that is unique among the variants of the enum.
    pub id: String,
}

impl Meaning {
    /// Creates the meaning of a string value.
    pub(crate) fn new(text: &str) -> Self {
        Self { word: text.to_owned(), id: serde_json::Value::from(text).to_string() }
    }
}

/// Returns the names of the variants of an enum.
///
/// A name is the word in `PascalCase`. If that is empty or not unique, symbols are replaced by words. If the result is still not
/// unique, the name gets a suffix of digits that depends only on `id`.
pub(crate) fn variants(meanings: &[Meaning]) -> Vec<Ident> {
    let name = |word: &str| plain(&pascal(&[word]));
    let usual: Vec<String> = meanings.iter().map(|meaning| name(&meaning.word)).collect();
    let is_shared = shared(&usual);
    let names: Vec<String> = meanings
        .iter()
        .zip(usual.iter().zip(is_shared))
        .map(|(meaning, (usual, is_shared))| {
            let is_empty = meaning.word.to_pascal_case().is_empty();
            if is_shared || is_empty { name(&spell_symbols(&meaning.word)) } else { usual.clone() }
        })
        .collect();
    let is_shared = shared(&names);
    meanings
        .iter()
        .zip(names.iter().zip(is_shared))
        .map(|(meaning, (name, is_shared))| {
            // The underscore of `Self_` is not part of the name.
            let with_digits = || format!("{}_{}", name.trim_end_matches('_'), digits(&meaning.id));
            Ident::new(&if is_shared { with_digits() } else { name.clone() }, Span::call_site())
        })
        .collect()
}

/// Returns the word that the types of a variant are named after: `word`, or the name of the variant if that is not simply `word` in
/// `PascalCase`.
pub(crate) fn path_word(word: &str, variant: &Ident) -> String {
    if *variant == pascal(&[word]) && !word.to_pascal_case().is_empty() { word.to_owned() } else { plain(variant) }
}

/// Returns, for each name, whether it occurs more than once.
fn shared(names: &[String]) -> Vec<bool> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    names.iter().map(|name| counts[name.as_str()] > 1).collect()
}

/// Replaces the symbols in a word by words.
fn spell_symbols(word: &str) -> String {
    let mut spelt = String::new();
    for letter in word.chars() {
        match symbol(letter) {
            Some(symbol) => spelt.extend([" ", symbol, " "]),
            None => spelt.push(letter),
        }
    }
    spelt
}

/// Returns the name of an ASCII symbol. `_` has no name: like a space, it separates words.
fn symbol(letter: char) -> Option<&'static str> {
    Some(match letter {
        '!' => "Not",
        '"' => "Quote",
        '#' => "Hash",
        '$' => "Dollar",
        '%' => "Percent",
        '&' => "And",
        '\'' => "Apostrophe",
        '(' => "LeftParen",
        ')' => "RightParen",
        '*' => "Star",
        '+' => "Plus",
        ',' => "Comma",
        '-' => "Minus",
        '.' => "Dot",
        '/' => "Slash",
        ':' => "Colon",
        ';' => "Semicolon",
        '<' => "Less",
        '=' => "Equal",
        '>' => "Greater",
        '?' => "Question",
        '@' => "At",
        '[' => "LeftBracket",
        '\\' => "Backslash",
        ']' => "RightBracket",
        '^' => "Caret",
        '`' => "Backtick",
        '{' => "LeftBrace",
        '|' => "Or",
        '}' => "RightBrace",
        '~' => "Tilde",
        _ => return None,
    })
}

/// Returns eight hexadecimal digits of a hash, which is the same on every machine and with every compiler.
fn digits(id: &str) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(id).iter().take(4) {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn named(words: &[&str]) -> Vec<String> {
        let meanings: Vec<Meaning> = words.iter().map(|word| Meaning::new(word)).collect();
        variants(&meanings).iter().map(Ident::to_string).collect()
    }

    /// Returns every order of a list.
    fn orders<'w>(words: &[&'w str]) -> Vec<Vec<&'w str>> {
        let Some((first, rest)) = words.split_first() else { return vec![Vec::new()] };
        let places = |order: Vec<&'w str>| {
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, first);
                order
            })
        };
        orders(rest).into_iter().flat_map(places).collect()
    }

    #[test]
    fn distinct_words_keep_their_names() {
        let words = ["asc", "read-file", "read_all", "2fa", "self", "UTF-8", "größe", "v1.2", "on/off", "gen"];
        let expected = ["Asc", "ReadFile", "ReadAll", "_2fa", "Self_", "Utf8", "Größe", "V12", "OnOff", "Gen"];
        assert_eq!(named(&words), expected);
    }

    #[test]
    fn symbols_become_words_if_letters_do_not_suffice() {
        assert_eq!(named(&["c", "c++", "c#"]), ["C", "CPlusPlus", "CHash"]);
        let words = ["<", "<=", "=", "!=", ">=", ">", "", "in"];
        let expected = ["Less", "LessEqual", "Equal", "NotEqual", "GreaterEqual", "Greater", "Empty", "In"];
        assert_eq!(named(&words), expected);
        assert_eq!(named(&["1", "-1", "+1"]), ["_1", "Minus1", "Plus1"]);
        assert_eq!(named(&["a-b", "a_b", "other-one"]), ["AMinusB", "AB", "OtherOne"]);
        assert_eq!(named(&["*"]), ["Star"]);
    }

    #[test]
    fn names_that_are_still_equal_get_digits() {
        assert_eq!(named(&["asc", "ASC", "desc"]), ["Asc_5a144f0c", "Asc_701d2ec3", "Desc"]);
        assert_eq!(named(&["<", "less"]), ["Less_53a56174", "Less_3bd4bf83"]);
        assert_eq!(named(&["self", "Self"]), ["Self_3a6b7e48", "Self_747e524b"]);
        assert_eq!(named(&["≤", "≥"]), ["Empty_a9773b59", "Empty_0fd9706e"]);
        assert_eq!(named(&["≤"]), ["Empty"]);
        assert_eq!(named(&["", "empty"]), ["Empty_12ae32cb", "Empty_e6845188"]);
    }

    #[test]
    fn every_ascii_symbol_has_a_word_of_its_own() {
        let symbols = (' '..='~').filter(|letter| letter.is_ascii_punctuation() && *letter != '_');
        let words: Vec<_> = symbols.map(|letter| symbol(letter).expect("no word")).collect();
        assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len());
    }

    #[test]
    fn no_order_changes_a_name() {
        let lists: [&[&str]; 6] = [
            &["<", ">", "<=", ">=", "=", "!="],
            &["c", "c++", "c#", "C", "c--", "less"],
            &["asc", "ASC", "Asc", "a sc", "a_sc", "a-sc"],
            &["", " ", "empty", "😀", "😁", "_"],
            &["self", "Self", "self_", "SELF", "crate", "r#self"],
            &["é", "e", "e\u{301}", "²", "2", "Asc_5a144f0c"],
        ];
        for words in lists {
            let expected: BTreeMap<&str, String> = words.iter().copied().zip(named(words)).collect();
            assert_eq!(expected.values().collect::<BTreeSet<_>>().len(), words.len(), "{expected:?}");
            for order in orders(words) {
                let found: BTreeMap<&str, String> = order.iter().copied().zip(named(&order)).collect();
                assert_eq!(found, expected, "{order:?}");
            }
        }
    }

    #[test]
    fn types_of_a_variant_are_named_as_it_is_where_its_word_does_not_tell() {
        for (word, variant, expected) in
            [("a-b", "AB", "a-b"), ("a-b", "AMinusB", "AMinusB"), ("", "Empty", "Empty"), ("self", "Self_", "self")]
        {
            assert_eq!(path_word(word, &Ident::new(variant, Span::call_site())), expected);
        }
    }
}
