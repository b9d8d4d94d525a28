//! The grammar of names.

use std::fmt;

/// The names that every vendor accepts for a tool. Names of tools and toolsets must match it, in manifests and at run time.
pub const PORTABLE: NameGrammar = NameGrammar { first: "_", rest: "_-", starts_with_digit: false, max_length: 64 };

/// A grammar of ASCII names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NameGrammar {
    /// The allowed first characters in addition to letters.
    pub first: &'static str,
    /// The allowed other characters in addition to letters and digits.
    pub rest: &'static str,
    /// Whether the first character may be a digit.
    pub starts_with_digit: bool,
    /// The maximum number of characters.
    pub max_length: usize,
}

impl NameGrammar {
    /// Returns whether a name matches the grammar.
    pub fn accepts(&self, name: &str) -> bool {
        let is_first = |c: char| {
            c.is_ascii_alphabetic() || self.first.contains(c) || (self.starts_with_digit && c.is_ascii_digit())
        };
        let is_rest = |c: char| c.is_ascii_alphanumeric() || self.rest.contains(c);
        let mut letters = name.chars();
        letters.next().is_some_and(is_first) && letters.all(is_rest) && name.chars().count() <= self.max_length
    }

    /// Returns the grammar as a regular expression.
    pub fn pattern(&self) -> String {
        let Self { first, rest, starts_with_digit, max_length } = self;
        if *starts_with_digit && first == rest {
            return format!("^[a-zA-Z0-9{rest}]{{1,{max_length}}}$");
        }
        let digits = if *starts_with_digit { "0-9" } else { "" };
        format!("^[a-zA-Z{digits}{first}][a-zA-Z0-9{rest}]{{0,{}}}$", max_length - 1)
    }

    /// Describes the grammar: `` a letter or `_`, then letters, digits or `_`; at most 64 in all ``.
    pub fn expected(&self) -> String {
        let list = |words: &[&str], characters: &str| {
            let characters = characters.chars().map(|character| format!("`{character}`"));
            let mut all: Vec<String> = words.iter().map(|word| (*word).to_owned()).chain(characters).collect();
            let last = all.pop().unwrap_or_default();
            if all.is_empty() { last } else { format!("{} or {last}", all.join(", ")) }
        };
        let first = list(if self.starts_with_digit { &["a letter", "a digit"] } else { &["a letter"] }, self.first);
        format!("{first}, then {}; at most {} in all", list(&["letters", "digits"], self.rest), self.max_length)
    }
}

impl fmt::Debug for NameGrammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_against_their_grammar() {
        for (name, is_accepted) in
            [("a_b-c", true), ("_1", true), ("1a", false), ("-a", false), ("a.b", false), ("é", false), ("", false)]
        {
            assert_eq!(PORTABLE.accepts(name), is_accepted, "{name}");
        }
        assert!(PORTABLE.accepts(&"a".repeat(64)) && !PORTABLE.accepts(&"a".repeat(65)));
        assert_eq!(PORTABLE.pattern(), "^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$");
        assert_eq!(PORTABLE.expected(), "a letter or `_`, then letters, digits, `_` or `-`; at most 64 in all");
    }
}
