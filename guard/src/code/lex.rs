//! A tokenizer for several languages. It accepts any text, and takes time in proportion to its length.

use std::ops::Range;

use crate::language::Language;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Name,
    /// A string, without quotes and escapes.
    Text,
    /// A number, or a regular expression.
    Number,
    /// Any other sign.
    Sign,
    /// The end of a line outside of brackets.
    Line,
}

/// A token.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
    /// The number of blanks before the first token of a line.
    pub(crate) indent: usize,
}

impl Token {
    pub(crate) fn is(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    pub(crate) fn is_name(&self, name: &str) -> bool {
        self.kind == Kind::Name && self.text == name
    }
}

/// The maximum length of a regular expression, in characters.
const MAX_PATTERN: usize = 2000;

/// The maximum depth of code in strings in code.
const MAX_DEPTH: usize = 6;

/// The maximum number of tokens of one text. What is after them is not judged, and reported.
pub(crate) const MAX_TOKENS: usize = 1_000_000;

/// Signs of several characters.
const SIGNS: [&str; 22] = [
    "===", "!==", "**=", "...", "=>", "->", "::", "==", "!=", "<=", ">=", ":=", "+=", "||", "&&", "?.", "??", "-=",
    "*=", "/=", "|=", "//",
];

struct Lexer<'t> {
    text: &'t str,
    language: &'static Language,
    at: usize,
    depth: usize,
    brackets: usize,
    indent: usize,
    tokens: Vec<Token>,
}

