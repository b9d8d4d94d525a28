//! What a command printed, in bounded memory: the beginning and the end, where what matters mostly stands.

use std::collections::VecDeque;
use std::fmt::Write;

use super::escapes::Plain;

/// Characters kept from the beginning.
const HEAD: usize = 20_000;
/// Characters kept from the end.
const TAIL: usize = 30_000;

/// Bytes in, readable text out.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// The beginning of a character whose end has not come yet.
    cut: Vec<u8>,
    plain: Plain,
    head: String,
    in_head: usize,
    tail: VecDeque<char>,
    omitted: usize,
}

impl Transcript {
    /// Takes in output as it comes, wherever it is cut.
    pub(super) fn take_in(&mut self, bytes: &[u8]) {
        let mut bytes =
            if self.cut.is_empty() { bytes.to_vec() } else { [&*std::mem::take(&mut self.cut), bytes].concat() };
        let complete = bytes.len() - incomplete(&bytes);
        self.cut = bytes.split_off(complete);
        for c in String::from_utf8_lossy(&bytes).chars() {
            self.take(c);
        }
    }

    /// The text, with a mark where something was left out.
    pub(super) fn finish(mut self) -> String {
        if !self.cut.is_empty() {
            self.take(char::REPLACEMENT_CHARACTER);
        }
        let mut text = self.head;
        if self.omitted > 0 {
            let _ = writeln!(text, "\n[... {} characters left out ...]", self.omitted);
        }
        text.extend(self.tail);
        text
    }

    fn take(&mut self, c: char) {
        let Some(c) = self.plain.filter(c) else { return };
        if self.in_head < HEAD {
            self.in_head += 1;
            self.head.push(c);
            return;
        }
        if self.tail.len() == TAIL {
            self.tail.pop_front();
            self.omitted += 1;
        }
        self.tail.push_back(c);
    }
}

/// How many bytes at the end begin a character that is not complete.
fn incomplete(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let begun = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
    if begun { last.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut transcript = Transcript::default();
        pieces.into_iter().for_each(|piece| transcript.take_in(piece));
        transcript.finish()
    }

    #[test]
    fn characters_survive_any_cut() {
        let text = "a\u{1b}[1mb\u{1b}[0m ü 日本 \u{1f600}\r\nend";
        assert_eq!(transcript(text.as_bytes().chunks(1)), "ab ü 日本 \u{1f600}\nend");
        assert_eq!(transcript(text.as_bytes().chunks(3)), "ab ü 日本 \u{1f600}\nend");
        assert_eq!(transcript([&b"a\xff\xfeb\xe6"[..]]), "a\u{fffd}\u{fffd}b\u{fffd}");
    }

    #[test]
    fn the_middle_is_left_out() {
        let all = "x".repeat(HEAD) + "middle" + &"y".repeat(TAIL);
        let kept = transcript(all.as_bytes().chunks(1000));
        let expected = "x".repeat(HEAD) + "\n[... 6 characters left out ...]\n" + &"y".repeat(TAIL);
        assert!(kept == expected);
        let fits = "é".repeat(HEAD + TAIL);
        assert!(transcript([fits.as_bytes()]) == fits);
    }
}
