//! A cursor over JSON text. It handles the common cases itself, and leaves the rest to `serde_json`.
//!
//! With `serde_json`'s deserializer, the strict reading takes twice as long as a derived one, mostly for values that
//! are passed up level by level. Every method here returns `None` for invalid JSON.

use serde_json::Number;

use crate::number;
use crate::text::json::{plain_len, string_len};

#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Skips white space, and returns the next byte without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(&byte) if byte > b' ' => Some(byte),
            _ => self.peek_after_space(),
        }
    }

    fn peek_after_space(&mut self) -> Option<u8> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().position(|byte| !is_space(byte)).unwrap_or(rest.len());
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and `byte`, if that comes next.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips `word` at the current position.
    #[inline]
    pub(super) fn word<const N: usize>(&mut self, word: &[u8; N]) -> Option<()> {
        let found = self.text.as_bytes().get(self.at..)?.first_chunk() == Some(word);
        self.at += N;
        found.then_some(())
    }

    /// Moves to the next entry of an array or object that ends with `close`. Returns false at its end.
    #[inline]
    pub(super) fn next(&mut self, first: bool, close: u8) -> Option<bool> {
        match self.peek()? {
            byte if byte == close => {
                self.at += 1;
                return Some(false);
            }
            b',' if !first => self.at += 1,
            _ if first => return Some(true),
            _ => return None,
        }
        // After a comma, an entry must follow.
        (self.peek()? != close).then_some(true)
    }

    /// Skips `key`, a quoted name, and the colon after it, if they come next. Otherwise it skips nothing.
    #[inline]
    pub(super) fn key(&mut self, key: &str) -> bool {
        let end = self.at + key.len();
        match self.text.as_bytes().get(self.at..=end) {
            Some([next @ .., after]) if same(next, key.as_bytes()) => match after {
                b':' => {
                    self.at = end + 1;
                    true
                }
                _ => self.colon_after_space(end),
            },
            _ => false,
        }
    }

    /// Moves to the end of the colon that follows white space at `end`. Otherwise it skips nothing.
    #[cold]
    fn colon_after_space(&mut self, end: usize) -> bool {
        let start = std::mem::replace(&mut self.at, end);
        let found = self.eat(b':');
        if !found {
            self.at = start;
        }
        found
    }

    /// Reads a string without escapes, borrowed from the text.
    #[inline]
    pub(super) fn plain_string(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let end = start + plain_len(bytes.get(start..)?);
        if bytes.get(self.at) != Some(&b'"') || bytes.get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    /// Reads a string with escapes.
    pub(super) fn escaped_string(&mut self) -> Option<String> {
        let rest = self.text.get(self.at..)?;
        let len = string_len(rest)?;
        self.at += len;
        serde_json::from_str(&rest[..len]).ok()
    }

    /// Reads an integer of at most 18 digits, which always fits an `i64`.
    #[inline]
    pub(super) fn plain_integer(&mut self) -> Option<i64> {
        const MAX_DIGITS: usize = 18;
        let rest = self.text.as_bytes().get(self.at..)?;
        let negative = rest.first() == Some(&b'-');
        let digits = if negative { &rest[1..] } else { rest };
        let (mut size, mut count) = (0, 0);
        while let Some(digit) = digits.get(count).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            if count == MAX_DIGITS {
                return None;
            }
            size = 10 * size + i64::from(digit);
            count += 1;
        }
        if !matches!(digits.first(), Some(b'1'..=b'9')) || matches!(digits.get(count), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.at += usize::from(negative) + count;
        Some(if negative { -size } else { size })
    }

    pub(super) fn number(&mut self) -> Option<Number> {
        if let Some(integer) = self.plain_integer() {
            return Some(integer.into());
        }
        let rest = self.text.as_bytes().get(self.at..)?;
        let end = rest.iter().position(|b| !matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        let start = self.at;
        self.at += end.unwrap_or(rest.len());
        number::parse(self.text.get(start..self.at)?)
    }

    /// Skips one value inside an array or object, and returns its text. It only looks at strings and brackets; the text may be
    /// invalid JSON.
    pub(super) fn skip(&mut self) -> Option<&'a str> {
        self.peek()?;
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let mut open = 0_usize;
        loop {
            match bytes.get(self.at)? {
                b'[' | b'{' => open += 1,
                b',' | b']' | b'}' if open == 0 => return self.text.get(start..self.at),
                b']' | b'}' => open -= 1,
                b'"' => self.at += string_len(&self.text[self.at..])? - 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 1;
            if open == 0 {
                return self.text.get(start..self.at);
            }
        }
    }

    /// Returns whether only white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }
}

/// Returns whether two short texts are equal. For few bytes, this is faster than a call of `memcmp`.
#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if let (Some([a, b, c]), Some([d, e, f])) = (three_words(a), three_words(b)) {
        return (a ^ d) | (b ^ e) | (c ^ f) == 0;
    }
    // The last chunk may overlap with the first, which is cheaper than comparing single bytes.
    if let (Some(a_end), Some(b_end)) = (a.last_chunk::<8>(), b.last_chunk::<8>()) {
        let (a, b) = (a.as_chunks().0, b.as_chunks().0);
        let word = |bytes: &[u8; 8]| u64::from_ne_bytes(*bytes);
        word(a_end) == word(b_end) && a.iter().zip(b).all(|(a, b)| word(a) == word(b))
    } else if let (Some(a_start), Some(a_end), Some(b_start), Some(b_end)) =
        (a.first_chunk(), a.last_chunk(), b.first_chunk(), b.last_chunk())
    {
        let word = |bytes: &[u8; 4]| u32::from_ne_bytes(*bytes);
        word(a_start) == word(b_start) && word(a_end) == word(b_end)
    } else {
        a.iter().zip(b).all(|(a, b)| a == b)
    }
}

/// Returns three words that have every byte of a text of 8 to 24 bytes, as most names are. They overlap in shorter texts. Unlike a loop
/// over the words, this has no branch that depends on the length.
#[inline]
pub(crate) fn three_words(text: &[u8]) -> Option<[u64; 3]> {
    let middle = text.len().checked_sub(8)? / 2;
    if text.len() > 24 {
        return None;
    }
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    Some([word(text.first_chunk()?), word(text.get(middle..)?.first_chunk()?), word(text.last_chunk()?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_at_every_byte_are_found() {
        let text: Vec<u8> = (0..40).collect();
        for length in 0..text.len() {
            let text = &text[..length];
            assert!(same(text, text) && !same(text, &[0; 50]));
            for at in 0..length {
                let mut other = text.to_vec();
                other[at] ^= 1;
                assert!(!same(text, &other), "{length} {at}");
            }
        }
    }
}
