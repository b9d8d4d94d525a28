//! Keeps the beginning and the end of the output of a command in bounded memory, because they usually matter most.

use std::collections::VecDeque;
use std::fmt::Write;

use super::canvas::Canvas;
use super::escapes::{EscapeFilter, Token};

/// The maximum numbers of characters in a result.
const RESULT_PARTS: Parts = Parts { head: 20_000, tail: 30_000 };
/// The maximum numbers of characters that are kept while a command runs.
const CAPTURED_PARTS: Parts = Parts { head: 800_000, tail: 1_200_000 };

/// How many characters are kept of the beginning and of the end of a long text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parts {
    head: usize,
    tail: usize,
}

/// Decodes output and removes escape sequences.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The first bytes of an incomplete character.
    incomplete: Vec<u8>,
    escapes: EscapeFilter,
}

impl Decoder {
    /// Passes what a piece of the output consists of to `take`. The piece may begin or end within a character or an escape sequence.
    pub(super) fn read(&mut self, bytes: &[u8], mut take: impl FnMut(Token<'_>)) {
        let joined;
        let mut all = bytes;
        if !self.incomplete.is_empty() {
            self.incomplete.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.incomplete);
            all = &joined;
        }
        let complete = all.len() - incomplete_len(all);
        for c in String::from_utf8_lossy(&all[..complete]).chars() {
            if let Some(token) = self.escapes.read(c) {
                take(token);
            }
        }
        self.incomplete = all[complete..].to_vec();
    }

    /// Passes a replacement character for an incomplete character at the end of the output to `take`.
    fn finish(&mut self, take: impl FnOnce(Token<'_>)) {
        if !std::mem::take(&mut self.incomplete).is_empty()
            && let Some(token) = self.escapes.read(char::REPLACEMENT_CHARACTER)
        {
            take(token);
        }
    }
}

/// Keeps up to 2,000,000 characters of output, as a terminal would show it. Of longer output, keeps the beginning and the end.
#[derive(Debug)]
pub(super) struct Transcript {
    decoder: Decoder,
    canvas: Canvas,
    kept: HeadAndTail,
}

#[derive(Debug)]
struct HeadAndTail {
    max: Parts,
    head: String,
    head_chars: usize,
    tail: VecDeque<char>,
    omitted: usize,
}

/// The output of a command that has ended.
#[derive(Debug)]
pub(super) struct Captured {
    /// The output, with a placeholder for characters that were not kept.
    pub(super) text: String,
    /// The number of characters that were not kept.
    omitted: usize,
    /// Whether a program showed a screen of its own at the end, as editors and pagers do.
    pub(super) waits_for_keys: bool,
}

impl Default for Transcript {
    fn default() -> Self {
        Self { decoder: Decoder::default(), canvas: Canvas::default(), kept: HeadAndTail::new(CAPTURED_PARTS) }
    }
}

impl Transcript {
    /// Shortens a text to the beginning and the end for a result.
    pub(super) fn shorten(text: &str) -> String {
        let mut kept = HeadAndTail::new(RESULT_PARTS);
        text.chars().for_each(|c| kept.push(c));
        kept.finish()
    }

    /// Appends a piece of the output.
    pub(super) fn push_bytes(&mut self, bytes: &[u8]) {
        self.decoder.read(bytes, |token| self.canvas.write(token, &mut |c, _| self.kept.push(c)));
    }

    /// Returns the kept output.
    pub(super) fn finish(mut self) -> Captured {
        self.decoder.finish(|token| self.canvas.write(token, &mut |c, _| self.kept.push(c)));
        self.canvas.finish(&mut |c, _| self.kept.push(c));
        let waits_for_keys = self.decoder.escapes.has_screen();
        Captured { omitted: self.kept.omitted, text: self.kept.finish(), waits_for_keys }
    }
}

impl Captured {
    /// Returns whether the text is too long for a result.
    pub(super) fn is_long(&self) -> bool {
        self.omitted > 0 || self.text.chars().nth(RESULT_PARTS.head + RESULT_PARTS.tail).is_some()
    }

    /// Returns the number of characters of `text`.
    pub(super) fn chars(&self) -> usize {
        self.text.chars().count()
    }

    /// Returns the text, shortened for a result.
    pub(super) fn shortened(&self) -> String {
        let mut kept = HeadAndTail::new(RESULT_PARTS);
        self.text.chars().for_each(|c| kept.push(c));
        kept.omitted += self.omitted;
        kept.finish()
    }
}

impl HeadAndTail {
    fn new(max: Parts) -> Self {
        Self { max, head: String::new(), head_chars: 0, tail: VecDeque::new(), omitted: 0 }
    }

    fn push(&mut self, c: char) {
        if self.head_chars < self.max.head {
            self.head_chars += 1;
            self.head.push(c);
            return;
        }
        if self.tail.len() == self.max.tail {
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
        transcript.finish().shortened()
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
        let all = "x".repeat(RESULT_PARTS.head) + "middle" + &"y".repeat(RESULT_PARTS.tail);
        let kept = transcript(all.as_bytes().chunks(1000));
        let expected =
            "x".repeat(RESULT_PARTS.head) + "\n[... 6 characters left out ...]\n" + &"y".repeat(RESULT_PARTS.tail);
        assert!(kept == expected);
        let fits = "é".repeat(RESULT_PARTS.head + RESULT_PARTS.tail);
        assert!(transcript([fits.as_bytes()]) == fits);
    }

    #[test]
    fn output_that_is_too_long_for_a_result_is_kept_up_to_a_limit() {
        let mut transcript = Transcript::default();
        transcript.push_bytes("é".repeat(300_000).as_bytes());
        let captured = transcript.finish();
        assert!(captured.is_long() && captured.text == "é".repeat(300_000));
        assert!(captured.shortened().contains("\n[... 250000 characters left out ...]\n"));
        let mut transcript = Transcript::default();
        transcript.push_bytes("x".repeat(CAPTURED_PARTS.head + CAPTURED_PARTS.tail + 5).as_bytes());
        let captured = transcript.finish();
        let mark = "\n[... 5 characters left out ...]\n";
        assert!(
            captured.text.contains(mark) && captured.chars() == CAPTURED_PARTS.head + CAPTURED_PARTS.tail + mark.len()
        );
        assert!(!Captured { text: "x".repeat(50_000), omitted: 0, waits_for_keys: false }.is_long());
    }
}
