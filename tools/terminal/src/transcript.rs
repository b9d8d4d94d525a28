//! The output of a command in bounded memory: its beginning and its end, which usually matter most.

use std::collections::VecDeque;
use std::fmt::Write;

use super::escapes::EscapeFilter;

/// The number of characters that are kept from the beginning.
const HEAD_CHARS: usize = 20_000;
/// The number of characters that are kept from the end.
const TAIL_CHARS: usize = 30_000;

/// Decodes output and removes escape sequences.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The first bytes of a character that is not complete yet.
    incomplete: Vec<u8>,
    escapes: EscapeFilter,
}

impl Decoder {
    /// Passes the characters of a piece of the output to `push`. The piece may begin or end within a character or an escape sequence.
    pub(super) fn decode(&mut self, bytes: &[u8], mut push: impl FnMut(char)) {
        let joined;
        let mut all = bytes;
        if !self.incomplete.is_empty() {
            self.incomplete.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.incomplete);
            all = &joined;
        }
        let complete = all.len() - incomplete_len(all);
        for c in String::from_utf8_lossy(&all[..complete]).chars() {
            if let Some(c) = self.escapes.filter(c) {
                push(c);
            }
        }
        self.incomplete = all[complete..].to_vec();
    }

    /// Passes what is left at the end of the output to `push`.
    fn finish(&mut self, mut push: impl FnMut(char)) {
        if !std::mem::take(&mut self.incomplete).is_empty()
            && let Some(c) = self.escapes.filter(char::REPLACEMENT_CHARACTER)
        {
            push(c);
        }
    }
}

/// Keeps the beginning and the end of output.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    decoder: Decoder,
    kept: Kept,
}

#[derive(Debug, Default)]
struct Kept {
    head: String,
    head_chars: usize,
    tail: VecDeque<char>,
    omitted: usize,
}

impl Transcript {
    /// Returns the beginning and the end of a text.
    pub(super) fn shorten(text: &str) -> String {
        let mut kept = Kept::default();
        text.chars().for_each(|c| kept.push(c));
        kept.finish()
    }

    /// Appends a piece of the output.
    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        self.decoder.decode(bytes, |c| self.kept.push(c));
    }

    /// Returns the text, with a mark in place of removed characters.
    pub(super) fn finish(mut self) -> String {
        self.decoder.finish(|c| self.kept.push(c));
        self.kept.finish()
    }
}

impl Kept {
    fn push(&mut self, c: char) {
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

    fn finish(self) -> String {
        let mut text = self.head;
        if self.omitted > 0 {
            let _ = writeln!(text, "\n[... {} characters left out ...]", self.omitted);
        }
        text.extend(self.tail);
        text
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
