//! Text that arrives in pieces.

use crate::code::Highlighter;
use crate::look::Look;
use crate::rows::{Block, BlockKind, blocks, code_rows, rows};
use crate::span::paint;

/// The longest text that a preview lays out, in bytes. The preview of a longer text has its last lines only.
const LONGEST_PREVIEW: usize = 16_384;
/// A shorter rest is read again with each line, in bytes. A longer one is read again when it has grown by an eighth, so that the time for
/// a long list does not grow with the square of its length.
const READ_EACH_LINE: usize = 2_048;

/// Markdown that is being written.
#[derive(Debug, Default)]
pub struct Stream {
    /// What has no final rows yet.
    pending: String,
    /// The block of code that is open.
    code: Option<Code>,
    /// Whether there are rows, so that a blank row precedes the next block.
    has_rows: bool,
    /// The length of the rest from which it is read again.
    read_at: usize,
}

/// A block of code whose lines are shown as they arrive.
#[derive(Debug)]
struct Code {
    fence: Fence,
    highlighter: Highlighter,
}

/// The line that begins a block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    letter: char,
    length: usize,
    indent: usize,
}

impl Stream {
    /// Takes the next piece, and returns the rows that are final.
    pub fn push(&mut self, text: &str, look: Look) -> Vec<String> {
        let look = look.at_least_narrowest();
        self.pending.push_str(text);
        if !text.contains('\n') || self.pending.len() < self.read_at {
            return Vec::new();
        }
        let shown = self.take_final(look);
        let length = self.pending.len();
        self.read_at = if length < READ_EACH_LINE { 0 } else { length + length / 8 };
        shown
    }

    /// Returns the rows of what is not final, as it looks so far.
    pub fn preview(&self, look: Look) -> Vec<String> {
        let look = look.at_least_narrowest();
        let text = self.pending.trim_end();
        if text.is_empty() {
            return Vec::new();
        }
        if self.code.is_some() {
            return code_rows(&Highlighter::default().line(text), look.width.saturating_sub(1))
                .iter()
                .map(|row| paint(row, look))
                .collect();
        }
        let start = text.len().saturating_sub(LONGEST_PREVIEW);
        let mut shown = match text[text.ceil_char_boundary(start)..].split_once('\n') {
            Some((_, lines)) if start > 0 => rows(lines, look),
            _ => rows(text, look),
        };
        if self.has_rows {
            shown.insert(0, String::new());
        }
        shown
    }

    /// Ends the text, and returns the rest of its rows. The stream is then as new.
    pub fn finish(&mut self, look: Look) -> Vec<String> {
        let look = look.at_least_narrowest();
        if !self.pending.ends_with('\n') && !self.pending.is_empty() {
            self.pending.push('\n');
        }
        let mut shown = self.take_final(look);
        let rest = std::mem::take(&mut self.pending);
        self.add(&rest, &mut shown, look);
        *self = Self::default();
        shown
    }

    /// Returns the rows that nothing to come can change, and removes their text.
    fn take_final(&mut self, look: Look) -> Vec<String> {
        let mut shown = Vec::new();
        loop {
            if self.code.is_some() {
                if !self.take_code(&mut shown, look) {
                    return shown;
                }
                continue;
            }
            // A line that is not complete may still become a part of the block before it.
            let complete = self.pending.rfind('\n').map_or(0, |at| at + 1);
            let found = blocks(&self.pending[..complete]);
            let Some(last) = found.last() else { return shown };
            let end = self.final_end(last, complete);
            let text: String = self.pending.drain(..end).collect();
            self.add(&text, &mut shown, look);
            if last.kind != BlockKind::FencedCode {
                return shown;
            }
            let line_end = self.pending.find('\n').map_or(self.pending.len(), |at| at + 1);
            let line: String = self.pending.drain(..line_end).collect();
            let Some((fence, info)) = Fence::read(&line) else {
                self.add(&line, &mut shown, look);
                return shown;
            };
            if std::mem::replace(&mut self.has_rows, true) {
                shown.push(String::new());
            }
            self.code = Some(Code { fence, highlighter: Highlighter::new(info) });
        }
    }

    /// Returns where the final part of the text ends, of which `complete` bytes are complete lines.
    fn final_end(&self, last: &Block, complete: usize) -> usize {
        let after = &self.pending[last.range.end.min(complete)..complete];
        match last.kind {
            BlockKind::Line => complete,
            BlockKind::Paragraph if after.contains('\n') => complete,
            _ => last.range.start,
        }
    }

    /// Takes the complete lines of a block of code. Returns whether the block has ended.
    fn take_code(&mut self, shown: &mut Vec<String>, look: Look) -> bool {
        let Some(code) = &mut self.code else { return true };
        let mut taken = 0;
        let mut has_ended = false;
        while let Some(length) = self.pending[taken..].find('\n') {
            let line = &self.pending[taken..taken + length];
            taken += length + 1;
            if code.fence.is_closed_by(line) {
                has_ended = true;
                break;
            }
            let spans = code.highlighter.line(code.fence.without_indent(line));
            shown.extend(code_rows(&spans, look.width.saturating_sub(1)).iter().map(|row| paint(row, look)));
        }
        self.pending.drain(..taken);
        if has_ended {
            self.code = None;
        }
        has_ended
    }

    fn add(&mut self, text: &str, shown: &mut Vec<String>, look: Look) {
        let added = rows(text, look);
        if added.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.has_rows, true) {
            shown.push(String::new());
        }
        shown.extend(added);
    }
}

