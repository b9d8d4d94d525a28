//! Words as parts, so that an expansion is never mistaken for a literal.

use std::borrow::Cow;
use std::ops::Range;

use crate::span::Span;
use crate::syntax::ids::CommandId;

/// A word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The parts, from left to right. An empty word (`''`) has none, or an empty literal.
    pub parts: Vec<Part>,
    /// The text of the word, with its quotes.
    pub span: Span,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text without quotes and backslashes.
    Literal {
        /// The text.
        text: String,
        /// How the text was written.
        origin: Origin,
    },
    /// `~` or `~USER` at the beginning of a word or of a path in an assignment.
    Tilde {
        /// The user. Empty for the user who runs the command.
        user: String,
    },
    /// A pattern for file names, without quotes. Without a matching file, it is text.
    Glob(Glob),
    /// `$NAME`, `${NAME}`, `${NAME:-WORD}` ..., also of positional and special parameters.
    Variable {
        /// The name: `HOME`, `1`, `@`, `?` ...
        name: String,
        /// What `${...}` does to the value. `None` for the value itself.
        operation: Option<Box<Operation>>,
        /// Whether the value is one word, because it is in double quotes.
        quoted: bool,
    },
    /// The output of commands.
    Substitution {
        /// The commands.
        commands: Range<CommandId>,
        /// Whether the output is one word, because it is in double quotes.
        quoted: bool,
    },
    /// `<(...)` or `>(...)`: the name of a pipe.
    ProcessSubstitution {
        /// The commands.
        commands: Range<CommandId>,
        /// Whether the commands write what is read from the pipe: `<(...)`.
        input: bool,
    },
    /// The value of `$((...))`.
    Arithmetic {
        /// The variables that it can assign, among others.
        assigned: Vec<String>,
        /// Whether it is in double quotes.
        quoted: bool,
    },
    /// Unknown text.
    Unknown {
        /// Whether it can be several words, or none.
        splits: bool,
    },
}

/// How a literal was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// As it is.
    Plain,
    /// In quotes, or after a backslash.
    Quoted,
    /// It is the value of a variable that the line sets, or the known output of a substitution.
    Expanded,
}

/// A part of a pattern for file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Glob {
    /// `*`
    AnyText,
    /// `?`
    AnyChar,
    /// `[...]`, with the text between the brackets.
    Class(String),
    /// `@(...)`, `+(...)`, `*(...)`, `?(...)` or `!(...)`, with its text.
    Extended(String),
}

/// The operation of a `${...}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The operator: `:-`, `#`, `//`, `[` for an array element, `!` for an indirect name, `@` ...
    pub operator: String,
    /// The text after the operator.
    pub operand: Vec<Part>,
}

impl Part {
    /// Returns the text of a literal.
    fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns whether this part can be several words, or none.
    pub fn splits(&self) -> bool {
        match self {
            // Even in quotes, each parameter or element is a word.
            Self::Variable { name, .. } if name == "@" => true,
            Self::Variable { operation: Some(operation), quoted: true, .. } => {
                operation.operator.starts_with('[') || operation.operator == "!"
            }
            Self::Variable { quoted, .. } | Self::Substitution { quoted, .. } | Self::Arithmetic { quoted, .. } => {
                !quoted
            }
            Self::Glob(_) => true,
            Self::Unknown { splits } => *splits,
            Self::Literal { .. } | Self::Tilde { .. } | Self::ProcessSubstitution { .. } => false,
        }
    }
}

impl Word {
    /// Returns a word of plain text.
    pub fn plain(text: &str, span: Span) -> Self {
        Self { parts: vec![Part::Literal { text: text.to_owned(), origin: Origin::Plain }], span }
    }

