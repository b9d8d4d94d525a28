//! Lines of a file.

use std::time::Duration;

use super::Metadata;

/// The lines of a file to read, and the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The number of the first line, counted from 1.
    pub first: u64,
    /// The maximum number of lines.
    pub limit: u64,
    /// The maximum number of bytes of a line; the rest is cut off.
    pub max_line_bytes: usize,
    /// The total number of bytes after which no further line is read.
    pub max_bytes: usize,
    /// The time limit for reading the lines.
    pub timeout: Duration,
    /// The time limit for counting the lines that follow.
    pub count_timeout: Duration,
}

/// Lines that were read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The metadata of the file.
    pub metadata: Metadata,
    /// The beginning of the file, at most [`SAMPLE`](super::SAMPLE) bytes.
    pub sample: Vec<u8>,
    /// The lines. There are fewer than the limit if the file ends, or if the lines exceed `max_bytes`.
    pub lines: Vec<Line>,
    /// The number of lines of the whole file, or `None` if counting takes too long or the file is binary.
    pub total: Option<u64>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The content without the line ending.
    pub bytes: Vec<u8>,
    /// The line ending, or [`LineEnding::None`] if the line is cut, because its ending is not read.
    pub ending: LineEnding,
    /// Whether the line is longer than the maximum.
    pub is_cut: bool,
}

/// A line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// The end of the file, or an ending that was not read.
    None,
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Line {
    /// Creates a line from its bytes, which may end in a line break. The line is cut after `max` bytes.
    pub(crate) fn new(mut bytes: Vec<u8>, max: usize) -> Self {
        let mut ending = LineEnding::None;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            ending = LineEnding::Lf;
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
                ending = LineEnding::CrLf;
            }
        }
        let is_cut = bytes.len() > max;
        if is_cut {
            bytes.truncate(max);
            ending = LineEnding::None;
        }
        Self { bytes, ending, is_cut }
    }
}
