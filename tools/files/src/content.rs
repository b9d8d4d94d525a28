//! Digests of contents, by which a file is recognised whose time, but not its content, has changed.

use std::hash::{DefaultHasher, Hasher as _};

use toolc_environment::files::{Line, LineEnding};

/// The beginning of a content: its length, and a digest of its lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Beginning {
    digest: DefaultHasher,
    /// The length in bytes.
    bytes: u64,
    /// The number of lines.
    lines: u64,
}

impl Beginning {
    /// Returns a whole content.
    pub(super) fn from_content(content: &[u8]) -> Self {
        let mut beginning = Self::default();
        content.split_inclusive(|byte| *byte == b'\n').for_each(|line| beginning.push(line));
        beginning
    }

    /// Returns the length in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of lines.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns whether `content` begins so.
    pub(super) fn is_of(&self, content: &[u8]) -> bool {
        let beginning = usize::try_from(self.bytes).ok().and_then(|bytes| content.get(..bytes));
        beginning.is_some_and(|beginning| Self::from_content(beginning).digest.finish() == self.digest.finish())
    }

    /// Continues with lines of a file, of which the first has the number `first`. Lines after a gap, or after a line that is cut, do not count.
    pub(super) fn add(&mut self, first: u64, lines: &[Line]) {
        for (number, line) in (first..).zip(lines) {
            if number > self.lines + 1 || line.is_cut {
                break;
            }
            if number == self.lines + 1 {
                let ending: &[u8] = match line.ending {
                    LineEnding::None => b"",
                    LineEnding::Lf => b"\n",
                    LineEnding::CrLf => b"\r\n",
                };
                self.push(&[&line.bytes, ending].concat());
            }
        }
    }

    fn push(&mut self, line: &[u8]) {
        self.digest.write(line);
        self.bytes += line.len() as u64;
        self.lines += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, ending: LineEnding) -> Line {
        Line { bytes: text.into(), ending, is_cut: false }
    }

    #[test]
    fn a_content_is_recognised_from_lines_that_were_read_in_parts() {
        let lines = [line("a", LineEnding::Lf), line("b", LineEnding::CrLf), line("c", LineEnding::None)];
        let mut beginning = Beginning::default();
        beginning.add(1, &lines[..2]);
        assert!(beginning.is_of(b"a\nb\r\nother") && !beginning.is_of(b"a\nb\n\n") && !beginning.is_of(b"a\n"));
        beginning.add(2, &lines[1..]);
        assert_eq!((beginning.bytes(), beginning.lines()), (6, 3));
        assert!(beginning.is_of(b"a\nb\r\nc") && Beginning::from_content(b"a\nb\r\nc").is_of(b"a\nb\r\nc"));
        beginning.add(5, &lines);
        assert_eq!(beginning.lines(), 3, "lines after a gap do not count");
        assert!(Beginning::from_content(b"").is_of(b"") && !Beginning::from_content(b"a").is_of(b"b"));
    }
}
