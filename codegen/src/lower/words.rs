//! Identifiers of other languages for the names of manifests.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, Tool};

/// The keywords of Python.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Returns the identifier of a name in Python: other characters than letters of ASCII, digits and `_` become `_`, a keyword gets a `_` at
/// its end, and only one `_` is at its beginning.
pub(crate) fn identifier(name: &str) -> String {
    let mut identifier: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    // Two would have a meaning: a name that Python changes, or a parameter that cannot be named in a call.
    while identifier.starts_with("__") {
        identifier.remove(0);
    }
    if identifier.is_empty() || identifier.starts_with(|first: char| first.is_ascii_digit()) {
        identifier.insert(0, '_');
    }
    if KEYWORDS.contains(&identifier.as_str()) {
        identifier.push('_');
    }
    identifier
}

/// Returns whether a name is an identifier of Python as it is.
pub(crate) fn is_identifier(name: &str) -> bool {
    identifier(name) == name
}

/// Returns the name of a tool's function. If several tools would have the same, all but the first get a number.
pub(crate) fn of_tool(catalog: &Catalog, tool: &Tool) -> String {
    let wanted = identifier(tool.name());
    let same = |(_, other): &(_, &Tool)| identifier(other.name()) == wanted;
    match catalog.tools().filter(same).position(|(_, other)| other.name() == tool.name()) {
        None | Some(0) => wanted,
        Some(position) => format!("{wanted}_{}", position + 1),
    }
}

/// Returns the name of a class with these words.
pub(crate) fn pascal(words: &[&str]) -> String {
    let parts = words.iter().flat_map(|word| word.split(|letter: char| !letter.is_ascii_alphanumeric()));
    let capitalized = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    identifier(&parts.filter_map(capitalized).collect::<String>())
}

/// The names of a scope.
#[derive(Debug, Default)]
pub(crate) struct Scope(BTreeSet<String>);

impl Scope {
    /// Creates a scope in which these names are taken.
    pub(crate) fn with(taken: &[&str]) -> Self {
        Self(taken.iter().map(|&name| name.to_owned()).collect())
    }

    /// Claims a name, with a number at its end if it is taken.
    pub(crate) fn claim(&mut self, wanted: String) -> String {
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| !self.0.contains(name));
        let name = free.unwrap_or(wanted);
        self.0.insert(name.clone());
        name
    }
}
