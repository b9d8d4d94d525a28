//! The decoded text of a file, its lines, and places in it.

use std::borrow::Cow;
use std::ops::Range;

use crate::note::{Code, Notes};

/// The most bytes of a SKILL.md. The largest one in the repositories of Anthropic, OpenAI and Vercel has 50 KB.
pub(crate) const MAX_FILE_BYTES: usize = 1 << 20;
const MARK: &str = "\u{feff}";

/// A line of the text, without its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where the next line begins.
    pub(crate) next: usize,
}

/// A text and its lines. A line ends with LF, CR LF or CR, as in YAML.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: Vec<Line>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let (mut lines, mut start) = (Vec::new(), 0);
        while start < bytes.len() {
            let end = bytes[start..]
                .iter()
                .position(|byte| matches!(byte, b'\n' | b'\r'))
                .map_or(bytes.len(), |at| start + at);
            let next = match bytes.get(end..) {
                Some([b'\r', b'\n', ..]) => end + 2,
                Some([_, ..]) => end + 1,
                _ => end,
            };
            lines.push(Line { start, end, next });
            start = next;
        }
        Self { text, lines }
    }

    /// Returns the text of a line, without its end and without a byte order mark.
    pub(crate) fn line(&self, index: usize) -> &'a str {
        let text = self.lines.get(index).map_or("", |line| &self.text[line.start..line.end]);
        if index == 0 { text.strip_prefix(MARK).unwrap_or(text) } else { text }
    }

    /// Returns where the text of a line begins.
    pub(crate) fn start(&self, index: usize) -> usize {
        self.lines.get(index).map_or(self.text.len(), |line| line.end) - self.line(index).len()
    }

    /// Returns the index of the line that contains a byte.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.next <= offset).min(self.lines.len().saturating_sub(1))
    }

    /// Returns the line and column of a byte, both from 1.
    pub(crate) fn place(&self, offset: usize) -> (usize, usize) {
        let index = self.line_of(offset);
        let start = self.lines.get(index).map_or(0, |line| line.start);
        let column = self.text.get(start..offset).unwrap_or_default().trim_start_matches(MARK).chars().count() + 1;
        (index + 1, column)
    }

    /// Returns the bytes of lines, including their ends.
    pub(crate) fn range(&self, lines: Range<usize>) -> Range<usize> {
        let at = |index: usize| self.lines.get(index).map_or(self.text.len(), |line| line.start);
        at(lines.start)..at(lines.end).max(at(lines.start))
    }
}

