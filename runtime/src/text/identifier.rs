//! Identifiers of TypeScript for the names of tools.

use std::borrow::Cow;

/// The words that cannot be the name of a function.
pub(crate) const KEYWORDS: [&str; 36] = [
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];

/// The other names that no tool can have where tools are functions: the two tools and the list that hosts with a code mode put next to
/// the tools, those of tool search, and one that would replace the prototype of an object that holds the functions.
const OTHERS: [&str; 7] = ["ALL_TOOLS", "__proto__", "exec", "tool_call", "tool_describe", "tool_search", "wait"];

/// All names that no tool can have where tools are TypeScript functions.
pub const RESERVED: &[&str] = &{
    let (mut all, mut at) = ([""; KEYWORDS.len() + OTHERS.len()], 0);
    while at < all.len() {
        all[at] = if at < OTHERS.len() { OTHERS[at] } else { KEYWORDS[at - OTHERS.len()] };
        at += 1;
    }
    all
};

/// Returns the identifier of a name: each character that an identifier cannot have at its place becomes `_`.
pub fn identifier(name: &str) -> Cow<'_, str> {
    if is_identifier(name) {
        return Cow::Borrowed(name);
    }
    let letters = name.chars().enumerate();
    let text: String = letters.map(|(at, letter)| if allowed(at, letter) { letter } else { '_' }).collect();
    Cow::Owned(if text.is_empty() { "_".to_owned() } else { text })
}

/// Returns whether a name is an identifier.
pub(crate) fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.chars().enumerate().all(|(at, letter)| allowed(at, letter))
}

fn allowed(at: usize, letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_' || letter == '$' || (at > 0 && letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_characters_become_underscores() {
        for (name, expected) in [
            ("read_file", "read_file"),
            ("read-file", "read_file"),
            ("a.b:c", "a_b_c"),
            ("1st", "_st"),
            ("$x1", "$x1"),
            ("é", "_"),
            ("", "_"),
            ("a\u{2028}*/", "a___"),
        ] {
            assert_eq!(identifier(name), expected, "{name}");
        }
        assert!(KEYWORDS.is_sorted() && RESERVED.iter().all(|word| is_identifier(word)));
    }
}
