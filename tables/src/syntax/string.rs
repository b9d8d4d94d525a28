//! Reads strings.

use std::ops::Range;

use super::characters::{self, is_control};
use super::problem::{Problem, Read, quoted};
use super::scanner::{Scanner, control};

impl Scanner<'_> {
    /// Reads a string of one line, and returns its text. `key` is the key whose value it is.
    pub(super) fn single_line_string(&mut self, quote: char, key: Option<&str>) -> Read<String> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let at = self.at;
            match self.peek() {
                None | Some('\n') => return Err(self.unclosed_string(start, quote, key)),
                Some(letter) if letter == quote => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') if quote == '"' => text.extend(self.escape(start)?),
                Some(letter) if is_control(letter) => return Err(control(at, letter, "in a string")),
                Some(letter) => {
                    text.push(letter);
                    self.at += letter.len_utf8();
                }
            }
        }
    }

    /// Reads a string of several lines, between three quotes on each side.
    pub(super) fn multi_line_string(&mut self, quote: char) -> Read<()> {
        let start = self.at;
        let quotes = quote.to_string().repeat(3);
        self.at += 3;
        loop {
            let at = self.at;
            if self.rest().starts_with(&quotes) {
                // Two more quotes can be part of the text.
                let more = self.rest()[3..].chars().take(2).take_while(|letter| *letter == quote).count();
                self.at += 3 + more;
                return Ok(());
            }
            match self.peek() {
                None => {
                    let problem = Problem::new(start..start + 3, format!("unclosed `{quotes}`")).label("opened here");
                    return Err(problem.help(format!("add the closing `{quotes}`")).resume(self.text.len()));
                }
                Some('\\') if quote == '"' => {
                    let after = self.rest()[1..].trim_start_matches([' ', '\t']);
                    if after.starts_with('\n') {
                        self.at += 1;
                        self.take_while(|letter| matches!(letter, ' ' | '\t' | '\n'));
                    } else {
                        self.escape(start)?;
                    }
                }
                Some(letter) if is_control(letter) => return Err(control(at, letter, "in a string")),
                Some(letter) => self.at += letter.len_utf8(),
            }
        }
    }

    /// Reads an escape. `start` is the beginning of the string.
    fn escape(&mut self, start: usize) -> Read<Option<char>> {
        let at = self.at;
        let mut letters = self.rest()[1..].chars();
        let Some(letter) = letters.next() else {
            self.at += 1;
            return Ok(None);
        };
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'b' | 't' | 'n' | 'f' | 'r' | 'e' | '"' | '\\' => {
                self.at += 2;
                return Ok(Some(match letter {
                    'b' => '\u{8}',
                    't' => '\t',
                    'n' => '\n',
                    'f' => '\u{c}',
                    'r' => '\r',
                    'e' => '\u{1b}',
                    plain => plain,
                }));
            }
            '\n' => {
                self.at += 1;
                return Ok(None);
            }
            _ => {
                let span = at..at + 1 + letter.len_utf8();
                let problem = Problem::new(span, format!("unknown escape {}", quoted(&format!("\\{letter}"))));
                return Err(self.without_escapes(start, problem));
            }
        };
        let hex: String = letters.take(digits).take_while(char::is_ascii_hexdigit).collect();
        let span = at..at + 2 + hex.len();
        let code = u32::from_str_radix(&hex, 16).ok();
        if hex.len() == digits {
            let Some(read) = code.and_then(char::from_u32) else {
                let problem = Problem::new(span, format!("`\\{letter}{hex}` is not a character"));
                return Err(match code {
                    Some(0xD800..=0xDFFF) => {
                        problem.label("half of a UTF-16 surrogate pair").help("write the character itself")
                    }
                    _ => problem
                        .label("Unicode ends at U+10FFFF")
                        .help("write a code point up to `\\U0010FFFF`, or the character itself"),
                });
            };
            self.at += 2 + digits;
            return Ok(Some(read));
        }
        let problem = Problem::new(span, format!("`\\{letter}` starts an escape of {digits} hexadecimal digits"));
        Err(self.without_escapes(start, problem.label(format!("{} of {digits} digits", hex.len()))))
    }

    /// Adds how to write the string that begins at `start` so that its backslashes are kept.
    fn without_escapes(&mut self, start: usize, problem: Problem) -> Problem {
        let is_multi_line = self.text[start..].starts_with("\"\"\"");
        // The string as if `\"` were the only escape.
        let quotes = if is_multi_line { 3 } else { 1 };
        let inner = &self.text[start + quotes..];
        let end = if is_multi_line {
            inner.find("\"\"\"")
        } else {
            inner.find(['"', '\n']).filter(|end| inner[*end..].starts_with('"'))
        };
        let body = &inner[..end.unwrap_or(0)];
        let resume = end.map(|end| start + quotes + end + quotes);
        let problem = if is_path(body) { problem.help("this looks like a Windows path") } else { problem };
        let problem = if is_multi_line && !body.is_empty() {
            problem.help(
                "a backslash is kept in a literal string, between `'''` on each side, or if it is doubled: `\\\\`",
            )
        } else if body.is_empty() || body.len() > 100 || body.contains('\'') {
            problem.help("write `\\\\` for a backslash")
        } else {
            problem.help(format!("use a literal string, `'{body}'`, or double each backslash"))
        };
        match resume {
            Some(at) => {
                self.at = at;
                problem
            }
            None => problem,
        }
    }

    /// Returns the problem of a string that the end of its line cuts off.
    fn unclosed_string(&mut self, start: usize, quote: char, key: Option<&str>) -> Problem {
        let line_end = self.at;
        let inner = &self.text[start + 1..line_end];
        let before = key.map_or(String::new(), |key| format!("{key} = "));
        let problem = |what: String| Problem::new(start..start + 1, what).label("opened here");
        if let Some((at, wrong)) = inner.char_indices().rev().find(|(_, letter)| characters::is_quote(*letter))
            && inner[at + wrong.len_utf8()..].trim_matches([' ', ',', ']', '}', '\t']).is_empty()
        {
            let at = start + 1 + at;
            return problem(format!("unclosed string: {} does not close it", characters::shown(wrong)))
                .related(at..at + wrong.len_utf8(), "not a TOML quotation mark")
                .help(format!("write `{quote}` there"));
        }
        let other = if quote == '"' { '\'' } else { '"' };
        if inner.trim_end().ends_with(other) {
            return problem(format!("unclosed string: `{other}` does not close `{quote}`"))
                .help(format!("write `{before}{quote}{}{quote}`", inner.trim_end().trim_end_matches(other)));
        }
        if inner.trim_end().ends_with("\\\"") {
            let body = inner.trim_end().trim_end_matches("\\\"");
            return problem("unclosed string: the backslash escapes the last quote".to_owned())
                .help(format!("use a literal string, `'{body}\\'`, or double each backslash"));
        }
        // Does the text continue on the next lines?
        let mut below = self.clone();
        for _ in 0..MAX_LINES {
            below.take_while(|letter| letter != '\n');
            below.take_while(char::is_whitespace);
            if below.rest().is_empty() || below.is_at_statement() {
                break;
            }
            if below.line().contains(quote) {
                let quotes = quote.to_string().repeat(3);
                return problem("unclosed string: it continues on the next line".to_owned())
                    .help(format!("write a multi-line string, between `{quotes}` on each side"));
            }
        }
        let body = inner.split(" #").next().unwrap_or_default().trim_end();
        let body = if self.open.is_empty() { body } else { body.trim_end_matches([']', '}', ',', ' ']) };
        let shown = if body.len() < 100 {
            format!("write `{before}{quote}{body}{quote}`")
        } else {
            format!("add the closing `{quote}`")
        };
        problem("unclosed string".to_owned()).help(shown)
    }

    /// Returns whether a string of several lines, at `span`, contains lines that look like statements: its closing quotes may be missing.
    pub(super) fn swallowed_statements(&self, span: &Range<usize>) -> bool {
        let mut inner = self.clone();
        inner.at = span.start;
        while let Some(line_end) = self.text[inner.at..span.end].find('\n') {
            inner.at += line_end + 1;
            if inner.is_at_statement() {
                return true;
            }
        }
        false
    }
}

/// The maximum number of lines to look at for the end of a string.
const MAX_LINES: usize = 20;

/// Returns whether a text looks like a Windows path.
fn is_path(text: &str) -> bool {
    let mut letters = text.chars();
    let has_drive = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && text[1..].starts_with(":\\");
    has_drive || text.starts_with("\\\\") || text.starts_with("..\\") || text.starts_with('%')
}
