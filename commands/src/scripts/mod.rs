//! Reads scripts of sed and awk: what they run, and which files they write.
//!
//! A reader accepts any text in linear time. It does not check the grammar: where implementations of a language differ, or a text is
//! not a script at all, it reports what one of them could do.

mod awk;
mod name;
mod sed;

use crate::characters::UNKNOWN;
use crate::words::words;
pub(crate) use name::{Name, Piece};

/// The languages of the scripts that programs take as arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptLanguage {
    /// awk.
    Awk,
    /// sed.
    Sed,
}

words! {
    ScriptLanguage {
        Awk "awk" "awk."
        Sed "sed" "sed."
    }
}

/// What a script does besides printing text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Whether it runs commands.
    pub(crate) runs: bool,
    /// Whether a statement or a command of the script is unknown.
    pub(crate) unknown: bool,
    /// Whether it writes more files than are listed.
    pub(crate) writes_more: bool,
    /// The names of the files that it writes.
    pub(crate) writes: Vec<Name>,
    /// The names of the files that it reads.
    pub(crate) reads: Vec<Name>,
}

impl ScriptLanguage {
    /// The options whose values are scripts. Without them, the first operand is the script.
    pub(crate) fn code_options(self) -> &'static [&'static str] {
        match self {
            Self::Awk => &["-e", "--source"],
            Self::Sed => &["-e", "--expression"],
        }
    }

    /// The options whose values are files with scripts.
    pub(crate) fn file_options(self) -> &'static [&'static str] {
        match self {
            Self::Awk => &["-f", "--file", "-E", "--exec"],
            Self::Sed => &["-f", "--file"],
        }
    }

    /// Reads a script in which a [`placeholder`] stands for each part of it that is known only at run time.
    pub(crate) fn read(self, script: &str) -> Effects {
        // Some implementations end a regular expression at a delimiter within brackets, others do not.
        let mut effects = self.read_once(script, true);
        if script.contains('[') {
            let other = self.read_once(script, false);
            effects.runs |= other.runs;
            effects.unknown |= other.unknown;
            effects.writes_more |= other.writes_more;
            effects.writes.extend(other.writes);
            effects.reads.extend(other.reads);
        }
        for names in [&mut effects.writes, &mut effects.reads] {
            names.sort_unstable();
            names.dedup();
        }
        effects.writes_more |= effects.writes.len() > MAX_FILES;
        effects.writes.truncate(MAX_FILES);
        effects.reads.truncate(MAX_FILES);
        effects
    }

    fn read_once(self, script: &str, has_brackets: bool) -> Effects {
        match self {
            Self::Awk => awk::read(script, has_brackets),
            Self::Sed => sed::read(script, has_brackets),
        }
    }
}

/// Returns the character that stands for the part of a word with this index.
pub(crate) fn placeholder(index: usize) -> char {
    let code = u32::try_from(index).ok().and_then(|index| FIRST_PLACEHOLDER.checked_add(index));
    code.and_then(char::from_u32).unwrap_or(UNKNOWN)
}

/// Returns the index of the part for which a character stands.
fn placeholder_index(letter: char) -> Option<usize> {
    let index = u32::from(letter).checked_sub(FIRST_PLACEHOLDER)?;
    usize::try_from(index).ok().filter(|_| letter != UNKNOWN)
}

/// The first of the characters that stand for parts of words. Unicode will never assign them.
const FIRST_PLACEHOLDER: u32 = 0x10_F000;

/// The maximum number of files that are looked at.
const MAX_FILES: usize = 256;

/// The characters of a script that have not been read.
struct Text<'t> {
    rest: &'t str,
    /// Whether a delimiter within brackets belongs to a regular expression.
    has_brackets: bool,
    /// The length of the rest after which a `[` can have a `]` in its line. Saves looking for it again and again.
    unclosed: usize,
}

impl<'t> Text<'t> {
    fn new(text: &'t str, has_brackets: bool) -> Self {
        Self { rest: text, has_brackets, unclosed: usize::MAX }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    /// Skips a character, if it is next.
    fn skip(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Returns the characters before the first one that does not satisfy a condition.
    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|letter| !accept(letter)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Returns at most this number of characters, before the first one that does not satisfy a condition.
    fn take_while_at_most(&mut self, most: usize, accept: impl Fn(char) -> bool) -> &'t str {
        let count = self.rest.chars().take(most).take_while(|letter| accept(*letter)).map(char::len_utf8).sum();
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken
    }

    /// Skips text up to a delimiter, and the delimiter. A backslash escapes the next character. Returns whether the delimiter is in
    /// the line.
    fn skip_to(&mut self, end: char, is_regex: bool) -> bool {
        while let Some(letter) = self.peek() {
            if letter == '\n' {
                return false;
            }
            self.next();
            match letter {
                _ if letter == end => return true,
                '\\' => {
                    self.next();
                }
                '[' if is_regex && self.has_brackets => self.skip_bracket(),
                _ => {}
            }
        }
        false
    }

    /// Skips the rest of a bracket expression. If it has no end in the line, the `[` stands for itself.
    fn skip_bracket(&mut self) {
        if self.rest.len() >= self.unclosed {
            return;
        }
        let start = self.rest;
        self.skip('^');
        self.skip(']');
        while let Some(letter) = self.peek().filter(|letter| *letter != '\n') {
            self.next();
            match letter {
                ']' => {
                    self.unclosed = usize::MAX;
                    return;
                }
                // `[:alpha:]`
                '[' if matches!(self.peek(), Some(':' | '.' | '=')) => {
                    let class = &self.rest[1..];
                    let name = class.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(class.len());
                    if class[name..].chars().nth(1) == Some(']') {
                        self.rest = &class[name..];
                        self.next();
                        self.next();
                    }
                }
                _ => {}
            }
        }
        // No `[` before this point has an end.
        self.unclosed = self.rest.len();
        self.rest = start;
    }
}

/// Returns whether a character stands for unknown text.
fn is_unknown(letter: char) -> bool {
    u32::from(letter) >= FIRST_PLACEHOLDER
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn any_text_is_read_in_little_time() {
        let pieces = [
            "[",
            "[[:",
            "s/[",
            "s/[^]\n",
            "/[a/",
            "\\",
            "\"",
            "((",
            "@",
            "@{",
            "{",
            "w x\n",
            "1,",
            "print>a;",
            "a=\"/x\";print>a;",
            "print>\"x\"\"y\"",
            "é",
            "/",
            "if(/",
            "$",
            "'",
            "\n",
            "e",
            "b}",
            "|",
            "}{",
        ];
        for one in pieces {
            for other in ["", "]", "\"", "/", "\n"] {
                let text = format!("{one}{other}").repeat(64_000 / (one.len() + other.len()));
                let text = text.replace('@', &UNKNOWN.to_string());
                for language in [ScriptLanguage::Awk, ScriptLanguage::Sed] {
                    let start = Instant::now();
                    assert!(language.read(&text).writes.len() <= MAX_FILES);
                    // 64 kB take less than a second. In quadratic time, they take minutes.
                    assert!(start.elapsed() < Duration::from_secs(20), "{one:?} and {other:?}: {:?}", start.elapsed());
                }
            }
        }
    }
}
