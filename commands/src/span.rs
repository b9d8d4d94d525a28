//! Byte ranges of the line.

use std::ops::Range;

/// A range of bytes of the line that was read.
///
/// A command from code inside a word (`sh -c "..."`) has the span of that word, unless the line contains the text of the code
/// unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// Returns the range between two positions of a text. Texts have at most [`MAX_BYTES`](crate::MAX_BYTES) bytes.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: position(start), end: position(end.max(start)) }
    }

    /// Returns the range, to index a text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
