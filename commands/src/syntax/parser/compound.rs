//! Compound commands.

use super::cursor::is_delimiter;
use super::list::End;
use super::word::WordPosition;
use super::{ParseResult, Parser, Stop};
use crate::doubt::DoubtKind;
use crate::syntax::dialect::Dialect;
use crate::syntax::script::{Assignment, ScopeKind};
use crate::syntax::word::{Part, Word};
use crate::work::COMMAND;

impl Parser<'_, '_> {
    /// Reads a command: simple or compound.
    pub(super) fn command(&mut self) -> ParseResult {
        self.spend(COMMAND)?;
        self.skip_blanks();
        if self.peek() == b'(' {
            if self.is_bash()
                && self.peek_second() == b'('
                && self.compound(ScopeKind::Group, Self::arithmetic_or_not)?
            {
                return Ok(());
            }
            return self.compound(ScopeKind::Subshell, |parser| {
                parser.bump();
                parser.list(End::Parenthesis)?;
                parser.expect(b')')
            });
        }
        if !matches!(self.peek(), b'{' | b'}' | b'[' | b'a'..=b'z') {
            return self.simple_command();
        }
        let keyword = self.keyword();
        match keyword.text() {
            b"{" => self.compound(ScopeKind::Group, |parser| {
                parser.at = keyword.end;
                parser.list(End::Words(&[b"}"]))?;
                parser.word_end(b"}")
            }),
            b"if" => self.compound(ScopeKind::Group, |parser| parser.if_command(keyword.end)),
            b"while" | b"until" => self.compound(ScopeKind::Group, |parser| parser.while_command(keyword.end)),
            b"for" => self.compound(ScopeKind::Group, |parser| parser.for_command(keyword.end)),
            b"select" if self.is_bash() => self.compound(ScopeKind::Group, |parser| parser.for_command(keyword.end)),
            b"case" => self.compound(ScopeKind::Group, |parser| parser.case_command(keyword.end)),
            b"[[" if self.is_bash() => {
                self.differs(&[Dialect::Dash, Dialect::Ash]);
                self.compound(ScopeKind::Group, |parser| parser.conditional(keyword.end))
            }
            b"function" if self.dialect != Dialect::Dash => {
                if is_delimiter(self.byte(keyword.end)) && !matches!(self.byte(keyword.end), b' ' | b'\t') {
                    return Err(Stop::Syntax);
                }
                self.compound(ScopeKind::Group, |parser| parser.function(keyword))
            }
            b"coproc" if self.is_bash() => self.coprocess(keyword.end),
            b"then" | b"else" | b"elif" | b"fi" | b"do" | b"done" | b"esac" | b"}" => Err(Stop::Syntax),
            // The keyword is only the beginning of a longer word.
            _ => self.simple_command(),
        }
    }

    /// Reads a compound command and its redirections.
    fn compound<T>(&mut self, kind: ScopeKind, read: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        let (scope, value) = self.nested(|parser| {
            parser.scoped(kind, |parser| {
                let scope = parser.scope;
                Ok((scope, read(parser)?))
            })
        })?;
        self.redirects_of(scope)?;
        Ok(value)
    }

    fn arithmetic_or_not(&mut self) -> ParseResult<bool> {
        self.arithmetic_command()
    }

    /// Skips a reserved word that ends a list.
    fn word_end(&mut self, word: &[u8]) -> ParseResult {
        let keyword = self.keyword();
        if keyword.text() != word {
            return Err(Stop::Syntax);
        }
        self.at = keyword.end;
        Ok(())
    }

    fn if_command(&mut self, after: usize) -> ParseResult {
        self.at = after;
        self.list(End::Words(&[b"then"]))?;
        self.word_end(b"then")?;
        loop {
            self.scoped(ScopeKind::Branch, |parser| parser.list(End::Words(&[b"elif", b"else", b"fi"])))?;
            let keyword = self.keyword();
            self.at = keyword.end;
            match keyword.text() {
                b"elif" => {
                    self.scoped(ScopeKind::Branch, |parser| parser.list(End::Words(&[b"then"])))?;
                    self.word_end(b"then")?;
                }
                b"else" => {
                    self.scoped(ScopeKind::Branch, |parser| parser.list(End::Words(&[b"fi"])))?;
                    return self.word_end(b"fi");
                }
                _ => return Ok(()),
            }
        }
    }

    fn while_command(&mut self, after: usize) -> ParseResult {
        self.at = after;
        self.scoped(ScopeKind::Loop, |parser| {
            parser.list(End::Words(&[b"do"]))?;
            parser.word_end(b"do")?;
            parser.list(End::Words(&[b"done"]))?;
            parser.word_end(b"done")
        })
    }

