//! Line endings. A model writes `\n` regardless of the file, so the search runs on a text with `\n` only, and edits are then mapped
//! back to the original text.

use std::borrow::Cow;
use std::ops::Range;

use super::find::Edit;

/// A text, with a copy that has `\n` for every `\r\n`.
#[derive(Debug)]
pub(super) struct NormalizedText<'a> {
    original: &'a str,
    normalized: Cow<'a, str>,
    /// The positions in `normalized` of the newlines that were `\r\n`, ascending.
    crlf: Vec<usize>,
    /// The ending of most lines; `None` if the text has no newline.
    main_ending: Option<&'static str>,
}

impl<'a> NormalizedText<'a> {
    pub(super) fn new(original: &'a str) -> Self {
        let normalized = to_lf(original);
        let crlf: Vec<_> = original.match_indices("\r\n").enumerate().map(|(nth, (at, _))| at - nth).collect();
        let newlines = normalized.matches('\n').count();
        let main_ending = match newlines {
            0 => None,
            _ if 2 * crlf.len() > newlines => Some("\r\n"),
            _ => Some("\n"),
        };
        Self { original, normalized, crlf, main_ending }
    }

    /// Returns the text with `\n` only.
    pub(super) fn normalized(&self) -> &str {
        &self.normalized
    }

    /// Returns the ending of most lines.
    pub(super) fn main_ending(&self) -> &'static str {
        self.main_ending.unwrap_or("\n")
    }

    /// Maps an edit of the normalized text to the original. New lines get the ending of the lines that they replace, or
    /// the ending of most lines.
    pub(super) fn to_original(&self, edit: Edit) -> Edit {
        let range = self.original_range(&edit.range);
        let ending = first_ending(&self.original[range.clone()]).or(self.main_ending);
        let new = if ending == Some("\r\n") { edit.new.replace('\n', "\r\n") } else { edit.new };
        Edit { range, new }
    }

    fn original_range(&self, range: &Range<usize>) -> Range<usize> {
        // Each `\r\n` that ends before a position shifts that position by one byte.
        let original = |at: usize| at + self.crlf.partition_point(|&newline| newline < at);
        original(range.start)..original(range.end)
    }
}

/// Replaces every `\r\n` by `\n`.
pub(super) fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// Returns the line ending of the first line, or `None` if `text` has no newline.
fn first_ending(text: &str) -> Option<&'static str> {
    let at = text.find('\n')?;
    Some(if text[..at].ends_with('\r') { "\r\n" } else { "\n" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(original: &str, old: &str, new: &str) -> String {
        let text = NormalizedText::new(original);
        let at = text.normalized().find(old).unwrap();
        let edit = text.to_original(Edit { range: at..at + old.len(), new: new.to_owned() });
        [&original[..edit.range.start], &edit.new, &original[edit.range.end..]].concat()
    }

    #[test]
    fn an_edit_keeps_its_place_and_the_line_endings() {
        assert_eq!(edit("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n");
        assert_eq!(edit("a\r\nb\r\nc\r\n", "b", "x\ny"), "a\r\nx\r\ny\r\nc\r\n");
        assert_eq!(edit("a\r\nb\r\n", "\nb", ""), "a\r\n", "both bytes of the line ending are removed");
        assert_eq!(edit("a\r\nb\r\n", "a\n", ""), "b\r\n");
        assert_eq!(edit("a\nb\n", "b", "x\ny"), "a\nx\ny\n");
        assert_eq!(edit("a", "a", "x\ny"), "x\ny");
    }

    #[test]
    fn mixed_line_endings_are_kept() {
        let mixed = "a\nb\r\nc\r\nd\ne\n";
        assert_eq!(edit(mixed, "b\nc", "x\ny"), "a\nx\r\ny\r\nd\ne\n");
        assert_eq!(edit(mixed, "d\ne", "x\ny"), "a\nb\r\nc\r\nx\ny\n");
        assert_eq!(edit(mixed, "e", "x\ny"), "a\nb\r\nc\r\nd\nx\ny\n", "the ending of most lines");
        assert_eq!(edit("a\rb\r\r\nc", "b\r\nc", "x\ny"), "a\rx\r\ny", "a single \\r is not a line ending");
    }
}
