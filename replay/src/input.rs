//! Recorded calls are lines of JSON, which are read in batches, so that a file of any size takes little memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::PathBuf;

use toolc_codegen::Failure;

/// The longest line that is read, in bytes. Longer ones count as broken.
pub(crate) const MAX_LINE: usize = 16 << 20;
/// The number of lines and of bytes in a batch.
const BATCH: (usize, usize) = (8192, 32 << 20);

/// A line of a file.
#[derive(Debug)]
pub(crate) struct Line {
    /// The index of the file.
    pub file: usize,
    pub number: u64,
    /// The text, or `None` if it is too long.
    pub text: Option<Vec<u8>>,
}

/// Reads the lines of files, and passes them on in batches. `-` is standard input. Empty lines are left out.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn each_batch(files: &[PathBuf], mut batch: impl FnMut(Vec<Line>)) -> Result<(), Failure> {
    let (mut lines, mut bytes) = (Vec::new(), 0);
    for (file, path) in files.iter().enumerate() {
        let failed = |error: &io::Error| Failure::new(format!("failed to read {}: {error}", path.display()));
        let mut reader: Box<dyn BufRead> = match path.to_str() {
            Some("-") => Box::new(io::stdin().lock()),
            _ => Box::new(BufReader::with_capacity(1 << 20, File::open(path).map_err(|error| failed(&error))?)),
        };
        let mut number = 0;
        loop {
            number += 1;
            let text = match next_line(&mut reader).map_err(|error| failed(&error))? {
                Next::Line(text) if text.trim_ascii().is_empty() => continue,
                Next::Line(text) => Some(text),
                Next::TooLong => None,
                Next::End => break,
            };
            bytes += text.as_ref().map_or(0, Vec::len);
            lines.push(Line { file, number, text });
            if lines.len() >= BATCH.0 || bytes >= BATCH.1 {
                batch(std::mem::take(&mut lines));
                bytes = 0;
            }
        }
    }
    if !lines.is_empty() {
        batch(lines);
    }
    Ok(())
}

/// What comes next in a file.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Line(Vec<u8>),
    /// A line that is too long. It has been skipped.
    TooLong,
    End,
}

/// Reads a line.
fn next_line(reader: &mut impl BufRead) -> io::Result<Next> {
    let mut text = Vec::new();
    if reader.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut text)? == 0 {
        return Ok(Next::End);
    }
    if text.len() < MAX_LINE || text.ends_with(b"\n") {
        return Ok(Next::Line(text));
    }
    loop {
        let found = reader.fill_buf()?;
        let (used, is_end) = match found.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (found.len(), found.is_empty()),
        };
        reader.consume(used);
        if is_end {
            return Ok(Next::TooLong);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_beyond_the_limit_is_skipped_and_the_next_one_is_read() {
        let mut text = vec![b'a'; MAX_LINE + 10];
        text.extend(b"\nshort\nlast");
        let mut reader: Box<dyn BufRead> = Box::new(BufReader::new(io::Cursor::new(text)));
        let mut next = || next_line(&mut reader).unwrap();
        assert_eq!(next(), Next::TooLong);
        assert_eq!(next(), Next::Line(b"short\n".to_vec()));
        assert_eq!(next(), Next::Line(b"last".to_vec()));
        assert_eq!(next(), Next::End);
    }
}