    /// Reads `for` and `select`.
    fn for_command(&mut self, after: usize) -> ParseResult {
        let start = self.at;
        self.at = after;
        self.skip_blanks();
        if self.is_bash() && self.peek() == b'(' && self.peek_second() == b'(' {
            if !self.arithmetic_command()? {
                return Err(Stop::Syntax);
            }
        } else {
            let name_start = self.at;
            let variable = self.single_word(WordPosition::Value)?;
            let Some(name) = variable.literal().map(std::borrow::Cow::into_owned) else { return Err(Stop::Syntax) };
            let index = self.begin();
            let span = self.span(name_start, self.at);
            let mut words = vec![];
            self.skip_lines()?;
            let keyword = self.keyword();
            if keyword.text() == b"in" {
                self.at = keyword.end;
                loop {
                    self.skip_blanks();
                    if is_delimiter(self.peek()) && !self.is_process_substitution() || self.peek() == b'#' {
                        break;
                    }
                    self.word_into(WordPosition::Argument, &mut words)?;
                }
                self.skip_comment();
                if !matches!(self.peek(), b';' | b'\n') {
                    return Err(Stop::Syntax);
                }
            } else {
                words.push(Word { parts: vec![Part::Unknown { splits: true }], span });
            }
            let parts = words.iter().flat_map(|word| word.parts.iter().cloned()).collect();
            let value = Word { parts, span };
            let assignment = Assignment { name, array: true, append: false, value, each: words, span };
            let whole = self.span(start, self.at);
            let command = &mut self.script.commands[index];
            command.assignments.push(assignment);
            command.span = whole;
        }
        self.skip_comment();
        if self.peek() == b';' {
            self.bump();
        }
        self.skip_lines()?;
        let keyword = self.keyword();
        let end: &'static [&'static [u8]] = match keyword.text() {
            b"do" => &[b"done"],
            b"{" if self.is_bash() => &[b"}"],
            _ => return Err(Stop::Syntax),
        };
        self.at = keyword.end;
        self.scoped(ScopeKind::Loop, |parser| parser.list(End::Words(end)))?;
        self.word_end(end[0])
    }

    fn case_command(&mut self, after: usize) -> ParseResult {
        self.at = after;
        self.skip_blanks();
        self.single_word(WordPosition::Value)?;
        self.skip_lines()?;
        self.word_end(b"in")?;
        loop {
            self.skip_lines()?;
            if self.keyword().text() == b"esac" {
                return self.word_end(b"esac");
            }
            if self.peek() == b'(' {
                self.bump();
                self.skip_blanks();
            }
            loop {
                self.single_word(WordPosition::Pattern)?;
                self.skip_blanks();
                if self.peek() != b'|' {
                    break;
                }
                self.bump();
                self.skip_blanks();
            }
            self.expect(b')')?;
            self.scoped(ScopeKind::Branch, |parser| parser.list(End::CaseItem))?;
            if self.peek() == b';' {
                self.bump();
                self.bump();
                if self.is_bash() && self.peek() == b'&' {
                    self.bump();
                }
            }
            self.spend(1)?;
        }
    }

    /// Reads `coproc [NAME] COMMAND`.
    fn coprocess(&mut self, after: usize) -> ParseResult {
        let start = self.at;
        let index = self.begin();
        self.at = after;
        let span = self.span(start, after);
        let command = &mut self.script.commands[index];
        (command.words, command.span) = (vec![Word::plain("coproc", span)], span);
        self.skip_blanks();
        // A name is followed by a compound command.
        let mut ahead = self.at;
        while super::cursor::is_name(self.byte(ahead)) {
            ahead = self.after(ahead);
        }
        let name_end = ahead;
        while matches!(self.byte(ahead), b' ' | b'\t') {
            ahead = self.after(ahead);
        }
        let before = std::mem::replace(&mut self.at, ahead);
        let is_compound = self.peek() == b'('
            || matches!(
                self.keyword().text(),
                b"{" | b"if" | b"while" | b"until" | b"for" | b"select" | b"case" | b"[["
            );
        self.at = before;
        let first = self.keyword();
        let is_reserved = matches!(first.text(), b"if" | b"while" | b"until" | b"for" | b"select" | b"case");
        if is_compound && name_end > before && !is_reserved {
            let name = self.name(before, name_end);
            let word = Word::plain(&name, self.span(before, name_end));
            self.script.commands[index].words.push(word);
            self.script.assigned.push(name);
            self.at = ahead;
        }
        if is_delimiter(self.peek()) && self.peek() != b'(' && !matches!(self.peek(), b'<' | b'>') {
            self.doubt(DoubtKind::Syntax, start, after);
            return Ok(());
        }
        self.nested(|parser| parser.scoped(ScopeKind::Background, Self::command))
    }
}
