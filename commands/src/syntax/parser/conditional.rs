//! `[[ ... ]]`, in which `<`, `&&` and parentheses are operators of the expression.

use super::cursor::is_delimiter;
use super::word::WordPosition;
use super::{ParseResult, Parser, Stop};
use crate::syntax::word::Word;

impl Parser<'_, '_> {
    /// Reads an expression after `[[`, and records it as a command with its operands and operators as words.
    pub(super) fn conditional(&mut self, after: usize) -> ParseResult {
        let start = self.at;
        let index = self.begin();
        self.at = after;
        let mut words = vec![Word::plain("[[", self.span(start, after))];
        let result = self.expression(&mut words);
        let span = self.span(start, self.at);
        let command = &mut self.script.commands[index];
        (command.words, command.span) = (words, span);
        result
    }

    fn expression(&mut self, words: &mut Vec<Word>) -> ParseResult {
        loop {
            self.skip_lines()?;
            let start = self.at;
            if self.keyword().text() == b"]]" {
                self.at = self.keyword().end;
                words.push(Word::plain("]]", self.span(start, self.at)));
                return Ok(());
            }
            let text = match (self.peek(), self.peek_second()) {
                _ if self.is_process_substitution() => "",
                (b'&', b'&') => "&&",
                (b'|', b'|') => "||",
                (b'(', _) => "(",
                (b')', _) => ")",
                (b'<', _) => "<",
                (b'>', _) => ">",
                (byte, _) if is_delimiter(byte) => return Err(Stop::Syntax),
                _ => "",
            };
            if text.is_empty() {
                let is_pattern = words.last().and_then(Word::literal).as_deref() == Some("=~");
                let word =
                    if is_pattern { self.regular_expression()? } else { self.single_word(WordPosition::Pattern)? };
                words.push(word);
            } else {
                for _ in 0..text.len() {
                    self.bump();
                }
                words.push(Word::plain(text, self.span(start, self.at)));
            }
        }
    }

    /// Reads the operand of `=~`, in which parentheses and `|` need no quotes.
    fn regular_expression(&mut self) -> ParseResult<Word> {
        let start = self.at;
        let mut word = Word::default();
        let mut depth = 0_u32;
        loop {
            let from = self.at;
            match self.peek() {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b' ' | b'\t' | b'|' | b'<' | b'>' | b'&' | b';' if depth > 0 => {}
                b'|' if self.peek_second() != b'|' => {}
                byte if is_delimiter(byte) => break,
                _ => {
                    word.parts.extend(self.single_word(WordPosition::Pattern)?.parts);
                    continue;
                }
            }
            self.bump();
            let sign = Word::plain(&self.text[from..=from], self.span(from, self.at));
            word.parts.extend(sign.parts);
            self.spend(1)?;
        }
        if self.at == start {
            return Err(Stop::Syntax);
        }
        word.span = self.span(start, self.at);
        Ok(word)
    }
}
