//! Keeps the end of the output of a background process in bounded memory, as a terminal would show it.

use crate::canvas::Canvas;
use crate::escapes::Lines;
use crate::transcript::Decoder;

/// The maximum number of characters that are kept, apart from the last lines, which a program may write again.
pub(crate) const MAX_CHARS: usize = 200_000;
/// The number of excess characters after which the oldest are dropped, so that dropping is rare.
const SLACK: usize = 20_000;

/// Decodes output, and keeps the end of the text. A progress bar leaves its last state.
#[derive(Debug, Default)]
pub(crate) struct Log {
    decoder: Decoder,
    lines: Lines,
    /// The last lines.
    canvas: Canvas,
    /// The lines before.
    done: End,
    /// What the reader has not seen of the lines before.
    new: End,
}

/// The end of a text.
#[derive(Debug, Default)]
struct End {
    text: String,
    /// The number of characters of `text`.
    chars: usize,
    /// The number of dropped characters before `text`.
    dropped_chars: usize,
    /// The number of dropped newlines before `text`.
    dropped_lines: usize,
}

/// The output since the last call of [`Log::take_new`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewOutput {
    /// The new lines, and all of the lines that have been written again.
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
    /// Appends a piece of the output, which may begin or end within a character. Returns it without escape sequences, with a line for
    /// each state of a progress bar.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let mut lines = String::new();
        self.decoder.read(bytes, |token| {
            lines.extend(self.lines.read(token));
            self.canvas.write(token, &mut |c, is_new| {
                self.done.push(c);
                if is_new {
                    self.new.push(c);
                }
            });
        });
        lines
    }

    /// Returns the output since the last call.
    pub(crate) fn take_new(&mut self) -> NewOutput {
        let mut new = std::mem::take(&mut self.new);
        self.canvas.show(&mut |c, is_new| {
            if is_new {
                new.push(c);
            }
        });
        self.canvas.mark_as_seen();
        new.drop_oldest();
        NewOutput { text: new.text, dropped_chars: new.dropped_chars }
    }

    /// Returns a page of lines. If `first` is `None`, returns the last `limit` lines.
    pub(crate) fn page(&self, first: Option<usize>, limit: usize) -> Page {
        let End { dropped_chars, dropped_lines, .. } = self.done;
        let mut text = self.done.text.clone();
        self.canvas.show(&mut |c, _| text.push(c));
        let kept: Vec<&str> = text.split_inclusive('\n').collect();
        let total_lines = dropped_lines + kept.len();
        let first = first.unwrap_or(total_lines.saturating_sub(limit)).max(dropped_lines);
        let start = (first - dropped_lines).min(kept.len());
        let end = start.saturating_add(limit).min(kept.len());
        Page { text: kept[start..end].concat(), first_line: dropped_lines + start, total_lines, dropped_chars }
    }
}

impl End {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.chars += 1;
        if self.chars > MAX_CHARS + SLACK {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let excess = self.chars.saturating_sub(MAX_CHARS);
        let end = self.text.char_indices().nth(excess).map_or(self.text.len(), |(at, _)| at);
        self.dropped_lines += self.text[..end].matches('\n').count();
        self.text.drain(..end);
        self.chars -= excess;
        self.dropped_chars += excess;
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
        for end in [&log.done, &log.new] {
            assert!(end.chars <= MAX_CHARS + SLACK && end.text.capacity() < 1 << 20, "{}", end.text.capacity());
        }
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
    fn a_progress_bar_is_its_last_state_also_while_it_runs() {
        let mut log = Log::default();
        let (new, all) = (|log: &mut Log| log.take_new().text, |log: &Log| log.page(None, usize::MAX).text);
        log.push(b"start\n\r10%\r20%");
        assert_eq!((&*new(&mut log), &*all(&log)), ("start\n20%", "start\n20%"));
        assert_eq!(new(&mut log), "", "nothing is shown twice");
        log.push(b"\r20%");
        assert_eq!(new(&mut log), "", "the same state");
        log.push(b"\r30%\r40%");
        assert_eq!((&*new(&mut log), &*all(&log)), ("40%", "start\n40%"));
        log.push(b"\r100%\ndone");
        assert_eq!((&*new(&mut log), &*all(&log)), ("100%\ndone", "start\n100%\ndone"));
        log.push(b"!\n");
        assert_eq!((&*new(&mut log), &*all(&log)), ("!\n", "start\n100%\ndone!\n"));
        log.push(b"a 1\nb 1\nc 1\n\x1b[2A\rb 2\n\n");
        assert_eq!(new(&mut log), "a 1\nb 2\nc 1\n");
        log.push(b"\x1b[3A\ra 2\x1b[3B\r");
        assert_eq!((&*new(&mut log), log.page(None, 3).text), ("a 2\n", "a 2\nb 2\nc 1\n".to_owned()));
        log.push(b"\x1b[2A\x1b[J");
        assert_eq!((&*new(&mut log), log.page(None, 2).text), ("", "done!\na 2\n".to_owned()), "erased lines are gone");
    }

    #[test]
    fn a_long_progress_bar_takes_the_memory_of_one_line() {
        let mut log = Log::default();
        log.push(b"first\n");
        for n in 0..100_000 {
            log.push(format!("\r{n:>7} of 100000\x1b[K").as_bytes());
        }
        assert_eq!(log.done.text.len() + log.new.text.len(), 0);
        assert_eq!(log.take_new(), NewOutput { text: "first\n  99999 of 100000".to_owned(), dropped_chars: 0 });
    }

    #[test]
    fn every_line_is_returned_once_however_often_it_is_asked_for() {
        let lines = (0..3_000).fold(String::new(), |lines, n| lines + &format!("line {n}  \n"));
        for step in [1, 7, 40, 999, 4_001] {
            let (mut log, mut seen) = (Log::default(), String::new());
            for piece in lines.as_bytes().chunks(step) {
                log.push(piece);
                seen += &log.take_new().text;
            }
            assert!(seen == lines && log.page(Some(0), usize::MAX).text == lines, "{step}");
        }
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