impl Fence {
    /// Reads the line that begins a block, and returns its language as well.
    fn read(line: &str) -> Option<(Self, &str)> {
        let text = line.trim_start_matches(' ');
        let letter = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = text.trim_start_matches(letter);
        let (length, indent) = (text.len() - info.len(), line.len() - text.len());
        (length >= 3).then_some((Self { letter, length, indent }, info.trim()))
    }

    fn is_closed_by(self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let rest = text.trim_start_matches(self.letter);
        line.len() - text.len() < 4 && text.len() - rest.len() >= self.length && rest.trim().is_empty()
    }

    /// Removes the indentation that the line has because of the fence's.
    fn without_indent(self, line: &str) -> &str {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        &line[blanks.min(self.indent)..]
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;
    use crate::look::NARROWEST;

    const PLAIN: Look = Look { width: 40, styled: false };

    /// A text with everything that is read.
    const EVERYTHING: &str = "\
# A title

One paragraph with **bold**, *italic*, ~~gone~~ and `code`,
on two lines, and a [link](https://example.com/a) and <https://example.com/b>.

- one
- two
  1. inner
  2. more

     a second paragraph
- [x] done

> quoted
> > twice

```rust
fn main() {
    println!(\"hi\");
}
```

| a | b |
|---|--:|
| one | 1 |
| `two` | 22 |

Setext
------

***

    indented code

<div>html</div>

[1]: https://example.com/c
~~~
left open";

    fn streamed(text: &str, size: usize, look: Look) -> Vec<String> {
        let mut stream = Stream::default();
        let mut rows = Vec::new();
        let letters: Vec<char> = text.chars().collect();
        for piece in letters.chunks(size) {
            rows.extend(stream.push(&piece.iter().collect::<String>(), look));
            let preview = stream.preview(look);
            assert!(preview.iter().all(|row| row.width() < look.width), "{preview:?}");
        }
        rows.extend(stream.finish(look));
        rows
    }

    #[test]
    fn a_text_has_the_same_rows_in_pieces_of_any_size() {
        let whole = streamed(EVERYTHING, EVERYTHING.len(), PLAIN);
        for size in 1..60 {
            assert_eq!(streamed(EVERYTHING, size, PLAIN), whole, "pieces of {size}");
        }
    }

    #[test]
    fn each_element_has_its_form() {
        let shown = crate::rows(EVERYTHING, PLAIN).join("\n");
        let expected = "\
# A title

One paragraph with **bold**, *italic*,
~~gone~~ and `code`,
on two lines, and a link
(https://example.com/a) and
https://example.com/b.

• one
• two
  1. inner
  2. more

     a second paragraph
• [x] done

│ quoted
│
│ │ twice

  fn main() {
      println!(\"hi\");
  }

a     │  b
──────┼───
one   │  1
`two` │ 22

## Setext

───────────────────────────────────────

  indented code

<div>html</div>

[1]: https://example.com/c

  left open";
        assert_eq!(shown, expected);
    }

    #[test]
    fn no_row_reaches_the_last_column_and_no_letter_is_lost() {
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        // Numbers of items may be corrected, and rows of tables have cells side by side.
        let text = "word ".repeat(30)
            + "\n\n- a\n  - b\n    - c\n      - d\n        - e 日本語 https://example.com/a-long-address-that-never-ends\n\n```\n"
            + &"x".repeat(100)
            + "\n```\nend";
        for width in NARROWEST..60 {
            let look = Look { width, styled: false };
            let rows = streamed(&text, 7, look);
            assert!(rows.iter().all(|row| row.width() < width), "{width}: {rows:?}");
            assert_eq!(letters(&rows.concat()), letters(&text), "{width}");
        }
    }

    #[test]
    fn a_table_that_is_too_wide_has_a_line_for_each_cell() {
        let text = "| name | what it does | since |\n|---|---|---|\n| a | b | c |\n| d | e | f |\n";
        let rows = crate::rows(text, Look { width: 12, styled: false });
        assert_eq!(rows.join("\n"), "name: a\nwhat it\ndoes: b\nsince: c\n\nname: d\nwhat it\ndoes: e\nsince: f");
        let rows = crate::rows(text, Look { width: 25, styled: false });
        assert_eq!(rows[..2], ["name │ what it   │ since", "     │ does      │"]);
    }

    #[test]
    fn the_address_of_a_link_is_shown() {
        let styled = Look { width: 80, styled: true };
        let rows = crate::rows("[https://bank.example](https://evil.example)", styled);
        assert_eq!(rows, ["\u{1b}[4mhttps://bank.example\u{1b}[0m\u{1b}[2m (https://evil.example)\u{1b}[0m"]);
    }

    #[test]
    fn deep_nesting_is_shown_without_further_indentation() {
        let text = format!("{} end\n", ">".repeat(20_000));
        let rows = crate::rows(&text, PLAIN);
        assert!(rows.len() < 3 && rows.iter().all(|row| row.width() < 40), "{rows:?}");
        assert!(rows.concat().contains("end"));
    }

    #[test]
    fn a_long_text_in_small_pieces_is_shown_in_time() {
        let text = "- an item of a list that goes on\n".repeat(5_000);
        let began = std::time::Instant::now();
        let mut stream = Stream::default();
        let mut count = 0;
        for piece in text.as_bytes().chunks(4) {
            count += stream.push(std::str::from_utf8(piece).expect("ASCII"), PLAIN).len();
        }
        count += stream.finish(PLAIN).len();
        assert_eq!(count, 5_000);
        assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    }
}
