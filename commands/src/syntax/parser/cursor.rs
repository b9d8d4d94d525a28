//! Reading bytes, without line continuations.

use super::{ParseResult, Parser, Stop};
use crate::characters::{UNKNOWN, is_invisible};
use crate::doubt::DoubtKind;

/// Returns whether a byte ends an unquoted word.
pub(super) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, 0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// Returns whether a byte can be in a variable's name.
pub(super) fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

impl Parser<'_, '_> {
    /// Returns the next byte; 0 at the end.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.byte(self.at)
    }

    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the position of the byte after the one at `at`.
    #[inline]
    pub(super) fn after(&self, at: usize) -> usize {
        let mut next = at + 1;
        while self.byte(next) == b'\\' && self.byte(next + 1) == b'\n' {
            next += 2;
        }
        next
    }

    /// Returns the byte after the next one.
    #[inline]
    pub(super) fn peek_second(&self) -> u8 {
        self.byte(self.after(self.at))
    }

    #[inline]
    pub(super) fn bump(&mut self) {
        self.at = self.after(self.at);
    }

    pub(super) fn skip_continuations(&mut self) {
        while self.peek() == b'\\' && self.byte(self.at + 1) == b'\n' {
            self.at += 2;
        }
    }

    /// Skips these bytes if they come next. Returns whether they did.
    pub(super) fn eat(&mut self, bytes: &[u8]) -> bool {
        let mut at = self.at;
        for byte in bytes {
            if self.byte(at) != *byte {
                return false;
            }
            at = self.after(at);
        }
        self.at = at;
        true
    }

    pub(super) fn expect(&mut self, byte: u8) -> ParseResult {
        if self.eat(&[byte]) { Ok(()) } else { Err(Stop::Syntax) }
    }

    /// Skips spaces and tabs.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.bump();
        }
    }

    /// Skips spaces and a comment, up to the end of the line.
    pub(super) fn skip_comment(&mut self) {
        self.skip_blanks();
        if self.peek() == b'#' {
            while !self.is_at_end() && self.peek() != b'\n' {
                self.at += 1;
            }
        }
    }

    /// Skips spaces, comments and empty lines.
    pub(super) fn skip_lines(&mut self) -> ParseResult {
        loop {
            self.skip_comment();
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Skips the end of a line, and reads the bodies of its here-documents.
    pub(super) fn newline(&mut self) -> ParseResult {
        self.at += 1;
        if !self.pending.is_empty() {
            self.here_documents()?;
        }
        self.skip_continuations();
        self.spend(1)
    }

    /// Takes a character that is not ASCII, outside of quotes. Returns `None` for unknown text.
    pub(super) fn take_char(&mut self) -> Option<char> {
        let Some(c) = self.text[self.at..].chars().next() else { return Some('\0') };
        let start = self.at;
        self.at += c.len_utf8();
        self.skip_continuations();
        if c == UNKNOWN {
            return None;
        }
        if is_invisible(c, self.text[..start].chars().next_back()) {
            self.doubt(DoubtKind::Invisible, start, start + c.len_utf8());
        }
        Some(c)
    }

    /// Returns the beginning of the unquoted word at the cursor, long enough to recognise reserved words.
    pub(super) fn keyword(&self) -> Keyword {
        let mut keyword = Keyword::default();
        let mut at = self.at;
        loop {
            let byte = self.byte(at);
            if is_delimiter(byte) || keyword.len == keyword.bytes.len() {
                return keyword;
            }
            keyword.bytes[keyword.len] = byte;
            at = self.after(at);
            keyword.len += 1;
            keyword.end = at;
        }
    }
}

/// The beginning of a word, to compare with reserved words.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Keyword {
    bytes: [u8; 9],
    len: usize,
    /// The position after the word.
    pub(super) end: usize,
}

impl Keyword {
    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
