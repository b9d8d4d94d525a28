//! A cursor over JSON text that knows the common case of everything and hands the rest to `serde_json`.
//!
//! Through `serde_json`'s deserializer the strict reading takes twice as long as a derived one; most of that
//! goes into values that are handed up level by level. Every method here gives `None` for what is not JSON.

use serde_json::Number;

use crate::data::number;
use crate::text::json::plain;

pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte that is not white space, which it comes to stand on.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(&byte) if byte > b' ' => Some(byte),
            _ => self.peek_behind_space(),
        }
    }

    fn peek_behind_space(&mut self) -> Option<u8> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().position(|byte| !is_space(byte)).unwrap_or(rest.len());
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over white space and `byte`, if that comes next.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over `word`, where it stands.
    #[inline]
    pub(super) fn word(&mut self, word: &str) -> Option<()> {
        let found = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        found.then_some(())
    }

    /// Steps to the next entry of an array or object that ends with `close`: false where that comes.
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
        // A comma is no end: what follows has to be an entry.
        (self.peek()? != close).then_some(true)
    }

    /// Steps over `key`, a name in its quotes, and the colon after it, if they come next. Otherwise over nothing.
    #[inline]
    pub(super) fn key(&mut self, key: &str) -> bool {
        let end = self.at + key.len();
        if !self.text.as_bytes().get(self.at..end).is_some_and(|next| same(next, key.as_bytes())) {
            return false;
        }
        let start = std::mem::replace(&mut self.at, end);
        let found = self.eat(b':');
        if !found {
            self.at = start;
        }
        found
    }

    /// A string as it stands, if there are no escapes in it.
    #[inline]
    pub(super) fn plain_string(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let end = start + plain(bytes.get(start..)?);
        if bytes.get(self.at) != Some(&b'"') || bytes.get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    /// A string with escapes.
    pub(super) fn escaped_string(&mut self) -> Option<String> {
        let start = self.at;
        self.at = self.closing_quote()? + 1;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    /// Where the string ends that begins here.
    fn closing_quote(&self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            end += plain(bytes.get(end..)?);
            match bytes.get(end)? {
                b'"' => return Some(end),
                b'\\' => end += 2,
                _ => return None,
            }
        }
    }

    /// An integer in the plainest form and small enough for an `i64` whatever its digits.
    #[inline]
    pub(super) fn plain_integer(&mut self) -> Option<i64> {
        const SAFE: usize = 18;
        let rest = self.text.as_bytes().get(self.at..)?;
        let negative = rest.first() == Some(&b'-');
        let digits = if negative { &rest[1..] } else { rest };
        let (mut size, mut count) = (0, 0);
        while let Some(digit) = digits.get(count).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            if count == SAFE {
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

    /// Steps over one value that something follows, looking at nothing but strings and brackets, and gives
    /// its text.
    pub(super) fn skip(&mut self) -> Option<&'a str> {
        self.peek()?;
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let mut open = 0_usize;
        loop {
            match bytes.get(self.at)? {
                b'[' | b'{' => open += 1,
                b',' | b']' | b'}' if open == 0 => return self.text.get(start..self.at),
                b']' | b'}' => open -= 1,
                b'"' => self.at = self.closing_quote()?,
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

    /// Whether nothing but white space is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }
}

/// Whether two short texts are equal: for these few bytes a call of `memcmp` takes longer than they do.
#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    // The last ones of a length may have been among the first: that costs less than to take them one by one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_are_told_apart_at_every_byte() {
        let text = b"0123456789abcdefghijkl";
        for length in 0..text.len() {
            let text = &text[..length];
            assert!(same(text, text) && !same(text, b"0123456789abcdefghijklm"));
            for at in 0..length {
                let mut other = text.to_vec();
                other[at] ^= 1;
                assert!(!same(text, &other), "{length} {at}");
            }
        }
    }
}
