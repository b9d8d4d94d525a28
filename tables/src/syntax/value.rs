//! Reads values: arrays, inline tables, and what follows a value.

use std::ops::Range;

use super::characters::{self, is_control, is_foreign_space};
use super::definitions::{Definitions, Kind, Value};
use super::problem::{Problem, Read, quoted, string};
use super::scalar::{self, rest_of_line};
use super::scanner::{MAX_DEPTH, Scanner, closing_brace, control, foreign_space, is_bare};

impl Scanner<'_> {
    /// Reads a value. `key` is the key of the statement whose value it is, or `None` within an array.
    pub(super) fn value(&mut self, key: Option<&str>) -> Read<Value> {
        self.skip_spaces();
        let start = self.at;
        let kind = match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                if self.rest().starts_with(&quote.to_string().repeat(3)) {
                    self.multi_line_string(quote)?;
                } else {
                    self.single_line_string(quote, key)?;
                }
                Kind::String
            }
            Some('[') => {
                self.nested(Self::array)?;
                Kind::Array
            }
            Some('{') if self.rest().starts_with("{{") || self.rest().starts_with("{%") => {
                return Err(scalar::unquoted(start, rest_of_line(self.rest()), key));
            }
            Some('{') => {
                self.nested(Self::inline_table)?;
                Kind::InlineTable
            }
            None | Some('\n' | '#') => return Err(self.missing_value(key)),
            Some(',' | ']' | '}') => {
                let found = characters::shown(self.peek().unwrap_or(','));
                return Err(match key {
                    Some(key) => {
                        let problem = Problem::new(self.here(), format!("the key {} has no value", quoted(key)));
                        problem
                            .label(format!("expected a value before {found}"))
                            .help(format!("write `{key} = ...`, or remove the key"))
                    }
                    None => Problem::new(self.here(), format!("a value is missing before {found}")).help("remove it"),
                });
            }
            Some(letter) if is_control(letter) => return Err(control(start, letter, "outside a string")),
            Some(letter) if is_foreign_space(letter) => return Err(foreign_space(start, letter)),
            Some(_) => {
                self.scalar(key)?;
                Kind::Scalar
            }
        };
        Ok(Value { span: start..self.at, kind })
    }

    fn missing_value(&self, key: Option<&str>) -> Problem {
        let sign = self.text[..self.at].trim_end_matches([' ', '\t']).len();
        let Some(key) = key else { return Problem::new(self.here(), "a value is missing") };
        let problem = Problem::new(sign.saturating_sub(1)..sign, format!("the key {} has no value", quoted(key)));
        let below = self.rest().trim_start();
        let problem = problem.label("expected a value after `=`");
        if below.starts_with("- ") {
            return problem.help(format!("write an array: `{key} = [\"...\", \"...\"]`"));
        }
        if below.starts_with(['"', '\'', '[', '{']) && !self.below_is_statement() {
            return problem.help("the value must begin on the line of its key");
        }
        problem.help(format!("write `{key} = \"...\"`, or remove the key"))
    }

    /// Returns whether the next line that is not blank is a statement.
    fn below_is_statement(&self) -> bool {
        let mut below = self.clone();
        below.take_while(char::is_whitespace);
        below.is_at_statement()
    }

    fn nested(&mut self, read: fn(&mut Self) -> Read<()>) -> Read<()> {
        if self.open.len() >= MAX_DEPTH {
            let end = self.text.len();
            return Err(Problem::new(self.here(), "values are nested too deeply")
                .label(format!("at most {MAX_DEPTH} levels"))
                .resume(end));
        }
        self.open.push(self.at);
        self.at += 1;
        read(self)?;
        self.open.pop();
        Ok(())
    }

    /// Returns the problem of the innermost open bracket if the text ends here, or a new statement begins.
    fn check_open(&self) -> Read<()> {
        let Some(open) = self.open.last().copied() else { return Ok(()) };
        let is_line_start = self.text[..self.at].trim_end_matches([' ', '\t']).ends_with('\n');
        let is_over = self.rest().is_empty() || is_line_start && self.is_at_statement();
        if !is_over {
            return Ok(());
        }
        let (opening, closing) = if self.text[open..].starts_with('[') { ("[", "]") } else { ("{", "}") };
        let problem = Problem::new(open..open + 1, format!("unclosed `{opening}`")).label("opened here");
        Err(problem.help(format!("add the closing `{closing}`")).resume(self.at))
    }

    fn array(&mut self) -> Read<()> {
        loop {
            self.skip_blank()?;
            self.check_open()?;
            match self.peek() {
                Some(']') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(',') => {
                    return Err(Problem::new(self.here(), "unexpected `,`: a value is missing before it")
                        .help("remove one comma"));
                }
                Some('}' | ')') => return Err(self.mismatched()),
                Some('=' | ':') => return Err(self.pair_in_array()),
                _ => {}
            }
            self.value(None)?;
            let end = self.at;
            self.skip_blank()?;
            self.check_open()?;
            match self.peek() {
                Some(',') => self.at += 1,
                Some(']') | None => {}
                Some('}' | ')') => return Err(self.mismatched()),
                Some('=' | ':') => return Err(self.pair_in_array()),
                Some(_) => return Err(self.missing_comma(end)),
            }
        }
    }

    pub(super) fn pair_in_array(&self) -> Problem {
        let sign = self.peek().unwrap_or('=');
        let problem = Problem::new(self.here(), format!("unexpected `{sign}` in an array"));
        problem.help("an array has values without keys; write a table in braces: `{ KEY = VALUE }`")
    }

    /// Returns the problem of two values without a comma between them. `end` is the end of the first one.
    fn missing_comma(&self, end: usize) -> Problem {
        let letter = self.peek().unwrap_or(',');
        if is_control(letter) {
            return control(self.at, letter, "outside a string");
        }
        if is_foreign_space(letter) {
            return foreign_space(self.at, letter);
        }
        if characters::lookalike(letter) == Some(',') || letter == ';' {
            return Problem::new(self.here(), format!("{} is not a comma", characters::shown(letter)))
                .help("write `,`");
        }
        if letter == '+' {
            return Problem::new(self.here(), "strings cannot be joined with `+`").help("write one string");
        }
        if self.text[..end].ends_with(['"', '\'']) && end == self.at && !letter.is_whitespace() {
            return Problem::new(end - 1..end, "the string ends at this quote")
                .label(format!("{} follows", quoted(self.line())))
                .help("write `\\\"` for a quote within the string, or add the missing comma");
        }
        Problem::new(self.here(), "a comma is missing before this value").help("separate values with `,`")
    }

    fn mismatched(&self) -> Problem {
        let open = self.open.last().copied().unwrap_or(self.at);
        let (opening, closing) = if self.text[open..].starts_with('[') { ('[', ']') } else { ('{', '}') };
        let found = self.peek().unwrap_or(closing);
        let problem = Problem::new(self.here(), format!("`{opening}` is closed with `{found}`"));
        problem.related(open..open + 1, "opened here").help(format!("write `{closing}`"))
    }

    fn inline_table(&mut self) -> Read<()> {
        let mut definitions = Definitions::default();
        loop {
            self.skip_blank()?;
            if self.peek() == Some('[') || self.rest().is_empty() {
                self.check_open()?;
            }
            match self.peek() {
                Some('}') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(',') => {
                    return Err(Problem::new(self.here(), "unexpected `,`: a key is missing before it")
                        .help("remove one comma"));
                }
                Some(']' | ')') => return Err(self.mismatched()),
                Some('.') if self.rest().starts_with("...") => {
                    return Err(
                        Problem::new(self.at..self.at + 3, "unexpected `...`").help("write all keys of the table")
                    );
                }
                _ => {}
            }
            let path = self.key("=")?;
            let key = path[0].1.start..self.at;
            self.skip_blank()?;
            self.equals_in_table(&key)?;
            self.skip_blank()?;
            let name = self.text[key.clone()].to_owned();
            let value = self.value(Some(&name))?;
            definitions.assign(&path, &value)?;
            let end = self.at;
            self.skip_blank()?;
            match self.peek() {
                Some(',') => self.at += 1,
                Some('}') => {}
                Some(']' | ')') => return Err(self.mismatched()),
                Some(_) if self.text[end..self.at].contains('\n') => {
                    self.check_open()?;
                    return Err(self.missing_comma(end));
                }
                Some(_) => return Err(self.missing_comma(end)),
                None => self.check_open()?,
            }
        }
    }

    /// Reads the `=` after a key in braces.
    fn equals_in_table(&mut self, key: &Range<usize>) -> Read<()> {
        let name = &self.text[key.clone()];
        match self.peek() {
            Some('=') => {
                self.at += 1;
                Ok(())
            }
            Some(':') => Err(self.colon_in_table(key)),
            Some('}' | ',') | None => {
                self.check_open()?;
                Err(Problem::new(key.clone(), format!("the key {} has no value", quoted(name)))
                    .help(format!("write `{name} = ...`; an array of values is written in `[...]`")))
            }
            Some(_) => Err(Problem::new(self.here(), format!("`=` is missing after the key {}", quoted(name)))
                .help(format!("write `{name} = ...`"))),
        }
    }

    /// Returns the problem of a colon after a key in braces, which is JSON.
    fn colon_in_table(&self, key: &Range<usize>) -> Problem {
        let open = self.open.first().copied().unwrap_or(self.at);
        let name = &self.text[key.clone()];
        let bare = name.trim_matches('"');
        let bare = if bare.chars().all(is_bare) { bare } else { name };
        let problem = Problem::new(self.here(), "unexpected `:`: tables are not written as in JSON");
        let problem = problem.help(format!("write `=` after each key: `{bare} = ...`"));
        match closing_brace(self.text, open) {
            Some(end) => problem.resume(end + self.text[end..].find('\n').unwrap_or(0)),
            None => problem,
        }
    }

    /// Reads the rest of a line after a value.
    pub(super) fn end_of_line(&mut self, value: &Value, key: Option<&str>) -> Read<()> {
        let end = self.at;
        self.skip_spaces();
        let rest = self.line();
        let Some(letter) = rest.chars().next() else { return Ok(()) };
        if letter == '#' {
            return self.skip_comment();
        }
        let at = self.here();
        if is_control(letter) {
            return Err(control(self.at, letter, "outside a string"));
        }
        if is_foreign_space(letter) {
            return Err(foreign_space(self.at, letter));
        }
        let text = &self.text[value.span.clone()];
        if value.kind == Kind::String && text.contains('\n') && self.swallowed_statements(&value.span) {
            let quotes = &text[..3];
            return Err(Problem::new(value.span.start..value.span.start + 3, format!("unclosed `{quotes}`"))
                .label("opened here")
                .related(end - 3..end, "the string ends only here")
                .help(format!("add the closing `{quotes}`")));
        }
        if let Some(problem) = extra_sign(at.clone(), rest, value.kind, text) {
            return Err(problem);
        }
        // `a = 1 b = 2`
        let statement = rest.trim_start_matches([',', ' ', ';']);
        let mut next = self.clone();
        next.at += rest.len() - statement.len();
        if next.at > value.span.end && next.is_at_statement() {
            return Err(Problem::new(at, "two keys on one line")
                .help(format!("write {} on a line of its own", quoted(statement))));
        }
        Err(self.extra_text(at, rest, value, key))
    }

    /// Explains what follows a value in its line.
    fn extra_text(&self, at: Range<usize>, rest: &str, value: &Value, key: Option<&str>) -> Problem {
        let text = &self.text[value.span.clone()];
        let unexpected = |at| {
            let problem = Problem::new(at, format!("unexpected {} after the value", quoted(rest_of_line(rest))));
            problem.label("expected the end of the line")
        };
        match value.kind {
            // `30 seconds` may be a string, which `true true` and `1 2` are not.
            Kind::Scalar if !matches!(text, "true" | "false") && rest.starts_with(char::is_alphabetic) => {
                let before = key.map_or(String::new(), |key| format!("{key} = "));
                let whole = rest_of_line(&self.text[value.span.start..]);
                match string(whole) {
                    Some(whole) => unexpected(at).help(format!("if it is a string, write `{before}{whole}`")),
                    None => unexpected(at).help("if it is a string, put it in quotes"),
                }
            }
            Kind::String if rest.starts_with('+') => Problem::new(at, "strings cannot be joined with `+`")
                .help("write one string; between `\"\"\"`, a backslash at the end of a line joins lines"),
            Kind::String if value.span.end == at.start || rest.trim_end().ends_with(['"', '\'']) => {
                let quote = &text[..1];
                let whole = self.text[value.span.start..at.start + rest.trim_end().len()].trim_end();
                let problem = Problem::new(value.span.end - 1..value.span.end, "the string ends at this quote")
                    .label(format!("{} follows", quoted(rest)));
                let inner = whole.strip_prefix(quote).and_then(|inner| inner.strip_suffix(quote));
                let before = key.map_or(String::new(), |key| format!("{key} = "));
                match inner.and_then(string) {
                    Some(better) if !text.contains('\n') => problem.help(format!("write `{before}{better}`")),
                    _ => problem.help("write `\\\"` for a quote within a string"),
                }
            }
            _ => unexpected(at).help("remove it, or start a comment with `#`"),
        }
    }
}

