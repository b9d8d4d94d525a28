//! The second parser of a file that is not valid TOML. It reads the same language, and stops at each error with an explanation. After
//! an error it continues at the next line that looks like a statement, so that one mistake is reported once.

use super::definitions::Definitions;
use super::foreign;
use super::problem::{Problem, Read, quoted};
use super::scanner::{Scanner, closing_brace};

/// The maximum number of syntax errors that are reported for a file.
const MAX_ERRORS: usize = 5;

/// Returns the errors of a text, in order.
pub(super) fn problems(text: &str) -> Vec<Problem> {
    let mut scanner = Scanner::new(text);
    let mut definitions = Definitions::default();
    let mut problems = Vec::new();
    while problems.len() < MAX_ERRORS {
        match scanner.statement(&mut definitions) {
            Ok(true) => {}
            Ok(false) => break,
            Err(problem) => {
                scanner.recover(&problem, &mut definitions);
                problems.push(problem);
            }
        }
    }
    problems
}

impl Scanner<'_> {
    /// Reads a statement. Returns false at the end of the text.
    fn statement(&mut self, definitions: &mut Definitions) -> Read<bool> {
        self.open.clear();
        self.skip_blank()?;
        self.start = self.at;
        let Some(first) = self.peek() else { return Ok(false) };
        if first == '[' {
            return self.header(definitions).map(|()| true);
        }
        if let Some(problem) = foreign::statement(self) {
            return Err(problem);
        }
        let path = self.key("=")?;
        let key = path[0].1.start..self.at;
        self.skip_spaces();
        self.equals_sign(key.clone())?;
        let name = self.text[key.clone()].to_owned();
        let value = self.value(Some(&name))?;
        self.end_of_line(&value, Some(&name))?;
        definitions.assign(&path, &value)?;
        Ok(true)
    }

    /// Reads a header.
    fn header(&mut self, definitions: &mut Definitions) -> Read<()> {
        let start = self.at;
        let brackets = if self.rest().starts_with("[[") { 2 } else { 1 };
        self.at += brackets;
        self.skip_spaces();
        let line_end = start + self.text[start..].find('\n').unwrap_or(self.text.len() - start);
        let unclosed = |shown: &str| {
            let (opening, closing) = if brackets == 2 { ("[[", "]]") } else { ("[", "]") };
            Problem::new(start..start + brackets, format!("unclosed `{opening}`"))
                .label("opened here")
                .help(format!("write `{opening}{shown}{closing}`"))
                .resume(line_end)
        };
        if matches!(self.peek(), Some(']')) {
            let at = self.here();
            return Err(
                Problem::new(at, "a table needs a name").help("write the name between the brackets: `[params.NAME]`")
            );
        }
        let path = self.key("]")?;
        let shown = &self.text[path[0].1.start..self.at];
        self.skip_spaces();
        if !self.rest().starts_with(']') {
            return Err(match self.peek() {
                None | Some('\n' | '#') => unclosed(shown.trim()),
                Some('=') => Problem::new(self.here(), "unexpected `=` in the name of a table")
                    .help("the keys of a table are written on the lines below its name"),
                Some(_) => {
                    let words = self.line().split(']').next().unwrap_or_default().trim_end();
                    let name = path.last().map_or(start, |(_, span)| span.start)..self.at + words.len();
                    if !self.line().contains(']') {
                        return Err(unclosed(shown.trim()));
                    }
                    let text = &self.text[name.clone()];
                    Problem::new(name, format!("the name {} is not quoted", quoted(text)))
                        .help(format!("write `\"{}\"`", text.trim()))
                }
            });
        }
        let closing = if self.rest().starts_with("]]") { 2 } else { 1 };
        if closing != brackets {
            let at = self.at..self.at + closing;
            let (opening, right) = if brackets == 2 { ("[[", "]]") } else { ("[", "]") };
            let problem =
                Problem::new(at, format!("`{opening}` is closed with `{}`", if closing == 2 { "]]" } else { "]" }));
            return Err(problem
                .related(start..start + brackets, "opened here")
                .help(format!("write `{opening}{shown}{right}`")));
        }
        self.at += closing;
        self.after_header()?;
        definitions.header(&path, brackets == 2)
    }

    /// Reads the rest of the line of a header, which can only be a comment.
    fn after_header(&mut self) -> Read<()> {
        self.skip_spaces();
        if !matches!(self.peek(), None | Some('\n' | '#')) {
            let (at, rest) = (self.here(), self.line());
            let problem = Problem::new(at, format!("unexpected {} after the name of a table", quoted(rest)));
            return Err(if rest.contains('=') {
                problem.help("write the keys of a table on the lines below its name")
            } else {
                problem.help("remove it, or start a comment with `#`")
            });
        }
        if self.peek() == Some('#') {
            self.skip_comment()?;
        }
        Ok(())
    }

    /// Moves to the next statement after a problem.
    fn recover(&mut self, problem: &Problem, definitions: &mut Definitions) {
        if self.text[self.start..].starts_with('[') {
            definitions.forget_table();
        }
        if let Some(at) = problem.resume {
            self.at = at;
            return;
        }
        self.at = self.at.max(problem.span.end.min(self.text.len()));
        // The rest of a table in braces looks like statements.
        if let Some(open) = self.open.iter().copied().find(|open| self.text[*open..].starts_with('{'))
            && let Some(end) = closing_brace(self.text, open)
        {
            self.at = self.at.max(end);
        }
        loop {
            self.take_while(|letter| letter != '\n');
            self.take_while(char::is_whitespace);
            if self.rest().is_empty() || self.is_at_statement() {
                return;
            }
        }
    }
}