/// Decodes a file. UTF-16 needs its byte order mark.
pub(crate) fn decode<'a>(bytes: &'a [u8], notes: &mut Notes) -> Option<Cow<'a, str>> {
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!(
            "expected at most {MAX_FILE_BYTES} bytes, and the file has {}; move parts to references/",
            bytes.len()
        );
        let long = bytes.split(|byte| *byte == b'\n').position(|line| line.len() > MAX_FILE_BYTES / 2);
        notes.add(long.map_or((0, 0), |line| (line + 1, 1)), Code::TooLarge, message);
        return None;
    }
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes, notes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes, notes)),
        _ => utf8(bytes, notes)?,
    };
    if text.trim_start_matches(MARK).trim().is_empty() {
        notes.add((1, 1), Code::EmptyFile, "expected front matter and instructions, and the file is empty");
        return None;
    }
    Some(text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, notes: &mut Notes) -> String {
    let message = "expected UTF-8, and the file is UTF-16; it was converted, save it as UTF-8";
    notes.add((1, 1), Code::Utf16, message);
    let (units, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(units.len());
    let decoded = char::decode_utf16(units.iter().map(|pair| unit(*pair)));
    let mut damaged = !rest.is_empty();
    text.extend(decoded.map(|decoded| {
        decoded.unwrap_or_else(|_| {
            damaged = true;
            char::REPLACEMENT_CHARACTER
        })
    }));
    if damaged {
        let line = text.split(char::REPLACEMENT_CHARACTER).next().unwrap_or_default().matches('\n').count() + 1;
        notes.add(
            (line, 1),
            Code::InvalidBytes,
            "expected UTF-16, and half a character is missing; U+FFFD replaces it",
        );
    }
    text
}

fn utf8<'a>(bytes: &'a [u8], notes: &mut Notes) -> Option<Cow<'a, str>> {
    if let Some(nul) = bytes.iter().position(|byte| *byte == 0) {
        let line = bytes[..nul].split(|byte| *byte == b'\n').count();
        let message = "expected UTF-8 text, and there is a NUL byte; the file is binary, or UTF-16 without its mark";
        notes.add((line, 1), Code::NotText, message);
        return None;
    }
    let mut text = String::from_utf8_lossy(bytes);
    if let Err(error) = std::str::from_utf8(bytes) {
        let before = Source::new(text.get(..error.valid_up_to()).unwrap_or_default()).place(error.valid_up_to());
        // Without one character of UTF-8 outside ASCII, the file is in an older encoding.
        let is_western = text.chars().all(|c| c.is_ascii() || c == char::REPLACEMENT_CHARACTER);
        if is_western {
            text = bytes.iter().map(|byte| windows_1252(*byte)).collect();
        }
        let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
        let guess = if is_western { "the file is read as Windows-1252" } else { "U+FFFD replaces it and others" };
        let message = format!("expected UTF-8, and there is the byte 0x{byte:02x}; {guess}; save the file as UTF-8");
        notes.add(before, Code::InvalidBytes, message);
    }
    if text.starts_with(MARK) {
        notes.fix(
            (1, 1),
            Code::ByteOrderMark,
            "the file begins with a byte order mark; save it as UTF-8 without mark",
            0..MARK.len(),
            "",
        );
    }
    Some(text)
}

/// Returns the character of a byte in Windows-1252, which contains Latin-1. The five bytes that it does not define are controls.
fn windows_1252(byte: u8) -> char {
    const FROM_0X80: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    let special = byte.checked_sub(0x80).and_then(|at| FROM_0X80.chars().nth(usize::from(at)));
    special.unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::Strictness;

    #[test]
    fn lines_end_with_any_line_break() {
        let source = Source::new("\u{feff}a\r\nb\rc\n\nd");
        assert_eq!((0..5).map(|index| source.line(index)).collect::<Vec<_>>(), ["a", "b", "c", "", "d"]);
        assert_eq!([source.place(3), source.place(6), source.place(8)], [(1, 1), (2, 1), (3, 1)]);
        assert_eq!(source.place(100), (5, 1), "outside");
        assert_eq!(source.range(1..3), 6..10);
    }

    #[test]
    fn files_of_other_encodings_are_decoded_with_a_note() {
        let decoded = |bytes: &[u8]| {
            let mut notes = Notes::new(Strictness::Use);
            let text = decode(bytes, &mut notes).map(Cow::into_owned);
            let notes = notes.sorted().into_iter().map(|note| (note.line, note.code)).collect::<Vec<_>>();
            (text, notes)
        };
        assert_eq!(decoded(b"\xff\xfea\0\xe9\0"), (Some("aé".into()), vec![(1, Code::Utf16)]));
        assert_eq!(decoded(b"\xfe\xff\0a\0\n\xd8\0\0b").1, [(1, Code::Utf16), (2, Code::InvalidBytes)]);
        assert_eq!(decoded(b"a\nb\xe9"), (Some("a\nbé".into()), vec![(2, Code::InvalidBytes)]));
        assert_eq!(decoded(b"\x93a\x94 \xff").0, Some("“a” ÿ".into()));
        assert_eq!(decoded("é\u{0}".replace('\0', "x").as_bytes()).1, []);
        assert_eq!(decoded(b"\xc3\xa9 \xe9").0, Some("é \u{fffd}".into()));
        assert_eq!(decoded(b"a\0b"), (None, vec![(1, Code::NotText)]));
        assert_eq!(decoded(b" \n"), (None, vec![(1, Code::EmptyFile)]));
        assert_eq!(decoded(&vec![b'a'; MAX_FILE_BYTES + 1]).1, [(1, Code::TooLarge)]);
    }
}