/// Explains a sign after a value that people add by mistake. `text` is the value.
fn extra_sign(at: Range<usize>, rest: &str, kind: Kind, text: &str) -> Option<Problem> {
    let letter = rest.chars().next()?;
    match letter {
        ',' if kind == Kind::Scalar && rest[1..].starts_with(|digit: char| digit.is_ascii_digit()) => {
            let number: String = rest.split([' ', '#']).next().unwrap_or_default().replace(',', "_");
            Some(Problem::new(at, "a number cannot contain `,`").help(format!("write `{text}{number}`")))
        }
        ',' | ';' if rest[1..].trim().is_empty() || rest[1..].trim_start().starts_with('#') => {
            Some(Problem::new(at, format!("unexpected `{letter}` at the end of the line")).help("remove it"))
        }
        ']' | '}' | ')' => Some(Problem::new(at, format!("unmatched `{letter}`")).help("remove it")),
        '/' if rest.starts_with("//") || rest.starts_with("/*") => Some(
            Problem::new(at.start..at.start + 2, format!("`{}` does not start a comment", &rest[..2]))
                .help("write `#`"),
        ),
        '-' if rest.starts_with("--") && kind == Kind::String => {
            Some(Problem::new(at.start..at.start + 2, "`--` does not start a comment").help("write `#`"))
        }
        _ => None,
    }
}
