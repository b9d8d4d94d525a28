//! The output of a command in bounded memory: its beginning and its end, which usually matter most.

use std::collections::VecDeque;
use std::fmt::Write;

use super::escapes::EscapeFilter;

/// The number of characters that are kept from the beginning.
const HEAD_CHARS: usize = 20_000;
/// The number of characters that are kept from the end.
const TAIL_CHARS: usize = 30_000;

/// Decodes output, removes escape sequences, and keeps the beginning and the end.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// The first bytes of a character that is not complete yet.
    incomplete: Vec<u8>,
    escapes: EscapeFilter,
    head: String,
    head_chars: usize,
    tail: VecDeque<char>,
    omitted: usize,
}

impl Transcript {
    /// Appends a piece of the output, which may begin or end within a character or an escape sequence.
    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        let mut all = std::mem::take(&mut self.incomplete);
        all.extend_from_slice(bytes);
        let complete = all.len() - incomplete_len(&all);
        self.incomplete = all.split_off(complete);
        for c in String::from_utf8_lossy(&all).chars() {
            self.push(c);
        }
    }

    /// Returns the text, with a mark in place of removed characters.
    pub(super) fn finish(mut self) -> String {
        if !self.incomplete.is_empty() {
            self.push(char::REPLACEMENT_CHARACTER);
        }
        let mut text = self.head;
        if self.omitted > 0 {
            let _ = writeln!(text, "\n[... {} characters left out ...]", self.omitted);
        }
        text.extend(self.tail);
        text
    }

    fn push(&mut self, c: char) {
        let Some(c) = self.escapes.filter(c) else { return };
        if self.head_chars < HEAD_CHARS {
            self.head_chars += 1;
            self.head.push(c);
            return;
        }
        if self.tail.len() == TAIL_CHARS {
            self.tail.pop_front();
            self.omitted += 1;
        }
        self.tail.push_back(c);
    }
}

/// Returns the number of bytes at the end that begin an incomplete character.
fn incomplete_len(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let is_incomplete = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
    if is_incomplete { last.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut transcript = Transcript::default();
        pieces.into_iter().for_each(|piece| transcript.push_bytes(piece));
        transcript.finish()
    }

    #[test]
    fn output_may_be_split_within_a_character() {
        let text = "a\u{1b}[1mb\u{1b}[0m ü 日本 \u{1f600}\r\nend";
        assert_eq!(transcript(text.as_bytes().chunks(1)), "ab ü 日本 \u{1f600}\nend");
        assert_eq!(transcript(text.as_bytes().chunks(3)), "ab ü 日本 \u{1f600}\nend");
        assert_eq!(transcript([&b"a\xff\xfeb\xe6"[..]]), "a\u{fffd}\u{fffd}b\u{fffd}");
    }

    #[test]
    fn the_middle_of_long_output_is_left_out() {
        let all = "x".repeat(HEAD_CHARS) + "middle" + &"y".repeat(TAIL_CHARS);
        let kept = transcript(all.as_bytes().chunks(1000));
        let expected = "x".repeat(HEAD_CHARS) + "\n[... 6 characters left out ...]\n" + &"y".repeat(TAIL_CHARS);
        assert!(kept == expected);
        let fits = "é".repeat(HEAD_CHARS + TAIL_CHARS);
        assert!(transcript([fits.as_bytes()]) == fits);
    }
}
