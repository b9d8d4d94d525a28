//! Simple commands, their assignments, and definitions of functions.

use super::cursor::{Keyword, is_delimiter, is_name};
use super::word::WordPosition;
use super::{ParseResult, Parser, Stop};
use crate::doubt::DoubtKind;
use crate::syntax::dialect::Dialect;
use crate::syntax::script::{Assignment, ScopeKind, SimpleCommand};
use crate::syntax::word::{Part, Word};

/// What was found while a simple command was read.
#[derive(Debug, Clone, Copy, Default)]
struct CommandState {
    /// bash reads a redirection (`&>`), where dash begins a new command.
    after_both: bool,
    /// The command is `[[`, in which busybox reads `&&` and `||` as words.
    in_test: bool,
}

impl Parser<'_, '_> {
    /// Adds an empty command, so that it comes before the commands inside it in the list. Returns its index.
    pub(super) fn begin(&mut self) -> usize {
        let index = self.script.commands.len();
        self.script.commands.push(SimpleCommand { scope: self.scope, ..SimpleCommand::default() });
        index
    }

    /// Reads a simple command, or the definition of a function.
    pub(super) fn simple_command(&mut self) -> ParseResult {
        let index = self.begin();
        let result = self.simple_command_at(index);
        if result.is_err() && index + 1 == self.script.commands.len() && is_empty(&self.script.commands[index]) {
            self.script.commands.pop();
        }
        result
    }

    fn simple_command_at(&mut self, index: usize) -> ParseResult {
        let start = self.at;
        let mut state = CommandState::default();
        let mut end = start;
        loop {
            self.skip_blanks();
            if self.redirect(index)? {
                state.after_both |= self.is_both(index);
                end = self.at;
                continue;
            }
            let is_first = self.script.commands[index].words.is_empty();
            if is_first && self.assignment(index)? {
                end = self.at;
                continue;
            }
            match self.peek() {
                b'(' => {
                    let command = &self.script.commands[index];
                    let is_function =
                        command.words.len() == 1 && command.assignments.is_empty() && command.redirects.is_empty();
                    return if is_function { self.function_after_name(index) } else { Err(Stop::Syntax) };
                }
                b'#' => break,
                b'&' | b'|' if state.in_test && self.peek() == self.peek_second() => {
                    self.operator_word(index);
                    continue;
                }
                b'<' | b'>' if !self.is_process_substitution() => return Err(Stop::Syntax),
                b'<' | b'>' => {}
                byte if is_delimiter(byte) => break,
                _ => {}
            }
            if state.after_both {
                self.differs(&[Dialect::Dash]);
            }
            let place = if is_first { WordPosition::Program } else { WordPosition::Argument };
            let from = self.script.commands[index].words.len();
            self.words(place, index)?;
            end = self.at;
            if self.dialect == Dialect::Ash
                && let Some(word) = self.script.commands[index].words.get(from)
            {
                match word.literal().as_deref() {
                    Some("[[") if from == 0 => state.in_test = true,
                    Some("]]") => state.in_test = false,
                    _ => {}
                }
            }
        }
        let span = self.span(start, end);
        let command = &mut self.script.commands[index];
        command.span = span;
        if is_empty(command) {
            // There is no command here.
            return Err(Stop::Syntax);
        }
        Ok(())
    }

    /// Reads `&&` or `||` as a word of a command.
    fn operator_word(&mut self, index: usize) {
        let start = self.at;
        let text = if self.peek() == b'&' { "&&" } else { "||" };
        self.bump();
        self.bump();
        let span = self.span(start, self.at);
        self.script.commands[index].words.push(Word::plain(text, span));
    }

    /// Reads a word of a command, which brace expansion can turn into several.
    fn words(&mut self, place: WordPosition, index: usize) -> ParseResult {
        let mut words = std::mem::take(&mut self.script.commands[index].words);
        let result = self.word_into(place, &mut words);
        self.script.commands[index].words = words;
        result
    }

    /// Reads an assignment before a program.
    fn assignment(&mut self, index: usize) -> ParseResult<bool> {
        let start = self.at;
        let mut at = start;
        if !self.byte(at).is_ascii_alphabetic() && self.byte(at) != b'_' {
            return Ok(false);
        }
        while is_name(self.byte(at)) {
            at = self.after(at);
        }
        let name_end = at;
        let bash = self.is_bash();
        match self.byte(at) {
            b'=' => {}
            b'+' if self.byte(self.after(at)) == b'=' => {
                if !bash {
                    return Ok(false);
                }
                self.differs(&[Dialect::Dash, Dialect::Ash]);
            }
            b'[' => {
                if !bash {
                    return Ok(false);
                }
                let Some(end) = self.subscript_end(at) else {
                    // Bash looks for the end on the next lines, too, where others read a here-document.
                    self.doubt(DoubtKind::ShellsDiffer, start, at);
                    return Ok(false);
                };
                at = self.after(end);
                let is_assignment = self.byte(at) == b'=' || self.byte(at) == b'+' && self.byte(self.after(at)) == b'=';
                self.differs(&[Dialect::Dash, Dialect::Ash]);
                let from = self.after(name_end);
                self.arithmetic_region(from, end)?;
                if !is_assignment {
                    self.at = at;
                    return self.program_with_subscript(index, start).map(|()| true);
                }
            }
            _ => return Ok(false),
        }
        let name = self.name(start, name_end);
        let element = self.byte(name_end) == b'[';
        self.at = at;
        let append = self.eat(b"+=");
        if !append {
            self.expect(b'=')?;
        }
        let (value, array) = if self.peek() == b'(' && bash { (self.array()?, true) } else { (self.value()?, element) };
        let span = self.span(start, self.at);
        self.script.commands[index].assignments.push(Assignment { name, array, append, value, each: Vec::new(), span });
        Ok(true)
    }

