//! Keeps the end of the output of a background process in bounded memory.

use crate::transcript::Decoder;

/// The maximum number of characters that are kept.
pub(crate) const MAX_CHARS: usize = 200_000;
/// The number of excess characters after which the oldest are dropped, so that dropping is rare.
const SLACK: usize = 20_000;

/// Decodes output, removes escape sequences, and keeps the end of the text.
#[derive(Debug, Default)]
pub(crate) struct Log {
    decoder: Decoder,
    text: String,
    /// The number of characters of `text`.
    chars: usize,
    /// The number of dropped characters before `text`.
    dropped_chars: usize,
    /// The number of dropped newlines before `text`.
    dropped_lines: usize,
    /// The position up to which [`take_new`](Self::take_new) has returned the output, in characters from the beginning.
    seen: usize,
}

/// The output since the last call of [`Log::take_new`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewOutput {
    pub(crate) text: String,
    /// The number of new characters before the text that were dropped.
    pub(crate) dropped_chars: usize,
}

/// A page of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) text: String,
    /// The number of the first line, from 0 at the beginning of the output.
    pub(crate) first_line: usize,
    /// The number of lines of the whole output, including dropped ones.
    pub(crate) total_lines: usize,
    /// The number of characters that were dropped.
    pub(crate) dropped_chars: usize,
}

impl Log {
    /// Appends a piece of the output, which may begin or end within a character. Returns it without escape sequences.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> &str {
        let before = self.text.len();
        let (text, chars) = (&mut self.text, &mut self.chars);
        self.decoder.decode(bytes, |c| {
            text.push(c);
            *chars += 1;
        });
        let new = self.text.len() - before;
        if self.chars > MAX_CHARS + SLACK {
            self.drop_oldest();
        }
        // A piece is shorter than the kept text.
        &self.text[self.text.len().saturating_sub(new)..]
    }

    fn drop_oldest(&mut self) {
        let excess = self.chars - MAX_CHARS;
        let end = self.text.char_indices().nth(excess).map_or(self.text.len(), |(at, _)| at);
        self.dropped_lines += self.text[..end].matches('\n').count();
        self.text.drain(..end);
        self.chars -= excess;
        self.dropped_chars += excess;
    }

    /// Returns the output since the last call.
    pub(crate) fn take_new(&mut self) -> NewOutput {
        let dropped = self.dropped_chars + self.chars.saturating_sub(MAX_CHARS);
        let start = self.seen.max(dropped);
        let at = self.text.char_indices().nth(start - self.dropped_chars).map_or(self.text.len(), |(at, _)| at);
        let part = NewOutput { text: self.text[at..].to_owned(), dropped_chars: start - self.seen };
        self.seen = self.dropped_chars + self.chars;
        part
    }

    /// Returns a page of lines. If `first` is `None`, returns the last `limit` lines.
    pub(crate) fn page(&self, first: Option<usize>, limit: usize) -> Page {
        let kept: Vec<&str> = self.text.split_inclusive('\n').collect();
        let total_lines = self.dropped_lines + kept.len();
        let first = first.unwrap_or(total_lines.saturating_sub(limit)).max(self.dropped_lines);
        let start = (first - self.dropped_lines).min(kept.len());
        let end = start.saturating_add(limit).min(kept.len());
        Page {
            text: kept[start..end].concat(),
            first_line: self.dropped_lines + start,
            total_lines,
            dropped_chars: self.dropped_chars,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_returns_the_output_since_the_last_call() {
        let mut log = Log::default();
        assert_eq!(log.push(b"one\n\x1b[1mtw"), "one\ntw");
        assert_eq!(log.take_new(), NewOutput { text: "one\ntw".to_owned(), dropped_chars: 0 });
        assert_eq!(log.take_new().text, "");
        assert_eq!(log.push("o\u{e9}".as_bytes()), "oé");
        assert_eq!(log.take_new().text, "oé");
    }

    #[test]
    fn the_oldest_output_is_dropped_and_counted() {
        let mut log = Log::default();
        log.push(b"first\n");
        log.take_new();
        for n in 0..100_000 {
            log.push(format!("é{n:05}\n").as_bytes());
        }
        assert!(log.chars <= MAX_CHARS + SLACK && log.text.capacity() < 1 << 20, "{}", log.text.capacity());
        let part = log.take_new();
        let all = 100_000 * 7;
        assert!(part.text.ends_with("é99999\n"));
        let chars = part.text.chars().count();
        assert_eq!((chars, part.dropped_chars), (MAX_CHARS, all - MAX_CHARS));
        let page = log.page(None, 2);
        assert_eq!((&*page.text, page.first_line, page.total_lines), ("é99998\né99999\n", 99_999, 100_001));
        assert!(page.dropped_chars > 400_000);
        let gone = log.page(Some(0), 1);
        assert!(gone.first_line > 60_000 && gone.text.ends_with('\n'), "{gone:?}");
    }

    #[test]
    fn a_page_contains_lines_from_an_offset() {
        let mut log = Log::default();
        let page = |log: &Log, first, limit| {
            let page = log.page(first, limit);
            (page.text, page.first_line, page.total_lines)
        };
        assert_eq!(page(&log, None, 10), (String::new(), 0, 0));
        log.push(b"a\nb\n\nd");
        assert_eq!(page(&log, None, 2), ("\nd".to_owned(), 2, 4));
        assert_eq!(page(&log, Some(0), 2), ("a\nb\n".to_owned(), 0, 4));
        assert_eq!(page(&log, Some(1), usize::MAX), ("b\n\nd".to_owned(), 1, 4));
        assert_eq!(page(&log, Some(9), 5), (String::new(), 4, 4));
    }
}