    /// Returns the text of a word without any expansion or pattern.
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        self.joined(|origin| origin != Origin::Expanded)
    }

    /// Returns the text of a word, if it is certain: literals, and values that the line itself sets.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        self.joined(|_| true)
    }

    fn joined(&self, accept: impl Fn(Origin) -> bool) -> Option<Cow<'_, str>> {
        match self.parts.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [Part::Literal { text, origin }] if accept(*origin) => Some(Cow::Borrowed(text)),
            parts => {
                let mut length = 0;
                // Most words with several parts have an expansion.
                for part in parts {
                    match part {
                        Part::Literal { text, origin } if accept(*origin) => length += text.len(),
                        _ => return None,
                    }
                }
                let mut joined = String::with_capacity(length);
                joined.extend(parts.iter().filter_map(Part::literal));
                Some(Cow::Owned(joined))
            }
        }
    }

    /// Returns the text of a word with patterns for file names as it is written, if it has no expansion. A shell passes it on if no
    /// file has such a name.
    pub fn pattern_text(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Literal { text: literal, .. } => text.push_str(literal),
                Part::Glob(Glob::AnyText) => text.push('*'),
                Part::Glob(Glob::AnyChar) => text.push('?'),
                Part::Glob(Glob::Class(class)) => {
                    text.push('[');
                    text.push_str(class);
                    text.push(']');
                }
                _ => return None,
            }
        }
        Some(text)
    }

    /// Returns the certain text before the first expansion or pattern.
    pub fn certain_start(&self) -> Cow<'_, str> {
        let mut literals = self.parts.iter().map_while(|part| match part {
            Part::Literal { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let Some(first) = literals.next() else { return Cow::Borrowed("") };
        match literals.next() {
            None => Cow::Borrowed(first),
            Some(second) => [first, second].into_iter().chain(literals).collect(),
        }
    }

    /// Returns the certain text after the last expansion or pattern.
    pub fn certain_end(&self) -> String {
        let literals = self.parts.iter().rev().map_while(|part| match part {
            Part::Literal { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let mut parts: Vec<&str> = literals.collect();
        parts.reverse();
        parts.concat()
    }

    /// Returns the word without the first `length` bytes of its certain start. The rest can be the value of `NAME=VALUE`.
    #[must_use]
    pub fn without_start(&self, mut length: usize) -> Self {
        let mut parts = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal { text, origin } if length > 0 => {
                    let cut = text.floor_char_boundary(length);
                    length = if text.len() <= length { length - text.len() } else { 0 };
                    if cut < text.len() {
                        parts.push(Part::Literal { text: text[cut..].to_owned(), origin: *origin });
                    }
                }
                part => {
                    length = 0;
                    parts.push(part.clone());
                }
            }
        }
        Self { parts, span: self.span }
    }

    /// Returns whether the word begins with an expansion, so that its first characters are unknown.
    pub fn starts_with_expansion(&self) -> bool {
        let first = self.parts.iter().find(|part| !matches!(part, Part::Literal { text, .. } if text.is_empty()));
        first.is_some_and(|part| !matches!(part, Part::Literal { .. } | Part::Tilde { .. }))
    }

    /// Returns whether the word can be several words after expansion, or none.
    pub fn splits(&self) -> bool {
        self.parts.iter().any(Part::splits)
    }

    /// Returns whether the word, or a word that it is split into, can be `text` after expansion.
    ///
    /// A `~` and a variable can have any value. To decide about a known directory, replace it first.
    pub fn could_be(&self, text: &str) -> bool {
        if self.parts.iter().any(|part| part.splits() && !matches!(part, Part::Glob(_))) {
            // Splitting a value can produce any word.
            return true;
        }
        if let Some(own) = self.text() {
            return own == text;
        }
        let (start, end) = (self.certain_start(), self.certain_end());
        let Some(mut middle) = text.strip_prefix(&*start).and_then(|rest| rest.strip_suffix(&end)) else {
            return false;
        };
        // Find the other literals in their order, each at its first occurrence, because any text can be between them.
        let first = self.parts.iter().position(|part| !matches!(part, Part::Literal { .. })).unwrap_or_default();
        let last = self.parts.iter().rposition(|part| !matches!(part, Part::Literal { .. })).unwrap_or_default();
        for part in &self.parts[first..=last] {
            let Part::Literal { text: literal, .. } = part else { continue };
            let Some(at) = middle.find(literal.as_str()) else { return false };
            middle = &middle[at + literal.len()..];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(parts: &[&str]) -> Word {
        let part = |text: &&str| match *text {
            "*" => Part::Glob(Glob::AnyText),
            "$" => Part::Unknown { splits: true },
            "\"$\"" => Part::Unknown { splits: false },
            text => Part::Literal { text: text.to_owned(), origin: Origin::Plain },
        };
        Word { parts: parts.iter().map(part).collect(), span: Span::default() }
    }

    #[test]
    fn a_word_could_be_what_its_literals_allow() {
        for (parts, text, could) in [
            (&["rm"][..], "rm", true),
            (&["r", "m"], "rm", true),
            (&["rm"], "rmdir", false),
            (&["/e", "*"], "/etc", true),
            (&["/e", "*"], "/usr", false),
            (&["a", "\"$\"", "a"], "a", false),
            (&["a", "\"$\"", "a"], "aa", true),
            (&["\"$\"", "b", "*", "c"], "xbyc", true),
            (&["\"$\"", "b", "*", "c"], "xcyb", false),
            (&["a", "$"], "z", true),
        ] {
            assert_eq!(word(parts).could_be(text), could, "{parts:?} {text}");
        }
    }

    #[test]
    fn an_expanded_word_has_a_text_but_is_not_literal() {
        let mut expanded = word(&["r", "m"]);
        assert_eq!(expanded.literal().as_deref(), Some("rm"));
        expanded.parts[1] = Part::Literal { text: "m".to_owned(), origin: Origin::Expanded };
        assert_eq!((expanded.literal(), expanded.text().as_deref()), (None, Some("rm")));
    }
}