    /// Reads the rest of a word such as `a[1]b`: the name of a program, however strange.
    fn program_with_subscript(&mut self, index: usize, start: usize) -> ParseResult {
        let mut word = Word { parts: vec![Part::Unknown { splits: true }], span: self.span(start, self.at) };
        if !is_delimiter(self.peek()) {
            word.parts.extend(self.single_word(WordPosition::Argument)?.parts);
        }
        self.script.commands[index].words.push(word);
        Ok(())
    }

    /// Reads the value of an assignment, which can be empty.
    pub(super) fn value(&mut self) -> ParseResult<Word> {
        let at_word = !is_delimiter(self.peek()) || self.is_process_substitution();
        if at_word {
            self.single_word(WordPosition::Value)
        } else {
            Ok(Word { parts: vec![], span: self.span(self.at, self.at) })
        }
    }

    /// Reads `( WORDS )` after `NAME=`.
    pub(super) fn array(&mut self) -> ParseResult<Word> {
        let start = self.at;
        self.bump();
        let mut words = Vec::new();
        self.nested(|parser| {
            loop {
                if !parser.pending.is_empty() && parser.peek() == b'\n' {
                    parser.doubt_at(DoubtKind::ShellsDiffer, parser.at);
                }
                parser.skip_lines()?;
                match parser.peek() {
                    b')' => return Ok(()),
                    b'[' => {
                        // `[KEY]=VALUE`
                        if let Some(end) = parser.subscript_end(parser.at)
                            && parser.byte(parser.after(end)) == b'='
                        {
                            let from = parser.after(parser.at);
                            parser.arithmetic_region(from, end)?;
                            parser.at = parser.after(end);
                            parser.bump();
                            words.push(parser.value()?);
                            continue;
                        }
                    }
                    byte if is_delimiter(byte) && !parser.is_process_substitution() => return Err(Stop::Syntax),
                    _ => {}
                }
                parser.word_into(WordPosition::Argument, &mut words)?;
                parser.spend(1)?;
            }
        })?;
        self.bump();
        let parts = words.into_iter().flat_map(|word| word.parts).collect();
        Ok(Word { parts, span: self.span(start, self.at) })
    }

    /// Returns a name without line continuations.
    pub(super) fn name(&self, start: usize, end: usize) -> String {
        let mut name = String::with_capacity(end.saturating_sub(start));
        let mut at = start;
        while at < end {
            name.push(char::from(self.byte(at)));
            at = self.after(at);
        }
        name
    }

    /// Reads `() BODY`. The command at `index` has the name.
    fn function_after_name(&mut self, index: usize) -> ParseResult {
        let start = self.at;
        self.bump();
        self.skip_blanks();
        self.expect(b')')?;
        let word = &self.script.commands[index].words[0];
        let (name, span) = (word.literal().map(std::borrow::Cow::into_owned), word.span);
        let has_commands = index + 1 < self.script.commands.len();
        if name.is_none() || has_commands {
            self.doubt(DoubtKind::Redefined, start, self.at);
        }
        if has_commands {
            // Without it, the commands inside the name would have other ids.
            self.script.commands[index].span = span;
        } else {
            self.script.commands.pop();
        }
        self.function_body(name.unwrap_or_default())
    }

    pub(super) fn function_body(&mut self, name: String) -> ParseResult {
        self.skip_lines()?;
        self.nested(|parser| parser.scoped(ScopeKind::Function(name), Self::command))
    }

    /// Reads `function NAME [()] BODY`, which dash does not have.
    pub(super) fn function(&mut self, keyword: Keyword) -> ParseResult {
        self.differs(&[Dialect::Dash]);
        self.at = keyword.end;
        self.skip_blanks();
        let start = self.at;
        let word = self.single_word(WordPosition::Program)?;
        self.skip_blanks();
        if self.peek() == b'(' {
            self.bump();
            self.skip_blanks();
            self.expect(b')')?;
        }
        let name = word.literal().map(std::borrow::Cow::into_owned);
        if name.is_none() {
            self.doubt(DoubtKind::Redefined, start, self.at);
        }
        self.function_body(name.unwrap_or_default())
    }

    /// Reads `time` and its option. Returns false if it is the program of this name.
    pub(super) fn time(&mut self) -> bool {
        let start = self.at;
        let keyword = self.keyword();
        let mut ahead = keyword.end;
        while matches!(self.byte(ahead), b' ' | b'\t') {
            ahead = self.after(ahead);
        }
        let is_option = self.byte(ahead) == b'-';
        let next = self.after(ahead);
        let is_own = matches!(self.byte(next), b'p' | b'-') && is_delimiter(self.byte(self.after(next)));
        if is_option && !is_own {
            return false;
        }
        let index = self.begin();
        let mut words = vec![Word::plain("time", self.span(start, keyword.end))];
        self.at = keyword.end;
        if is_own {
            let option = if self.byte(next) == b'p' { "-p" } else { "--" };
            words.push(Word::plain(option, self.span(ahead, next + 1)));
            self.at = self.after(next);
            self.skip_blanks();
            if option == "-p" && self.keyword().text() == b"--" {
                self.at = self.keyword().end;
            }
        }
        let span = self.span(start, self.at);
        let command = &mut self.script.commands[index];
        (command.words, command.span) = (words, span);
        self.skip_blanks();
        true
    }
}

/// Returns whether nothing of a command has been read.
fn is_empty(command: &SimpleCommand) -> bool {
    command.words.is_empty() && command.assignments.is_empty() && command.redirects.is_empty()
}
