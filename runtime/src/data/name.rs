//! The grammar of names.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use crate::vec_map::VecMap;

/// The names that every vendor accepts for a tool. Names of tools and toolsets must match it, in manifests and at run time.
pub const PORTABLE: NameGrammar = NameGrammar { first: "_", rest: "_-", starts_with_digit: false, max_length: 64 };

/// The names that every vendor accepts for a parameter.
pub const PARAMETER: NameGrammar = NameGrammar { first: "_", rest: "_", starts_with_digit: false, max_length: 64 };

/// The length to which the name of a parameter is cut, so that a number can follow.
const MAX_CUT: usize = 56;

/// Returns another name for each parameter of a tool whose name a vendor refuses. A dialect that refuses the name shows the other one, and
/// the reader of arguments maps it back. It is the same in every dialect and in every run. `names` are those of all parameters at every
/// depth: alternatives of one object must not use one name for two parameters.
pub(crate) fn parameter_aliases<'n>(names: impl Iterator<Item = &'n str> + Clone) -> VecMap<&'n str, String> {
    let mut taken: HashSet<Cow<'n, str>> = names.clone().map(Cow::Borrowed).collect();
    let mut aliases = VecMap::new();
    for name in names.filter(|name| !PARAMETER.accepts(name)) {
        if aliases.get(name).is_some() {
            continue;
        }
        let base = portable_parameter(name);
        let mut alias = base.clone();
        let mut number = 2_usize;
        while taken.contains(&*alias) {
            alias = format!("{base}_{number}");
            number += 1;
        }
        taken.insert(alias.clone().into());
        aliases.insert(name, alias);
    }
    aliases
}

/// Returns whether `alias` may be the [other name](parameter_aliases) of the parameter `name`.
pub(crate) fn may_be_alias(alias: &str, name: &str) -> bool {
    if PARAMETER.accepts(name) || !PARAMETER.accepts(alias) {
        return false;
    }
    let base = portable_parameter(name);
    alias.strip_prefix(&*base).is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('_').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Returns a name like this one, with `_` for the characters that a vendor refuses.
fn portable_parameter(name: &str) -> String {
    let mut portable = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            portable.push(letter);
        } else if !portable.is_empty() && !portable.ends_with('_') {
            portable.push('_');
        }
        if portable.len() == MAX_CUT {
            break;
        }
    }
    let replaced_end = !name.ends_with('_') && portable.ends_with('_');
    portable.truncate(portable.len() - usize::from(replaced_end));
    match portable.chars().next() {
        None => "parameter".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{portable}"),
        Some(_) => portable,
    }
}

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
    fn a_refused_parameter_has_another_name() {
        let long = "x.".repeat(80);
        let names = ["$filter", "filter", "filter[status]", "a.b", "a-b", "1st", "größe", "", "名", "_x", "x_", &long];
        let aliases = parameter_aliases(names.into_iter().chain(["$filter", "a-b"]));
        let expected = [
            ("$filter", "filter_2"),
            ("filter[status]", "filter_status"),
            ("a.b", "a_b"),
            ("a-b", "a_b_2"),
            ("1st", "_1st"),
            ("größe", "gr_e"),
            ("", "parameter"),
            ("名", "parameter_2"),
        ];
        for (name, alias) in expected {
            assert_eq!(aliases.get(name).map(String::as_str), Some(alias), "{name}");
        }
        assert_eq!(aliases.len(), 9, "{aliases:?}");
        for (name, alias) in aliases.iter() {
            assert!(PARAMETER.accepts(alias) && may_be_alias(alias, name), "{alias}");
        }
        for (alias, name) in [("filter", "filter"), ("filters", "$filter"), ("b", "a.b"), ("$filter", "$filter")] {
            assert!(!may_be_alias(alias, name), "{alias}");
        }
    }

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