/// Splits a text into tokens.
pub(crate) fn tokens(text: &str, language: &'static Language) -> Vec<Token> {
    let mut lexer = Lexer { text, language, at: 0, depth: 0, brackets: 0, indent: 0, tokens: Vec::new() };
    lexer.run(text.len());
    lexer.tokens
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, text: impl Into<String>, start: usize) {
        self.tokens.push(Token { kind, text: text.into(), at: start..self.at, indent: self.indent });
    }

    fn run(&mut self, end: usize) {
        while self.at < end && self.tokens.len() < MAX_TOKENS {
            let Some(letter) = self.rest().chars().next() else { break };
            let start = self.at;
            if letter == '\n' {
                self.at += 1;
                if self.brackets == 0 && self.language.lines_end {
                    self.push(Kind::Line, "", start);
                }
                self.indent = self.rest().chars().take_while(|letter| matches!(letter, ' ' | '\t')).count();
                continue;
            }
            if letter.is_whitespace() {
                self.at += letter.len_utf8();
                continue;
            }
            if letter == '\\' && self.rest()[1..].starts_with(['\n', '\r']) {
                self.at += if self.rest()[1..].starts_with("\r\n") { 3 } else { 2 };
                continue;
            }
            if self.command() || self.comment() || self.string(end) || self.pattern() {
                continue;
            }
            self.word_or_sign(letter, start);
        }
    }

    /// Reads a command of a shell in Ruby or Perl: `%x(…)`, `qx{…}`.
    fn command(&mut self) -> bool {
        let start = self.at;
        let mark = match self.language.name {
            "ruby" => "%x",
            "perl" => "qx",
            _ => return false,
        };
        let is_word_part =
            self.text[..start].ends_with(|letter: char| letter.is_alphanumeric() || "_$@".contains(letter));
        let Some(open) = self.rest().strip_prefix(mark).and_then(|rest| rest.chars().next()).filter(|_| !is_word_part)
        else {
            return false;
        };
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            '!' | '|' | '/' | '#' | '~' => open,
            _ => return false,
        };
        let from = start + mark.len() + 1;
        let length = self.text[from..].find(close).unwrap_or(self.text.len() - from);
        let text = self.text[from..from + length].to_owned();
        self.at = (from + length + 1).min(self.text.len());
        self.push(Kind::Name, "__shell__", start);
        self.push(Kind::Sign, "(", start);
        self.push(Kind::Text, text, start);
        self.push(Kind::Sign, ")", start);
        true
    }

    fn comment(&mut self) -> bool {
        let (rest, language) = (&self.text[self.at..], self.language);
        if let Some((open, close)) = language.block_comments.iter().find(|(open, _)| rest.starts_with(open)) {
            let length = rest[open.len()..].find(close).map_or(rest.len(), |at| open.len() + at + close.len());
            self.at += length;
            return true;
        }
        let is_comment = language.line_comments.iter().any(|start| rest.starts_with(start));
        // `$#array` and `#[attribute]` are not comments.
        if is_comment {
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
        is_comment
    }

    fn word_or_sign(&mut self, letter: char, start: usize) {
        // `@f()` of PHP calls `f`.
        let has_at = self.language.name != "php";
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$') || has_at && letter == '@';
        if letter.is_ascii_digit() {
            let length = self
                .rest()
                .find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_')))
                .unwrap_or(self.rest().len());
            self.at += length;
            let text = self.text[start..self.at].to_owned();
            self.push(Kind::Number, text, start);
            return;
        }
        if is_word(letter)
            || self.language.is_command_like
                && letter == '-'
                && self.rest()[1..].starts_with(|next: char| next.is_ascii_alphabetic())
        {
            let joins = self.language.is_command_like;
            let length = self
                .rest()
                .find(|letter: char| !(is_word(letter) || joins && letter == '-'))
                .unwrap_or(self.rest().len());
            self.at += length.max(letter.len_utf8());
            let word = &self.text[start..self.at];
            let word = if joins { word.to_ascii_lowercase() } else { word.to_owned() };
            self.push(Kind::Name, word, start);
            return;
        }
        let sign = SIGNS.iter().find(|sign| self.rest().starts_with(**sign));
        let length = sign.map_or(letter.len_utf8(), |sign| sign.len());
        self.at += length;
        match letter {
            '(' | '[' => self.brackets += 1,
            ')' | ']' => self.brackets = self.brackets.saturating_sub(1),
            '{' if self.language.name == "python" => self.brackets += 1,
            '}' if self.language.name == "python" => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        let text = self.text[start..self.at].to_owned();
        self.push(Kind::Sign, text, start);
    }

    /// Reads a string, with its prefix.
    fn string(&mut self, end: usize) -> bool {
        let start = self.at;
        let mut prefix = 0;
        if self.language.has_prefixes {
            let letters = self
                .rest()
                .bytes()
                .take(3)
                .take_while(|byte| matches!(byte.to_ascii_lowercase(), b'r' | b'b' | b'f' | b'u' | b't'))
                .count();
            let is_prefix = letters <= 2 && self.rest()[letters..].starts_with(['"', '\'']);
            let is_word_part = self.text[..start].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            prefix = if is_prefix && !is_word_part { letters } else { 0 };
        }
        let marks = self.text[start..start + prefix].to_ascii_lowercase();
        let rest = &self.text[start + prefix..];
        let long = self.language.long_quotes.iter().find(|quote| rest.starts_with(**quote)).copied();
        let short = rest
            .chars()
            .next()
            .filter(|quote| self.language.quotes.contains(quote) || self.language.has_commands && *quote == '`');
        let quote: &str = match (long, short) {
            (Some(long), _) => long,
            (None, Some(short)) => &rest[..short.len_utf8()],
            (None, None) => return false,
        };
        let is_long = long.is_some() || quote == "`";
        let is_raw = marks.contains('r') || self.language.name == "go" && quote == "`";
        let embeds = match self.language.name {
            "python" => marks.contains(['f', 't']),
            "javascript" => quote == "`",
            _ => quote != "'",
        };
        let interpolation = self.language.interpolation.filter(|_| embeds && self.depth < MAX_DEPTH);
        let is_command = self.language.has_commands && quote == "`";
        self.at = start + prefix + quote.len();
        if is_command {
            self.push(Kind::Name, "__shell__", start);
            self.push(Kind::Sign, "(", start);
        }
        self.body(start, quote, Body { is_long, is_raw, interpolation }, end);
        if is_command {
            self.push(Kind::Sign, ")", start);
        }
        true
    }

    /// Reads what comes after the first quote. Code in the string becomes tokens between `+`.
    fn body(&mut self, start: usize, quote: &str, body: Body, end: usize) {
        let (mut value, mut first) = (String::new(), start);
        let opened = self.tokens.len();
        let mut is_split = false;
        while self.at < end {
            let rest = &self.text[self.at..end.max(self.at)];
            if rest.starts_with(quote) {
                self.at += quote.len();
                break;
            }
            let Some(letter) = rest.chars().next() else { break };
            if letter == '\n' && !body.is_long {
                break;
            }
            if let Some((open, _)) = body.interpolation.filter(|(open, _)| rest.starts_with(open)) {
                if open == "{" && rest.starts_with("{{") {
                    value.push('{');
                    self.at += 2;
                    continue;
                }
                self.push(Kind::Text, std::mem::take(&mut value), first);
                is_split = true;
                self.embedded(open.len(), end);
                first = self.at;
                continue;
            }
            if letter == '\\' && !body.is_raw {
                let (letter, length) = escape(&rest[1..]);
                value.extend(letter);
                self.at += 1 + length;
                continue;
            }
            if letter == '\\' {
                value.push('\\');
                self.at += 1;
                if let Some(next) = self.text[self.at..].chars().next() {
                    value.push(next);
                    self.at += next.len_utf8();
                }
                continue;
            }
            value.push(letter);
            self.at += letter.len_utf8();
        }
        self.push(Kind::Text, value, first);
        if is_split {
            let at = start..start + 1;
            self.tokens.insert(opened, Token { kind: Kind::Sign, text: "(".to_owned(), at, indent: self.indent });
            self.push(Kind::Sign, ")", start);
        }
    }

    /// Reads code in a string, up to the bracket that closes it.
    fn embedded(&mut self, open: usize, end: usize) {
        let start = self.at;
        self.at += open;
        let close = closing(&self.text[self.at..end]).map_or(end, |at| self.at + at);
        self.push(Kind::Sign, "+", start);
        self.push(Kind::Sign, "(", start);
        self.depth += 1;
        let brackets = std::mem::replace(&mut self.brackets, 1);
        self.run(close);
        self.brackets = brackets;
        self.depth -= 1;
        self.at = close;
        self.push(Kind::Sign, ")", start);
        self.push(Kind::Sign, "+", start);
        self.at = (close + 1).min(end);
    }

    /// Reads a regular expression of JavaScript.
    fn pattern(&mut self) -> bool {
        if !self.language.has_patterns || !self.rest().starts_with('/') {
            return false;
        }
        let ends_value = self.tokens.last().is_some_and(|token| match token.kind {
            Kind::Name => {
                !matches!(token.text.as_str(), "return" | "typeof" | "case" | "in" | "of" | "await" | "yield")
            }
            Kind::Text | Kind::Number => true,
            Kind::Sign => matches!(token.text.as_str(), ")" | "]" | "}"),
            Kind::Line => false,
        });
        if ends_value {
            return false;
        }
        let (mut in_class, mut is_escaped) = (false, false);
        for (at, letter) in self.rest().char_indices().skip(1).take(MAX_PATTERN) {
            match letter {
                '\n' => return false,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    let start = self.at;
                    self.at += at + 1;
                    self.push(Kind::Number, "/", start);
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}

#[derive(Clone, Copy)]
struct Body {
    is_long: bool,
    is_raw: bool,
    interpolation: Option<(&'static str, &'static str)>,
}

/// Returns the place of the bracket that closes code in a string.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices().take(4096) {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the letter that an escape stands for, and the length of what comes after the backslash.
fn escape(rest: &str) -> (Option<char>, usize) {
    let Some(letter) = rest.chars().next() else { return (None, 0) };
    let code = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    let fixed = |from: usize, count: usize| {
        rest.get(from..from + count).and_then(code).map(|letter| (Some(letter), from + count))
    };
    let plain = (Some(letter), letter.len_utf8());
    match letter {
        'n' => (Some('\n'), 1),
        't' => (Some('\t'), 1),
        'r' => (Some('\r'), 1),
        '\n' => (None, 1),
        'x' => fixed(1, 2).unwrap_or(plain),
        'u' if rest.starts_with("u{") => {
            let end = rest.find('}').unwrap_or(2).min(9);
            rest.get(2..end).and_then(code).map_or(plain, |letter| (Some(letter), end + 1))
        }
        'u' => fixed(1, 4).unwrap_or(plain),
        'U' => fixed(1, 8).unwrap_or(plain),
        '0'..='7' => {
            let digits = rest.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let value = u32::from_str_radix(&rest[..digits], 8).ok().and_then(char::from_u32);
            (value, digits)
        }
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{JAVASCRIPT, PYTHON};

    fn texts(code: &str, language: &'static Language) -> Vec<String> {
        tokens(code, language).into_iter().filter(|token| token.kind != Kind::Line).map(|token| token.text).collect()
    }

    #[test]
    fn strings_are_read_in_every_spelling() {
        assert_eq!(texts("x = b'\\x63\\165rl' # y", &PYTHON), ["x", "=", "curl"]);
        assert_eq!(texts("rb\"\"\"a\nb\"\"\"", &PYTHON), ["a\nb"]);
        assert_eq!(texts("f'a{b!r}c'", &PYTHON), ["(", "a", "+", "(", "b", "!", "r", ")", "+", "c", ")"]);
        assert_eq!(texts("`a${b}`", &JAVASCRIPT), ["(", "a", "+", "(", "b", ")", "+", "", ")"]);
        assert_eq!(texts("a = /[/]\"/.test(x) // y", &JAVASCRIPT), ["a", "=", "/", ".", "test", "(", "x", ")"]);
    }

    #[test]
    fn commands_of_a_shell_have_several_forms() {
        let language = |name| crate::language::language(name).expect("it is known");
        assert_eq!(texts("x = %x(a b)", language("ruby")), ["x", "=", "__shell__", "(", "a b", ")"]);
        assert_eq!(texts("eval qx{a b};", language("perl")), ["eval", "__shell__", "(", "a b", ")", ";"]);
        assert_eq!(texts("a%x", language("ruby")), ["a", "%", "x"]);
        assert_eq!(texts("qx{a", language("perl")), ["__shell__", "(", "a", ")"]);
    }

    #[test]
    fn any_text_is_accepted() {
        for text in ["f'{", "'''", "\\", "`${`${`${", "\"\\u{", "/", "é\\é", "f'{{", "b'\\x'", "#"] {
            tokens(text, &PYTHON);
            tokens(text, &JAVASCRIPT);
        }
    }
}
