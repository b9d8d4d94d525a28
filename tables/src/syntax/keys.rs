//! Reads keys, and the `=` after them.

use std::ops::Range;

use super::characters::{self, is_control, is_foreign_space};
use super::problem::{Problem, Read, quoted};
use super::scalar;
use super::scanner::{MAX_DEPTH, Path, Scanner, control, foreign_space, is_bare};

impl Scanner<'_> {
    /// Reads a key with dots. `end` is what must follow it.
    pub(super) fn key(&mut self, end: &str) -> Read<Path> {
        let mut path = Path::new();
        loop {
            self.skip_spaces();
            path.push(self.key_part(path.is_empty(), end)?);
            if path.len() > MAX_DEPTH {
                return Err(
                    Problem::new(self.here(), "keys are nested too deeply").help(format!("at most {MAX_DEPTH} levels"))
                );
            }
            let after = self.at;
            self.skip_spaces();
            if self.peek() != Some('.') {
                self.at = after;
                return Ok(path);
            }
            self.at += 1;
        }
    }

    fn key_part(&mut self, is_first: bool, end: &str) -> Read<(String, Range<usize>)> {
        let start = self.at;
        match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                if self.rest().starts_with(&quote.to_string().repeat(3)) {
                    let at = start..start + 3;
                    return Err(
                        Problem::new(at, "a key cannot be a multi-line string").help("write one quote on each side")
                    );
                }
                let text = self.single_line_string(quote, None)?;
                Ok((text, start..self.at))
            }
            Some(letter) if is_bare(letter) => {
                let span = self.take_while(is_bare);
                if self.peek().is_some_and(is_part_of_unquoted_key) {
                    return Err(self.unquoted_key(start));
                }
                Ok((self.text[span.clone()].to_owned(), span))
            }
            Some(letter) if is_part_of_unquoted_key(letter) || characters::is_quote(letter) => {
                Err(self.unquoted_key(start))
            }
            Some('=') if is_first => {
                Err(Problem::new(self.here(), "a key is missing before `=`").help("write `KEY = VALUE`"))
            }
            Some('=' | ']' | '.') => {
                Err(Problem::new(self.here(), "a name is missing after the dot")
                    .help("remove the dot, or add the name"))
            }
            None | Some('\n') if !is_first || end == "]" => Err(if self.text[self.start..].starts_with('[') {
                Problem::new(self.start..self.start + 1, "unclosed `[`").label("opened here")
            } else {
                Problem::new(self.here(), "a name is missing after the dot")
            }),
            Some(letter) if is_control(letter) => Err(control(start, letter, "outside a string")),
            Some(letter) if is_foreign_space(letter) => Err(foreign_space(start, letter)),
            _ => Err(self.unexpected()),
        }
    }

    /// Returns the problem of a key with letters that must be quoted.
    fn unquoted_key(&mut self, start: usize) -> Problem {
        self.at = start;
        let span = self
            .take_while(|letter| is_bare(letter) || is_part_of_unquoted_key(letter) || characters::is_quote(letter));
        let key = &self.text[span.clone()];
        let bare = key.trim_matches(characters::is_quote);
        if bare.len() < key.len() {
            let quote = key.chars().find(|letter| characters::is_quote(*letter)).unwrap_or('`');
            return Problem::new(span, format!("{} is not a TOML quotation mark", characters::shown(quote))).help(
                format!("write `{}`", if bare.chars().all(is_bare) { bare.to_owned() } else { format!("\"{bare}\"") }),
            );
        }
        Problem::new(span, format!("the key {} is not quoted", quoted(key)))
            .label("an unquoted key has only ASCII letters, digits, `-` and `_`")
            .help(format!("write `\"{bare}\"`"))
    }

    /// Reads the `=` after a key.
    pub(super) fn equals_sign(&mut self, key: Range<usize>) -> Read<()> {
        let (rest, name) = (self.line(), &self.text[key.clone()]);
        let wrong = ["==", "=>", ":=", "+=", ":", "＝", "→", "->"].into_iter().find(|sign| rest.starts_with(sign));
        if let Some(sign) = wrong {
            let at = self.at..self.at + sign.len();
            let value = rest[sign.len()..].trim().trim_end_matches([',', ';']);
            let problem = Problem::new(at, format!("unexpected `{sign}` after the key {}", quoted(name)));
            return Err(problem.help(match scalar::sample(value) {
                Some(value) => format!("write `{name} = {value}`"),
                None => format!("write `{name} = ...`"),
            }));
        }
        if rest.starts_with('=') {
            self.at += 1;
            return Ok(());
        }
        let Some(first) = self.peek().filter(|letter| !matches!(letter, '\n' | '#')) else {
            let problem = Problem::new(key, format!("the key {} has no value", quoted(name)));
            return Err(problem.help(format!("write `{name} = ...`; a comment begins with `#`")));
        };
        if is_control(first) {
            return Err(control(self.at, first, "outside a string"));
        }
        if is_foreign_space(first) {
            return Err(foreign_space(self.at, first));
        }
        // `max lines = 3`, or a sentence.
        let words = rest.split(['=', '"', '\'', '[', '{', '#']).next().unwrap_or_default();
        let is_word = |letter: char| letter.is_alphanumeric() || " _-.,;:!?()`/".contains(letter);
        let line = self.text[self.start..].split('\n').next().unwrap_or_default();
        if rest[words.len()..].starts_with('=') && words.chars().all(|letter| is_bare(letter) || letter == ' ') {
            let name = format!("{name} {}", words.trim());
            return Err(Problem::new(
                key.start..self.at + words.trim_end().len(),
                format!("the key {} is not quoted", quoted(&name)),
            )
            .label("a key with spaces needs quotes")
            .help(format!("write `\"{name}\" = ...`")));
        }
        if !line.contains('=')
            && words.split_whitespace().count() > 1
            && words.chars().all(is_word)
            && self.open.is_empty()
        {
            let problem = Problem::new(
                self.start..self.start + line.len(),
                "this line is neither a key with a value nor a table",
            );
            return Err(problem.help("put a string in quotes, and write `#` before a comment"));
        }
        let problem = Problem::new(self.here(), format!("`=` is missing after the key {}", quoted(name)));
        Err(problem.help(match scalar::sample(rest.trim()) {
            Some(value) => format!("write `{name} = {value}`"),
            None => format!("write `{name} = ...`"),
        }))
    }
}

fn is_part_of_unquoted_key(letter: char) -> bool {
    !is_bare(letter)
        && (letter.is_alphanumeric()
            || "$@/*+!?%&|~^<>\\".contains(letter)
            || (!letter.is_ascii() && !is_foreign_space(letter)))
        && !letter.is_control()
        && characters::lookalike(letter).is_none_or(|plain| plain.is_ascii_digit())
        && !characters::is_quote(letter)
}
