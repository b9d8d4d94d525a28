//! Reads lines of a file of this machine as a stream, so that files of any size can be read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::time::Instant;

use memchr::memchr_iter;

use super::deadline_reader::DeadlineReader;
use crate::files::{Line, LineRange, Lines, Metadata, SAMPLE};

/// The size of the buffer. With it, system calls take less time than counting line breaks.
const BUFFER: usize = 256 * 1024;

/// Reads a range of lines, and counts the following lines.
pub(super) fn read(file: File, metadata: Metadata, range: &LineRange) -> io::Result<Lines> {
    let file = DeadlineReader::new(file, Instant::now() + range.timeout);
    let mut input = Input { reader: BufReader::with_capacity(BUFFER, file), number: 0, is_within: false };
    let beginning = input.reader.fill_buf()?;
    let sample = beginning[..beginning.len().min(SAMPLE)].to_vec();
    let mut result = Lines { metadata, sample, lines: Vec::new(), total: None };
    if result.sample.contains(&0) {
        return Ok(result);
    }
    if !input.skip(range.first.saturating_sub(1))? {
        result.total = Some(input.number);
        return Ok(result);
    }
    let mut bytes = 0;
    while (result.lines.len() as u64) < range.limit && bytes <= range.max_bytes {
        let Some(line) = input.line(range.max_line_bytes)? else {
            result.total = Some(input.number);
            return Ok(result);
        };
        bytes += line.bytes.len();
        result.lines.push(line);
    }
    input.reader.get_mut().set_timeout(range.count_timeout);
    match input.skip(u64::MAX) {
        Ok(_) => result.total = Some(input.number),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
        Err(error) => return Err(error),
    }
    Ok(result)
}

struct Input {
    reader: BufReader<DeadlineReader<File>>,
    /// The number of lines that have been completely read or skipped.
    number: u64,
    /// Whether bytes of the next line have been read.
    is_within: bool,
}

impl Input {
    /// Skips `count` lines. Returns false if the file has fewer lines. In this case, `number` is the number of all lines.
    fn skip(&mut self, count: u64) -> io::Result<bool> {
        let mut remaining = count;
        while remaining > 0 {
            let buffer = self.reader.fill_buf()?;
            let len = buffer.len();
            let Some(last) = buffer.last() else {
                // The last line may have no line break.
                self.number += u64::from(self.is_within);
                self.is_within = false;
                return Ok(false);
            };
            let breaks = memchr_iter(b'\n', buffer).count() as u64;
            if breaks < remaining {
                self.is_within = *last != b'\n';
                self.number += breaks;
                remaining -= breaks;
                self.reader.consume(len);
            } else {
                let nth = usize::try_from(remaining - 1).unwrap_or(usize::MAX);
                let end = memchr_iter(b'\n', buffer).nth(nth).map_or(len, |at| at + 1);
                self.is_within = false;
                self.number += remaining;
                self.reader.consume(end);
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Reads a line, and keeps its first `max` bytes.
    fn line(&mut self, max: usize) -> io::Result<Option<Line>> {
        /// The maximum length of a line ending.
        const ENDING: usize = 2;
        let mut bytes = Vec::new();
        let limit = (max + ENDING) as u64;
        (&mut self.reader).take(limit).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes.last() == Some(&b'\n') {
            self.number += 1;
        } else {
            self.is_within = true;
            self.skip(1)?;
        }
        Ok(Some(Line::new(bytes, max)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::Duration;

    use super::*;
    use crate::files::LineEnding;

    fn lines(content: &[u8], first: u64, limit: u64) -> Lines {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        let file = file.reopen().unwrap();
        let metadata = Metadata::from_std(&file.metadata().unwrap());
        let range = LineRange {
            first,
            limit,
            max_line_bytes: 4,
            max_bytes: 1_000,
            timeout: Duration::from_mins(1),
            count_timeout: Duration::from_mins(1),
        };
        read(file, metadata, &range).unwrap()
    }

    fn texts(lines: &Lines) -> Vec<&str> {
        lines.lines.iter().map(|line| std::str::from_utf8(&line.bytes).unwrap()).collect()
    }

    #[test]
    fn every_line_is_counted_also_without_a_line_break_at_the_end() {
        for (content, total) in [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n\nb\n", 4)] {
            for first in 1..6 {
                for limit in 1..3 {
                    assert_eq!(
                        lines(content.as_bytes(), first, limit).total,
                        Some(total),
                        "{content:?} {first} {limit}"
                    );
                }
            }
        }
    }

    #[test]
    fn lines_are_found_in_every_part_of_a_long_file() {
        let content =
            (1..=100_000).fold(String::new(), |content, number| content + &format!("{:04}\n", number % 10_000));
        for first in [1, 2, 52_428, 52_429, 52_430, 65_536, 99_999, 100_000] {
            let result = lines(content.as_bytes(), first, 2);
            assert_eq!(result.total, Some(100_000));
            assert_eq!(texts(&result)[0], format!("{:04}", first % 10_000));
        }
        assert!(lines(content.as_bytes(), 100_001, 1).lines.is_empty());
    }

    #[test]
    fn long_lines_are_cut_and_their_end_is_unknown() {
        let result = lines(b"1234\r\n12345\n123456789\n12345", 1, 10);
        assert_eq!(texts(&result), ["1234"; 4]);
        let cut: Vec<_> = result.lines.iter().map(|line| (line.is_cut, line.ending)).collect();
        let none = LineEnding::None;
        assert_eq!(cut, [(false, LineEnding::CrLf), (true, none), (true, none), (true, none)]);
        assert_eq!(result.total, Some(4));
    }

    #[test]
    fn a_binary_file_has_no_lines() {
        let result = lines(b"a\0b\n", 1, 10);
        assert_eq!((result.lines.len(), result.total, &*result.sample), (0, None, &b"a\0b\n"[..]));
        assert_eq!(lines(&[&b"a\n".repeat(SAMPLE)[..], b"\0\n"].concat(), 1, 1).lines.len(), 1, "not at the beginning");
    }
}
